"""What measures share: classes, orders and ranks; and threads that change nothing."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive import ranking as naive
from shoal.measures import tables, task
from shoal.measures.compared import classes_of, one_of_each, renumbered
from shoal.measures.risk.intervals import WIDTHS, by_ranks
from shoal.measures.spread import Spread, middle_ranks
from shoal.measures.utility.distributions import largest_gap
from shoal.release.centers import Groups, rounded_means
from shoal.report import figures
from shoal.report.figures import ranges, stable

SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 1e300, -1e300, 1.0, 1.0, 2.5]


def numbers(rng, size, gaps=True):
    """Numbers with ties, zeros of both signs, subnormals, huge and, where allowed, missing ones."""
    values = np.where(rng.random(size) < 0.5, rng.choice(SPECIAL, size), rng.normal(size=size))
    values = np.round(values, 1) if rng.random() < 0.5 else values
    return np.where(rng.random(size) < 0.2, np.nan, values) if gaps else values


def test_classes_are_numbered_by_their_cells():
    """Combinations of cells are told apart, and numbered in the order of their cells."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        size, width = int(rng.integers(1, 40)), int(rng.integers(1, 5))
        cells = [rng.integers(0, rng.integers(1, 30), size).tolist() for _ in range(width)]
        if rng.random() < 0.5:
            cells.append(cells[0])  # tells nothing more
        table = shoal.read(pa.table({f"c{j}": own for j, own in enumerate(cells)}))
        found = classes_of(table.columns, size)
        assert found.tolist() == naive.classes(cells)
        firsts = one_of_each(found, int(found.max()) + 1)
        assert firsts.tolist() == [found.tolist().index(number) for number in range(firsts.size)]


def test_numbers_without_gaps():
    """Codes keep their order, whether a table of all codes is small or too large."""
    rng = np.random.default_rng(1)
    for most in (3, 50, 10**6, 10**15):
        codes = rng.integers(0, most, 60)
        places = {code: place for place, code in enumerate(sorted(set(codes.tolist())))}
        assert renumbered(codes).tolist() == [places[code] for code in codes.tolist()]
    assert renumbered(np.zeros(0, dtype=np.int64)).size == 0


def test_order_of_released_numbers():
    """Ranks, gaps and neighbors of what classes release are those of their records."""
    rng = np.random.default_rng(2)
    for _ in range(150):
        classes = renumbered(rng.integers(0, 15, int(rng.integers(1, 60))))
        counts = np.bincount(classes)
        released, before = numbers(rng, counts.size), numbers(rng, classes.size)
        after, spread = released[classes], Spread.of(released, counts)
        there = ~np.isnan(after)
        assert spread.every().tolist() == sorted(after[there].tolist())
        ranks = np.append(middle_ranks(spread.begins, spread.ends, spread.size), np.nan)
        expected = naive.mean_ranks(released.tolist(), after.tolist())
        assert np.array_equal(ranks[spread.places(released)], expected, equal_nan=True)
        within = by_ranks(before, classes, released, spread)
        naively = naive.between_ranks(before.tolist(), after.tolist(), WIDTHS)
        assert within == naively / len(WIDTHS)
        known = before[~np.isnan(before)]
        if known.size and there.any():
            gap = naive.largest_gap(known.tolist(), after[there].tolist())
            assert largest_gap(np.sort(known), spread) == gap


def test_means_of_whole_numbers():
    """Means of whole numbers are rounded once, half to even, or left to exact arithmetic."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        labels = renumbered(rng.integers(0, 6, int(rng.integers(1, 40))))
        whole = rng.integers(-20, 20, labels.size) * int(rng.choice([1, 5, 10**15]))
        sizes = np.bincount(labels)
        groups = Groups(np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes, sizes)
        for unit in (1, 2, 10, 1000):
            found = rounded_means(whole, groups, unit)
            expected = naive.rounded_means(whole.tolist(), labels.tolist(), unit)
            assert found is not None
            assert found.tolist() == expected
        assert rounded_means(whole, groups, 10**19) is None
        assert rounded_means(whole.astype(object), groups, 1) is None
        assert rounded_means(np.full(labels.size, 2**62), groups, 1) is None


@pytest.mark.parametrize("weight", [None, "w"])
def test_threads_change_nothing(weight, monkeypatch):
    """A report is the same, figure by figure, for any number of threads."""
    for module in (task, tables, figures, ranges, stable):
        monkeypatch.setattr(module, "FEW", 0)
    rng = np.random.default_rng(4)
    gaps = rng.random(300) < 0.1
    data = {
        "a": np.round(rng.normal(size=300), 1),
        "b": pa.array(rng.integers(0, 50, 300), mask=gaps),
        "c": rng.choice(["x", "y", "z"], 300),
        "w": rng.integers(1, 9, 300).astype(float),
        "s": rng.choice(["p", "q", "r"], 300),
    }
    reports = []
    for threads in (1, 2, 5):
        result = shoal.anonymize(
            pa.table(data), k=3, quasi_identifiers=["a", "b", "c"], sensitive=["s"], seed=1,
            method="mdav", weight=weight, threads=threads,
        )  # fmt: skip
        one = result.report.to_dict()
        one.pop("seconds")
        one["measures"].pop("seconds", None)
        reports.append(json.dumps(one, sort_keys=True, default=str))
    assert reports[0] == reports[1] == reports[2]
