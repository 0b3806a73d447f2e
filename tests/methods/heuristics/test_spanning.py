"""Spanning trees and their parts against plain loops and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from later import Later
from naive import paths
from shoal.kernels.distance import BLOCK
from shoal.kernels.nearest import COORDINATE_ERROR
from shoal.methods.heuristics.paths import cut_tree, spanning_tree
from strategies import matrices, problems

TOGETHER = "scikit-learn"  # with SciPy, which one process imports
csgraph, distance = Later("scipy.sparse.csgraph"), Later("scipy.spatial.distance")


def parts(matrix, k):
    error = COORDINATE_ERROR * float(np.abs(matrix).max())
    return cut_tree(*spanning_tree(matrix), k, error)


@pytest.mark.parametrize(("count", "columns"), [(2, 1), (100, 2), (2 * BLOCK + 9, 5), (BLOCK, 3)])
def test_tree_is_as_short_as_that_of_scipy(count, columns):
    """The tree's squared lengths sum to what scipy finds."""
    matrix = np.random.default_rng(count).normal(size=(count, columns))
    parents, lengths, order = spanning_tree(matrix)
    found = csgraph.minimum_spanning_tree(distance.cdist(matrix, matrix, "sqeuclidean")).sum()
    assert lengths.sum() == pytest.approx(found)
    assert parents[0] == -1
    assert lengths[0] == 0
    assert sorted(order) == list(range(count))
    places = np.argsort(order)
    assert (places[parents[1:]] < places[1:]).all()
    apart = ((matrix[1:] - matrix[parents[1:]]) ** 2).sum(axis=1)
    assert lengths[1:] == pytest.approx(apart)


@given(matrices(40))
def test_tree_as_in_plain_loops(matrix):
    """Parents and order are those of plain loops, with ties and after standardizing."""
    parents, _, order = spanning_tree(naive.standardize(matrix))
    expected = paths.spanning_tree(naive.Exact(paths.written(matrix)))
    assert parents.tolist() == expected[0]
    assert order.tolist() == expected[2]


def test_tree_of_many_blocks():
    """Ties are settled by row over several blocks."""
    rng = np.random.default_rng(6)
    matrix = rng.integers(0, 30, size=(2 * BLOCK + 50, 2)).astype(float)
    parents, lengths, order = spanning_tree(matrix)
    expected = paths.spanning_tree(naive.Floats(matrix))
    assert [parents.tolist(), lengths.tolist(), order.tolist()] == list(expected)


@given(problems(30))
def test_parts_as_in_plain_loops(problem):
    """The parts are those of plain loops, numbered by their lowest row."""
    matrix, k = problem
    standardized = naive.standardize(matrix)
    for data in (naive.Exact(paths.written(matrix)), naive.Floats(standardized)):
        groups = paths.tree_parts(data, k)
        assert parts(standardized, k).tolist() == naive.labels(groups, len(matrix))


@given(matrices(60), st.integers(1, 60))
def test_parts_keep_k_records(matrix, k):
    """Every part has at least k records, and no edge could still go."""
    k = min(k, len(matrix))
    tree = spanning_tree(matrix)
    labels = cut_tree(*tree, k, COORDINATE_ERROR * float(np.abs(matrix).max()))
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    first = [int(np.flatnonzero(labels == part)[0]) for part in range(len(sizes))]
    assert first == sorted(first)
    for part in range(len(sizes)):
        rows = np.flatnonzero(labels == part).tolist()
        inside = [row for row in rows if tree[0][row] in rows]
        assert len(inside) == len(rows) - 1


def test_two_clouds():
    """The longest edge goes where both clouds are large enough, and stays where one is not."""
    matrix = np.array([[0.0], [10.0], [0.1], [10.1], [0.2], [10.3]])
    assert parts(matrix, 3).tolist() == [0, 1, 0, 1, 0, 1]
    assert parts(matrix, 4).tolist() == [0] * 6
    assert parts(np.zeros((1, 2)), 1).tolist() == [0]


def test_nothing_is_changed():
    """Matrix, parents and order are left as they came."""
    matrix = np.random.default_rng(0).normal(size=(20, 2))
    before = matrix.copy()
    tree = spanning_tree(matrix)
    kept = [array.copy() for array in tree]
    cut_tree(*tree, 3, 1e-15)
    assert (matrix == before).all()
    assert all((a == b).all() for a, b in zip(tree, kept, strict=True))
