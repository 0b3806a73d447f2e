"""What auto runs in a comparison, what is asked beyond k there, and gains that are none."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.pipeline.comparison import Comparison, Point, judged
from shoal.report.comparison import COLUMNS, comparison_csv, comparison_page


def frame(rows=80, seed=0):
    """Three columns of numbers, one of texts to model, one of numbers to model."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    ill = np.where(data.a + rng.normal(size=rows) / 2 > 0, "x", "y")
    return data.assign(ill=ill, cost=(3 * data.b + rng.normal(size=rows) / 2).round(1))


ROLES = {"quasi_identifiers": ["a", "b", "c"], "sensitive": ["ill", "cost"]}


@pytest.mark.slow
@pytest.mark.parametrize("budget", [None, 1e-6])
def test_auto_comes_first_whatever_the_budget(budget):
    """What auto runs is compared for every k, before anything else, and never left out."""
    stages = []
    found = library.compare(
        frame(), k=[3, 5], budget=budget, effort="quick", **ROLES,
        callback=lambda look: stages.append(look.stage),
    )  # fmt: skip
    for k in (3, 5):
        own = [point for point in found.points if point.k == k]
        assert own[0].auto
        assert own[0].method == "ilsmc+"
        assert own[0].information_loss is not None
        assert sum(point.method == "ilsmc+" for point in own) == 1
        assert budget is None or all("budget" in point.said for point in own[1:])
    order = list(dict.fromkeys(stage.split(":")[0] for stage in stages))
    assert order[:2] == ["k = 3, auto", "k = 5, auto"]
    assert f"{found.points[0].method} (auto)" in found.summary()


def test_auto_is_the_run_that_auto_makes():
    """The figures of auto are those of a run with method auto, as long as its effort says."""
    found = library.compare(frame(), k=3, methods=["auto", "mdav"], effort="quick", **ROLES)
    own = library.anonymize(frame(), k=3, effort="quick", **ROLES).report
    assert [point.auto for point in found.points] == [True, False]
    assert found.points[0].information_loss == own.information_loss_released
    assert found.points[0].method == own.method


def test_auto_goes_on_from_notes(tmp_path):
    """A comparison that was stopped after auto does not run it again."""
    notes = tmp_path / "notes.jsonl"
    asked = {"k": 3, "methods": ["auto", "mdav"], "effort": "quick", **ROLES}
    with pytest.raises(library.errors.Canceled):
        library.compare(frame(), resume=notes, callback=lambda look: "mdav" in look.stage, **asked)
    lines = [json.loads(line) for line in notes.read_text().splitlines()]
    assert lines[1]["auto"] is True
    stages = []
    library.compare(frame(), resume=notes, callback=lambda look: stages.append(look.stage), **asked)
    assert not any("auto" in stage for stage in stages)


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [{"l": 2}, {"t": 0.4}, {"alpha": 0.7}, {"l": 1.8, "l_kind": "entropy"}], ids=str
)
def test_every_run_keeps_what_is_asked_beyond_k(asked, tmp_path, shoal, monkeypatch):
    """Python and command compare releases that keep l, t and alpha, and say so alike."""
    roles = {"quasi_identifiers": ["a", "b", "c"], "sensitive": ["ill"], "drop": ["cost"]}
    found = library.compare(frame(), k=4, methods=["mdav", "hilbert"], **asked, **roles)
    own = library.anonymize(frame(), k=4, method="mdav", **asked, **roles).report
    plain = library.anonymize(frame(), k=4, method="mdav", **roles).report
    assert found.points[0].information_loss == own.information_loss_released
    assert own.information_loss_released > plain.information_loss_released
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    frame().to_csv(tmp_path / "t.csv", index=False)
    options = [word for key, value in asked.items()
               for word in (f"--{key.replace('_', '-')}", str(value))]  # fmt: skip
    ran = shoal(
        "compare", tmp_path / "t.csv", "-k", "4", "--methods", "mdav,hilbert", "--quasi", "a,b,c",
        "--sensitive", "ill", "--drop", "cost", "--effort", "quick", "--json", *options,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)["points"]
    assert [point["k"] for point in told] == [4, 4]
    assert told[0]["information_loss"] == pytest.approx(found.points[0].information_loss)


def test_what_models_keep_is_told():
    """Runs say what a regression and a classifier keep, as the report of the run has it."""
    found = library.compare(frame(200), k=3, methods=["mdav"], **ROLES)
    own = library.anonymize(frame(200), k=3, method="mdav", **ROLES).report
    [point] = found.points
    uses = own.measures["utility"]
    assert point.regression == uses["regression"]["value"]
    assert point.classification == uses["classification"]["value"]
    line = found.summary().splitlines()[1]
    assert f"{point.regression:.1f}" in line
    assert f"{point.classification:.1f}" in line
    told = found.to_dict()
    assert {"regression", "classification", "auto"} <= set(COLUMNS)
    assert comparison_csv(told).splitlines()[0] == ",".join(COLUMNS)
    page = comparison_page(told, "<svg/>")
    assert f'<td class="n">{point.regression:.1f}</td>' in page
    none = library.compare(frame()[["a", "b"]], k=3, methods=["mdav"]).points[0]
    assert none.classification is None


def test_what_is_below_rounding_is_no_gain():
    """Runs that print alike are alike: one is on the frontier, and no gain of 1e-14 is told."""
    points = [
        Point("first", 3, 5.0 + 1e-9, 20.0, 33.3, 0.0, 9, 0.1),
        Point("second", 3, 5.0, 20.0 + 1.42e-14, 33.3, 0.0, 9, 0.1),
        Point("third", 3, 9.0, 10.0, 33.3, 0.0, 9, 0.1),
    ]
    marked, reason = judged(points)
    assert [point.frontier for point in marked] == [False, True, True]
    assert "e-" not in reason
    assert "third, k = 3 would have 10.00 points less risk, for 4.000 points more loss" in reason
    whole = Comparison(tuple(marked), reason, "SSE/SST, percent", 80)
    assert whole.pick.method == "second"
