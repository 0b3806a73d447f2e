"""Local search: shifts and swaps between pairs of groups until none gains.

A pass compares every target with its partners, each pair once. LS takes all groups for targets in
every pass, LSC those that changed in the pass before. Partners are all groups, or those that own
one of the nearest records of a member: that misses a few moves, and a pass costs what was changed.
"""

from __future__ import annotations

from shoal.kernels.jit import inlined, part
from shoal.kernels.random import draw
from shoal.methods.ils.layout import (
    AGAIN,
    ALIVE,
    AS_PARTNER,
    AS_TARGET,
    AT,
    CHANGED,
    CHANGED_AT,
    CLOCK,
    EVERY,
    LABEL,
    LEVEL,
    LISTED,
    LOOKED_AT,
    MEMBERS,
    PAIRS,
    PARTNERS,
    PASS,
    PASSES,
    SIZE,
    TARGETS,
    WEIGHTED,
)
from shoal.methods.ils.moves import improve_pair
from shoal.methods.ils.state import State, note
from shoal.methods.ils.weighted import improve_weighted_pair


@inlined
def is_optimal(s: State) -> bool:
    """Tell whether no group is left to look at."""
    there = s.counts[TARGETS] - s.counts[AT] + s.counts[CHANGED]
    return there == 0  # type: ignore[no-any-return]


@inlined
def start_pass(s: State) -> None:
    """Make the changed groups (or all) the targets, in random order. s IN/OUT."""
    lists, counts = s.lists, s.counts
    source = ALIVE if s.choices[AGAIN] else CHANGED
    counts[TARGETS] = counts[source]
    for i in range(counts[source]):
        j = draw(s.random, i + 1)
        lists[TARGETS, i] = lists[TARGETS, j]
        lists[TARGETS, j] = lists[source, i]
    counts[CHANGED] = counts[AT] = 0
    counts[PASS] += 1
    s.pairs[min(counts[LEVEL], PASSES - 1), 1] += 1
    counts[LEVEL] += 1


@inlined
def list_partners(s: State, group: int) -> int:
    """List the groups that a group is to be compared with; return how many. s IN/OUT."""
    groups, lists, counts = s.groups, s.lists, s.counts
    listed = 0
    if s.choices[EVERY]:
        for i in range(counts[ALIVE]):
            lists[PARTNERS, i] = lists[ALIVE, i]
        listed = counts[ALIVE]
    else:
        counts[LISTED] += 1
        for rank in range(s.neighbors.shape[1]):
            for i in range(groups[group, SIZE]):
                other = s.records[s.neighbors[groups[group, MEMBERS + i], rank], LABEL]
                if groups[other, AS_PARTNER] != counts[LISTED]:
                    groups[other, AS_PARTNER] = counts[LISTED]
                    lists[PARTNERS, listed] = other
                    listed += 1
    return listed


@part
def look(s: State) -> int:
    """Compare the next target with its partners; return how many those were. s IN/OUT."""
    groups, lists, counts = s.groups, s.lists, s.counts
    if counts[AT] == counts[TARGETS]:
        start_pass(s)
    group = lists[TARGETS, counts[AT]]
    counts[AT] += 1
    groups[group, AS_TARGET] = counts[PASS]
    groups[group, LOOKED_AT] = counts[CLOCK]
    listed = list_partners(s, group) if groups[group, SIZE] > 0 else 0
    looked, again, weighted = 0, s.choices[AGAIN] == 1, s.choices[WEIGHTED] == 1
    for i in range(listed):
        other = lists[PARTNERS, i]
        if again:
            compared = groups[other, AS_TARGET] == counts[PASS]
        else:  # since both last changed
            last = max(groups[group, CHANGED_AT], groups[other, CHANGED_AT])
            compared = groups[other, LOOKED_AT] >= last
        if (other == group) | compared:
            continue
        looked += 1
        if weighted:
            applied = improve_weighted_pair(s, group, other)
        else:
            applied = improve_pair(s, group, other)
        if applied > 0:
            note(groups, lists, counts, group)
            note(groups, lists, counts, other)
    counts[PAIRS] += looked
    s.pairs[min(counts[LEVEL], PASSES) - 1, 0] += looked
    return listed
