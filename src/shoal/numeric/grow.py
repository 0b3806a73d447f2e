"""Growing: from one record to a group of k."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from shoal.numeric.pool import Pool


class Grow(Protocol):
    """Takes a first record and k - 1 others out of the pool, and returns their rows."""

    def __call__(self, pool: Pool, first: int, k: int) -> list[int]:
        """Return the group's rows, the first record in front."""


def nearest_neighbors(pool: Pool, first: int, k: int) -> list[int]:
    """NN: the first record r and the k - 1 records x of the pool with the least D(x, r)."""
    return nearest_neighbors_and_farthest(pool, first, k)[0]


def nearest_neighbors_and_farthest(pool: Pool, first: int, k: int) -> tuple[list[int], int]:
    """NN, and the record that was farthest from the first one before the group was taken out.

    One sweep answers both; -1 stands for the farthest where nobody else was in the pool.
    """
    pool.take([first])
    if pool.count == 0:
        return [first], -1
    others, far = pool.nearest(pool.point(first), k - 1)
    pool.take(others)
    return [first, *others], far


def nearest_to_centroid(pool: Pool, first: int, k: int) -> list[int]:
    """NC: k - 1 times the record of the pool nearest to the centroid of the group so far."""
    group = [first]
    totals = np.zeros((2, pool.points.shape[0]))
    pool.add_to(totals, first)
    pool.take([first])
    while len(group) < k and pool.count:
        (row,), _ = pool.nearest(totals[0] / len(group), 1)
        pool.add_to(totals, row)
        pool.take([row])
        group.append(row)
    return group
