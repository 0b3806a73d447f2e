"""The search kernel on hierarchies: changed groups first, then perturbations."""

from __future__ import annotations

from shoal.kernels.arrays import Floats
from shoal.kernels.jit import inlined, loop
from shoal.kernels.random import uniform
from shoal.methods.ils.hierarchies.layout import (
    CHANGED,
    CURRENT,
    GROUPS,
    HEAD,
    IMPROVED,
    ITERATION,
    LABEL,
    LIVING,
    LOOKED,
    LOOKING,
    LOOKS,
    MAY_DISSOLVE,
    MAY_REGROUP,
    QUEUE,
    QUEUED,
    SIZE,
    STOP,
    WAITING,
)
from shoal.methods.ils.hierarchies.moves import look
from shoal.methods.ils.hierarchies.perturb import choose, dissolve, regroup
from shoal.methods.ils.hierarchies.state import State, measure

DISSOLVES = 0.2  # the share of perturbations that dissolve: measured on adult and the sample


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
def perturb(s: State) -> bool:
    """Try a perturbation where much is lost; tell whether it gained. s IN/OUT."""
    row, dissolves = choose(s), uniform(s.random) < DISSOLVES
    if s.counts[MAY_REGROUP] == 1 and not (dissolves and s.counts[MAY_DISSOLVE] == 1):
        return regroup(s, row)
    return dissolve(s, s.records[row, LABEL])


@loop
def advance(s: State, trace: Floats, new: int) -> None:
    """Go on with a search. s IN/OUT.

    The first `new` groups are measured before. Then, where LOOKING says so, groups are looked at
    until none is left that has changed, or LOOKS of records at groups were made; else perturbations
    are tried, up to the STOP-th. trace OUT: the loss after each of the latter.
    """
    counts, since = s.counts, s.counts[ITERATION]
    for group in range(new):
        measure(s, group)
    while counts[LOOKING] == 1 and counts[WAITING] > 0 and counts[LOOKED] < counts[LOOKS]:
        group, changed = next_group(s)
        if s.groups[group, SIZE] > 0:
            look(s, group, changed)
    while counts[LOOKING] == 0 and counts[ITERATION] < counts[STOP] and counts[LIVING] > 1:
        counts[ITERATION] += 1
        if perturb(s):
            counts[IMPROVED] = counts[ITERATION]
        trace[counts[ITERATION] - since - 1] = s.sums[CURRENT]
