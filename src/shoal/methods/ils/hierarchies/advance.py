"""The search kernel on hierarchies: changed groups first, then perturbations."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import ANY, inlined, loop, steps
from shoal.kernels.random import draw, uniform
from shoal.methods.ils.hierarchies.layout import (
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    BY_REGROUP,
    BY_REGROUPING,
    CHANGED,
    DISSOLVED,
    FOUND,
    GROUPS,
    HEAD,
    IMPROVED,
    ITERATION,
    LABEL,
    LIVING,
    LOOKED,
    LOOKING,
    LOOKS,
    LOSS,
    MAY_DISSOLVE,
    MAY_REGROUP,
    MAY_RESPLIT,
    MEMBERS,
    MOST,
    NEW,
    PENALTY,
    QUEUE,
    QUEUED,
    RECORD,
    REGROUPED,
    SIZE,
    SLOT,
    STOP,
    WAITING,
    K,
)
from shoal.methods.ils.hierarchies.moves import Near, entry, find_nearest, fits, list_near, look
from shoal.methods.ils.hierarchies.pool import choose, cost_limit, pool_around, replace, take_in
from shoal.methods.ils.hierarchies.resplit import resplit
from shoal.methods.ils.hierarchies.state import State, close, measure, put, queue
from shoal.methods.topdown.bins import Work

RESPLITS = 0.2  # the share of perturbations that split anew: they take longest
DISSOLVES = 0.2  # the share of the others that dissolve


@inlined
def next_group(s: State) -> tuple[int, bool]:
    """Take the group out of the queue that has waited longest; tell if it changed. s IN/OUT."""
    group = s.groups[s.counts[HEAD], QUEUE]
    s.counts[HEAD] = (s.counts[HEAD] + 1) % s.counts[GROUPS]
    s.counts[WAITING] -= 1
    changed = s.groups[group, QUEUED] == CHANGED
    s.groups[group, QUEUED] = 0
    return group, changed


@inlined
def perturb(s: State, near: Near, w: Work) -> bool:
    """Try a perturbation where much is lost; tell whether it gained. s, near, w IN/OUT."""
    counts, row = s.counts, choose(s)
    others = counts[MAY_REGROUP] == 1 or counts[MAY_DISSOLVE] == 1
    if counts[MAY_RESPLIT] == 1 and (not others or uniform(s.random) < RESPLITS):
        return resplit(s, near, w, row)
    dissolves = counts[MAY_DISSOLVE] == 1 and uniform(s.random) < DISSOLVES
    if counts[MAY_REGROUP] == 1 and not dissolves:
        return regroup(s, near, row)
    return dissolve(s, near, s.records[row, LABEL])


@loop
def advance(s: State, near: Near, w: Work, new: int) -> None:
    """Go on with a search. s, near, w IN/OUT.

    The first `new` groups are measured before. Then, where LOOKING says so, groups are looked at
    until none is left that has changed, or LOOKS of records at groups were made; else perturbations
    are tried, up to the STOP-th.
    """
    counts = s.counts
    for group in range(new):
        measure(s, group)
    while counts[LOOKING] == 1 and counts[WAITING] > 0 and counts[LOOKED] < counts[LOOKS]:
        group, changed = next_group(s)
        if s.groups[group, SIZE] > 0:
            look(s, near, group, changed)
    while counts[LOOKING] == 0 and counts[ITERATION] < counts[STOP] and counts[LIVING] > 1:
        counts[ITERATION] += 1
        if perturb(s, near, w):
            counts[IMPROVED] = counts[ITERATION]


@steps
def dissolve(s: State, near: Near, group: int) -> bool:
    """Give the members of a group to those they cost least, if that cost is accepted.

    s, near IN/OUT.
    """
    groups, costs, width = s.groups, s.costs, s.columns.shape[0]
    size, change = groups[group, SIZE], -costs[group, width, LOSS]
    bar = cost_limit(s, 0.0, size)
    s.counts[DISSOLVED] += 1
    given = 0
    while given < size and change < bar:
        row = groups[group, MEMBERS + given]
        order = draw(s.random, near.orders.shape[0])
        many = list_near(s, near, row, order, order + 1)
        if find_nearest(s, near, row, many, 1 + ANY, np.inf) == 0:
            break
        other = s.counts[FOUND]
        s.pool[given, RECORD], s.pool[given, NEW] = row, other
        given += 1
        put(s, row, other)
        change -= costs[other, width, LOSS]
        measure(s, other)
        change += costs[other, width, LOSS]
    better = given == size and change < bar
    strict = s.counts[BREACH] != 0 and s.sums[PENALTY] == 0.0
    for i in range(given if better and strict else 0):
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
def regroup(s: State, near: Near, row: int) -> bool:
    """Form the groups around a record anew, if their cost is accepted. s, near IN/OUT.

    Half of the times as many groups are made as there can be, else up to three fewer.
    """
    counts = s.counts
    count, pooled, old = pool_around(s, near, row)
    counts[REGROUPED] += 1
    bar = cost_limit(s, old, pooled)
    wanted = pooled // counts[K]
    if uniform(s.random) < 0.5:
        wanted = max(1, wanted - draw(s.random, 4 + ANY))
    total = form(s, pooled, wanted, bar)
    if total >= bar or not replace(s, pooled, count, wanted, bar - total):
        return False
    counts[BY_REGROUPING] += 1
    s.sums[BY_REGROUP] += old - total
    return True
