"""The fixed-size methods: a seeding rule, a growing rule and an end game, repeated.

Each loop is compiled whole. It makes at most `rounds` groups (or pairs of groups) a call, writes
their numbers into `labels`, and returns how many groups there are now, so that whoever runs it can
show progress and stop in between. What is left in the pool at the end is a group of its own if
it has k records; else each record joins the nearest group.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, jit, loop
from shoal.kernels.layout import LEAF
from shoal.kernels.nearest import farthest, rounding, sift_down, slack
from shoal.kernels.tree import COUNT, Pool
from shoal.measures.loss import group_means
from shoal.methods.heuristics import pool as pools
from shoal.methods.heuristics.pool import centroid, farthest_from, grow, holds, point, runs_on, size
from shoal.progress import Reporter

Loop = Callable[[Integers, int, int], int]
DISTANCES_A_CALL = 1_000_000  # where nothing can be skipped: a fraction of a second


@inlined
def label(pool: Pool, count: int, labels: Integers, group: int) -> None:
    """Write a group's number for the first count rows of the pool's group. labels IN/OUT (n)."""
    for i in range(count):
        labels[pool.group[i]] = group


@loop
def make_groups(
    pool: Pool,
    k: int,
    references: Floats,
    pairs_from: int,
    by_centroid: bool,
    labels: Integers,
    made: int,
    rounds: int,
) -> int:
    """Pick a first record and grow it, while the pool holds enough.

    One by one (pairs_from = 0), while the pool holds k: CBFS (Laszlo and Mukherjee 2005) without
    reference points, TFRP (Chang, Li and Huang 2007) with two of them.

    Two by two, MDAV (Domingo-Ferrer and Torra 2005): while the pool holds pairs_from, r is the
    record farthest from the centroid, s the one farthest from r; both grow. Then, while it holds
    pairs_from - k, one more. Classic MDAV has pairs_from = 3k, so that the rest is a group of k to
    2k - 1; the form of the 2018 tables has 2k. references IN (points, d), labels IN/OUT (n).
    """
    least = k if pairs_from == 0 else pairs_from - k
    first, second = -1, False
    for _ in range(2 * rounds):
        if not second and not runs_on(pool, least):
            break
        paired = second or size(pool) >= pairs_from
        first = opposite(pool, first) if second else farthest_in_turn(pool, references, made)
        label(pool, grow(pool, first, k, by_centroid), labels, made)
        made += 1
        if not paired:
            break
        second = pairs_from > 0 and not second
    return made


def fixed_size(
    matrix: Floats,
    k: int,
    report: Reporter,
    *,
    references: Callable[[Floats], Floats] | None = None,
    by_centroid: bool = False,
    leave: bool = False,
) -> Integers:
    """Group one by one: farthest from the centroid, or from the reference points in turn."""
    pool = pools.make(matrix, k)
    points = np.empty((0, matrix.shape[1])) if references is None else references(matrix)
    loop = partial(make_groups, pool, k, np.ascontiguousarray(points), 0, by_centroid)
    return run(matrix, pool, k, loop, report, leave)


def mdav(
    matrix: Floats,
    k: int,
    report: Reporter,
    *,
    classic: bool = False,
    by_centroid: bool = False,
    leave: bool = False,
) -> Integers:
    """Group two by two: the farthest from the centroid and its opposite."""
    pool = pools.make(matrix, k)
    centroid = np.empty((0, matrix.shape[1]))
    loop = partial(make_groups, pool, k, centroid, 3 * k if classic else 2 * k, by_centroid)
    return run(matrix, pool, k, loop, report, leave)


def run(
    matrix: Floats, pool: Pool, k: int, loop: Loop, report: Reporter, leave: bool = False
) -> Integers:
    """Call a loop until it makes no more groups, then place what is left, or `leave` it at -1."""
    rows = matrix.shape[0]
    labels = np.full(rows, -1, dtype=np.int64)
    rounds = max(1, DISTANCES_A_CALL // rows)
    made, before = 0, -1
    while pools.rebuild(pool) or made != before:
        report("grouping", rows - int(pool.state[COUNT]), rows)
        made, before = loop(labels, made, rounds), made
    rest = np.flatnonzero(labels < 0)
    if rest.size >= k:
        labels[rest] = made
    elif not leave:
        join_nearest(matrix, labels, rest)
    report("grouping", rows, rows)
    return labels


def join_nearest(matrix: Floats, labels: Integers, rest: Integers) -> None:
    """Put the left-over records into the groups with the nearest centroids. labels IN/OUT.

    Of all pairs of a record and a group the nearest is joined first; the group's centroid moves
    with it. So 123 of the 126 unrefined figures of the 2018 paper come out at the printed digits;
    in order of the rows it is 121 (centroids as they were) or 119 (refreshed). The lowest row and
    the lowest group win ties.
    """
    if rest.size == 0:
        return
    placed = labels >= 0
    sizes = np.bincount(labels[placed])
    centers = group_means(matrix[placed], labels[placed])
    points = matrix[rest]
    distances = _squared(points[:, None, :] - centers[None, :, :])
    nearest = distances.min(axis=1)
    error = rounding(matrix)
    for _ in rest:
        least = nearest.min()
        high = least + slack(least, error)
        i = int((nearest <= high).argmax())
        group = int((distances[i] <= high).argmax())
        labels[rest[i]] = group
        sizes[group] += 1
        centers[group] += (points[i] - centers[group]) / sizes[group]
        distances[i] = nearest[i] = np.inf
        waiting = np.isfinite(nearest)
        before = distances[:, group].copy()
        distances[waiting, group] = _squared(points[waiting] - centers[group])
        again = waiting & (before <= nearest)  # the group was their nearest, and moved
        nearest[again] = distances[again].min(axis=1)
        nearest[waiting] = np.minimum(nearest[waiting], distances[waiting, group])


def _squared(differences: Floats) -> Floats:
    total = np.zeros(differences.shape[:-1])
    for j in range(differences.shape[-1]):
        total += differences[..., j] ** 2
    return total


# The Diameter method: two groups at a time, around the two farthest records.
#
# The printed method looks at all pairs of records, O(n³/k) in all. Here every record keeps a bound
# for how far its farthest partner is, in a heap. The pool only shrinks, so a distance once computed
# stays a bound: only the record on top needs a fresh look, until the one on top is fresh.
class Spread(NamedTuple):
    """How far the farthest partner of each record may be."""

    bounds: Floats  # (n) a heap, the largest on top
    rows: Integers  # (n) whose bound it is
    fresh: Integers  # (n) the turn in which a row's bound was last exact
    partners: Integers  # (n) the partner it was exact for
    state: Integers  # size of the heap, turn
    pending: Integers  # (n + 1) work space: places in the heap still to be looked at


def diameter(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Group pair by pair, both grown to the centroid (DBFS of Laszlo and Mukherjee 2005)."""
    rows = matrix.shape[0]
    pool = pools.make(matrix, k)
    spread = Spread(
        bounds=np.empty(rows),
        rows=np.arange(rows, dtype=np.int64),
        fresh=np.full(rows, -1, dtype=np.int64),
        partners=np.full(rows, -1, dtype=np.int64),
        state=np.array([rows, 0], dtype=np.int64),
        pending=np.empty(rows + 1, dtype=np.int64),
    )
    set_bounds(pool, spread)
    return run(matrix, pool, k, partial(pair_by_pair, pool, spread, k), report)


@jit
def set_bounds(pool: Pool, spread: Spread) -> None:
    """Bound |x - y| by |x - m| + max |y - m|, m the pivot of the tree. spread OUT."""
    width = pool.center.shape[0]
    rows = spread.rows.shape[0]
    reach = 0.0
    for row in range(rows):
        at = pool.places[row]
        spread.bounds[row] = math.sqrt(pool.points[at // LEAF, width, at % LEAF])
        reach = max(reach, spread.bounds[row])
    for row in range(rows):
        spread.bounds[row] = (spread.bounds[row] + reach) ** 2 * (1.0 + 1e-12)
    for at in range(rows // 2, -1, -1):
        sift_down(spread.bounds, spread.rows, rows, at)


@loop
def pair_by_pair(
    pool: Pool, spread: Spread, k: int, labels: Integers, made: int, rounds: int
) -> int:
    """While the pool holds 2k: grow both records of the farthest pair; then, from k on, one.

    The one of the lower row grows first, which is nearest to the figures of the 2007 paper. If
    that takes the other one in, the record farthest from it stands in. spread IN/OUT, labels
    IN/OUT (n).
    """
    first, second, waits = -1, -1, False
    for _ in range(2 * rounds):
        if waits:
            first = second if holds(pool, second) else opposite(pool, first)
            waits = False
        elif runs_on(pool, k):
            waits = size(pool) >= 2 * k
            first, second = farthest_pair(pool, spread)
        else:
            break
        label(pool, grow(pool, first, k, True), labels, made)
        made += 1
    return made


@inlined
def farthest_pair(pool: Pool, spread: Spread) -> tuple[int, int]:
    """Return argmax D(x, y): of several such pairs that of the lowest rows. spread IN/OUT."""
    spread.state[1] += 1
    turn = spread.state[1]
    bounds, rows = spread.bounds, spread.rows
    low, known = 0.0, False  # first the largest distance, then the lowest row that has it
    while True:
        at = _lowest(pool, spread, low) if known else 0
        row = rows[at]
        if not holds(pool, row):
            spread.state[0] -= 1
            last = spread.state[0]
            bounds[0], rows[0] = bounds[last], rows[last]
            sift_down(bounds, rows, last, 0)
        elif spread.fresh[row] != turn:
            _look(pool, spread, at)
        elif known:
            break
        else:
            low, known = bounds[0] - slack(bounds[0], pool.error), True
    return row, spread.partners[row]


@inlined
def _look(pool: Pool, spread: Spread, at: int) -> None:
    """Make the bound at a place of the heap exact. spread IN/OUT."""
    row = spread.rows[at]
    partner, distance = farthest(pool, point(pool, row))
    spread.partners[row] = partner
    spread.fresh[row] = spread.state[1]
    spread.bounds[at] = min(spread.bounds[at], distance)
    sift_down(spread.bounds, spread.rows, spread.state[0], at)


@inlined
def _lowest(pool: Pool, spread: Spread, low: float) -> int:
    """Return the place of the lowest row in the pool whose bound is at least low. spread IN."""
    best, lowest = 0, spread.fresh.shape[0]
    spread.pending[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        at = spread.pending[waiting]
        if at >= spread.state[0] or spread.bounds[at] < low:
            continue
        if spread.rows[at] < lowest and holds(pool, spread.rows[at]):
            best, lowest = at, spread.rows[at]
        spread.pending[waiting] = 2 * at + 1
        spread.pending[waiting + 1] = 2 * at + 2
        waiting += 2
    return best


@inlined
def farthest_from_centroid(pool: Pool) -> int:
    """Return argmax D(x, mean of the pool): the record most in need of company.

    CBFS (Laszlo and Mukherjee 2005) and MDAV (Domingo-Ferrer and Torra 2005).
    """
    return farthest_from(pool, centroid(pool))


@inlined
def farthest_in_turn(pool: Pool, references: Floats, turn: int) -> int:
    """Return argmax D(x, R), where R is the next of the fixed reference points.

    TFRP (Chang, Li and Huang 2007). Without reference points it is the pool's centroid.
    references IN (points, d).
    """
    if references.shape[0] == 0:
        return farthest_from_centroid(pool)
    return farthest_from(pool, references[turn % references.shape[0]])


@inlined
def opposite(pool: Pool, first: int) -> int:
    """Return argmax D(x, first record), which need not be in the pool any more (MDAV)."""
    return farthest_from(pool, point(pool, first))


def column_extremes(matrix: Floats) -> Floats:
    """Return the reference points of the 2018 paper: each attribute's maximum, then minimum."""
    return np.array([matrix.max(axis=0), matrix.min(axis=0)])


def overall_extremes(matrix: Floats) -> Floats:
    """Return those of the 2007 paper: the least of all values in every place, then the largest."""
    width = matrix.shape[1]
    return np.array([np.full(width, matrix.min()), np.full(width, matrix.max())])
