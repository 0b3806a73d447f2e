"""Charts show the figures of a report, no more and no others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from shoal.report import charts


def column(name="a", **changed):
    """What a report says of a column."""
    told = {
        "name": name, "kind": "float", "information_loss": 1.0, "released_as": "mean",
        "unchanged": 1, "generalized": 2, "suppressed": 3, "missing": 4,
        "histogram": SimpleNamespace(edges=[0.0, 1.0, 3.0], before=[4, 5], after=[6, 3]),
    }  # fmt: skip
    return SimpleNamespace(**{**told, **changed})


def report(columns=(), **changed):
    """A report of columns."""
    told = {
        "columns": list(columns), "costs": None, "search": None, "loss_name": "loss",
        "groups": {"sizes": {"3": 7, "4": 1}},
        "correlations": {"columns": [], "before": [], "after": []}, "measures": None,
        "is_public": False, "loss": {},
    }  # fmt: skip
    return SimpleNamespace(**{**told, **changed})


def values(spec):
    """The figures of a chart."""
    return spec["data"]["values"]


def test_group_sizes():
    """Every size has its bar; many bars share the width, few do not fill it."""
    spec = charts.group_sizes(report())
    assert values(spec) == [{"size": 3, "groups": 7}, {"size": 4, "groups": 1}]
    sizes = {str(size): 1 for size in range(3, 11)}
    assert charts.group_sizes(report(groups={"sizes": sizes}))["width"] == {"step": 36}
    sizes["11"] = 1
    assert charts.group_sizes(report(groups={"sizes": sizes}))["width"] == charts.WIDTH


def test_losses():
    """Every column has its loss; what was lost is variation only where nothing is generalized."""
    shown = report([column("a", information_loss=2.5), column("b" * 60)])
    spec = charts.loss_by_column(shown)
    assert values(spec)[0] == {"column": "a", "loss": 2.5}
    assert 30 < len(values(spec)[1]["column"]) < 50
    assert spec["encoding"]["x"]["title"] == "variation lost, percent"
    told = charts.loss_by_column(report([column()], costs={}))["encoding"]["x"]["title"]
    assert told == "lost, percent"


def test_cells():
    """Columns of generalized cells are shown by what became of the cells, in a fixed order."""
    shown = [column("a"), column("g", released_as="generalize"), column("r", released_as="range")]
    spec = charts.cells_by_column(report(shown))
    assert [(v["column"], v["cells"], v["order"]) for v in values(spec)] == [
        (name, count, order) for name in "gr" for order, count in enumerate((1, 2, 3, 4))
    ]
    words = [v["released"] for v in values(spec)[:4]]
    assert words == spec["encoding"]["color"]["scale"]["domain"]
    assert words == ["as they were", "generalized", "* (suppressed)", "missing before"]


def test_distributions():
    """Bins reach from edge to edge, with what they held before and hold after."""
    spec = charts.distribution(column())
    assert values(spec) == [
        {"from": 0.0, "to": 1.0, "records": 4, "when": "before"},
        {"from": 1.0, "to": 3.0, "records": 5, "when": "before"},
        {"from": 0.0, "to": 1.0, "records": 6, "when": "after"},
        {"from": 1.0, "to": 3.0, "records": 3, "when": "after"},
    ]
    assert spec["encoding"]["x"]["type"] == "quantitative"
    assert spec["encoding"]["y2"] == {"datum": 0}
    assert "values" not in spec["encoding"]["x"]["axis"]
    for kind in ("date", "datetime"):
        spec = charts.distribution(column(kind=kind))
        x = spec["encoding"]["x"]
        assert x["type"] == "temporal"
        assert [v["from"] for v in values(spec)[:2]] == [
            "1970-01-01T00:00:00",
            "1970-01-02T00:00:00",
        ]
        assert values(spec)[1]["to"] == "1970-01-04T00:00:00"
        assert x["axis"]["values"] == [
            {"year": 1970, "month": 1, "date": day, "hours": 0} for day in (1, 2, 4)
        ]


@pytest.mark.parametrize(
    ("days", "moment"),
    [
        (0.0, "1970-01-01T00:00:00"),
        (0.5, "1970-01-01T12:00:00"),
        (-719_162.0, "0001-01-01T00:00:00"),
        (-719_161.0, "0001-01-02T00:00:00"),
        (-1e9, "0001-01-01T00:00:00"),
        (2_932_896.0, "9999-12-31T00:00:00"),
        (2_932_895.0, "9999-12-30T00:00:00"),
        (1e9, "9999-12-31T00:00:00"),
    ],
)
def test_days_are_moments_of_the_calendar(days, moment):
    """Days are counted from 1970; beyond the calendar its first and last days stand for them."""
    found = charts.day_of(days)
    assert found.replace(tzinfo=None).isoformat() == moment


def test_pairs_of_correlations():
    """Every pair is shown once, and none that has no correlation."""
    before = [[1, 0.1, 0.2], [0.1, 1, None], [0.2, None, 1]]
    after = [[1, 0.3, 0.4], [0.3, 1, 0.5], [0.4, 0.5, 1]]
    told = {"columns": ["a", "b", "c"], "before": before, "after": after}
    spec = charts.correlations(report(correlations=told))
    assert values(spec) == [
        {"pair": "b and a", "before": 0.1, "after": 0.3},
        {"pair": "c and a", "before": 0.2, "after": 0.4},
    ]
    line, points = spec["layer"]
    assert values(line) == [{"x": -1, "y": -1}, {"x": 1, "y": 1}]
    for axis in "xy":
        assert points["encoding"][axis]["scale"]["domain"] == [-1, 1]
    told["after"][0][1] = told["after"][1][0] = None
    assert len(values(charts.correlations(report(correlations=told)))) == 1


def test_curve_of_a_search():
    """The curve has its points, and ticks at powers of ten that the search reached."""
    search = {"curve": [(0, 5.0), (70, 4.0)], "iterations": 100}
    spec = charts.loss_curve(search, "ILoss")
    assert values(spec) == [{"iteration": 0, "loss": 5.0}, {"iteration": 70, "loss": 4.0}]
    assert spec["encoding"]["x"]["axis"]["values"] == [0, 1, 10, 100]
    assert spec["encoding"]["y"]["title"] == "ILoss"
    many = charts.loss_curve({"curve": [], "iterations": 10**11}, "")
    assert many["encoding"]["x"]["axis"]["values"][-1] == 10**11


def test_which_charts_a_report_has():
    """The twelve columns that lost most have a distribution; what there is not has no chart."""
    columns = [column(f"c{i}", information_loss=float(i)) for i in range(15)]
    columns.append(column("none", histogram=None, information_loss=99.0))
    names = list(charts.report_charts(report(columns)))
    assert names[:2] == ["group sizes", "loss by column"]
    assert names[2:] == [f"distribution c{i}" for i in range(14, 2, -1)]
    two = {"columns": ["a", "b"], "before": [[1, 0], [0, 1]], "after": [[1, 0], [0, 1]]}
    one = {"columns": ["a"], "before": [[1]], "after": [[1]]}
    assert "correlations" in charts.report_charts(report(correlations=two))
    assert "correlations" not in charts.report_charts(report(correlations=one))
    for iterations in (0, 1):
        shown = charts.report_charts(report(search={"curve": [], "iterations": iterations}))
        assert ("loss curve" in shown) == (iterations > 0)
    for way in ("generalize", "range", "mode"):
        shown = charts.report_charts(report([column(released_as=way)]))
        assert ("cells by column" in shown) == (way != "mode")


def test_attacks():
    """Every attack that was measured has a bar, none below 0, and 1 in k is a line."""
    assert charts.attacks(None) is None
    risk = {
        "marketer": {"value": 12.5}, "model_inference": {"value": -3.0}, "above_0.2": {"value": 9},
    }  # fmt: skip
    spec = charts.attacks({"risk": risk, "k": 8})
    assert values(spec) == [
        {"attack": "average risk (marketer)", "share": 12.5},
        {"attack": "guessing by a model", "share": 0.0},
    ]
    assert spec["layer"][1]["data"]["values"] == [{"k": 12.5}]
    assert "attacks" in charts.report_charts(report(measures={"risk": risk, "k": 8}))
