"""Growing: from one record to a group of k.

Each rule takes the first record and those it adds out of the pool, leaves their rows in the
pool's `group`, and returns how many they are.
"""

from __future__ import annotations

from shoal.kernels.jit import inlined
from shoal.kernels.layout import LEAF
from shoal.kernels.totals import add
from shoal.kernels.tree import Pool
from shoal.methods.heuristics.pool import nearest_to, point, size, take


@inlined
def nearest_neighbors(pool: Pool, first: int, k: int) -> int:
    """NN: the first record r and the k - 1 records x of the pool with the least D(x, r)."""
    group = pool.group
    others = min(k, size(pool)) - 1
    found = nearest_to(pool, point(pool, first), others, first)
    group[0] = first
    for i in range(others):
        group[1 + i] = found[i]
    take(pool, group, 1 + others)
    return 1 + others


@inlined
def nearest_to_centroid(pool: Pool, first: int, k: int) -> int:
    """NC: k - 1 times the record of the pool nearest to the centroid of the group so far."""
    totals, group, width = pool.group_totals, pool.group, pool.center.shape[0]
    for j in range(width):
        totals[0, j] = totals[1, j] = 0.0
    row = first
    count = min(k, size(pool))
    for i in range(count):
        if i > 0:
            for j in range(width):
                pool.center[j] = totals[0, j] / i
            row = nearest_to(pool, pool.center, 1)[0]
        at = pool.places[row]
        for j in range(width):
            add(totals, j, pool.points[at // LEAF, j, at % LEAF])
        group[i] = row
        take(pool, group[i : i + 1], 1)
    return count


@inlined
def grow(pool: Pool, first: int, k: int, by_centroid: bool) -> int:
    """Grow a group by NC or by NN."""
    if by_centroid:
        return nearest_to_centroid(pool, first, k)
    return nearest_neighbors(pool, first, k)
