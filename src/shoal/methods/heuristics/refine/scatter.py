"""Dissolving groups: every member goes to its nearest other group, if that loses less."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import ANY, inlined, loop
from shoal.kernels.nearest import slack
from shoal.kernels.tree import Pool
from shoal.methods.heuristics.refine.groups import (
    THERE,
    Groups,
    call_nearest,
    center,
    distance,
    enter,
    gather,
    is_crowded,
    leave,
    line_up,
    nearest_group,
    set_aside,
)

PHASE_TWO, FROZEN, REFRESHED = 0, 1, 2  # rules by which a group is dissolved


@inlined
def scatter(groups: Groups, tree: Pool, group: int, limit: int, rule: int) -> bool:
    """Send all members of a group to their nearest others if SSE falls; tell whether it did.

    SSE changes by the sum over the members x of b / (b + 1) D(x, c), c and b centroid and size of
    the group that x joins at that moment, less the SSE of the group that goes. PHASE_TWO (2007):
    all look at the centroids from before the first went, and groups with fewer than limit members
    take one more. REFRESHED: the member nearest to any group goes first, and the next looks at the
    centroids as they are then. FROZEN (2018): no centroid moves whoever goes, and what falls is the
    sum of D(x, c), which SSE is never above. groups IN/OUT.
    """
    refresh = rule == REFRESHED
    matrix, centers = groups.matrix, groups.centers
    count = gather(groups, group)
    loss, margin = 0.0, 0.0
    for i in range(count):
        gap = distance(matrix, centers, groups.members[i], group)
        loss += gap
        margin += slack(gap, groups.error)
    if refresh and groups.state[THERE] == 2:
        return False  # all would join the one other: SSE(p + q) is never below SSE(p) + SSE(q)
    lines = line_up(groups, count) if refresh else 0
    added, touched, sent, moved = 0.0, 0, 0 + ANY, -2
    while sent < count and added < loss - margin:  # what was added is never taken away again
        if refresh:
            line = call_nearest(groups, tree, lines, moved, group)
            first = groups.firsts[line]
            row, target = groups.members[first], groups.ends[line]
            groups.firsts[line] = groups.nexts[first]
        else:
            row = groups.members[sent]
            target = nearest_group(groups, tree, row, group, limit)
        groups.sent[sent], groups.targets[sent] = row, target
        if target < 0:
            added = np.inf
            break
        slot = groups.slots[target]
        if slot < 0 and rule != FROZEN:
            slot = touched
            groups.slots[target] = slot
            groups.touched[slot] = target
            for j in range(groups.point.shape[0]):
                groups.kept[slot, j] = groups.centers[j, target]
            touched += 1
            if refresh:
                set_aside(groups, target)
        if rule == FROZEN:
            gap = distance(matrix, centers, row, target)
        else:
            gap = _join(groups, row, target, slot, refresh)
        moved = target if gap > 0.0 else -1  # an equal centroid stays where it is
        margin += slack(gap, groups.error)
        added += gap
        groups.sizes[target] += 1
        sent += 1
    falls = added < loss - margin
    for i in range(sent):
        groups.sizes[groups.targets[i]] -= 1
    if falls:
        set_aside(groups, group)
        for i in range(count):
            leave(groups, groups.sent[i])
            enter(groups, groups.sent[i], groups.targets[i])
        groups.state[THERE] -= 1
    for slot in range(touched):
        target = groups.touched[slot]
        groups.slots[target] = -1
        if falls:
            set_aside(groups, target)
            center(groups, target)
        elif refresh:
            for j in range(groups.point.shape[0]):
                groups.centers[j, target] = groups.kept[slot, j]
    return falls


@inlined
def _join(groups: Groups, row: int, target: int, slot: int, refresh: bool) -> float:
    """Move a trial's centroid towards a record that joins; return what the SSE grows by."""
    size = groups.sizes[target]
    total = 0.0
    for j in range(groups.point.shape[0]):
        middle = groups.centers[j, target] if refresh else groups.kept[slot, j]
        gap = groups.matrix[row, j] - middle
        total += gap * gap
        if refresh:
            groups.centers[j, target] = middle + gap / (size + 1)
        else:
            groups.kept[slot, j] = middle + gap / (size + 1)
    return total * size / (size + 1)  # type: ignore[no-any-return]


@loop
def dissolve(
    groups: Groups, tree: Pool, order: Integers, k: int, rule: int, start: int, stop: int
) -> int:
    """Try to dissolve the groups order[start:stop], one after the other. groups IN/OUT, order IN.

    Returns where it stopped: before the end, if a new tree would pay.

    By PHASE_TWO those below 2k, and they take in up to 4k - 1 (2007); else every group, and they
    take in any number (2018, figure 2).
    """
    limit = 4 * k - 1 if rule == PHASE_TWO else groups.labels.shape[0] + 1
    for i in range(start, stop):
        if is_crowded(groups):
            return i
        size = groups.sizes[order[i]]
        if groups.state[THERE] > 1 and size > 0 and (rule != PHASE_TWO or size < 2 * k):
            scatter(groups, tree, order[i], limit, rule)
    return stop
