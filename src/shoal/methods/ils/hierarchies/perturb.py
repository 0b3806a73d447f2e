"""Perturbations: a group is dissolved, or the groups around a record are formed anew.

Each is tried, and kept only where it gains.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import ANY, inlined, part, steps
from shoal.kernels.random import draw, uniform
from shoal.methods.ils.hierarchies.layout import (
    AROUND,
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    BY_REGROUP,
    BY_REGROUPING,
    COST,
    DISSOLVED,
    FOUND,
    GROUPS,
    HIGH,
    LABEL,
    LOSS,
    LOW,
    MEMBERS,
    MOST,
    NEW,
    NODE,
    OWN,
    RANGED,
    RECORD,
    REGROUPED,
    ROOT,
    SAMPLES,
    SIZE,
    SLOT,
    TIE,
    K,
)
from shoal.methods.ils.hierarchies.moves import entry, find_nearest, fits
from shoal.methods.ils.hierarchies.state import (
    State,
    close,
    common,
    cost,
    measure,
    open_group,
    put,
    queue,
)


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
def dissolve(s: State, group: int) -> bool:
    """Give the members of a group to those they cost least, if that gains. s IN/OUT."""
    groups, costs, width = s.groups, s.costs, s.columns.shape[0]
    size, change = groups[group, SIZE], -costs[group, width, LOSS]
    bar = -TIE * width * size
    s.counts[DISSOLVED] += 1
    given = 0
    while given < size and change < bar:
        row = groups[group, MEMBERS + given]
        if find_nearest(s, row, 1 + ANY, np.inf) == 0:
            break
        other = s.counts[FOUND]
        s.pool[given, RECORD], s.pool[given, NEW] = row, other
        given += 1
        put(s, row, other)
        change -= costs[other, width, LOSS]
        measure(s, other)
        change += costs[other, width, LOSS]
    better = given == size and change < bar
    for i in range(given if better and s.counts[BREACH] != 0 else 0):
        better = better and fits(s, s.pool[i, NEW], -1, -1)
    for i in range(given - 1, -1, -1):  # who came last stands last
        row, other = s.pool[i, RECORD], s.pool[i, NEW]
        if better:
            queue(groups, s.counts, other)
        else:
            groups[other, SIZE] -= 1
            measure(s, other)
            s.records[row, LABEL], s.records[row, SLOT] = group, i
    if better:
        close(s, group)
        s.counts[BY_DISSOLVING] += 1
        s.sums[BY_DISSOLVE] -= change
    else:
        measure(s, group)
    return better  # type: ignore[no-any-return]


@part
def take_in(s: State, at: int, made: int) -> None:
    """Take a pooled record into a provisional group. s IN/OUT."""
    tree, columns, spans, group = s.tree, s.columns, s.spans, s.counts[GROUPS] + made
    row, size = s.pool[at, RECORD], s.groups[group, SIZE]
    for j in range(columns.shape[0]):
        node, root, ranged = s.cells[row, j, NODE], columns[j, ROOT], columns[j, RANGED]
        low = node if size == 0 else spans[group, j, LOW]
        high = node if size == 0 else spans[group, j, HIGH]
        own = 0 if size == 0 else spans[group, j, OWN]
        if ranged == 1 and root not in (low, node):
            low, high, own = min(low, node), max(high, node), 0
        else:
            top = common(tree, low, node)
            own = (own if top == low else 0) + (1 if top == node else 0)
            low, high = top, top
        spans[group, j, LOW], spans[group, j, HIGH], spans[group, j, OWN] = low, high, own
        s.costs[group, j, COST] = cost(s.levels, columns, j, low, high, size + 1 - own)
    s.groups[group, SIZE] = size + 1
    s.pool[at, NEW] = made


@inlined
def form(s: State, pooled: int, wanted: int, bar: float) -> float:
    """Form so many groups of the pooled records; return what they cost. s IN/OUT.

    Each grows from a random record to k, by the record that costs it least; then whoever is left
    joins the one it costs least. Stops where they cost as much as bar.
    """
    pool, groups, counts = s.pool, s.groups, s.counts
    first, total = counts[GROUPS], 0.0
    for i in range(pooled):
        pool[i, NEW] = -1
    for made in range(wanted):
        groups[first + made, SIZE] = 0
    for step in range(pooled):
        made, least, at = step // counts[K], np.inf, 0 + ANY
        if total >= bar:
            break
        if step < wanted * counts[K] and step % counts[K] == 0:
            rank = draw(s.random, pooled - step)
            while rank > 0 or pool[at, NEW] >= 0:
                rank -= 1 if pool[at, NEW] < 0 else 0
                at += 1
            least = 0.0
        else:
            grows = step < wanted * counts[K]
            while not grows and pool[at, NEW] >= 0:
                at += 1
            joins = at
            for i in range(pooled if grows else wanted):  # its next record, or a record's group
                one, other = (i, made) if grows else (joins, i)
                group = first + other
                if (pool[one, NEW] < 0) and groups[group, SIZE] < counts[MOST]:
                    price = entry(s, pool[one, RECORD], group, least)
                    if price < least:
                        least, at, made = price, one, other
        total += least
        if least < np.inf:
            take_in(s, at, made)
    return total


@steps
def regroup(s: State, row: int) -> bool:
    """Form the groups around a record anew, if that gains. s IN/OUT.

    Its own group and up to AROUND of those it would cost least are pooled; half of the times as
    many groups are made of them as there can be, else up to three fewer.
    """
    groups, counts, pool, width = s.groups, s.counts, s.pool, s.columns.shape[0]
    count = find_nearest(s, row, 1 + draw(s.random, counts[AROUND]), np.inf)
    counts[FOUND + count] = s.records[row, LABEL]
    counts[REGROUPED] += 1
    pooled, old = 0, 0.0
    for i in range(count + 1):
        group = counts[FOUND + i]
        old += s.costs[group, width, LOSS]
        for m in range(groups[group, SIZE]):
            pool[pooled, RECORD] = groups[group, MEMBERS + m]
            pooled += 1
    bar = old - TIE * width * pooled
    wanted = pooled // counts[K]
    if uniform(s.random) < 0.5:
        wanted = max(1, wanted - draw(s.random, 4 + ANY))
    total = form(s, pooled, wanted, bar)
    if total >= bar:
        return False
    for made in range(wanted if s.counts[BREACH] != 0 else 0):
        group, size = counts[GROUPS] + made, 0
        for i in range(pooled):
            if pool[i, NEW] == made:
                groups[group, MEMBERS + size] = pool[i, RECORD]
                size += 1
        if not fits(s, group, -1, -1):
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
    counts[BY_REGROUPING] += 1
    s.sums[BY_REGROUP] += old - total
    return True
