"""The records that are still without a group, and what a method may ask of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels import tree as trees
from shoal.kernels.jit import jit
from shoal.kernels.nearest import farthest, nearest, rounding
from shoal.kernels.totals import add_point, add_points
from shoal.kernels.tree import COUNT, EVALUATIONS, LEAF, Tree

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Pool(NamedTuple):
    """Records by row number; those in the pool can be searched, those taken out are skipped.

    Memory is two copies of the matrix and some numbers a record.
    """

    tree: Tree
    totals: Floats  # (2, d) sum of the records in the pool, see kernels.totals
    group_totals: Floats  # (2, d) sum of a group that grows
    center: Floats  # (d) work space
    keys: Floats  # (k + 1) work space of a search
    found: Integers  # (k + 1) rows a search found
    group: Integers  # (2k) rows of the group that grows
    error: float


def make(matrix: Floats, k: int) -> Pool:
    """Return a pool with all rows of a matrix in it, for groups of k."""
    width = matrix.shape[1]
    tree = trees.make(matrix)
    totals = np.zeros((2, width))
    add_points(totals, matrix)
    return Pool(
        tree=tree,
        totals=totals,
        group_totals=np.zeros((2, width)),
        center=np.empty(width),
        keys=np.empty(k + 2),
        found=np.empty(k + 2, dtype=np.int64),
        group=np.empty(2 * k + 1, dtype=np.int64),
        error=rounding(matrix),
    )


def evaluations(pool: Pool) -> int:
    """Return how many distances between a record and a point were computed."""
    return int(pool.tree.state[EVALUATIONS])


@jit
def size(pool: Pool) -> int:
    """Return how many records are in the pool."""
    return pool.tree.state[COUNT]  # type: ignore[no-any-return]


@jit
def holds(pool: Pool, row: int) -> bool:
    """Tell whether a record is still in the pool."""
    at = pool.tree.places[row]
    return at % LEAF < pool.tree.live[at // LEAF]  # type: ignore[no-any-return]


@jit
def centroid(pool: Pool) -> Floats:
    """Return the mean of the records in the pool, in the pool's work space."""
    for j in range(pool.center.shape[0]):
        pool.center[j] = pool.totals[0, j] / pool.tree.state[COUNT]
    return pool.center


@jit
def point(pool: Pool, row: int) -> Floats:
    """Return a record's coordinates, in the pool or not, in the pool's work space."""
    at = pool.tree.places[row]
    for j in range(pool.center.shape[0]):
        pool.center[j] = pool.tree.points[at // LEAF, j, at % LEAF]
    return pool.center


@jit
def distance_to(pool: Pool, row: int, center: Floats) -> float:
    """Return D(record, center), the record in the pool or not."""
    at = pool.tree.places[row]
    total = 0.0
    for j in range(center.shape[0]):
        gap = pool.tree.points[at // LEAF, j, at % LEAF] - center[j]
        total += gap * gap
    return total


@jit
def farthest_from(pool: Pool, center: Floats) -> int:
    """Return the row of the pool farthest from a center; the lowest row wins a tie."""
    return farthest(pool.tree, center, pool.error)[0]


@jit
def nearest_to(pool: Pool, center: Floats, count: int) -> Integers:
    """Return the rows of the pool nearest to a center; the lowest rows win a tie for the last."""
    nearest(pool.tree, center, count, pool.error, pool.keys, pool.found)
    return pool.found


@jit
def take(pool: Pool, rows: Integers, count: int) -> None:
    """Take the first count rows out of the pool."""
    width = pool.center.shape[0]
    for i in range(count):
        at = pool.tree.places[rows[i]]
        add_point(pool.totals, pool.tree.points[at // LEAF, :width, at % LEAF], -1.0)
    trees.remove(pool.tree, rows, count)
