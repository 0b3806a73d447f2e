"""Sweeps and running sums against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.numeric.pool import Pool
from strategies import matrices


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 8, 9, 13])
def test_distances_add_attributes_in_order(columns):
    """Distances equal a plain loop to the last bit, for every number of attributes."""
    matrix = np.random.default_rng(columns).normal(size=(BLOCK + 7, columns))
    center = matrix[3].copy()
    block = np.empty(BLOCK)
    squared_distances(np.ascontiguousarray(matrix.T), 5, 5 + BLOCK, center, block)
    expected = [naive.squared_distance(row, center) for row in matrix[5 : 5 + BLOCK].tolist()]
    assert block.tolist() == expected


@given(matrices(60), st.data())
def test_nearest_and_farthest(matrix, data):
    """Nearest and farthest are those of a sort by distance and row, also after removals."""
    pool = Pool(matrix)
    rest = list(range(len(matrix)))
    while len(rest) > 1 and data.draw(st.booleans()):
        row = data.draw(st.sampled_from(rest))
        pool.take([row])
        rest.remove(row)
        assert not pool.holds(row)
    rows, data_ = matrix.tolist(), naive.Floats(matrix)
    center = data.draw(st.sampled_from(rows))
    size = data.draw(st.integers(0, len(rest)))
    found, far = pool.nearest(np.array(center), size)
    assert sorted(found) == sorted(naive.nearest(data_, rest, center, size))
    assert far == pool.farthest(np.array(center)) == naive.farthest(data_, rest, center)
    assert pool.rows() == rest
    assert pool.centroid().tolist() == pytest.approx(data_.centroid(rest), abs=1e-12)
    assert pool.point(rest[0]).tolist() == rows[rest[0]]


def test_many_blocks():
    """Tables of several blocks are swept whole."""
    matrix = np.random.default_rng(1).integers(0, 50, size=(3 * BLOCK + 11, 2)).astype(float)
    rows = matrix.tolist()
    every = list(range(len(rows)))
    found, far = Pool(matrix).nearest(np.array([25.0, 25.0]), 40)
    assert sorted(found) == sorted(naive.nearest(naive.Floats(rows), every, [25.0, 25.0], 40))
    assert far == naive.farthest(naive.Floats(rows), every, [25.0, 25.0])


def test_sums_do_not_drift():
    """After a hundred thousand removals the sum is still that of a correctly rounded one."""
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(100_000, 2)) * [1e-8, 1e8] + [1e8, -1e16]
    pool = Pool(matrix)
    leaving = rng.permutation(100_000)[:-3].tolist()
    pool.take(leaving)
    rest = pool.rows()
    expected = [math.fsum(matrix[rest, j]) / 3 for j in range(2)]
    assert pool.centroid().tolist() == expected
