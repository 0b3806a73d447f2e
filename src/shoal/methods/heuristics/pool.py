"""Pool of the records that have no group yet."""

from __future__ import annotations

from shoal.kernels import tree as trees
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import ANY, inlined, part
from shoal.kernels.layout import LEAF
from shoal.kernels.nearest import farthest, nearest, rounding
from shoal.kernels.totals import add
from shoal.kernels.tree import BUILT, COUNT, Pool


def make(matrix: Floats, k: int) -> Pool:
    """Return a pool with all rows of a matrix in it, for groups of k."""
    return trees.make(matrix, k, rounding(matrix))


@inlined
def size(pool: Pool) -> int:
    """Return how many records are in the pool."""
    return pool.state[COUNT]  # type: ignore[no-any-return]


@inlined
def holds(pool: Pool, row: int) -> bool:
    """Tell whether a record is still in the pool."""
    at = pool.places[row]
    return at % LEAF < pool.live[at // LEAF]  # type: ignore[no-any-return]


@inlined
def centroid(pool: Pool) -> Floats:
    """Return the mean of the records in the pool, in the pool's work space."""
    _divide(pool.totals, pool.state, pool.center)
    return pool.center


@part
def _divide(totals: Floats, state: Integers, center: Floats) -> None:
    """Compute a mean. totals IN (2, d), state IN, center OUT (d)."""
    for j in range(center.shape[0]):
        center[j] = totals[0, j] / state[COUNT]


@inlined
def point(pool: Pool, row: int) -> Floats:
    """Return a record's coordinates, in the pool or not, in the pool's work space."""
    _copy(pool.points, pool.places[row], pool.center)
    return pool.center


@part
def _copy(points: Floats, at: int, center: Floats) -> None:
    """Copy the coordinates at a position. points IN (leaves, d + 1, LEAF), center OUT (d)."""
    for j in range(center.shape[0]):
        center[j] = points[at // LEAF, j, at % LEAF]


@inlined
def distance_to(pool: Pool, row: int, center: Floats) -> float:
    """Return D(record, center), the record in the pool or not."""
    return _distance(pool.points, pool.places[row], center)


@part
def _distance(points: Floats, at: int, center: Floats) -> float:
    """Return D(record at a position, center). points IN (leaves, d + 1, LEAF), center IN (d)."""
    total = 0.0
    for j in range(center.shape[0]):
        gap = points[at // LEAF, j, at % LEAF] - center[j]
        total += gap * gap
    return total


@inlined
def farthest_from(pool: Pool, center: Floats) -> int:
    """Return the row of the pool farthest from a center; the lowest row wins a tie."""
    return farthest(pool, center)[0]


@inlined
def nearest_to(pool: Pool, center: Floats, count: int, skip: int = -1) -> Integers:
    """Return the rows of the pool nearest to a center; the lowest rows win a tie for the last.

    The skipped row is not among them.
    """
    nearest(pool, center, skip + ANY, count + ANY)
    return pool.found


@inlined
def take(pool: Pool, rows: Integers, count: int) -> None:
    """Take the first count rows out of the pool."""
    trees.remove(pool, rows, count + ANY)


@inlined
def runs_on(pool: Pool, least: int) -> bool:
    """Tell whether a loop may make another group: enough records, and the tree not sparse."""
    count = pool.state[COUNT]
    return count >= least and not trees.is_sparse(count, pool.state[BUILT])


def rebuild(pool: Pool) -> bool:
    """Build the tree anew if it is sparse; tell whether it was."""
    sparse = bool(trees.is_sparse(pool.state[COUNT], pool.state[BUILT]))
    if sparse:
        trees.build(pool)
    return sparse


# Growing: from one record to a group of k.
#
# Each rule takes the first record and those it adds out of the pool, leaves their rows in the
# pool's `group`, and returns how many they are.


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
