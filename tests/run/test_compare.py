"""Comparing methods and k: the frontier, the pick, the budget, and going on after a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal as library
from shoal.errors import Canceled, RequestError
from shoal.pipeline.comparison import Point, judged, on_frontier
from shoal.report.comparison import comparison_page
from thorough import each

DRAWS = True  # charts

METHODS = ["mdav", "hilbert", "ilsmc+"]


def frame(rows=80, seed=0):
    """Three columns of numbers."""
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, 3)), columns=list("abc"))


@pytest.fixture(scope="module")
def found():
    """A comparison of three methods and three k."""
    return library.compare(frame(), k=[3, 5, 10], methods=METHODS)


def test_all_runs_and_their_figures(found):
    """Every run is there, with the loss and the risk of a release made by itself."""
    assert [(p.k, p.method) for p in found.points] == list(product((3, 5, 10), METHODS))
    own = library.anonymize(frame(), k=5, method="mdav")
    point = next(p for p in found.points if (p.k, p.method) == (5, "mdav"))
    assert point.information_loss == own.report.information_loss_released
    assert point.groups == own.report.groups["count"]
    risks = own.report.measures["risk"]
    linked = [risks[key]["value"] for key in risks if key.endswith("linkage")]
    assert point.risk == max(linked)
    assert point.highest_risk == 20.0


def test_the_frontier_is_what_nothing_beats(found):
    """No run has both less loss and less risk than one on the frontier; the pick is on it."""
    for point in found.points:
        beaten = any(
            (o.information_loss, o.risk) != (point.information_loss, point.risk)
            and o.information_loss <= point.information_loss and o.risk <= point.risk
            for o in found.points
        )  # fmt: skip
        assert point.frontier == (not beaten)
    assert found.pick is not None
    assert found.pick.frontier
    assert sum(point.picked for point in found.points) == 1
    assert f"→ {found.pick.method}, k = {found.pick.k}" in found.reason


@each("seed", range(30))
def test_frontier_by_brute_force(seed):
    """Random figures, with ties: of equals one is on it."""
    rng = np.random.default_rng(seed)
    points = [
        Point(f"m{i}", 3, float(rng.integers(1, 8)), float(rng.integers(1, 8)), 1.0, 1, 0.0)
        for i in range(int(rng.integers(1, 12)))
    ]
    places = {(p.information_loss, p.risk) for p in points}
    kept = {
        place for place in places
        if not any(o != place and o[0] <= place[0] and o[1] <= place[1] for o in places)
    }  # fmt: skip
    edge = on_frontier(points)
    assert {(p.information_loss, p.risk) for p in edge} == kept
    assert len(edge) == len(kept)
    marked, reason = judged(points)
    picked = [p for p in marked if p.picked]
    assert len(picked) == 1
    assert picked[0].frontier
    assert str(len(kept)) in reason


def test_dataframe_chart_and_words(found):
    """The runs as the caller's dataframe, a chart of figures, a table in words."""
    assert isinstance(found.data, pd.DataFrame)
    assert found.data.method.tolist() == METHODS * 3
    values = found.plot().spec["data"]["values"]
    assert [v["loss"] for v in values] == [p.information_loss for p in found.points]
    assert sum(v["what"] == "picked" for v in values) == 1
    assert found.plot().to_svg().startswith("<svg")
    lines = found.summary().splitlines()
    assert sum(line.startswith("→") for line in lines) == 2
    assert json.loads(found.to_json())["points"][0]["method"] == "mdav"
    own = library.compare(pl.from_pandas(frame(30)), k=3, methods="mdav")
    assert isinstance(own.data, pl.DataFrame)


def test_a_method_that_cannot_says_why():
    """A run that is refused is a line with its reason; the others go on."""
    found = library.compare(frame(), k=[3, 90], methods=["optimal-1d", "mdav"])
    said = {(p.k, p.method): p.said for p in found.points}
    assert "takes 1 column" in said[3, "optimal-1d"]
    assert "n = 80 records < k = 90" in said[90, "mdav"]
    assert said[3, "mdav"] == ""
    nothing = library.compare(frame(), k=90, methods="mdav")
    assert nothing.pick is None
    assert nothing.reason == "no run came to an end"
    with pytest.raises(RequestError, match="did you mean"):
        library.compare(frame(), k=3, methods="mdaw")
    with pytest.raises(RequestError, match="budget"):
        library.compare(frame(), k=3, budget=0)


@pytest.mark.slow
def test_mixed_tables_and_surveys():
    """Every release is that of `anonymize`, losses are NCP; weights and strata are kept by all."""
    rng = np.random.default_rng(0)
    data = frame(60).assign(t=rng.choice(list("xyz"), 60), r=np.arange(60) % 2, w=1.5)
    asked = {"quasi_identifiers": ["a", "t"], "by": "r", "weight": "w", "drop": ["b", "c"]}
    found = library.compare(data, k=[3], methods=["kaim", "mdav"], **asked)
    assert [p.said for p in found.points] == ["", ""]
    assert found.loss_name == "NCP, percent"
    assert "leaves open" in found.summary()
    assert found.to_dict()["loss_words"] in comparison_page(found.to_dict(), "<svg>")
    for point in found.points:
        own = library.anonymize(data, k=3, method=point.method, **asked).report
        assert point.information_loss == own.measures["utility"]["ncp"]["value"]
        assert point.risk == max(
            one["value"] for key, one in own.measures["risk"].items()
            if key in ("distance_linkage", "rank_linkage", "block_linkage")
        )  # fmt: skip
        how = {column.name: column.released_as for column in own.columns}
        assert how["a"] == {"kaim": "generalize", "mdav": "mean"}[point.method]
    usual = library.compare(data.drop(columns=["r", "w"]), k=3)
    assert {"kaim", "kaim+", "mdav"} <= {p.method for p in usual.points}
    assert len(library.compare(frame(30), k=3).points) == 10


def test_budget():
    """When the time is spent, what is left is said to be left out."""
    found = library.compare(frame(), k=[3, 5, 10], methods=METHODS, budget=1e-6)
    assert all("budget" in point.said for point in found.points)
    ample = library.compare(frame(), k=3, methods=["mdav", "hilbert"], budget=60.0)
    assert all(point.information_loss is not None for point in ample.points)


@pytest.mark.slow
def test_a_callback_cancels_and_the_notes_go_on(tmp_path):
    """What was done is in the notes, figures alone; the same comparison goes on after it."""
    notes = tmp_path / "notes.jsonl"
    seen = []

    def stop(look):
        seen.append(look.stage)
        return "k = 5, mdav" in look.stage

    with pytest.raises(Canceled):
        library.compare(frame(), k=[3, 5], methods=METHODS, resume=notes, callback=stop)
    lines = notes.read_text().splitlines()
    assert [json.loads(line)["method"] for line in lines[1:]] == METHODS
    marked = [json.loads(line) for line in lines]
    marked[1]["information_loss"] = 99.0  # so that one sees where a figure is from
    assert set(marked[0]) == {"schema", "of"}
    notes.write_text("\n".join(json.dumps(one) for one in marked) + '\n{"method": "cut sh')
    for _ in range(2):  # it is mended when it is read, and stays so
        with pytest.raises(Canceled):
            library.compare(frame(), k=[3, 5], methods=METHODS, resume=notes, callback=stop)
        lines = [json.loads(line) for line in notes.read_text().splitlines()]
        assert [line["method"] for line in lines[1:]] == METHODS
    again = library.compare(frame(), k=[3, 5], methods=METHODS, resume=notes)
    assert again.points[0].information_loss == 99.0
    assert all(point.information_loss is not None for point in again.points)
    assert not notes.exists()
    notes.write_text("\n".join(json.dumps(one) for one in marked) + "\n")
    other = library.compare(frame(seed=1), k=[3, 5], methods=METHODS, resume=notes)
    assert other.points[0].information_loss < 99.0


def test_notes_are_ours_and_of_the_same_figures(tmp_path):
    """A file that is no notes is left alone; another tree, budget or k_of begins anew."""
    other = tmp_path / "mine.txt"
    deep = "[" * 100_000 + "\n"
    for text in ("important\nlines\n", '{"a": 1}\n{"b": 2}\n', "no end of line", deep):
        other.write_text(text)
        with pytest.raises(RequestError, match="no notes of a comparison"):
            library.compare(frame(30), k=3, methods="mdav", resume=other)
        assert other.read_text() == text
    rng = np.random.default_rng(0)
    data = frame(40).assign(t=rng.choice(list("xyz"), 40))
    tree, notes = tmp_path / "t.csv", tmp_path / "notes.jsonl"
    lost = []
    for lines in ("x,v,*\ny,v,*\nz,u,*\n", "x,v,*\ny,u,*\nz,u,*\n"):
        tree.write_text(lines)
        asked = {"k": 3, "methods": ["kaim", "mdav"], "quasi_identifiers": ["a", "t"],
                 "drop": ["b", "c"], "hierarchies": {"t": str(tree)}}  # fmt: skip

        def stop(look):
            return "mdav" in look.stage

        with pytest.raises(Canceled):
            library.compare(data, resume=notes, callback=stop, **asked)
        assert len(notes.read_text().splitlines()) == 2
        lost.append(library.compare(data, resume=notes, **asked).points[0].information_loss)
        fresh = library.compare(data, **asked).points[0].information_loss
        assert lost[-1] == fresh
    assert lost[0] != lost[1]


def test_what_is_noted_are_figures(tmp_path):
    """No name of a stratum and no value goes to the notes, nor to what is said of a run."""
    data = frame(40).assign(r=["canary"] + ["b"] * 39)
    notes = tmp_path / "notes.jsonl"

    def stop(look):
        assert "canary" not in notes.read_text()
        return False

    found = library.compare(
        data, k=[3], methods=["mdav"], by="r", quasi_identifiers=["a"], drop=["b", "c"],
        resume=notes, callback=stop,
    )  # fmt: skip
    assert "strata" in found.points[0].said
    assert "canary" not in found.points[0].said


def test_losses_are_of_one_kind():
    """All runs have one kind of loss: of means, of generalizations, or NCP, which is of both."""
    found = library.compare(frame(60), k=3, methods=["kaim", "mdav", "kaim"])
    assert [p.method for p in found.points] == ["kaim", "mdav"]
    assert found.loss_name == "NCP, percent"
    for asked, name in (
        ({"numbers": "mean"}, "SSE/SST, percent"), ({"aggregate": "mean"}, "SSE/SST, percent"),
        ({"numbers": "interval"}, "ILoss rate, percent"),
    ):  # fmt: skip
        found = library.compare(frame(60), k=3, methods=["kaim", "mdav"], **asked)
        own = library.anonymize(frame(60), k=3, method="kaim", **asked).report
        assert found.points[0].information_loss == own.information_loss_released
        assert found.loss_name == name


def test_columns_of_two_values_are_released_as_anonymize_does():
    """A column of zeros and ones releases the majority here, too."""
    data = frame(60).assign(b=np.arange(60) % 2)
    found = library.compare(data, k=3, methods="mdav")
    own = library.anonymize(data, k=3, method="mdav").report
    assert own.columns[1].released_as == "majority"
    assert found.points[0].information_loss == own.information_loss_released


@pytest.mark.parametrize("what", ["compare", "preview"])
def test_files_are_read_as_said(tmp_path, what):
    """Signs for missing cells, types and delimiters are for the file, once."""
    data = frame(60).round(3).astype(str)
    data.loc[3, "a"] = "NA"
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False, sep=";")
    asked = {"missing": ["NA"], "types": {"b": "number"}, "delimiter": ";", "incomplete": "delete"}
    if what == "compare":
        found = library.compare(path, k=3, methods=["mdav"], **asked)
        assert found.points[0].said == ""
        assert found.loss_name == "SSE/SST, percent"
    else:
        assert library.preview(path, k=3, sample=40, method="mdav", **asked).loss > 0


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path, shoal, monkeypatch):
    """Killed hard in the middle, the same command goes on; in the end nothing is left of it."""
    frame(400).to_csv(tmp_path / "t.csv", index=False)
    command = ["compare", str(tmp_path / "t.csv"), "-k", "3,5", "--methods", "mdav,hilbert,ilsmc+",
               "--json"]  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = tmp_path / "cache/shoal"
    with subprocess.Popen(
        [sys.executable, "-m", "shoal", *command],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while process.poll() is None:
            notes = list(place.glob("compare-*.jsonl"))
            if notes and len(notes[0].read_text().splitlines()) >= 3:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.002)
        process.wait()
    done = notes[0].read_text().splitlines()
    assert 3 <= len(done) < 7
    ran = shoal(*command)
    assert ran.code == 0, ran.err
    points = json.loads(ran.out)["points"]
    assert len(points) == 6
    first = json.loads(done[1])
    assert points[0]["seconds"] == first["seconds"]
    assert list(place.iterdir()) == []


def test_the_command(tmp_path, shoal, monkeypatch):
    """Table on stdout; a folder with table, chart and page; never over what is there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    frame(60).to_csv(tmp_path / "t.csv", index=False)
    said = ("compare", tmp_path / "t.csv", "-k", "3,5", "--methods", "mdav,hilbert")
    ran = shoal(*said, "-o", tmp_path / "out", "--budget", "1min")
    assert ran.code == 0, ran.err
    assert "mdav" in ran.out
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["comparison.csv", "comparison.html", "comparison.json", "frontier.svg"]
    page = (tmp_path / "out/comparison.html").read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert len(pd.read_csv(tmp_path / "out/comparison.csv")) == 4
    assert shoal(*said, "-o", tmp_path / "out").code == 2
    assert shoal(*said, "-o", tmp_path / "out", "--force", "--fresh").code == 0
    ran = shoal("plot", "frontier", tmp_path / "out", "-o", tmp_path / "f.svg")
    assert ran.code == 0, ran.err
    for bad in (("-k", "3,x"), ("-k", "3", "--budget", "soon"), ("-k", "3", "--methods", "none")):
        assert shoal("compare", tmp_path / "t.csv", *bad).code == 2
    assert isinstance(library.compare(tmp_path / "t.csv", k=3, methods="mdav").data, pa.Table)
