"""The neighbor bound: what every record loses at least, with the k - 1 others that suit it best.

For each record the cheapest form that covers k records is searched by branch and bound: others are
taken in by what the form then costs, and those it covers come for nothing. As many as are still
needed cost at least as much as the last of them does alone, which ends a branch, and is what counts
where the work is cut short.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, loop, part, steps
from shoal.methods.bounds.pricing import sort_by
from shoal.methods.topdown.bins import END, HEIGHT, PARENT, PLACE, RANGED, ROOT, Trees
from shoal.progress import Reporter

FAR = 1e300  # more than any loss
BUDGET = 200_000  # cells that the branches of a record may look at
DEEP = 24  # records that widen a form
RECORDS_A_CALL = 500
AT, COUNT, COVERED, BRANCH_INTEGERS = range(4)


class Room(NamedTuple):
    """Work space of the kernel."""

    near: Integers  # (k) the records that are cheapest alone
    keys: Floats  # (k) what they cost
    rows: Integers  # (m) candidates
    lists: Integers  # (DEEP + 1, m) those of a branch, by place in `rows`
    values: Floats  # (DEEP + 1, m) what the form costs with each
    forms: Floats  # (DEEP + 1, columns, 2)
    branch: Integers  # (BRANCH_INTEGERS, DEEP + 1)
    last: Integers  # (1 + columns) how many are near, and the node of the last record, by column


@part
def alone_cost(r: Sorted, v: View, row: int) -> float:
    """Return what a form of two records costs the one that is looked from."""
    total = 0.0
    for j in range(r.codes.shape[1]):
        total += v.alone[r.codes[row, j]]
    return total


@part
def enter_near(w: Room, r: Sorted, row: int, cost: float, have: int, need: int) -> int:
    """Enter a record among the cheapest, of which no more are kept than make up `need`.

    Returns how many records those near stand for. w IN/OUT.
    """
    near, keys, count = w.near, w.keys, w.last[0]
    at = count
    if count == near.shape[0]:
        have -= r.counts[near[count - 1]]
        at -= 1
    else:
        w.last[0] = count + 1
    while at > 0 and keys[at - 1] > cost:
        keys[at], near[at] = keys[at - 1], near[at - 1]
        at -= 1
    keys[at], near[at] = cost, row
    have += r.counts[row]
    while have - r.counts[near[w.last[0] - 1]] >= need:
        w.last[0] -= 1
        have -= r.counts[near[w.last[0]]]
    return have


@inlined
def alone_of(r: Sorted, v: View, row: int, limit: float) -> tuple[float, int]:
    """Return what a record costs alone, and in how many columns, until that is a limit. v OUT."""
    codes, alone, sums = r.codes, v.alone, v.sums
    j = r.first[row]
    total = sums[j]
    while j < codes.shape[1]:
        total += alone[codes[row, j]]
        j += 1
        sums[j] = total
        if total >= limit:
            break
    return total, j


@part
def find_near(w: Room, r: Sorted, v: View, own: int, limit: float, need: int) -> None:
    """List the records that are cheapest alone, below a limit. w OUT."""
    rows = r.codes.shape[0]
    row, have = 0, 0
    w.last[0] = 0
    while row < rows:
        total, j = alone_of(r, v, row, limit)
        if total >= limit:
            row = r.after[row, j - 1]
            continue
        if row != own:
            have = enter_near(w, r, row, total, have, need)
            if have >= need:
                limit = w.keys[w.last[0] - 1]
        row += 1


@part
def list_below(w: Room, r: Sorted, v: View, own: int, limit: float) -> int:
    """List the records that cost less than a limit alone; return how many. w OUT."""
    rows = r.codes.shape[0]
    row, count = 0, 0
    while row < rows:
        total, j = alone_of(r, v, row, limit)
        if total >= limit:
            row = r.after[row, j - 1]
            continue
        if row != own:
            w.rows[count] = row
            w.lists[0, count], w.values[0, count] = count, total
            count += 1
        row += 1
    return count


@part
def widened(w: Room, r: Sorted, v: View, t: Trees, depth: int, row: int, to: int) -> float:
    """Return what a form costs with one more record; -1 if the record is covered as it is.

    w OUT: the form `to`, if that is no less than 0.
    """
    total, grows = 0.0, False
    for j in range(r.codes.shape[1]):
        node = r.codes[row, j]
        left, right = w.forms[depth, j, 0], w.forms[depth, j, 1]
        if v.left[node] > left:
            left, grows = v.left[node], True
        if v.right[node] > right:
            right, grows = v.right[node], True
        if to >= 0:
            w.forms[to, j, 0], w.forms[to, j, 1] = left, right
        if t.columns[j, RANGED] == 1:
            total += width_of(left + right, v.top[j, 0], v.top[j, 1])
        else:
            total += left
    return total if grows else -1.0


@part
def still_costs(w: Room, r: Sorted, depth: int, k: int) -> float:
    """Return what a branch costs at the least, with its candidates from the next one on."""
    have = w.branch[COVERED, depth]
    for i in range(w.branch[AT, depth], w.branch[COUNT, depth]):
        have += r.counts[w.rows[w.lists[depth, i]]]
        if have >= k:
            return w.values[depth, i]  # type: ignore[no-any-return]
    return FAR


@part
def take_in(w: Room, r: Sorted, v: View, t: Trees, depth: int, at: int, best: float) -> None:
    """Begin the branch of a form with one more record. w IN/OUT."""
    own = w.rows[w.lists[depth, at]]
    widened(w, r, v, t, depth, own, depth + 1)
    covered, count = w.branch[COVERED, depth] + r.counts[own], 0
    for i in range(at + 1, w.branch[COUNT, depth]):
        place = w.lists[depth, i]
        cost = widened(w, r, v, t, depth + 1, w.rows[place], -1)
        if cost < 0.0:
            covered += r.counts[w.rows[place]]
        elif cost < best:
            w.lists[depth + 1, count], w.values[depth + 1, count] = place, cost
            count += 1
    w.branch[AT, depth + 1], w.branch[COUNT, depth + 1] = 0, count
    w.branch[COVERED, depth + 1] = covered


@steps
def cheapest(
    w: Room, r: Sorted, v: View, t: Trees, own: int, count: int, k: int, best: float
) -> float:
    """Return what the cheapest form of k records costs one, or a little less. w IN/OUT.

    `count` candidates are listed, all that cost less alone than `best`, which some form costs.
    """
    branch, missed, spent, depth = w.branch, FAR, 0, 0
    for j in range(r.codes.shape[1]):
        w.forms[0, j, 0] = w.forms[0, j, 1] = 0.0
    branch[AT, 0], branch[COUNT, 0], branch[COVERED, 0] = 0, count, r.counts[own]
    sort_by(w.values[0], w.lists[0], count)
    while depth >= 0:
        least = still_costs(w, r, depth, k)
        if least >= best:
            depth -= 1
            continue
        if spent >= BUDGET or depth == DEEP:
            missed = min(missed, least)
            depth -= 1
            continue
        at = branch[AT, depth]
        branch[AT, depth] = at + 1
        take_in(w, r, v, t, depth, at, best)
        spent += (branch[COUNT, depth] - at) * r.codes.shape[1]
        if branch[COVERED, depth + 1] >= k:
            best = min(best, w.values[depth, at])
        else:
            depth += 1
            sort_by(w.values[depth], w.lists[depth], branch[COUNT, depth])
    return min(best, missed)


@part
def form_of_near(w: Room, r: Sorted, v: View, t: Trees) -> float:
    """Return what the form of the records near costs. w OUT."""
    cost = 0.0
    for j in range(r.codes.shape[1]):
        w.forms[0, j, 0] = w.forms[0, j, 1] = 0.0
    for i in range(w.last[0]):
        cost = max(cost, widened(w, r, v, t, 0, w.near[i], 0))
    return cost


@part
def limit_by_last(w: Room, r: Sorted, v: View, own: int, need: int) -> float:
    """Return a limit below which there are enough records: of those that the last one was near to.

    w.near is lost.
    """
    count, have, new = w.last[0], 0, own > 0
    for i in range(count):
        w.rows[i] = w.near[i]
        new = new and w.near[i] != own - 1
    if new:
        w.rows[count] = own - 1
        count += 1
    w.last[0] = 0
    for i in range(count):
        row = w.rows[i]
        if row != own:
            have = enter_near(w, r, row, alone_cost(r, v, row), have, need)
    return w.keys[w.last[0] - 1] * (1.0 + 1e-9) + 1e-12 if have >= need else FAR


@loop
def least_of(
    w: Room, r: Sorted, v: View, t: Trees, k: int, start: int, stop: int, losses: Floats
) -> None:
    """Write what the records start:stop lose at least. w IN/OUT, v OUT, losses OUT (m)."""
    nodes, width = t.tree.shape[0], r.codes.shape[1]
    for own in range(start, stop):
        need = k - r.counts[own]
        losses[own] = 0.0
        if need <= 0:
            continue
        for j in range(width):
            node = r.codes[own, j]
            if w.last[1 + j] != node:
                w.last[1 + j] = node
                look_from(t, v, j, nodes if j == width - 1 else t.columns[j + 1, ROOT], node)
        find_near(w, r, v, own, limit_by_last(w, r, v, own, need), need)
        least, best = w.keys[w.last[0] - 1], form_of_near(w, r, v, t)
        if least < best:
            count = list_below(w, r, v, own, best)
            best = cheapest(w, r, v, t, own, count, k, best)
        losses[own] = best


def least_by_companions(trees: Trees, codes: Integers, k: int, report: Reporter) -> Floats:
    """Return what every record loses at least in groups of k, summed over columns.

    Requires k records. Losses are those of the trees, which are rounded to grains.
    """
    ordered, which = sort_records(codes)
    rows, width = ordered.codes.shape
    room = Room(
        np.zeros(k, dtype=np.int64), np.zeros(k),
        np.zeros(rows + k, dtype=np.int64), np.zeros((DEEP + 1, rows), dtype=np.int64),
        np.zeros((DEEP + 1, rows)), np.zeros((DEEP + 1, width, 2)),
        np.zeros((BRANCH_INTEGERS, DEEP + 1), dtype=np.int64),
        np.concatenate(([0], np.full(width, -1))).astype(np.int64),
    )  # fmt: skip
    losses, view = np.zeros(rows), make_view(trees)
    for start in range(0, rows, RECORDS_A_CALL):
        report("bounding", start, rows)
        least_of(room, ordered, view, trees, k, start, min(start + RECORDS_A_CALL, rows), losses)
    by_record: Floats = losses[which]
    return by_record


# What a form costs one record: the other records, by how far they widen it.
#
# Of a tree column a form costs the record x what the node loses, which is the highest of the common
# ancestors of x and the others: one number a value, of which the largest counts. Of a range it
# costs how far it reaches to the left of x and to the right: two numbers. So every record is a few
# numbers as seen from x, and a form is the largest of each.


class Sorted(NamedTuple):
    """The distinct records in lexicographic order, to be walked as a trie."""

    codes: Integers  # (m, columns)
    counts: Integers  # (m) how many records are so
    first: Integers  # (m) the first column that differs from the record before
    after: Integers  # (m, columns) the next record that differs in this column or one before it


class View(NamedTuple):
    """What the nodes of all columns cost one record; all OUT of `look_from`."""

    left: Floats  # (nodes) of a tree what the common ancestor loses, of a range the way to the left
    right: Floats  # (nodes) of a range the way to the right
    alone: Floats  # (nodes) what the record loses in a form of it and this node
    sums: Floats  # (columns + 1) work space: what the columns before lose
    top: Floats  # (columns, 2) of a range, what one step adds, and what a missing cell costs


def sort_records(codes: Integers) -> tuple[Sorted, Integers]:
    """Return the distinct records in order, and which of them every record is."""
    unique, which, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    rows, width = unique.shape
    differs = np.ones((rows, width), dtype=bool)
    differs[1:] = unique[1:] != unique[:-1]
    first = differs.argmax(axis=1)
    after = np.empty((rows, width), dtype=np.int64)
    for column in range(width):
        starts = np.append(np.flatnonzero(first <= column), rows)
        after[:, column] = starts[np.searchsorted(starts, np.arange(rows), side="right")]
    made = Sorted(
        np.ascontiguousarray(unique), counts.astype(np.int64), first.astype(np.int64), after
    )
    return made, which.ravel()


def make_view(trees: Trees) -> View:
    """Return an empty view."""
    nodes, width = trees.tree.shape[0], trees.columns.shape[0]
    root, ranged = trees.columns[:, ROOT], trees.columns[:, RANGED]
    top = np.zeros((width, 2))
    top[ranged == 1] = trees.levels[root[ranged == 1]][:, [PLACE, HEIGHT]]
    left, right, alone = np.zeros((3, nodes))
    return View(left, right, alone, np.zeros(width + 1), top)


@inlined
def width_of(way: float, step: float, most: float) -> float:
    """Return what a range that reaches so far costs."""
    return 0.0 if way == 0.0 else min(way + step, most)


@part
def look_from(t: Trees, v: View, column: int, end: int, node: int) -> None:
    """Write what the nodes of a column cost a record of a node. v OUT; `end` is past the column."""
    tree, levels, root = t.tree, t.levels, t.columns[column, ROOT]
    left, right, alone = v.left, v.right, v.alone
    if node == root:  # what was missing, or is the root, has nothing to lose
        for other in range(root, end):
            left[other] = right[other] = alone[other] = 0.0
    elif t.columns[column, RANGED] == 1:
        here = levels[node, PLACE]
        left[root], right[root], alone[root] = FAR, FAR, v.top[column, 1]
        for other in range(root + 1, end):
            way = levels[other, PLACE] - here
            left[other], right[other] = max(-way, 0.0), max(way, 0.0)
            alone[other] = width_of(abs(way), v.top[column, 0], v.top[column, 1])
    else:
        inner, lost = node, 0.0
        for other in range(node, tree[node, END]):
            left[other] = alone[other] = 0.0
        while inner != root:
            outer = tree[inner, PARENT]
            lost = levels[outer, HEIGHT]
            for other in range(outer, inner):
                left[other] = alone[other] = lost
            for other in range(tree[inner, END], tree[outer, END]):
                left[other] = alone[other] = lost
            inner = outer
