"""Nearest neighbors of every record: candidate partners of moves.

Neighbors are mutual: who lists a record is listed by it, too. Otherwise an outlier, which is
nearest to none, would be looked at only when its own group changes.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels import tree as trees
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.distance import squared_distances
from shoal.kernels.jit import ANY, jit, loop
from shoal.kernels.nearest import nearest, rounding, sift_down
from shoal.kernels.tree import Pool
from shoal.measures.loss import ROUNDED
from shoal.progress import Reporter

FEW = 2_048
RECORDS_A_CALL = 10_000


def neighbors(matrix: Floats, count: int, report: Reporter) -> Integers:
    """Return for each row the rows nearest to it, then half as many others it is nearest to.

    Of those others the farthest come first. Where there are fewer, the last of the nearest is
    repeated.
    """
    nearest = nearest_records(matrix, count, report)
    rows, count = nearest.shape
    others = -(-count // 2)
    every = np.repeat(nearest[:, -1:], count + others, axis=1)
    every[:, :count] = nearest
    by, of = np.repeat(np.arange(rows), count), nearest.ravel()
    one_way = ~(nearest[of] == by[:, None]).any(axis=1)
    by, of = by[one_way], of[one_way]
    order = np.lexsort((by, -_squared(matrix, by, of), of))
    by, of = by[order], of[order]
    first = np.searchsorted(of, np.arange(rows))
    place = np.arange(of.size) - first[of]
    room = place < others
    every[of[room], count + place[room]] = by[room]
    return every


def _squared(matrix: Floats, one: Integers, other: Integers) -> Floats:
    total = np.zeros(one.shape)
    for column in matrix.T:
        total += (column[one] - column[other]) ** 2
    return total


def least_by_neighbors(matrix: Floats, k: int, report: Reporter) -> float:
    """Return a sum of squares that no grouping into groups of k records can fall short of.

    In a group of m records each has m - 1 others, no nearer than its m - 1 nearest; with SSE half
    the sum of all their squared distances by m, k - 1 of them are the least that counts.
    """
    near = nearest_records(matrix, k - 1, report)
    total = 0.0
    for column in range(near.shape[1]):
        apart = matrix - matrix[near[:, column]]
        total += float((apart * apart).sum())
    return total / (2.0 * k) * (1.0 - ROUNDED)


def nearest_records(matrix: Floats, count: int, report: Reporter, few: int = FEW) -> Integers:
    """Return the rows nearest to each row, the nearest first. O(n log n) on usual data.

    Among `few` records a sweep over all is as fast as a tree, and a third of the compiling.
    """
    rows = matrix.shape[0]
    count = min(count, rows - 1)
    nearest = np.empty((rows, count), dtype=np.int64)
    if rows <= few:
        points = np.ascontiguousarray(matrix.T)
        _sweep_nearest(points, nearest, np.empty(rows), np.empty(count), np.empty(matrix.shape[1]))
        return nearest
    pool = trees.make(matrix, max(count, 1), rounding(matrix))
    for start in range(0, rows, RECORDS_A_CALL):
        report("finding neighbors", start, rows)
        stop = min(start + RECORDS_A_CALL, rows)
        _list_nearest(pool, np.ascontiguousarray(matrix), nearest, start, stop)
        some = nearest[start:stop]
        distances = _squared(matrix, np.arange(start, stop)[:, None].repeat(count, axis=1), some)
        some[:] = np.take_along_axis(some, np.lexsort((some, distances)), axis=1)
    return nearest


@jit
def _sweep_nearest(
    points: Floats, found: Integers, block: Floats, keys: Floats, center: Floats
) -> None:
    """Fill found by a sweep for each row; the lowest rows win ties.

    points IN (d, n), found OUT (n, m); work space: block (n), keys (m), center (d).
    """
    width, rows = points.shape
    for row in range(rows):
        for j in range(width):
            center[j] = points[j, row]
        squared_distances(points, 0 + ANY, rows, center, block)
        for i in range(keys.shape[0]):
            keys[i] = np.inf
        for other in range(rows):
            if block[other] < keys[0] and other != row:
                keys[0], found[row, 0] = block[other], other
                sift_down(keys, found[row], keys.shape[0], 0)
        for last in range(keys.shape[0] - 1, 0, -1):  # the farthest goes last
            keys[0], keys[last] = keys[last], keys[0]
            found[row, 0], found[row, last] = found[row, last], found[row, 0]
            sift_down(keys, found[row], last, 0)


@loop
def _list_nearest(pool: Pool, matrix: Floats, found: Integers, start: int, stop: int) -> None:
    """Fill the rows start:stop of found. pool IN (work space OUT), matrix IN, found OUT (n, m)."""
    center = pool.center
    for row in range(start, stop):
        for j in range(matrix.shape[1]):
            center[j] = matrix[row, j]
        nearest(pool, center, row, found.shape[1])
        for i in range(found.shape[1]):
            found[row, i] = pool.found[i]
