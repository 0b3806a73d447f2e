"""Cutting, numbering and adding up: fast ways against slow twins, on any number of threads."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import cutting as twin
from shoal.executor import Threads
from shoal.measures.loss import group_means, squared_error, total_squares
from shoal.methods.cutting import cut, turned
from shoal.partition import canonical_labels
from thorough import each, examples

KINDS = {
    "floats": lambda rng, shape: rng.normal(size=shape),
    "rounded": lambda rng, shape: rng.normal(size=shape).round(1),
    "few": lambda rng, shape: rng.integers(0, 3, size=shape).astype(float),
    "signed zeros": lambda rng, shape: rng.choice([-0.0, 0.0, 1.0], size=shape),
    "equal": lambda rng, shape: np.ones(shape),
    "one varies": lambda rng, shape: np.eye(1, shape[1]) * rng.integers(0, 9, size=(shape[0], 1)),
    "huge": lambda rng, shape: rng.normal(size=shape) * 1e200,
    "subnormal": lambda rng, shape: rng.integers(-5, 5, size=shape) * 5e-324,
    "far": lambda rng, shape: rng.normal(size=shape).round(1) + 1e9,
}


@given(
    rows=st.integers(1, 900), width=st.integers(1, 9), size=st.integers(1, 90),
    unit=st.integers(1, 9), kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 10**6),
    threads=st.integers(1, 3),
)  # fmt: skip
@examples(150)
def test_blocks_are_those_of_full_sorts(rows, width, size, unit, kind, seed, threads):
    """The blocks, and the order they come in, are those of sorting all at every cut."""
    points = KINDS[kind](np.random.default_rng(seed), (rows, width))
    with np.errstate(over="ignore", invalid="ignore"):
        expected = twin.cut(points, size, unit)
        found = cut(points, size, unit, Threads(threads))
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]


@each("kind", sorted(KINDS))
def test_larger_tables(kind):
    """So they are where halves are cut by several threads, and ties run long."""
    points = KINDS[kind](np.random.default_rng(1), (20_000, 3))
    with np.errstate(over="ignore", invalid="ignore"):
        expected = twin.cut(points, 500, 5)
        for threads in (1, 2, 5):
            found = cut(points, 500, 5, Threads(threads))
            assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_turning_is_the_same_on_any_number_of_threads():
    """The same directions, to the last bit."""
    points = np.random.default_rng(0).normal(size=(500, 6))
    first = turned(points, np.random.default_rng(3))
    assert np.array_equal(turned(points, np.random.default_rng(3), Threads(3)), first)


@given(labels=st.lists(st.integers(-3, 40), max_size=60), shift=st.sampled_from([0, 3, 10**12]))
@examples(100)
def test_numbers_of_groups(labels, shift):
    """Groups are numbered as they appear, whatever they were called."""
    expected = twin.numbered(labels)
    assert canonical_labels(np.array(labels, dtype=np.int64) + shift).tolist() == expected
    assert canonical_labels(np.array(labels, dtype=np.int32)).tolist() == expected


@given(
    rows=st.integers(1, 60), width=st.integers(1, 9), seed=st.integers(0, 10**6),
    weighted=st.booleans(), threads=st.integers(1, 3), scale=st.sampled_from([1.0, 1e-300, 1e120]),
)  # fmt: skip
@examples(100)
def test_losses(rows, width, seed, weighted, threads, scale):
    """Means and losses of groups are those of adding up record by record."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, width)).round(1) * scale
    labels = canonical_labels(rng.integers(0, 1 + rows // 3, rows))
    weights = rng.integers(1, 9, rows) / 4 if weighted else None
    own = (np.ones(rows) if weights is None else weights).tolist()
    run = Threads(threads)
    found = group_means(matrix, labels, weights, run)
    assert found.tolist() == twin.means(matrix.tolist(), labels.tolist(), own)
    lost = squared_error(matrix, labels, weights, run)
    np.testing.assert_allclose(lost, twin.squares(matrix.tolist(), labels.tolist(), own), 1e-12)
    total = sum(twin.squares(matrix.tolist(), [0] * rows, own))
    np.testing.assert_allclose(total_squares(matrix, weights, run), total, 1e-9, 1e-26 * scale**2)


def test_means_of_huge_numbers_fit():
    """Sums of the largest numbers do not overflow on the way to their mean."""
    matrix = np.full((4, 2), 1.5e308)
    assert group_means(matrix, np.array([0, 0, 1, 1])).tolist() == [[1.5e308] * 2] * 2
