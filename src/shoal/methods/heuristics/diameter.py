"""The Diameter method: two groups at a time, around the two farthest records.

The printed method looks at all pairs of records, O(n³/k) in all. Here every record keeps a bound
for how far its farthest partner is, in a heap. The pool only shrinks, so a distance once computed
stays a bound: only the record on top needs a fresh look, until the one on top is fresh.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, jit, loop
from shoal.kernels.layout import LEAF
from shoal.kernels.nearest import farthest, sift_down, slack
from shoal.kernels.tree import Pool
from shoal.methods.heuristics import pool as pools
from shoal.methods.heuristics.fixed_size import label, run
from shoal.methods.heuristics.grow import grow
from shoal.methods.heuristics.pool import holds, point, runs_on, size
from shoal.methods.heuristics.seed import opposite
from shoal.progress import Reporter


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
