"""Shrinking: one record at a time leaves a group larger than k."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import inlined, loop
from shoal.kernels.nearest import slack
from shoal.kernels.tree import Pool
from shoal.methods.heuristics.refine.groups import (
    THERE,
    Groups,
    center,
    distance,
    enter,
    gather,
    is_crowded,
    leave,
    nearest_group,
    set_aside,
)


@loop
def shrink(groups: Groups, tree: Pool, k: int, start: int, stop: int) -> int:
    """Let records leave the groups start:stop while that lowers SSE (2018, figure 4).

    Moving x from a group of a to its nearest other of b changes SSE by
    b / (b + 1) D(x, c_b) - a / (a - 1) D(x, c_a); the record with the least change goes first.
    Returns where it stopped: before the end, if a new tree would pay. groups IN/OUT.
    """
    for group in range(start, stop):
        if is_crowded(groups):
            return group
        while groups.sizes[group] > k and groups.state[THERE] > 1:
            if not _move_best(groups, tree, group):
                break
    return stop


@inlined
def _move_best(groups: Groups, tree: Pool, group: int) -> bool:
    """Move the member whose move lowers SSE most; tell whether there is one. groups IN/OUT."""
    matrix, centers = groups.matrix, groups.centers
    count = gather(groups, group)
    least, tolerance = np.inf, 0.0
    for i in range(count):
        row = groups.members[i]
        own = distance(matrix, centers, row, group)
        target = nearest_group(groups, tree, row, group, groups.labels.shape[0] + 1)
        size = groups.sizes[target]
        gap = distance(matrix, centers, row, target)
        change = gap * size / (size + 1) - own * count / (count - 1)
        margin = 2.0 * (slack(own, groups.error) + slack(gap, groups.error))
        groups.targets[i] = target
        groups.distances[i] = change
        if change < least:
            least, tolerance = change, margin
    if least >= -tolerance:
        return False
    for i in range(count):
        if groups.distances[i] <= least + tolerance:  # lowest rows come first
            leave(groups, groups.members[i])
            enter(groups, groups.members[i], groups.targets[i])
            for changed in (group, groups.targets[i]):
                set_aside(groups, changed)
                center(groups, changed)
            return True
    return False
