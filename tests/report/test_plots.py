"""Charts for people: what they show, where they are written, what they refuse."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.errors import RequestError
from shoal.report.spread import spread

DRAWS = True  # charts


@pytest.fixture(scope="module")
def result():
    """A release of two numbers and a text by a search."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"a": rng.normal(size=90), "b": rng.integers(0, 50, 90), "t": rng.choice(list("xy"), 90),
         "s": rng.integers(0, 9, 90)}
    )  # fmt: skip
    return library.anonymize(
        data, k=3, quasi_identifiers=["a", "b", "t"], sensitive=["s"], method="ilsmc+",
        max_iterations=50,
    )  # fmt: skip


def values(chart):
    """Return the numbers that a chart draws."""
    return chart.spec["data"]["values"]


def test_every_chart_shows_the_report(result):
    """Bins, sizes, losses and the curve are the report's own."""
    report = result.report
    own = next(c for c in report.columns if c.name == "b")
    drawn = values(result.plot.column("b"))
    assert [v["records"] for v in drawn if v["when"] == "after"] == own.histogram.after
    sizes = {v["size"]: v["groups"] for v in values(result.plot.sizes())}
    assert sizes == {int(size): n for size, n in report.groups["sizes"].items()}
    assert {v["column"] for v in values(result.plot.losses())} == {"a", "b", "t"}
    curve = [(v["iteration"], v["loss"]) for v in values(result.plot.loss())]
    assert curve == [tuple(one) for one in report.search["curve"]]
    assert len(values(result.plot.attacks())) > 3


def test_a_pair_shows_groups(result):
    """Every point is a released combination with as many records as have it."""
    drawn = values(result.plot.pair("a", "b"))
    counts = result.data.groupby(["a", "b"]).size()
    assert {(v["x"], v["y"]): v["records"] for v in drawn} == counts.to_dict()
    assert min(v["records"] for v in drawn) >= 3
    for names, said in [(("a", "s"), "show records"), (("a", "a"), "different"),
                        (("a", "q"), "no column")]:  # fmt: skip
        with pytest.raises(RequestError, match=said):
            result.plot.pair(*names)


@pytest.mark.slow
def test_many_groups_become_a_grid():
    """Of thousands of groups the cells of a grid are drawn; no record is lost."""
    data = np.random.default_rng(1).normal(size=(9000, 2))
    result = library.anonymize(data, k=3, method="hilbert")
    names = result.table.names
    found = spread(result.table, *names)
    assert found["binned"]
    assert len(found["points"]) <= 1600
    assert sum(point["records"] for point in found["points"]) == 9000


def test_files(result, tmp_path, shoal):
    """SVG or JSON, never over what is there; from a folder of a release the same charts."""
    path = result.plot.sizes().save(tmp_path / "s.svg")
    assert path.read_text().startswith("<svg")
    assert "currentColor" not in path.read_text()
    with pytest.raises(library.OutputError):
        result.plot.sizes().save(path)
    with pytest.raises(RequestError, match="written as"):
        result.plot.sizes().save(tmp_path / "s.pdf")
    result.save(tmp_path / "out")
    for what, names in [("column", "b"), ("sizes", None), ("losses", None), ("loss", None),
                        ("pair", "a,b"), ("attacks", None)]:  # fmt: skip
        said = () if names is None else ("--name", names)
        out = tmp_path / f"{what}.json"
        ran = shoal("plot", what, tmp_path / "out", *said, "-o", out)
        assert ran.code == 0, ran.err
        own = getattr(result.plot, what)(*(names.split(",") if names else []))
        drawn = json.loads(out.read_text())["data"]["values"]
        if what != "pair":
            assert drawn == json.loads(json.dumps(values(own)))
        else:
            assert sum(v["records"] for v in drawn) == 90


def test_a_report_has_its_charts(result, tmp_path):
    """A report's charts go by the names of its columns, and are written as PNG and SVG."""
    charts = result.report.charts()
    assert {"a", "b", "group sizes", "loss by column", "attacks"} <= set(charts)
    assert charts["b"].spec == result.plot.column("b").spec
    assert "t" not in charts  # released as a text
    png = charts["b"].to_png(tmp_path / "b.png")
    assert (tmp_path / "b.png").read_bytes() == png
    assert png.startswith(b"\x89PNG")
    small = charts["b"].to_png(scale=1)
    sizes = [int.from_bytes(one[16:20], "big") for one in (png, small)]  # pixels across
    assert sizes[0] == pytest.approx(2 * sizes[1], abs=2)
    assert charts["b"].save(tmp_path / "again.png").read_bytes() == png
    assert charts["b"].to_svg(tmp_path / "b.svg") == (tmp_path / "b.svg").read_text()
    for refused, said in [
        (lambda: charts["b"].to_png(tmp_path / "b.svg"), "end in .png"),
        (lambda: charts["b"].to_png(scale=0), "scale"),
    ]:
        with pytest.raises(RequestError, match=said):
            refused()


def test_notebooks_draw_the_spec(result, monkeypatch):
    """A notebook gets the spec, with colors that it has, and SVG where charts are drawn."""
    chart = result.plot.sizes()
    bundle = chart._repr_mimebundle_()
    spec = bundle["application/vnd.vegalite.v5+json"]
    assert set(bundle) == {"application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"}
    assert spec["$schema"].endswith("/v5.json")
    assert spec["data"] == json.loads(json.dumps(chart.spec["data"]))
    assert "currentColor" not in json.dumps(spec)
    assert "currentColor" in json.dumps(chart.spec)  # which is the page's own
    monkeypatch.setenv("SHOAL_CHARTS", "off")
    assert set(chart._repr_mimebundle_()) == set(bundle) - {"image/svg+xml"}


def test_altair(result, monkeypatch):
    """Altair gets the spec; where it is missing, one line says what to install."""
    chart = result.plot.sizes()
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(RequestError, match=r"^to_altair.* pip install altair$"):
        chart.to_altair()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(RequestError, match=r"pip install .shoal\[charts\]"):
        chart.to_png()
    made = SimpleNamespace(Chart=SimpleNamespace(from_dict=lambda spec: spec))
    monkeypatch.setitem(sys.modules, "altair", made)
    assert chart.to_altair() == chart.on_paper()


def test_altair_takes_every_chart(result):
    """Altair's own schema accepts the specs."""
    pytest.importorskip("altair")
    for chart in [*result.report.charts().values(), result.plot.pair("a", "b")]:
        assert chart.to_altair().to_dict()["width"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_suppressed_cells_are_left_out(tmp_path, shoal, kind):
    """A release with stars still has its numbers drawn."""
    rng = np.random.default_rng(3)
    data = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    data.loc[4, "a"] = np.nan
    result = library.anonymize(data, k=3, method="mdav")
    drawn = values(result.plot.pair("a", "b"))
    result.save(tmp_path / "out", format=kind)
    ran = shoal("plot", "pair", tmp_path / "out", "--name", "a,b", "-o", tmp_path / "p.json")
    assert ran.code == 0, ran.err
    told = json.loads((tmp_path / "p.json").read_text())["data"]["values"]
    assert sum(v["records"] for v in told) == sum(v["records"] for v in drawn) < 60


@pytest.fixture(scope="module")
def saved(result, tmp_path_factory):
    """The folder in which `out` is the release."""
    folder = tmp_path_factory.mktemp("saved")
    result.save(folder / "out")
    return folder


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("shape", "out"), "is no chart"),
        (("column", "out"), "takes 1"),
        (("pair", "out", "--name", "a"), "takes 2"),
        (("column", "out", "--name", "zz"), "no quasi-identifier"),
        (("pair", "out", "--name", "a,s"), "show records"),
        (("sizes", "nowhere"), "cannot be read"),
        (("frontier", "out/report.json"), "no comparison"),
        (("sizes", "out.private/run.toml"), "not JSON"),
    ],
)
def test_refused(saved, tmp_path, shoal, arguments, said):
    """What cannot be drawn is said in one line, and nothing is written."""
    what, source, *rest = arguments
    ran = shoal("plot", what, saved / source, *rest, "-o", tmp_path / "x.svg")
    assert ran.code == 2
    assert said in ran.err
    assert not (tmp_path / "x.svg").exists()


def test_no_curve_without_a_search():
    """A method that makes no search has no curve: that is said."""
    result = library.anonymize(np.arange(20.0).reshape(10, 2), k=2, method="mdav")
    with pytest.raises(RequestError, match="made no search"):
        result.plot.loss()
