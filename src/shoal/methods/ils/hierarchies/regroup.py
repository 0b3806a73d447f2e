"""A perturbation: the groups around a record grow anew from random records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import ANY, inlined, steps
from shoal.kernels.random import draw, uniform
from shoal.methods.ils.hierarchies.layout import (
    BY_REGROUP,
    BY_REGROUPING,
    GROUPS,
    MOST,
    NEW,
    RECORD,
    REGROUPED,
    SIZE,
    K,
)
from shoal.methods.ils.hierarchies.moves import entry
from shoal.methods.ils.hierarchies.near import Near
from shoal.methods.ils.hierarchies.pool import cost_limit, pool_around, replace, take_in
from shoal.methods.ils.hierarchies.state import State


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
