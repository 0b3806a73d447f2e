"""Previews on a sample, estimates before a run, and runs that cannot fit."""

from __future__ import annotations

import csv
import json
import os
from importlib import resources

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.errors import RequestError
from shoal.pipeline.plan import estimate as costs
from shoal.pipeline.plan.estimate import Estimate, check_fits, estimate, expected
from shoal.settings import build


def settings(**protect):
    """Settings of a run."""
    return build({"protect": {"k": 5, **protect}})


def table(rows, seed=0):
    """Clustered numbers."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(20, 4)) * 4
    matrix = centers[rng.integers(0, 20, rows)] + rng.normal(size=(rows, 4))
    return pd.DataFrame(matrix, columns=list("abcd"))


def test_every_method_was_measured():
    """There are figures of every method, at several sizes, columns and k."""
    text = resources.files("shoal.pipeline.plan").joinpath("costs.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    for method in library.methods():
        if method.name == "exact" or method.recodes:  # a proof: nobody knows how long it takes
            assert estimate(method.name, 1_000, 8, 5) is None
            continue
        own = [row for row in rows if row["method"] == method.name]
        slow = max(float(row["seconds"]) for row in own) > 10  # it takes minutes beyond
        assert len({row["records"] for row in own}) >= (1 if slow else 3)
        found = estimate(method.name, 5_000, 8, 5)
        assert found is not None
        assert found.seconds > 0
        assert found.megabytes > 50


def test_at_measured_sizes_the_estimate_is_what_was_measured():
    """The line goes through the measured runs, and rises with records."""
    for method, runs in costs._known().items():
        for records, columns, k, seconds, _ in runs:
            own = min({d for _, d, *_ in runs}, key=lambda d: abs(d - 8))
            if (columns, k) == (own, 5):
                found = estimate(method, records, columns, k)
                assert found.seconds == pytest.approx(max(seconds, costs.START), rel=1e-6)
    small, large = (estimate("mdav", n, 8, 5) for n in (10_000, 100_000))
    assert large.seconds > 5 * small.seconds
    assert estimate("mdav", 10**6, 8, 5).seconds > 4 * large.seconds


def test_limits_and_efforts_count():
    """A time limit, a number of iterations and an effort change what is expected."""
    normal = expected(settings(), 4_000, 8, False)
    best = expected(settings(effort="best"), 4_000, 8, False)
    assert best.seconds > 3 * normal.seconds
    limited = expected(settings(time_limit=3), 4_000, 8, False)
    assert 3 <= limited.seconds < normal.seconds
    usual, few = (
        expected(settings(method="ilsmc+", **more), 20_000, 8, False)
        for more in ({}, {"max_iterations": 10})
    )
    assert few.seconds <= usual.seconds
    large = expected(settings(), 100_000, 8, False)
    assert large == estimate("fast", 100_000, 8, 5)
    assert expected(settings(), 100_000, 8, True) == estimate("kaim-fast", 100_000, 8, 5)
    assert expected(settings(effort="best"), 100_000, 8, False).seconds > large.seconds


@pytest.mark.parametrize(
    ("seconds", "megabytes", "said"),
    [(0.3, 210.0, "about a second and 210 MB"), (47.4, 999.0, "about 47 s and 1000 MB"),
     (200.0, 3456.0, "about 3 min and 3.5 GB"), (40_000.0, 100.0, "about 11 h and 100 MB")],
)  # fmt: skip
def test_words(seconds, megabytes, said):
    """Two digits are enough."""
    assert Estimate(seconds, megabytes).describe() == f"{said} of memory"


def test_what_cannot_fit_is_refused_with_a_way_out(monkeypatch):
    """A run that takes more memory than there is names another method, and blocks."""
    too_much = Estimate(10.0, 5_000.0)
    with pytest.raises(RequestError, match=r"5.0 GB.*has 4 GB; take method='fast'.*memory='2GB'"):
        check_fits(too_much, settings(method="mdav"), False, 4_000.0)
    with pytest.raises(RequestError, match="method='kaim-fast'"):
        check_fits(too_much, settings(method="kaim"), True, 4_000.0)
    with pytest.raises(RequestError, match="; say `anonymize_file` with memory="):
        check_fits(too_much, settings(), False, 4_000.0)
    check_fits(Estimate(10.0, 3_999.0), settings(), False, 4_000.0)
    check_fits(None, settings(), False, 4_000.0)
    check_fits(too_much, settings(), False, None)
    monkeypatch.setattr(os, "sysconf", lambda _: 7_000)  # of as many bytes each: 49 MB
    with pytest.raises(RequestError, match="this takes about"):
        library.anonymize(table(60), k=3)


def test_long_runs_are_told_before(tmp_path, shoal):
    """Before a run of more than ten seconds the command says what it expects, on stderr.

    It may take longer than it does: this search ends at once, as nothing is lost.
    """
    three_times = table(60).loc[np.repeat(np.arange(60), 3)]
    three_times.to_csv(tmp_path / "t.csv", index=False)
    said = ("anonymize", tmp_path / "t.csv", "-k", "3", "--method", "ilsmc+", "--no-report")
    assert "expected:" not in shoal(*said, "-o", tmp_path / "a.csv").err
    said += ("--time-limit", "20")
    for output in (("-o", tmp_path / "b.csv"), ("--pack", tmp_path / "p"), ("-o", "-")):
        ran = shoal(*said, *output)
        assert ran.code == 0, ran.err
        assert ran.err.startswith("expected: about")
        assert "expected" not in ran.out


@pytest.mark.slow
def test_preview_comes_near_the_truth():
    """The loss of all records is met within a quarter from a tenth of them."""
    data = table(6_000)
    found = library.preview(data, k=5, sample=600, method="mdav")
    truth = library.anonymize(data, k=5, method="mdav").report.information_loss_released
    assert found.sample == 600
    assert found.records == 6_000
    assert found.loss == pytest.approx(truth, rel=0.25)
    assert found.loss < found.loss_sample
    assert found.seconds > 0
    assert "nothing was written" in found.summary()
    whole = library.preview(data, k=5, sample=10_000, method="mdav")
    assert whole.loss == pytest.approx(truth)
    again = library.preview(data, k=5, sample=600, method="mdav")
    assert again.loss == found.loss


def test_preview_of_strata_and_households():
    """A sample has every stratum, and whole households."""
    rng = np.random.default_rng(0)
    data = table(900).assign(r=rng.integers(0, 3, 900), h=np.arange(900) // 3)
    data["r"] = data.groupby("h").r.transform("first")
    found = library.preview(
        data, k=3, sample=200, by="r", household="h", quasi_identifiers=["a", "b"],
        drop=["c", "d"], effort="quick",
    )  # fmt: skip
    assert 180 <= found.sample <= 220
    assert found.sample % 3 == 0
    assert found.loss > 0


def test_preview_takes_what_anonymize_takes():
    """Incomplete records are deleted before strata are counted; an own k of columns has room."""
    rng = np.random.default_rng(1)
    data = table(300).assign(r=rng.choice(["x", "y"], 300))
    data.loc[0, "r"] = None
    data.loc[5:60, "a"] = np.nan
    asked = {"k": 3, "by": "r", "quasi_identifiers": ["a", "b"], "drop": ["c", "d"],
             "incomplete": "delete", "effort": "quick"}  # fmt: skip
    assert library.preview(data, sample=60, **asked).loss > 0
    assert library.anonymize(data, **asked).report.verification["ok"]
    more = {**asked, "incomplete": "keep", "k_of": {("a",): 9}}
    whole = data.dropna().reset_index(drop=True)
    assert library.preview(whole, sample=80, **more).loss > 0


def test_the_command(tmp_path, shoal):
    """`--sample` prints the preview and writes nothing; what makes no sense is refused."""
    table(400).to_csv(tmp_path / "t.csv", index=False)
    said = ("anonymize", tmp_path / "t.csv", "-k", "3", "--method", "mdav", "--sample")
    ran = shoal(*said, "100")
    assert ran.code == 0, ran.err
    assert "preview of 100 of 400 records" in ran.out
    told = json.loads(shoal(*said, "100", "--json").out)
    assert told["sample"] == 100
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    for bad in (("100", "-o", tmp_path / "r.csv"), ("20",), ("100", "--pack", tmp_path / "p")):
        assert shoal(*said, *bad).code == 2
    with pytest.raises(RequestError, match="no sample"):
        library.preview(table(90).assign(g=np.arange(90) % 5), k=3, sample=80, group="g")


def test_a_sample_asks_for_no_role_that_the_table_does_not():
    """A column that repeats in the table, though not in a sample, stops no preview."""
    frame = table(2_000)
    frame["place"] = [f"p{i // 2}" for i in range(1_000)] * 2
    frame["cost"] = np.repeat(np.arange(1_000), 2)[np.random.default_rng(1).permutation(2_000)]
    for asked in ({}, {"quasi_identifiers": list("abcd")}):
        found = library.preview(frame, k=3, sample=100, method="mdav", **asked)
        assert found.loss > 0
