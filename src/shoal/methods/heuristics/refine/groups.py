"""State of a refinement: members and centroids of groups.

Where they are many, the centroids stand in a tree, so that a search for the nearest one skips most
of them. One that moves is put on a list, which a search goes through whole; where the tree answers
with one of the list, all are looked at. When the list is long, whoever runs the steps has the tree
made anew (`is_crowded`, `plant`). A few centroids are all looked at always: that is faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels import tree as trees
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import ANY, inlined, jit, part
from shoal.kernels.nearest import nearest, rounding, slack
from shoal.kernels.tree import Pool


class Groups(NamedTuple):
    """Arrays changed in place; a group that was dissolved has size 0 and keeps its number."""

    matrix: Floats  # (n, d)
    labels: Integers  # (n)
    centers: Floats  # (d, capacity)
    sizes: Integers  # (capacity)
    heads: Integers  # (capacity) first member, or -1
    after: Integers  # (n) next member, or -1
    before: Integers  # (n) the one before, or -1
    state: Integers  # numbers given, groups there, length of the list, a tree or none, FEW, FIRST
    moved: Integers  # (capacity) groups that have changed since
    listed: Integers  # (capacity) whether a group is among them
    members: Integers  # (n) work space
    targets: Integers  # (n) work space
    touched: Integers  # (n + 1) work space: groups a trial touched
    slots: Integers  # (capacity) work space: where a group stands among them, or -1
    kept: Floats  # (n + 1, d) work space: centroids of a trial
    kinds: Integers  # (n) the same number for equal records
    kind_slots: Integers  # (n) work space: where a kind stands among those of a group, or -1
    firsts: Integers  # (n) work space: of a kind of a group, the first member that has not gone
    nexts: Integers  # (n) work space: the next member of the same kind, or -1
    ends: Integers  # (n) work space: the group nearest to a kind
    sent: Integers  # (n) work space: members in the order in which they went
    distances: Floats  # (n) work space
    point: Floats  # (d) work space
    block: Floats  # (BLOCK) work space
    error: float


GIVEN, THERE, MOVED, PLANTED, SWEPT, FIRST = 0, 1, 2, 3, 4, 5
FEW = 1000  # measured: with fewer groups a sweep over all is faster than the tree


def make(matrix: Floats, labels: Integers, k: int, few: int = FEW) -> Groups:
    """Return the groups that labels 0, 1, ... describe; empty numbers are closed up.

    Up to `few` of them are swept over, more stand in a tree.
    """
    rows, width = matrix.shape
    _, compact = np.unique(labels, return_inverse=True)
    count = int(compact.max()) + 1
    _, kinds = np.unique(matrix, axis=0, return_inverse=True)
    capacity = count + 2 * (rows // k) + 2  # a split gives two numbers at most a group it adds
    groups = Groups(
        matrix=np.ascontiguousarray(matrix),
        labels=compact.astype(np.int64),
        centers=np.zeros((width, capacity)),
        sizes=np.zeros(capacity, dtype=np.int64),
        heads=np.full(capacity, -1, dtype=np.int64),
        after=np.full(rows, -1, dtype=np.int64),
        before=np.full(rows, -1, dtype=np.int64),
        state=np.array([count, count, 0, 0, few, 0], dtype=np.int64),
        moved=np.empty(capacity, dtype=np.int64),
        listed=np.zeros(capacity, dtype=np.int64),
        members=np.empty(rows, dtype=np.int64),
        targets=np.empty(rows, dtype=np.int64),
        touched=np.empty(rows + 1, dtype=np.int64),
        slots=np.full(capacity, -1, dtype=np.int64),
        kept=np.empty((rows + 1, width)),
        kinds=kinds.ravel().astype(np.int64),
        kind_slots=np.full(rows, -1, dtype=np.int64),
        firsts=np.empty(rows, dtype=np.int64),
        nexts=np.empty(rows, dtype=np.int64),
        ends=np.empty(rows, dtype=np.int64),
        sent=np.empty(rows, dtype=np.int64),
        distances=np.empty(rows),
        point=np.empty(width),
        block=np.empty(BLOCK),
        error=rounding(matrix),
    )
    fill(groups)
    return groups


def given(groups: Groups) -> int:
    """Return how many group numbers were given so far."""
    return int(groups.state[GIVEN])


def plant(groups: Groups) -> Pool:
    """Return a tree of all centroids as they are now; of one only where a tree does not pay."""
    count = given(groups)
    groups.state[MOVED] = 0
    groups.listed[:] = 0
    groups.state[PLANTED] = count > groups.state[SWEPT]
    if not groups.state[PLANTED]:
        return trees.make(groups.matrix[:1], 1, 0.0)
    tree = trees.make(np.ascontiguousarray(groups.centers[:, :count].T), 1, groups.error)
    gone = np.flatnonzero(groups.sizes[:count] == 0)
    trees.remove(tree, gone, gone.size)
    return tree


@inlined
def is_crowded(groups: Groups) -> bool:
    """Tell whether so many centroids have moved that a new tree pays."""
    return groups.state[MOVED] > 64 + groups.state[GIVEN] // 64  # type: ignore[no-any-return]


@inlined
def set_aside(groups: Groups, group: int) -> None:
    """Note that a group moves, or goes: the tree knows it no more. groups IN/OUT."""
    if groups.listed[group] == 0 and groups.state[PLANTED] == 1:
        groups.listed[group] = 1
        groups.moved[groups.state[MOVED]] = group
        groups.state[MOVED] += 1


@jit
def fill(groups: Groups) -> None:
    """Enter every record into the list of its group, and compute all centroids."""
    for row in range(groups.labels.shape[0] - 1, -1, -1):
        enter(groups, row, groups.labels[row])
    for group in range(groups.state[GIVEN]):
        center(groups, group)


@inlined
def enter(groups: Groups, row: int, group: int) -> None:
    """Make a record a member of a group. The centroid stays as it was."""
    _enter(groups.heads, groups.after, groups.before, row, group)
    groups.labels[row] = group
    groups.sizes[group] += 1


@part
def _enter(heads: Integers, after: Integers, before: Integers, row: int, group: int) -> None:
    """Put a record in front of a group's list. All IN/OUT."""
    first = heads[group]
    after[row] = first
    before[row] = -1
    if first >= 0:
        before[first] = row
    heads[group] = row


@inlined
def leave(groups: Groups, row: int) -> None:
    """Take a record out of its group. The centroid stays as it was."""
    group = groups.labels[row]
    _leave(groups.heads, groups.after, groups.before, row, group)
    groups.sizes[group] -= 1


@part
def _leave(heads: Integers, after: Integers, before: Integers, row: int, group: int) -> None:
    """Take a record out of a group's list. All IN/OUT."""
    if after[row] >= 0:
        before[after[row]] = before[row]
    if before[row] >= 0:
        after[before[row]] = after[row]
    else:
        heads[group] = after[row]


@inlined
def center(groups: Groups, group: int) -> None:
    """Compute a centroid from the members, so that no error builds up."""
    _center(groups.matrix, groups.centers, groups.heads[group], groups.after, group)


@part
def _center(matrix: Floats, centers: Floats, first: int, after: Integers, group: int) -> None:
    """Compute a mean. matrix IN (n, d), centers OUT (d, capacity), after IN (n)."""
    if first < 0:
        return
    for j in range(matrix.shape[1]):
        origin = matrix[first, j]
        total = 0.0
        size = 0
        row = first
        while row >= 0:
            total += matrix[row, j] - origin
            size += 1
            row = after[row]
        centers[j, group] = origin + total / size


@part
def distance(matrix: Floats, centers: Floats, row: int, group: int) -> float:
    """Return D(x, centroid of a group). matrix IN (n, d), centers IN (d, capacity)."""
    total = 0.0
    for j in range(matrix.shape[1]):
        gap = matrix[row, j] - centers[j, group]
        total += gap * gap
    return total


@inlined
def gather(groups: Groups, group: int) -> int:
    """Put the members of a group into the work space, lowest row first; return how many."""
    return _gather(groups.heads[group], groups.after, groups.members)


@part
def _gather(first: int, after: Integers, members: Integers) -> int:
    """List the members. after IN (n), members OUT (n)."""
    count = 0
    row = first
    while row >= 0:
        members[count] = row
        count += 1
        row = after[row]
    sort(members, count)
    return count


@inlined
def sort(values: Integers, count: int) -> None:
    """Sort the first count values. IN/OUT. Shell's method: groups are small."""
    gap = 1
    while gap < count // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            value = values[i]
            at = i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3


@part
def nearest_group(groups: Groups, tree: Pool, row: int, skip: int, limit: int) -> int:
    """Return the group with the nearest centroid, of those with 1 to limit - 1 members, or -1.

    One group may be skipped (-1: none), and all before FIRST are. The lowest number wins a tie.
    """
    moved, sizes, point = groups.moved, groups.sizes, groups.point
    matrix, centers = groups.matrix, groups.centers
    for j in range(point.shape[0]):
        point[j] = matrix[row, j]
    if groups.state[PLANTED] == 0 or groups.state[FIRST] > 0:
        return _sweep(groups, skip, limit)
    nearest(tree, point, skip, 1 + ANY)
    best = tree.found[0]
    if groups.listed[best] == 1 or not 0 < sizes[best] < limit:
        return _sweep(groups, skip, limit)  # it has moved or is full, and may hide a nearer one
    least = distance(matrix, centers, row, best)
    high = least + slack(least, groups.error)
    for i in range(groups.state[MOVED]):
        group = moved[i]
        if group != skip and 0 < sizes[group] < limit:
            gap = distance(matrix, centers, row, group)
            if gap <= high:
                low = min(gap, least)
                margin = slack(low, groups.error)
                if least > low + margin or (gap <= low + margin and group < best):
                    best = group
                least, high = low, low + margin
    return best  # type: ignore[no-any-return]


@part
def _sweep(groups: Groups, skip: int, limit: int) -> int:
    """Return the group whose centroid is nearest to the point in the work space, FIRST or later."""
    sizes, block = groups.sizes, groups.block
    first, count = groups.state[FIRST], groups.state[GIVEN]
    least, second, high, best = np.inf, np.inf, np.inf, -1
    for turn in range(2):  # the second one where groups tie: the lowest wins
        for start in range(first, count, BLOCK):
            stop = min(start + BLOCK, count)
            squared_distances(groups.centers, start, stop, groups.point, block)
            for i in range(stop - start):
                gap, group = block[i], start + i
                if gap <= high and group != skip and 0 < sizes[group] < limit:
                    if turn == 1:
                        return group
                    if gap < least:
                        least, second, best = gap, least, group
                        high = least + slack(least, groups.error)
                    else:
                        second = gap
        if second > high:
            break
    return best


@part
def line_up(groups: Groups, count: int) -> int:
    """Put equal ones of the first members into one line each; return how many lines there are.

    Lines are in the order of their first members, and members in theirs. groups IN/OUT.
    """
    members, kinds, slots = groups.members, groups.kinds, groups.kind_slots
    firsts, nexts, lasts = groups.firsts, groups.nexts, groups.ends
    lines = 0
    for i in range(count):
        kind = kinds[members[i]]
        line = slots[kind]
        nexts[i] = -1
        if line < 0:
            slots[kind] = lines
            firsts[lines] = i
            lasts[lines] = i
            lines += 1
        else:
            nexts[lasts[line]] = i
            lasts[line] = i
    for line in range(lines):
        slots[kinds[members[firsts[line]]]] = -1
    return lines


@part
def call_nearest(groups: Groups, tree: Pool, lines: int, moved: int, skip: int) -> int:
    """Return the line whose first member goes next: the one nearest to any group.

    Equal members are as near to any group as each other, so that one of a line stands for all.
    `moved` is the only group that has moved since the last call: -1 none, -2 all may have. Lowest
    members and lowest groups win ties. One group may be skipped. groups IN/OUT.
    """
    members, firsts, ends, distances = groups.members, groups.firsts, groups.ends, groups.distances
    matrix, centers, error = groups.matrix, groups.centers, groups.error
    least = np.inf
    for line in range(lines):
        if firsts[line] < 0:
            continue
        row = members[firsts[line]]
        if moved == -2 or (moved >= 0 and ends[line] == moved):
            ends[line] = nearest_group(groups, tree, row, skip, groups.labels.shape[0] + 1)
            distances[line] = distance(matrix, centers, row, ends[line])
        elif moved >= 0:
            gap, kept = distance(matrix, centers, row, moved), distances[line]
            margin = slack(max(gap, kept), error)
            if gap < kept - margin or (gap <= kept + margin and moved < ends[line]):
                distances[line], ends[line] = gap, moved
        least = min(least, distances[line])
    high = least + slack(least, error)
    best = -1
    for line in range(lines):
        if (
            firsts[line] >= 0
            and distances[line] <= high
            and (best < 0 or firsts[line] < firsts[best])
        ):
            best = line
    return best
