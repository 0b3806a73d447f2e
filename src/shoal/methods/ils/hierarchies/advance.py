"""The search kernel on hierarchies: changed groups first, then perturbations."""

from __future__ import annotations

from shoal.kernels.jit import inlined, loop
from shoal.kernels.random import uniform
from shoal.methods.ils.hierarchies.dissolve import dissolve
from shoal.methods.ils.hierarchies.layout import (
    CHANGED,
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
    MAY_RESPLIT,
    QUEUE,
    QUEUED,
    SIZE,
    STOP,
    WAITING,
)
from shoal.methods.ils.hierarchies.moves import look
from shoal.methods.ils.hierarchies.near import Near
from shoal.methods.ils.hierarchies.pool import choose
from shoal.methods.ils.hierarchies.regroup import regroup
from shoal.methods.ils.hierarchies.resplit import resplit
from shoal.methods.ils.hierarchies.state import State, measure
from shoal.methods.topdown.layout import Work

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
