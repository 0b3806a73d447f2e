"""Splitting groups of 2k records or more: no optimal partition has one."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import ANY, inlined, loop, part
from shoal.kernels.nearest import slack
from shoal.kernels.tree import Pool
from shoal.methods.heuristics.refine.groups import (
    FIRST,
    GIVEN,
    THERE,
    Groups,
    call_nearest,
    center,
    enter,
    gather,
    is_crowded,
    leave,
    line_up,
    set_aside,
)


@loop
def split_large(groups: Groups, tree: Pool, k: int, within: bool) -> bool:
    """Split every group of 2k or more, first come first served (2018, figure 3). groups IN/OUT.

    A left-over record may fill another group to 2k; that one is split in its turn. `within`: it
    joins a group of the same split. Returns False where it stopped before the end, because a new
    tree would pay.
    """
    group = 0
    while group < groups.state[GIVEN]:
        if is_crowded(groups):
            return False
        if groups.sizes[group] >= 2 * k:
            group = min(group + 1, _split(groups, tree, group, k, within))
        else:
            group += 1
    return True


@inlined
def _split(groups: Groups, tree: Pool, group: int, k: int, within: bool) -> int:
    """Part a group by CBFS, grown to the centroid; return the lowest group that reached 2k.

    A rest of exactly k stays together; the records of a smaller one join the nearest groups there
    are (`within`: of those just made), the nearest record first. groups IN/OUT.
    """
    earliest = groups.state[GIVEN]
    left = gather(groups, group)
    for i in range(left):
        leave(groups, groups.members[i])
    groups.state[THERE] -= 1
    set_aside(groups, group)
    while True:
        left = _part_off(groups, left, k)
        if left <= k:
            break
    if left == k:
        made = _new_group(groups)
        for i in range(left):
            enter(groups, groups.members[i], made)
        center(groups, made)
        return group + 1
    lowest = groups.state[GIVEN]
    groups.state[FIRST] = earliest if within else 0
    lines, moved = line_up(groups, left), -2
    for _ in range(left):
        line = call_nearest(groups, tree, lines, moved, -1 + ANY)
        first, target = groups.firsts[line], groups.ends[line]
        groups.firsts[line] = groups.nexts[first]
        moved = target
        set_aside(groups, target)
        enter(groups, groups.members[first], target)
        center(groups, target)
        if groups.sizes[target] >= 2 * k:
            lowest = min(lowest, target)
    groups.state[FIRST] = 0
    return lowest  # type: ignore[no-any-return]


@inlined
def _new_group(groups: Groups) -> int:
    """Give the next number. groups IN/OUT."""
    made = groups.state[GIVEN]
    groups.state[GIVEN] += 1
    groups.state[THERE] += 1
    set_aside(groups, made)
    return made  # type: ignore[no-any-return]


@part
def _part_off(groups: Groups, left: int, k: int) -> int:
    """Make a group of k of the first left members: the farthest from their centroid, grown.

    Returns how many are left; they stay in order. groups IN/OUT.
    """
    width = groups.point.shape[0]
    made = _new_group(groups)
    for j in range(width):
        origin = groups.matrix[groups.members[0], j]
        total = 0.0
        for i in range(left):
            total += groups.matrix[groups.members[i], j] - origin
        groups.point[j] = origin + total / left
    place = _extreme(groups, left, -1.0)
    for size in range(k):
        if size > 0:
            for j in range(width):
                groups.point[j] = groups.centers[j, made]
            place = _extreme(groups, left, 1.0)
        enter(groups, groups.members[place], made)
        center(groups, made)
        left -= 1
        for i in range(place, left):
            groups.members[i] = groups.members[i + 1]
    return left


@inlined
def _extreme(groups: Groups, left: int, sign: float) -> int:
    """Return the place of the member nearest (sign 1) or farthest (-1); the lowest row in a tie."""
    best = np.inf
    for i in range(left):
        total = 0.0
        for j in range(groups.point.shape[0]):
            gap = groups.matrix[groups.members[i], j] - groups.point[j]
            total += gap * gap
        groups.distances[i] = total
        best = min(best, sign * total)
    margin = slack(abs(best), groups.error)
    for i in range(left):
        if sign * groups.distances[i] <= best + margin:
            return i
    return 0
