"""The fixed-size methods: a seeding rule, a growing rule and an end game, repeated.

Each function yields its groups as lists of rows, one at a time, so that whoever runs it can show
progress and stop between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from shoal.kernels.nearest import slack
from shoal.numeric.grow import Grow, nearest_neighbors, nearest_neighbors_and_farthest
from shoal.numeric.pool import COORDINATE_ERROR, Pool
from shoal.numeric.seed import Seed

Floats = npt.NDArray[np.float64]
Groups = Iterator[list[int]]
Loop = Callable[[Pool, int], Groups]


def one_by_one(pool: Pool, k: int, *, seed: Seed, grow: Grow) -> Groups:
    """While the pool holds k: pick a first record, grow it (CBFS of Laszlo and Mukherjee 2005).

    Fewer than k records are left in the pool.
    """
    while pool.count >= k:
        yield grow(pool, seed(pool), k)


def two_by_two(pool: Pool, k: int, *, seed: Seed) -> Groups:
    """MDAV, classic (Domingo-Ferrer and Torra 2005): two groups far from each other at a time.

    While the pool holds 3k: r is the record farthest from the centroid, s the one farthest from
    r; both grow by nearest neighbors. From 2k on one more such group; the rest is the last one.
    """
    while pool.count >= 3 * k:
        first = seed(pool)
        group, second = nearest_neighbors_and_farthest(pool, first, k)
        yield group
        if not pool.holds(second):  # only where many records are equally far from r
            second = pool.farthest(pool.point(first))
        yield nearest_neighbors(pool, second, k)
    if pool.count >= 2 * k:
        yield nearest_neighbors(pool, seed(pool), k)
    if pool.count:
        rest = pool.rows()
        pool.take(rest)
        yield rest


def join_nearest(matrix: Floats, groups: list[list[int]], rest: list[int]) -> None:
    """Put each left-over record into the group with the nearest centroid.

    Centroids are those of the groups before any left-over came: refreshing them in between gives
    56.0413 instead of the 56.042 that the 2018 paper prints for CBFS-NC (tarragona, k = 30), and
    the same figures in its 17 other cells.
    """
    if not rest:
        return
    error = COORDINATE_ERROR * float(np.abs(matrix).max())
    centroids = np.array([matrix[group].mean(axis=0) for group in groups])
    for row in sorted(rest):
        distances = np.zeros(len(groups))
        for j in range(matrix.shape[1]):
            distances += (centroids[:, j] - matrix[row, j]) ** 2
        least = distances.min()
        near = distances <= least + slack(least, error)
        groups[int(near.argmax())].append(row)
