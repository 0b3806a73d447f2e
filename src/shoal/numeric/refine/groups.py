"""The groups while they are refined: who is in which, and the centroids.

Where they are many, the centroids stand in a tree, so that a search for the nearest one skips most
of them. One that moves is taken out of the tree and put on a list, which a search goes through
whole; when the list is long, whoever runs the steps has the tree made anew (`is_crowded`,
`replanted`). A few centroids are all looked at, which is faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels import tree as trees
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import inlined, jit
from shoal.kernels.nearest import nearest, rounding, slack
from shoal.kernels.tree import COUNT, Pool, remove

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ANY = 0  # added to a number that is written out, or a kernel is compiled for it alone


class Groups(NamedTuple):
    """Arrays changed in place; a group that was dissolved has size 0 and keeps its number."""

    matrix: Floats  # (n, d)
    labels: Integers  # (n)
    centers: Floats  # (d, capacity)
    sizes: Integers  # (capacity)
    heads: Integers  # (capacity) first member, or -1
    after: Integers  # (n) next member, or -1
    before: Integers  # (n) the one before, or -1
    state: Integers  # numbers given, groups that are there, length of the list, whether a tree is
    tree: Pool  # the centroids that have not moved since it was made
    moved: Integers  # (capacity) the others
    listed: Integers  # (capacity) whether a group is among them
    members: Integers  # (n) work space
    targets: Integers  # (n) work space
    touched: Integers  # (n + 2) work space: groups a trial touched
    slots: Integers  # (capacity) work space: where a group stands among them, or -1
    kept: Floats  # (n + 1, d) work space: centroids of a trial
    distances: Floats  # (n) work space
    point: Floats  # (d) work space
    block: Floats  # (BLOCK) work space
    error: float


GIVEN, THERE, MOVED, PLANTED = 0, 1, 2, 3
FEW = 1000  # measured: with fewer groups a sweep over all is faster than the tree


def make(matrix: Floats, labels: Integers, k: int) -> Groups:
    """Return the groups that labels 0, 1, ... describe; empty numbers are closed up."""
    rows, width = matrix.shape
    _, compact = np.unique(labels, return_inverse=True)
    count = int(compact.max()) + 1
    capacity = count + 2 * (rows // k) + 2  # a split gives two numbers at most a group it adds
    groups = Groups(
        matrix=np.ascontiguousarray(matrix),
        labels=compact.astype(np.int64),
        centers=np.zeros((width, capacity)),
        sizes=np.zeros(capacity, dtype=np.int64),
        heads=np.full(capacity, -1, dtype=np.int64),
        after=np.full(rows, -1, dtype=np.int64),
        before=np.full(rows, -1, dtype=np.int64),
        state=np.array([count, count, 0, 0], dtype=np.int64),
        tree=trees.make(matrix[:1], 1, 0.0),
        moved=np.empty(capacity, dtype=np.int64),
        listed=np.zeros(capacity, dtype=np.int64),
        members=np.empty(rows, dtype=np.int64),
        targets=np.empty(rows, dtype=np.int64),
        touched=np.empty(rows + 2, dtype=np.int64),
        slots=np.full(capacity, -1, dtype=np.int64),
        kept=np.empty((rows + 1, width)),
        distances=np.empty(rows),
        point=np.empty(width),
        block=np.empty(BLOCK),
        error=rounding(matrix),
    )
    fill(groups)
    return replanted(groups)


def replanted(groups: Groups) -> Groups:
    """Return the groups with a tree of all centroids as they are now."""
    given = int(groups.state[GIVEN])
    groups.state[MOVED] = 0
    groups.listed[:] = 0
    groups.state[PLANTED] = given > FEW
    if given <= FEW:
        return groups
    tree = trees.make(np.ascontiguousarray(groups.centers[:, :given].T), 1, groups.error)
    gone = np.flatnonzero(groups.sizes[:given] == 0)
    trees.remove(tree, gone, gone.size)
    return groups._replace(tree=tree)


@inlined
def is_crowded(groups: Groups) -> bool:
    """Tell whether so many centroids have moved that a new tree pays."""
    return groups.state[MOVED] > 64 + groups.state[GIVEN] // 64  # type: ignore[no-any-return]


@jit
def set_aside(groups: Groups, group: int) -> None:
    """Take a group that moves, or goes, out of the tree. groups IN/OUT."""
    if groups.listed[group] == 0 and groups.state[PLANTED] == 1:
        groups.listed[group] = 1
        if group < groups.tree.places.shape[0]:
            groups.touched[groups.touched.shape[0] - 1] = group
            remove(groups.tree, groups.touched[groups.touched.shape[0] - 1 :], 1 + ANY)
        groups.moved[groups.state[MOVED]] = group
        groups.state[MOVED] += 1


@jit
def fill(groups: Groups) -> None:
    """Enter every record into the list of its group, and compute all centroids."""
    for row in range(groups.labels.shape[0] - 1, -1, -1):
        enter(groups, row, groups.labels[row])
    for group in range(groups.state[GIVEN]):
        center(groups, group)


@jit
def enter(groups: Groups, row: int, group: int) -> None:
    """Make a record a member of a group. The centroid stays as it was."""
    first = groups.heads[group]
    groups.after[row] = first
    groups.before[row] = -1
    if first >= 0:
        groups.before[first] = row
    groups.heads[group] = row
    groups.labels[row] = group
    groups.sizes[group] += 1


@jit
def leave(groups: Groups, row: int) -> None:
    """Take a record out of its group. The centroid stays as it was."""
    group = groups.labels[row]
    after, before = groups.after[row], groups.before[row]
    if after >= 0:
        groups.before[after] = before
    if before >= 0:
        groups.after[before] = after
    else:
        groups.heads[group] = after
    groups.sizes[group] -= 1


@jit
def center(groups: Groups, group: int) -> None:
    """Compute a centroid from the members, so that no error builds up."""
    width = groups.matrix.shape[1]
    size = groups.sizes[group]
    if size == 0:
        return
    first = groups.heads[group]
    for j in range(width):
        origin = groups.matrix[first, j]
        total = 0.0
        row = first
        while row >= 0:
            total += groups.matrix[row, j] - origin
            row = groups.after[row]
        groups.centers[j, group] = origin + total / size


@inlined
def distance(groups: Groups, row: int, group: int) -> float:
    """Return D(x, centroid of a group)."""
    total = 0.0
    for j in range(groups.matrix.shape[1]):
        gap = groups.matrix[row, j] - groups.centers[j, group]
        total += gap * gap
    return total


@jit
def gather(groups: Groups, group: int) -> int:
    """Put the members of a group into the work space, lowest row first; return how many."""
    members = groups.members
    count = 0
    row = groups.heads[group]
    while row >= 0:
        members[count] = row
        count += 1
        row = groups.after[row]
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


@jit
def nearest_group(groups: Groups, row: int, skip: int, limit: int) -> int:
    """Return the group with the nearest centroid, of those with 1 to limit - 1 members, or -1.

    One group may be skipped (-1: none). The lowest number wins a tie.
    """
    tree, moved, sizes, point = groups.tree, groups.moved, groups.sizes, groups.point
    for j in range(point.shape[0]):
        point[j] = groups.matrix[row, j]
    if groups.state[PLANTED] == 0:
        return _sweep(groups, skip, limit)
    planted = skip >= 0 and skip < tree.places.shape[0] and groups.listed[skip] == 0
    best, least = -1, np.inf
    if tree.state[COUNT] > (1 if planted else 0):
        nearest(tree, point, skip, 1 + ANY, groups.error, tree.keys, tree.found)
        best = tree.found[0]
        if sizes[best] >= limit:  # full: look at all
            return _sweep(groups, skip, limit)
        least = distance(groups, row, best)
    high = least + slack(least, groups.error)
    for i in range(groups.state[MOVED]):
        group = moved[i]
        if group != skip and 0 < sizes[group] < limit:
            gap = distance(groups, row, group)
            if gap <= high:
                low = min(gap, least)
                margin = slack(low, groups.error)
                if least > low + margin or (gap <= low + margin and group < best):
                    best = group
                least, high = low, low + margin
    return best


@jit
def _sweep(groups: Groups, skip: int, limit: int) -> int:
    """Return the group whose centroid is nearest to the point in the work space, from all."""
    sizes, block = groups.sizes, groups.block
    count = groups.state[GIVEN]
    least, second, high, best = np.inf, np.inf, np.inf, -1
    for turn in range(2):  # the second one where groups tie: the lowest wins
        for start in range(0, count, BLOCK):
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


@jit
def call_nearest(groups: Groups, sent: int, count: int, skip: int) -> None:
    """Of the members sent:count, put the one nearest to any group in front, with its target.

    The members before have gone, the last of them just now: only its target has moved. Lowest
    rows and lowest groups win ties; the members behind stay in order. One group may be skipped.
    groups IN/OUT.
    """
    moved = groups.targets[sent - 1] if sent > 0 else -1
    least = np.inf
    for i in range(sent, count):
        row = groups.members[i]
        if sent == 0 or groups.targets[i] == moved:
            groups.targets[i] = nearest_group(groups, row, skip, groups.labels.shape[0] + 1)
            groups.distances[i] = distance(groups, row, groups.targets[i])
        else:
            gap, kept = distance(groups, row, moved), groups.distances[i]
            margin = slack(max(gap, kept), groups.error)
            if gap < kept - margin or (gap <= kept + margin and moved < groups.targets[i]):
                groups.distances[i], groups.targets[i] = gap, moved
        least = min(least, groups.distances[i])
    margin = slack(least, groups.error)
    best = sent
    while groups.distances[best] > least + margin:
        best += 1
    row, target, gap = groups.members[best], groups.targets[best], groups.distances[best]
    for i in range(best, sent, -1):
        groups.members[i] = groups.members[i - 1]
        groups.targets[i] = groups.targets[i - 1]
        groups.distances[i] = groups.distances[i - 1]
    groups.members[sent], groups.targets[sent], groups.distances[sent] = row, target, gap
