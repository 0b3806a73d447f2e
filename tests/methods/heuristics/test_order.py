"""Paths through records against plain loops."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive
from naive import paths
from shoal.methods.heuristics.optimal import cut_path
from shoal.methods.heuristics.order import hilbert, through_groups
from strategies import matrices


@pytest.mark.parametrize("side", [2, 4, 8, 16])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_curve_takes_unit_steps(side, columns):
    """On a full grid every step of the curve goes to a neighbor."""
    grid = list(itertools.product(range(side), repeat=columns))
    matrix = np.random.default_rng(side).permutation(np.array(grid, dtype=float))
    path = matrix[hilbert(matrix * 3.7 - 11)]
    assert (np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all()
    assert len(set(map(tuple, path.tolist()))) == len(grid)


@given(matrices(60, 6))
def test_curve_as_in_plain_loops(matrix):
    """The curve is that of plain loops in fractions, also after standardizing."""
    expected = paths.hilbert(SimpleNamespace(rows=paths.written(matrix)))
    assert hilbert(matrix).tolist() == expected
    assert hilbert(naive.standardize(matrix)).tolist() == expected
    assert paths.hilbert(naive.Floats(matrix)) == expected


@pytest.mark.parametrize("columns", [1, 3, 4, 15, 16, 300])
def test_curve_of_many_columns(columns):
    """Keys of many words are compared whole."""
    rng = np.random.default_rng(columns)
    matrix = np.repeat(rng.normal(size=(20, columns)), 2, axis=0)
    matrix[::4, -1] += rng.normal(size=10)
    matrix[1::4, : columns // 2] = 0.0
    assert hilbert(matrix).tolist() == paths.hilbert(naive.Floats(matrix))


def test_curve_of_extreme_numbers():
    """Columns that span all floats, or the least bit of them, have an order too."""
    matrix = np.array([[1.7e308, 5e-324], [-1.7e308, 0.0], [0.0, 1e-323], [1e308, 0.0]])
    assert hilbert(matrix).tolist() == paths.hilbert(naive.Floats(matrix))


def test_equal_records_stay_in_row_order():
    """Records of one cell follow each other by row."""
    assert hilbert(np.ones((5, 3))).tolist() == [0, 1, 2, 3, 4]
    assert hilbert(np.array([[1.0], [0.0], [1.0], [0.0]])).tolist() == [1, 3, 0, 2]


@st.composite
def grouped(draw):
    """A matrix and groups of its rows, every one in use."""
    matrix = draw(matrices(30))
    groups = draw(st.integers(1, len(matrix)))
    rest = draw(
        st.lists(
            st.integers(0, groups - 1),
            min_size=len(matrix) - groups,
            max_size=len(matrix) - groups,
        )
    )
    labels = draw(st.permutations([*range(groups), *rest]))
    return matrix, np.array(labels, dtype=np.int64)


@given(grouped())
@example((np.array([[1.0], [-1.0], [-1.0], [-3.0]]) / 3, np.array([0, 1, 0, 0])))  # ties at first
def test_path_through_groups(problem):
    """The path is that of plain loops, in floats and in fractions, and keeps groups whole."""
    matrix, labels = problem
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    standardized = naive.standardize(matrix)
    path = through_groups(standardized, labels).tolist()
    assert path == paths.through_groups(naive.Exact(paths.written(matrix)), groups)
    assert path == paths.through_groups(naive.Floats(standardized), groups)
    assert sorted(path) == list(range(len(matrix)))
    assert labels[path[0]] == 0
    assert len(list(itertools.groupby(labels[path]))) == len(groups)


def test_path_through_many_groups():
    """Walks over several blocks of centroids are those of plain loops."""
    rng = np.random.default_rng(4)
    matrix = rng.integers(0, 9, size=(1400, 3)).astype(float)
    labels = rng.permutation(np.arange(1400) // 2).astype(np.int64)
    groups = [np.flatnonzero(labels == g).tolist() for g in range(700)]
    expected = paths.through_groups(naive.Floats(matrix), groups)
    assert through_groups(matrix, labels).tolist() == expected


@given(matrices(40), st.integers(1, 5), st.randoms(use_true_random=False))
def test_cutting_the_path_is_never_worse(matrix, k, random):
    """The best cut along the path loses no more than the groups that made it."""
    k = min(k, len(matrix))
    rows = list(range(len(matrix)))
    random.shuffle(rows)
    labels = np.empty(len(rows), dtype=np.int64)
    labels[rows] = np.minimum(np.arange(len(rows)) // k, len(rows) // k - 1)
    path = through_groups(matrix, labels)
    cut = cut_path(np.ascontiguousarray(matrix[path].T), k)
    data = naive.Floats(matrix)

    def loss(labels_, of):
        return sum(paths.loss(data, of[labels_ == g].tolist()) for g in range(labels_.max() + 1))

    assert loss(cut, path) <= loss(labels, np.arange(len(rows))) * (1 + 1e-11) + 1e-20
