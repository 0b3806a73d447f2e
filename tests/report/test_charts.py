"""Charts show the figures of a report, no more and no others."""

from __future__ import annotations

from types import SimpleNamespace

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
