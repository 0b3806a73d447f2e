"""What measures share: classes, orders and ranks; and threads that change nothing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive import ranking as naive
from shoal.measures.compared import Spread, middle_ranks, renumbered
from shoal.measures.compute import measure_release
from shoal.measures.result import FEW
from shoal.measures.risk.figures import WIDTHS, by_ranks
from shoal.measures.utility.distributions import largest_gap
from shoal.partition import Partition
from shoal.release.aggregate import Aggregators, aggregate
from shoal.release.centers import Groups, rounded_means
from shoal.report import figures
from shoal.report.chunk import Chunk
from shoal.report.figures import ranges as stable
from shoal.table.assign import with_roles
from shoal.table.roles import Role

SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 1e300, -1e300, 1.0, 1.0, 2.5]


def numbers(rng, size, gaps=True):
    """Numbers with ties, zeros of both signs, subnormals, huge and, where allowed, missing ones."""
    values = np.where(rng.random(size) < 0.5, rng.choice(SPECIAL, size), rng.normal(size=size))
    values = np.round(values, 1) if rng.random() < 0.5 else values
    return np.where(rng.random(size) < 0.2, np.nan, values) if gaps else values


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
        assert np.array_equal(ranks[spread.places], expected, equal_nan=True)
        within = by_ranks(before, classes, spread)
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
            assert found == expected
        assert rounded_means(whole, groups, 10**19) is None
        assert rounded_means(whole.astype(object), groups, 1) is None
        assert rounded_means(np.full(labels.size, 2**62), groups, 1) is None


@pytest.mark.parametrize("weight", [pytest.param(None, marks=pytest.mark.slow), "w"])
@pytest.mark.slow
def test_threads_change_nothing(weight):
    """Measures and figures are the same, bit by bit, for any number of threads."""
    rng, rows = np.random.default_rng(4), 3 * (FEW // 3 + 1)
    gaps = rng.random(rows) < 0.1
    data = {
        "a": np.round(rng.normal(size=rows), 1),
        "b": pa.array(rng.integers(0, 50, rows), mask=gaps),
        "w": rng.integers(1, 9, rows).astype(float),
        "s": rng.choice(["p", "q", "r"], rows),
    }
    roles = {"a": Role.QUASI_IDENTIFIER, "b": Role.QUASI_IDENTIFIER, "s": Role.SENSITIVE}
    table = with_roles(shoal.read(pa.table(data)), roles)
    labels = rng.permutation(np.arange(rows) // 3)
    how = {"a": "mean", "b": "mean"}
    released = aggregate(table, Partition(labels, 3), Aggregators(how))
    weights = None if weight is None else data["w"]
    chunk = Chunk(table, released, labels, how, None, {}, weights, weights, table)
    found = []
    for threads in (1, 5):
        measures = measure_release(table, released, None, 0, 0, weight, threads=threads).to_dict()
        measures.pop("seconds", None)
        public = stable.compared(table, released, {}, 3, threads)
        found.append(repr((measures, public, figures.figures_of([chunk], 3, 0, None, threads))))
    assert found[0] == found[1]
