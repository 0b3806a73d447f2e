"""Perturbations: dissolve a group, or form one more.

*dissolve*: of SAMPLES groups drawn with replacement the one with the most loss goes, its members
to the nearest centroids. *distill*: a new group of excess records (in every group the size - k
farthest from its centroid): a random one, then the nearest to the new centroid until there are k.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import ANY, inlined
from shoal.kernels.random import draw, uniform
from shoal.methods.ils.state import (
    ALIVE,
    AS_PARTNER,
    DISSOLVED,
    DISTILLED,
    EVERY,
    EXCESS,
    FEWEST,
    FREE,
    LABEL,
    LARGE,
    LISTED,
    LOSS,
    MAY_DISSOLVE,
    MAY_DISTILL,
    MEMBERS,
    MOST,
    SAMPLES,
    SIZE,
    K,
    State,
    claim,
    gap,
    move,
    note,
    refresh,
)


@inlined
def choose(s: State) -> int:
    """Return what to do at a local optimum: 1 dissolve, 2 distill, 0 nothing can be done.

    Where both can be done, chance decides; below the fewest groups a search may go, distill.
    """
    alive = s.counts[ALIVE]
    more = s.choices[MAY_DISTILL] == 1 and s.points.shape[0] >= s.choices[K] * (alive + 1)
    less = s.choices[MAY_DISSOLVE] == 1 and s.points.shape[0] <= s.choices[MOST] * (alive - 1)
    if more and less:
        more = alive <= s.choices[FEWEST] or uniform(s.random) < 0.5
    return 2 if more else (1 if less else 0)


@inlined
def nearest_open(s: State, row: int, skip: int) -> int:
    """Return the group with the nearest centroid that has room for one more. s IN/OUT.

    Of those that own one of the record's nearest, or of all.
    """
    groups, lists, counts = s.groups, s.lists, s.counts
    counts[LISTED] += 1
    least, best = np.inf, -1 + ANY
    for turn in range(2):
        near = s.neighbors.shape[1] if s.choices[EVERY] == 0 else 0
        for i in range(near if turn == 0 else counts[ALIVE]):
            group = s.records[s.neighbors[row, i], LABEL] if turn == 0 else lists[ALIVE, i]
            if groups[group, AS_PARTNER] != counts[LISTED]:
                groups[group, AS_PARTNER] = counts[LISTED]
                if group != skip and groups[group, SIZE] < s.choices[MOST]:
                    distance = gap(s.points, row, s.centers, group, s.points.shape[1])
                    if distance < least:
                        least, best = distance, group
        if best >= 0:
            break
    return best


@inlined
def dissolve(s: State) -> None:
    """Dissolve a group of much loss; its members go to the nearest others. s IN/OUT."""
    victim = s.lists[ALIVE, draw(s.random, s.counts[ALIVE])]
    for _ in range(s.choices[SAMPLES] - 1):
        other = s.lists[ALIVE, draw(s.random, s.counts[ALIVE])]
        if s.centers[other, LOSS] > s.centers[victim, LOSS]:
            victim = other
    group = victim
    while group >= 0:  # the last round is the victim's own
        group = -1 + ANY
        if s.groups[victim, SIZE] > 0:
            row = s.groups[victim, MEMBERS]
            group = nearest_open(s, row, victim)
            move(s.records, s.groups, s.lists, s.counts, row, group)
            note(s.groups, s.lists, s.counts, group)
        refresh(s, group if group >= 0 else victim)
    s.counts[DISSOLVED] += 1


@inlined
def find_double(s: State) -> int:
    """Return a group of 2k records or more, or -1."""
    double = -1
    for i in range(s.counts[LARGE]):
        if s.groups[s.lists[LARGE, i], SIZE] >= 2 * s.choices[K]:
            double = s.lists[LARGE, i]
    return double


@inlined
def distill(s: State, double: int) -> None:
    """Make a new group: of excess records, or where one has 2k, of the records far out in it.

    There are at least k excess records. To split a group never adds to the loss. s IN/OUT.
    """
    groups, lists, counts, k = s.groups, s.lists, s.counts, s.choices[K]
    size = 0
    for i in range(1 if double >= 0 else counts[LARGE]):
        group = double if double >= 0 else lists[LARGE, i]
        for place in range(groups[group, SIZE]):
            s.apart[0, place] = s.own[groups[group, MEMBERS + place]]
        for _ in range(groups[group, SIZE] - k * (double < 0)):
            at = 0
            for place in range(1, groups[group, SIZE]):
                at = place if s.apart[0, place] > s.apart[0, at] else at
            s.apart[0, at] = -1.0
            lists[EXCESS, size] = groups[group, MEMBERS + at]
            size += 1
    new = lists[FREE, counts[FREE] - 1]
    claim(groups, lists, counts, new)
    at = draw(s.random, size) if double < 0 else 0
    for _ in range(k):
        row = lists[EXCESS, at]
        size -= 1
        lists[EXCESS, at] = lists[EXCESS, size]
        old = s.records[row, LABEL]
        move(s.records, groups, lists, counts, row, new)
        note(groups, lists, counts, old)
        for turn in range(2):
            refresh(s, old if turn == 0 else new)
        least = np.inf
        for i in range(size):
            distance = gap(s.points, lists[EXCESS, i], s.centers, new, s.points.shape[1])
            if distance < least:
                least, at = distance, i
    note(groups, lists, counts, new)
    counts[DISTILLED] += double < 0
