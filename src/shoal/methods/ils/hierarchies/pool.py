"""Groups that are pooled, and formed anew in provisional groups."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.jit import ANY, inlined, part, steps
from shoal.kernels.random import draw, uniform
from shoal.methods.ils.hierarchies.layout import (
    AROUND,
    BREACH,
    COST,
    FOUND,
    GROUPS,
    HELD,
    HIGH,
    LABEL,
    LOSS,
    LOW,
    MASS,
    MEMBERS,
    NEW,
    NODE,
    OWN,
    PENALTY,
    RECORD,
    SAMPLES,
    SIZE,
    TEMPERATURE,
    TIE,
)
from shoal.methods.ils.hierarchies.moves import Near, find_nearest, fits, list_near
from shoal.methods.ils.hierarchies.state import (
    State,
    close,
    cost,
    measure,
    open_group,
    penalty,
    put,
    queue,
)
from shoal.methods.topdown.bins import RANGED, ROOT, common


@inlined
def cost_limit(s: State, old: float, records: int) -> float:
    """Return what so many records must cost less than, anew, to be kept. s IN/OUT.

    Less than before, or more by an amount drawn from the exponential distribution whose mean is the
    TEMPERATURE, which is the Metropolis criterion.
    """
    limit = old - TIE * s.columns.shape[0] * records
    if s.sums[TEMPERATURE] > 0.0:
        limit -= s.sums[TEMPERATURE] * math.log(1.0 - uniform(s.random))
    return limit  # type: ignore[no-any-return]


@inlined
def choose(s: State) -> int:
    """Return a record of a group that loses much: of SAMPLES random ones the worst off."""
    row, worst, width = 0 + ANY, -1.0, s.columns.shape[0]
    for _ in range(s.counts[SAMPLES]):
        other = draw(s.random, s.cells.shape[0])
        loss = s.costs[s.records[other, LABEL], width, LOSS]
        if loss > worst:
            row, worst = other, loss
    return row


@steps
def pool_around(s: State, near: Near, row: int) -> tuple[int, int, float]:
    """Pool a record's group and up to AROUND of those it would cost least. s, near IN/OUT.

    Returns how many those are, how many records are pooled, and what their groups cost.
    """
    groups, counts, pool, width = s.groups, s.counts, s.pool, s.columns.shape[0]
    order = draw(s.random, near.orders.shape[0])
    many = list_near(s, near, row, order, order + 1)
    count = find_nearest(s, near, row, many, 1 + draw(s.random, counts[AROUND]), np.inf)
    counts[FOUND + count] = s.records[row, LABEL]
    pooled, old = 0, 0.0
    for i in range(count + 1):
        group = counts[FOUND + i]
        old += s.costs[group, width, LOSS]
        for m in range(groups[group, SIZE]):
            pool[pooled, RECORD] = groups[group, MEMBERS + m]
            pooled += 1
    return count, pooled, old


@part
def take_in(s: State, at: int, made: int) -> None:
    """Take a pooled record into a provisional group. s IN/OUT."""
    tree, columns, spans, group = s.tree, s.columns, s.spans, s.counts[GROUPS] + made
    row, size, width = s.pool[at, RECORD], s.groups[group, SIZE], columns.shape[0]
    mass = s.cells[row, width, MASS]
    held = mass if size == 0 else s.groups[group, HELD] + mass
    for j in range(width):
        node, root, ranged = s.cells[row, j, NODE], columns[j, ROOT], columns[j, RANGED]
        low = node if size == 0 else spans[group, j, LOW]
        high = node if size == 0 else spans[group, j, HIGH]
        own = 0 if size == 0 else spans[group, j, OWN]
        if ranged == 1 and root not in (low, node):
            low, high, own = min(low, node), max(high, node), 0
        else:
            top = common(tree, low, node)
            own = (own if top == low else 0) + (mass if top == node else 0)
            low, high = top, top
        spans[group, j, LOW], spans[group, j, HIGH], spans[group, j, OWN] = low, high, own
        s.costs[group, j, COST] = cost(s.levels, columns, j, low, high, held - own)
    s.groups[group, SIZE], s.groups[group, HELD] = size + 1, held
    s.pool[at, NEW] = made


@steps
def replace(s: State, pooled: int, count: int, wanted: int, gain: float) -> bool:
    """Replace the groups that were pooled by those that were formed, if the rules allow it.

    s IN/OUT. Tells whether they do; where there are penalties, if these are below the gain.
    """
    groups, counts, pool = s.groups, s.counts, s.pool
    strict = s.sums[PENALTY] == 0.0
    for made in range(wanted if s.counts[BREACH] != 0 else 0):
        group, size = counts[GROUPS] + made, 0
        for i in range(pooled):
            if pool[i, NEW] == made:
                groups[group, MEMBERS + size] = pool[i, RECORD]
                size += 1
        gain -= penalty(s, group, -1, -1)
        if gain <= 0.0 or (strict and not fits(s, group, -1, -1)):
            return False
    for i in range(count + 1, wanted):
        counts[FOUND + i] = open_group(s)
    for i in range(max(wanted, count + 1)):
        groups[counts[FOUND + i], SIZE] = 0
    for i in range(pooled):
        put(s, pool[i, RECORD], counts[FOUND + pool[i, NEW]])
    for i in range(max(wanted, count + 1)):
        group = counts[FOUND + i]
        if i < wanted:
            measure(s, group)
            queue(groups, counts, group)
        else:
            close(s, group)
    return True
