"""Growing: from one record to a group of k.

Each rule takes the first record and those it adds out of the pool, leaves their rows in the
pool's `group`, and returns how many they are.
"""

from __future__ import annotations

from shoal.kernels.jit import jit
from shoal.kernels.totals import add_point
from shoal.kernels.tree import LEAF
from shoal.numeric.pool import Pool, nearest_to, point, size, take


@jit
def nearest_neighbors(pool: Pool, first: int, k: int) -> int:
    """NN: the first record r and the k - 1 records x of the pool with the least D(x, r)."""
    group = pool.group
    group[0] = first
    take(pool, group, 1)
    others = min(k - 1, size(pool))
    if others > 0:
        found = nearest_to(pool, point(pool, first), others)
        for i in range(others):
            group[1 + i] = found[i]
        take(pool, found, others)
    return 1 + others


@jit
def nearest_to_centroid(pool: Pool, first: int, k: int) -> int:
    """NC: k - 1 times the record of the pool nearest to the centroid of the group so far."""
    totals, group, width = pool.group_totals, pool.group, pool.center.shape[0]
    for j in range(totals.shape[1]):
        totals[0, j] = totals[1, j] = 0.0
    row = first
    for i in range(k):
        if i > 0:
            if size(pool) == 0:
                return i
            for j in range(totals.shape[1]):
                pool.center[j] = totals[0, j] / i
            row = nearest_to(pool, pool.center, 1)[0]
        at = pool.tree.places[row]
        add_point(totals, pool.tree.points[at // LEAF, :width, at % LEAF], 1.0)
        group[i] = row
        take(pool, group[i : i + 1], 1)
    return k


@jit
def grow(pool: Pool, first: int, k: int, by_centroid: bool) -> int:
    """Grow a group by one of the two rules."""
    if by_centroid:
        return nearest_to_centroid(pool, first, k)
    return nearest_neighbors(pool, first, k)
