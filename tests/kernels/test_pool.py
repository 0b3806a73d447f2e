"""Searches of the tree and running sums against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import jit
from shoal.kernels.layout import FAN, LEAF
from shoal.kernels.tree import EVALUATIONS
from shoal.methods.heuristics import pool as pools
from strategies import matrices
from thorough import examples, spread


@jit
def find(pool, center, size):
    """Stand in for kernels that search a pool: what returns arrays has no wrapper for Python."""
    pools.nearest_to(pool, center, size)


@jit
def average(pool):
    """Stand in for the kernels that ask for the mean of a pool."""
    pools.centroid(pool)


@jit
def read(pool, row):
    """Stand in for the kernels that read a record."""
    pools.point(pool, row)


def nearest(pool, center, size):
    """The rows a search finds, lowest first."""
    find(pool, np.array(center), size)
    return sorted(pool.found[:size].tolist())


def centroid(pool):
    """The mean of the records in a pool."""
    average(pool)
    return pool.center.tolist()


def point(pool, row):
    """The coordinates of a record."""
    read(pool, row)
    return pool.center.tolist()


def take(pool, rows):
    pools.take(pool, np.array(rows, dtype=np.int64), len(rows))


@jit
def distances(points, start, stop, center, block):
    """Stand in for the kernels that call `squared_distances`: it has no wrapper for Python."""
    squared_distances(points, start, stop, center, block)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 8, 9, 13])
def test_distances_add_attributes_in_order(columns):
    """Distances equal a plain loop to the last bit, for every number of attributes."""
    matrix = np.random.default_rng(columns).normal(size=(BLOCK + 7, columns))
    center = matrix[3].copy()
    block = np.empty(BLOCK)
    distances(np.ascontiguousarray(matrix.T), 5, 5 + BLOCK, center, block)
    expected = [naive.squared_distance(row, center) for row in matrix[5 : 5 + BLOCK].tolist()]
    assert block.tolist() == expected


@given(matrices(150), st.data())
@examples(60)
@pytest.mark.slow
def test_nearest_and_farthest(matrix, data):
    """Nearest and farthest are those of a sort by distance and row, also after removals."""
    size = data.draw(st.integers(0, len(matrix)))
    pool = pools.make(matrix, size)
    leaving = data.draw(st.lists(st.sampled_from(range(len(matrix))), unique=True))
    leaving = leaving[: len(matrix) - max(1, size)]
    for start in range(0, len(leaving), 7):
        take(pool, leaving[start : start + 7])
    assert not any(pools.holds(pool, row) for row in leaving)
    rest = [row for row in range(len(matrix)) if row not in leaving]
    assert all(pools.holds(pool, row) for row in rest)
    rows, twin = matrix.tolist(), naive.Floats(matrix)
    center = data.draw(st.sampled_from(rows))
    assert nearest(pool, center, size) == sorted(naive.nearest(twin, rest, center, size))
    assert pools.farthest_from(pool, np.array(center)) == naive.farthest(twin, rest, center)
    assert centroid(pool) == pytest.approx(twin.centroid(rest), abs=1e-12)
    assert point(pool, rest[0]) == rows[rest[0]]


@pytest.mark.parametrize("kind", spread(["grid", "normal", "lines"], 1))
def test_several_levels(kind):
    """In a tree of several levels nothing is skipped that counts, down to the last record."""
    rng = np.random.default_rng(1)
    count = 3 * LEAF * FAN + 11
    matrix = {
        "grid": rng.integers(0, 20, size=(count, 2)).astype(float),
        "normal": rng.normal(size=(count, 5)),
        "lines": np.outer(np.arange(count) % 97, [1.0, -2.0, 0.0]),
    }[kind]
    twin = naive.Floats(matrix)
    pool = pools.make(matrix, 40)
    rest = set(range(count))
    for row in rng.permutation(count)[:-50].tolist():
        take(pool, [row])
        rest.remove(row)
        if len(rest) % 300 == 50:
            every = sorted(rest)
            for center in (matrix[row], matrix.mean(axis=0), matrix.max(axis=0) + 5):
                expected = sorted(naive.nearest(twin, every, center.tolist(), 40))
                assert nearest(pool, center, 40) == expected
                farthest = naive.farthest(twin, every, center.tolist())
                assert pools.farthest_from(pool, center) == farthest


def test_searches_skip_most_of_a_table():
    """On clustered records a search computes a small share of all distances."""
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(20, 4))[rng.integers(0, 20, 20_000)] * 10
    matrix += rng.normal(size=(20_000, 4))
    pool = pools.make(matrix, 10)
    for row in range(100):
        nearest(pool, matrix[row], 10)
        pools.farthest_from(pool, matrix[row])
    assert pool.state[EVALUATIONS] < 0.05 * 200 * 20_000


def test_sums_do_not_drift():
    """After a hundred thousand removals the sum is still that of a correctly rounded one."""
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(100_000, 2)) * [1e-8, 1e8] + [1e8, -1e16]
    pool = pools.make(matrix, 2)
    leaving = rng.permutation(100_000)
    pools.take(pool, leaving, 99_997)
    rest = leaving[-3:]
    expected = [math.fsum(matrix[rest, j]) / 3 for j in range(2)]
    assert centroid(pool) == expected
