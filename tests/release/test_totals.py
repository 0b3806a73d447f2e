"""Totals that stay: means move by a step, and the totals are as given."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as library
from shoal.errors import RequestError
from shoal.release.totals import Means, calibrated, nearest_total


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(2, 5)), min_size=1, max_size=9),
       st.integers(-60, 60), st.integers(0, 9))  # fmt: skip
def test_calibration_keeps_totals(groups, lacking, seed):
    """A total is met exactly by moves of at most a step, or no such moves meet it."""
    steps, sizes = (np.array(one) for one in zip(*groups, strict=True))
    exact = steps + np.random.default_rng(seed).uniform(-0.5, 0.5, steps.size)
    means = Means(steps, exact, sizes)
    total = means.total + lacking
    found = calibrated(means, total)
    if found is not None:
        assert int((found * sizes).sum()) == total
        assert np.abs(found - steps).max() <= 1
    near = nearest_total(means, total)
    assert calibrated(means, near) is not None
    if found is not None:
        assert near == total


def test_no_change_is_smaller():
    """Of all moves by a step that give a total, none has a smaller sum of squares."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(2, 5, 6)
        means = Means(rng.integers(0, 9, 6), np.zeros(6), sizes)
        moves = np.array(np.meshgrid(*[[-1, 0, 1]] * 6)).reshape(6, -1).T
        sums = moves @ sizes
        lacking = int(rng.choice(sums))
        found = calibrated(means, means.total + lacking)
        best = min((sizes * one * one).sum() for one in moves[sums == lacking])
        assert found is not None
        own = found - means.steps
        alike = lacking >= 0  # then f = 0, and groups of f and f + 1 steps suffice
        bits = {int(one) for one in sums[(moves >= 0).all(axis=1)]}
        if alike and lacking in bits:
            assert (sizes * own * own).sum() == best


def patients(rows=92, seed=0):
    """Whole numbers and numbers of one digit in two strata."""
    rng = np.random.default_rng(seed)
    return pa.table({"age": rng.integers(18, 90, rows), "pay": rng.normal(20, 5, rows).round(1),
                     "sex": ["f" if i % 3 else "m" for i in range(rows)]})  # fmt: skip


def test_totals_by_stratum_agree(tmp_path):
    """The release has the totals of the file in every stratum, and the judge accepts it."""
    table = patients()
    frame = table.to_pandas()
    totals = frame.groupby("sex")[["age", "pay"]].sum().round(1).reset_index()
    totals.to_csv(tmp_path / "totals.csv", index=False)
    asked = {"by": ["sex"], "method": "mdav", "decimals": {"pay": 1}}
    found = library.anonymize(table, 4, totals=tmp_path / "totals.csv", **asked)
    after = found.data.to_pandas().groupby("sex")[["age", "pay"]].sum().reset_index()
    assert after["age"].tolist() == totals["age"].tolist()
    assert after["pay"].tolist() == pytest.approx(totals["pay"].tolist(), abs=1e-6)
    even = table.slice(0, 90)  # groups of even sizes: an odd difference cannot be made up for
    with pytest.raises(RequestError, match=r"the nearest is .* off; totals_within says how much"):
        library.anonymize(even, 4, totals=tmp_path / "totals.csv", **asked)
    plain = library.anonymize(table, 4, **asked).data.to_pandas()
    assert np.abs(found.data.to_pandas()["age"] - plain["age"]).max() <= 1


def test_what_cannot_be_met_says_how_far_off(tmp_path):
    """Totals that are too far, of other columns, or not a row a stratum are refused in one line."""
    table = patients()
    for text, more, line in (
        ("age\n9\n", {"drop": ["pay", "sex"]}, r"a total of 'age' cannot be met .* is \d+ off"),
        ("rage\n9\n", {}, "'rage' is no quasi-identifier that releases means"),
        ("age\n9\n9\n", {}, "2 rows of totals, but no strata"),
        ("sex,age\nf,9\n", {"by": ["sex"]}, "1 rows for 2 strata, 1 of which have none"),
    ):
        (tmp_path / "t.csv").write_text(text)
        asked = {"quasi_identifiers": ["age", "pay", "sex"], "method": "mdav",
                 "aggregate": {"sex": "mode"}}  # fmt: skip
        if "drop" in more:
            asked = {"quasi_identifiers": ["age"], "method": "mdav"}
        if "by" in more:
            asked = {"quasi_identifiers": ["age", "pay"], "method": "mdav"}
        with pytest.raises(RequestError, match=line) as raised:
            library.anonymize(table, 4, totals=tmp_path / "t.csv", **asked, **more)
        assert "\n" not in str(raised.value)
