"""Blocks: how tables are cut, that borders are mended, and that nobody's threads have a say."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as library
from naive import search as twin
from pacing import paced
from shoal.errors import Canceled, RequestError
from shoal.executor import Threads
from shoal.measures.generalization import loss_rate
from shoal.measures.loss import information_loss
from shoal.methods.blocks import (
    Block,
    Blocks,
    group_coded_in_blocks,
    group_in_blocks,
    solve_block,
)
from shoal.methods.cutting import cut
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import each, examples

QUIET = Reporter(None)


def clustered(rows, width=4, seed=0):
    """Standardized records around thirty centers."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(30, width)) * 4
    matrix = centers[rng.integers(0, 30, rows)] + rng.normal(size=(rows, width))
    return (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)


@given(rows=st.integers(1, 400), size=st.integers(1, 90), unit=st.integers(1, 9), data=st.data())
@examples(150)
def test_cut(rows, size, unit, data):
    """Every row is in one block, none is too large, all but one hold a multiple of the unit."""
    seed = data.draw(st.integers(0, 10**6))
    points = np.random.default_rng(seed).integers(0, 5, size=(rows, 2)).astype(float)
    parts = cut(points, size, unit)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(rows))
    sizes = [part.size for part in parts]
    assert max(sizes) <= max(size, 2 * unit - 1)
    assert sum(s % unit != 0 for s in sizes) <= 1
    assert min(sizes) >= min(unit, rows)


def test_cut_is_across_what_varies_most():
    """Two blocks of points on a line are its halves."""
    points = np.stack([np.arange(20.0)[::-1], np.zeros(20)], axis=1)
    low, high = sorted((part.tolist() for part in cut(points, 10)), reverse=True)
    assert low == list(range(10, 20))
    assert high == list(range(10))


@each("seed", range(40))
def test_a_block_is_a_local_optimum(seed):
    """No shift or swap between two groups of a block gains, by brute force; mdav loses no less."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    matrix = rng.integers(0, 30, size=(int(rng.integers(2 * k, 40)), 2)).astype(float)
    matrix = matrix / (matrix.std(axis=0) + 1e-9)
    first = library.microaggregate(matrix, k, method="mdav").labels
    found = solve_block(Block(np.array(matrix), k, None, seed))
    assert np.bincount(found).min() >= k
    assert twin.sse(matrix, found) <= twin.sse(matrix, first) + 1e-9
    assert not twin.improves(matrix, found, k, 4 * k)
    again = solve_block(Block(np.array(matrix), k, found, seed))
    assert twin.sse(matrix, again) <= twin.sse(matrix, found) + 1e-9


@pytest.mark.slow
def test_one_result_for_any_number_of_workers():
    """One, two and four threads, and two processes, give the same groups."""
    matrix = clustered(3_000)
    plan = Blocks(records=300, rounds=3)
    every = [group_in_blocks(matrix, 5, plan, 7, QUIET, Threads(n)) for n in (1, 2, 4)]
    for labels in every[1:]:
        assert np.array_equal(labels, every[0])
    assert np.bincount(every[0]).min() >= 5
    assert not np.array_equal(group_in_blocks(matrix, 5, plan, 8, QUIET), every[0])


def test_mending_borders_gains():
    """Each round loses less than the one before, and less than mdav on the whole table."""
    matrix = clustered(6_000)
    losses = [
        information_loss(matrix, group_in_blocks(matrix, 10, Blocks(500, rounds), 0, QUIET))
        for rounds in (0, 1, 2, 4)
    ]
    assert losses == sorted(losses, reverse=True)
    whole = library.microaggregate(matrix, 10, method="mdav").information_loss
    assert losses[-1] < 0.95 * whole


def test_the_method():
    """`fast` groups large tables by blocks; k, duplicates and remainders are kept to."""
    matrix = clustered(4_507)
    found = library.microaggregate(matrix, 10, method="fast", seed=3)
    assert found.method == "fast"
    assert found.sizes.min() >= 10
    assert found.sizes.max() < 20
    again = library.microaggregate(matrix, 10, method="fast", seed=3, threads=1)
    assert np.array_equal(found.labels, again.labels)
    same = library.microaggregate(np.ones((5_001, 2)), 4, method="fast")
    assert same.information_loss == 0


def test_the_order_of_the_rows_does_not_matter():
    """Permuted records are put into the same groups."""
    matrix = clustered(4_507)
    order = np.random.default_rng(0).permutation(len(matrix))
    first = library.anonymize(matrix, k=10, method="fast").partition
    other = library.anonymize(matrix[order], k=10, method="fast").partition
    assert {frozenset(order[group].tolist()) for group in other.members()} == {
        frozenset(group.tolist()) for group in first.members()
    }


@pytest.mark.slow
def test_efforts():
    """More effort loses less, and an effort that nobody knows is refused."""
    matrix = clustered(6_000)
    losses = [
        library.microaggregate(matrix, 10, method="fast", effort=effort).information_loss
        for effort in ("quick", "normal", "best")
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < 0.98 * losses[1]
    with pytest.raises(RequestError, match="effort must be one of"):
        library.microaggregate(matrix, 10, method="fast", effort="much")


@pytest.fixture
def _few_are_many():
    """Let auto take a thousand records for a large table."""
    with paced(large=1_000):
        yield


@pytest.mark.usefixtures("_few_are_many")
def test_auto_takes_it_for_large_tables():
    """From a size on auto searches block by block, unless somebody says how long to search."""
    found = library.microaggregate(clustered(1_000), 5, method="auto")
    assert found.method == "fast"
    assert "searched block by block" in found.reason
    for rows, limit in ((999, {}), (1_000, {"max_iterations": 5})):
        found = library.microaggregate(clustered(rows), 5, method="auto", **limit)
        assert found.method == "ilsmc+"


def test_canceling():
    """A callback that says so ends it without a result, and no worker is left behind."""
    seen = []

    def callback(progress):
        seen.append(progress.stage)
        return progress.stage == "mending borders"

    with pytest.raises(Canceled):
        library.microaggregate(clustered(6_000), 5, method="fast", callback=callback)
    assert "grouping blocks" in seen


def test_executors():
    """Results come in order, an error ends the rest, and nobody works with no worker."""
    for executor in (Threads(1), Threads(3)):
        assert list(executor.map(lambda x: x * x, range(50))) == [x * x for x in range(50)]
        done = []

        def work(x, done=done):
            if x == 5:
                raise ValueError("five")
            done.append(x)
            return x

        with pytest.raises(ValueError, match="five"):
            list(executor.map(work, range(1_000)))
        assert len(done) < 100
    with pytest.raises(RequestError, match="at least one worker"):
        Threads(0)


def mixed(rows, seed=0):
    """Numbers, words and missing cells, coded."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 12, rows)
    age = [
        None if rng.random() < 0.05 else int(v) for v in 20 + 4 * kind + rng.integers(0, 9, rows)
    ]
    table = pa.table({
        "age": pa.array(age, type=pa.int64()),
        "job": [f"job {v}" for v in (kind + rng.integers(0, 2, rows)) % 12],
        "sex": rng.choice(["f", "m"], rows),
    })  # fmt: skip
    return table, code(read(table))


def test_tables_of_words_and_missing_cells():
    """By trees too, every worker gives the same groups, and little more is lost than by kaim."""
    _, coded = mixed(2_000)
    plan = Blocks(records=250, rounds=2)
    every = [group_coded_in_blocks(coded, 5, plan, 1, QUIET, Threads(n)) for n in (1, 2, 4)]
    for labels in every[1:]:
        assert np.array_equal(labels, every[0])
    assert np.bincount(every[0]).min() >= 5
    whole = library.microaggregate(mixed(2_000)[0], 5, method="kaim").information_loss
    assert loss_rate(coded, every[0]) < 1.15 * whole
    rough = group_coded_in_blocks(coded, 5, Blocks(records=250, rounds=0), 1, QUIET)
    assert loss_rate(coded, every[0]) < loss_rate(coded, rough)


def test_equal_records_stay_together():
    """A cut through many equal cells is made by the next column, not at random."""
    points = np.array([[i % 2, i % 5, i % 3] for i in range(300)], dtype=float)
    parts = cut(points, 60, 10)
    split = [
        row for row in {tuple(point) for point in points.tolist()}
        if sum((points[part] == row).all(axis=1).any() for part in parts) > 1
    ]  # fmt: skip
    assert len(split) <= len(parts) - 1, "a cut goes through one combination at most"


@pytest.mark.usefixtures("_few_are_many")
def test_auto_takes_blocks_by_trees_for_large_tables():
    """From a size on auto groups words and missing cells block by block, and the recipe repeats."""
    table, _ = mixed(1_000)
    found = library.anonymize(table, k=5)
    assert found.report.method == "kaim-fast"
    assert any("block by block" in note for note in found.report.notes)
    assert found.settings.protect.method == "kaim-fast"
    again = library.anonymize(table, k=5, method="kaim-fast")
    assert np.array_equal(again.partition.labels, found.partition.labels)
