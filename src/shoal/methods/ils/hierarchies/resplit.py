"""A perturbation: the groups around a record are split anew from the top down."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import inlined, steps
from shoal.kernels.random import uniform
from shoal.methods.ils.hierarchies import layout as at
from shoal.methods.ils.hierarchies.layout import (
    BY_RESPLIT,
    BY_RESPLITTING,
    GROUPS,
    LIVING,
    MASS,
    MOST,
    NEW,
    NODE,
    RESPLIT,
    SIZE,
    K,
)
from shoal.methods.ils.hierarchies.moves import Near, entry
from shoal.methods.ils.hierarchies.pool import cost_limit, pool_around, replace, take_in
from shoal.methods.ils.hierarchies.state import State
from shoal.methods.topdown.bins import (
    MADE,
    NOISE,
    OPEN,
    POWER,
    PRICE,
    RECORD,
    WAITING,
    Trees,
    Work,
)
from shoal.methods.topdown.split import split

LEAST_PRICE, PRICES = 0.5, 2.0  # of a left-over record, times the loss of those pooled: from, wide
LEAST_POWER, POWERS = 0.6, 0.5
NOISES = 0.3
ALL = 2**62


@steps
def split_pool(s: State, w: Work, pooled: int, old: float, bar: float) -> float:
    """Split the pooled records by random parameters; return what their groups cost. s, w IN/OUT.

    Left-over records are split once more without left-overs if there are k, else stay open. Stops
    where the groups cost as much as bar.
    """
    mass, width = 0, s.columns.shape[0]
    for i in range(pooled):
        row = s.pool[i, at.RECORD]
        for j in range(width):
            w.codes[i, j] = s.cells[row, j, NODE]
        w.masses[i] = s.cells[row, width, MASS]
        mass += w.masses[i]
        w.places[i, RECORD], w.labels[i] = i, -1
    trees = Trees(s.tree, s.levels, s.columns)
    w.sums[PRICE] = (LEAST_PRICE + PRICES * uniform(s.random)) * old / mass
    w.sums[POWER] = LEAST_POWER + POWERS * uniform(s.random)
    w.sums[NOISE] = NOISES * uniform(s.random)
    w.counts[MADE], w.counts[OPEN], w.counts[WAITING] = 0, 0, 1
    w.stack[0, 0], w.stack[0, 1] = 0, pooled
    total = split(w, trees, ALL)
    left = w.counts[OPEN]
    if total < bar and left >= s.counts[K]:
        for i in range(left):
            w.places[i, RECORD] = w.open[i]
        w.sums[PRICE] = np.inf
        w.counts[OPEN], w.counts[WAITING] = 0, 1
        w.stack[0, 0], w.stack[0, 1] = 0, left
        total += split(w, trees, ALL)
    return total


@inlined
def take_over(s: State, w: Work, pooled: int, total: float, bar: float) -> float:
    """Make provisional groups of the parts, which the records left over join. s IN/OUT.

    Returns what they cost; bar or more where one would be too large or they cost as much.
    """
    first, made, most = s.counts[GROUPS], w.counts[MADE], s.counts[MOST]
    for number in range(made):
        s.groups[first + number, SIZE] = 0
    for i in range(pooled):
        s.pool[i, NEW] = -1
        if w.labels[i] >= 0:
            if s.groups[first + w.labels[i], SIZE] >= most:
                return bar
            take_in(s, i, w.labels[i])
    for i in range(w.counts[OPEN]):
        least, to = np.inf, -1
        for number in range(made):
            if s.groups[first + number, SIZE] < most:
                found = entry(s, s.pool[w.open[i], at.RECORD], first + number, least)
                if found < least:
                    least, to = found, number
        total += least
        if total >= bar:
            return bar
        take_in(s, w.open[i], to)
    return total


@steps
def resplit(s: State, near: Near, w: Work, row: int) -> bool:
    """Split the groups around a record anew, if their cost is accepted. s, near, w IN/OUT."""
    counts = s.counts
    count, pooled, old = pool_around(s, near, row)
    counts[RESPLIT] += 1
    bar = cost_limit(s, old, pooled)
    total = split_pool(s, w, pooled, old, bar)
    made = w.counts[MADE]
    if total >= bar or made == 0 or counts[LIVING] - count - 1 + made > counts[GROUPS]:
        return False
    total = take_over(s, w, pooled, total, bar)
    if total >= bar or not replace(s, pooled, count, made, bar - total):
        return False
    counts[BY_RESPLITTING] += 1
    s.sums[BY_RESPLIT] += old - total
    return True
