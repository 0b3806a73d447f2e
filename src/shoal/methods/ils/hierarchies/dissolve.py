"""A perturbation: the members of a group go to others."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import ANY, steps
from shoal.kernels.random import draw
from shoal.methods.ils.hierarchies.layout import (
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    DISSOLVED,
    FOUND,
    LABEL,
    LOSS,
    MEMBERS,
    NEW,
    PENALTY,
    RECORD,
    SIZE,
    SLOT,
)
from shoal.methods.ils.hierarchies.moves import find_nearest, fits
from shoal.methods.ils.hierarchies.near import Near, list_near
from shoal.methods.ils.hierarchies.pool import cost_limit
from shoal.methods.ils.hierarchies.state import State, close, measure, put, queue


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
