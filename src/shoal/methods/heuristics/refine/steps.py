"""The steps that refinements are made of, each over all groups, and what they compare by."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import ANY, inlined, loop, part
from shoal.kernels.nearest import rounding, slack
from shoal.kernels.tree import Pool
from shoal.measures.loss import group_means, squared_error
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine.groups import (
    FIRST,
    GIVEN,
    THERE,
    Groups,
    call_nearest,
    center,
    distance,
    enter,
    gather,
    given,
    is_crowded,
    leave,
    line_up,
    nearest_group,
    set_aside,
)
from shoal.progress import Reporter

PHASE_TWO, FROZEN, REFRESHED = 0, 1, 2  # rules by which a group is dissolved
GROUPS_A_CALL = 200
FALLS = 1e-12  # of the loss: less than this is rounding


def sse(matrix: Floats, labels: Integers) -> float:
    """Return the sum of the squared distances of all records to their group's centroid."""
    return float(squared_error(matrix, labels).sum())


def dissolve_each(groups: Groups, order: Integers, k: int, rule: int, report: Reporter) -> None:
    """Try to dissolve every group, in a given order, by one of the rules of `scatter`."""
    at, count = 0, order.size
    while at < count:
        report("refining", at, count)
        tree = groupings.plant(groups)
        at = dissolve(groups, tree, order, k, rule, at, min(at + GROUPS_A_CALL, count))


def shrink_each(groups: Groups, k: int, report: Reporter) -> None:
    """Let records leave every group larger than k, in the order of their numbers."""
    at, count = 0, given(groups)
    while at < count:
        report("refining", at, count)
        tree = groupings.plant(groups)
        at = shrink(groups, tree, k, at, min(at + GROUPS_A_CALL, count))


def split(groups: Groups, k: int, within: bool = False) -> Integers:
    """Split every group of 2k or more; return the labels. `within` is that of `split_large`."""
    while not split_large(groups, groupings.plant(groups), k, within):
        pass
    return groups.labels


def better(matrix: Floats, old: Integers, new: Integers) -> Integers:
    """Return the new labels, numbered without gaps, if they lose less than the old ones."""
    before = sse(matrix, old)
    _, compact = np.unique(new, return_inverse=True)
    falls = sse(matrix, compact) < before - _noise(matrix, before)
    return compact.astype(np.int64) if falls else old


def _noise(matrix: Floats, loss: float) -> float:
    """Return by how much rounding may change a loss."""
    return float(FALLS * loss + matrix.shape[0] * slack(0.0, rounding(matrix)))


def by_falling_loss(matrix: Floats, labels: Integers) -> Integers:
    """Return the groups by falling SSE; those equal but for rounding in their own order."""
    gaps = matrix - group_means(matrix, labels)[labels]
    losses = np.bincount(labels, weights=(gaps * gaps).sum(axis=1))
    order = np.argsort(-losses, kind="stable")
    falling = losses[order]
    noise = _noise(matrix, float(losses.sum()))
    ranks = np.cumsum(np.append(False, falling[1:] < falling[:-1] - noise))
    return order[np.lexsort((order, ranks))]


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
