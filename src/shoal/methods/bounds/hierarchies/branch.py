"""A branch of the pricing on hierarchies: members so far, their form, and what candidates add.

What is priced with it, and why, stands in `pricing.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import hot, inlined, part
from shoal.methods.topdown.bins import END, HEIGHT, PLACE, RANGED, ROOT, common

COVERED = -1.0  # the place in the order of what widens nothing
MIX = 1_000_003

# rows of the integers and of the numbers of a branch, by the members it has
COUNT, AT, MEMBER, BRANCHES, STAMP, BRANCH_INTEGERS = range(6)
BASE, BRANCH_NUMBERS = range(2)


class FormBuffers(NamedTuple):
    """What one thread prices with; what is no work space is shared."""

    tree: Integers  # as in Trees
    levels: Floats
    columns: Integers
    codes: Integers  # (n, columns)
    floors: Floats  # (n) what a record loses in any group
    duals: Floats  # (n)
    spared: Floats  # (n) less than 0: the dual, and what inner nodes and missing cells may save
    above: Integers  # (n, columns) work space: the common ancestor with the root's cell
    lists: Integers  # (2k, n) work space: candidates, by members of the branch
    own: Floats  # (2k, n) work space: their g
    more: Floats  # (2k, n) work space: their d
    whole: Floats  # (2k, n) work space: what the form with each costs a record of leaves
    turns: Integers  # (2k, n) work space: the places of candidates to branch on
    keys: Floats  # (2k, n) work space: what those branches cost at least, ascending
    forms: Integers  # (2k, columns, 2) work space: the form, a node, or the ends of a range
    sums: Floats  # (2k, columns) work space: what the members lose by column
    scratch: Floats  # (n) work space
    places: Integers  # (n) work space
    seen: Integers  # (a power of 2 above 2n, 2) work space: forms by hash, and when they were seen
    least: Floats  # (2, 2k) work space: the least of some numbers, ascending
    integers: Integers  # (BRANCH_INTEGERS, 2k + 1) work space: the branch
    numbers: Floats  # (BRANCH_NUMBERS, 2k + 1) work space: the branch


@part
def begin(w: FormBuffers, root: int) -> None:
    """Begin the groups of a root, with all records after it as candidates. w OUT."""
    codes, columns = w.codes, w.columns
    rows, width = codes.shape
    count = 0
    for row in range(root + 1, rows):
        w.lists[1, count] = row
        count += 1
        for j in range(width):
            if columns[j, RANGED] == 0:
                w.above[row, j] = common(w.tree, codes[root, j], codes[row, j])
    for j in range(width):
        w.forms[1, j, 0] = w.forms[1, j, 1] = codes[root, j]
        w.sums[1, j] = 0.0
    w.integers[MEMBER, 0], w.integers[COUNT, 1] = root, count
    w.numbers[BASE, 1] = -w.duals[root]


@hot
def fit(w: FormBuffers, made: int, row: int, place: int) -> float:
    """Write what a candidate loses in the form with it, and what it adds; return the latter.

    COVERED where it does not widen the form. w OUT: own and whole, at a place.
    """
    codes, levels, columns, forms, sums = w.codes, w.levels, w.columns, w.forms, w.sums
    lost, more, whole, grows = 0.0, 0.0, 0.0, False
    for j in range(codes.shape[1]):
        node, low, high = codes[row, j], forms[made, j, 0], forms[made, j, 1]
        root = columns[j, ROOT]
        if columns[j, RANGED] == 1:
            if low == root:
                whole += levels[root, HEIGHT]
                lost += 0.0 if node == root else levels[root, HEIGHT]
                continue
            bottom, top = min(low, node), max(high, node)
            if bottom == root:
                cost, same = levels[root, HEIGHT], True
            elif bottom == top:
                cost, same = 0.0, True
            else:
                cost = levels[top, PLACE] - levels[bottom, PLACE] + levels[root, PLACE]
                same = False
            whole += cost
            lost += 0.0 if same else cost
            if bottom != low or top != high:
                grows = True
                more += made * cost - sums[made, j]
        else:
            top = min(low, w.above[row, j])
            cost = levels[top, HEIGHT]
            whole += 0.0 if w.tree[top, END] == top + 1 else cost
            lost += 0.0 if node == top else cost
            if top != low:
                grows = True
                more += made * cost - sums[made, j]
    w.own[made, place], w.whole[made, place] = lost, whole
    return more if grows else COVERED


@part
def join(w: FormBuffers, made: int, row: int) -> None:
    """Write the form and the sums of the members with one more. w OUT: those of `made` + 1."""
    codes, levels, columns, forms, sums = w.codes, w.levels, w.columns, w.forms, w.sums
    total = 0.0
    for j in range(codes.shape[1]):
        node, low, high = codes[row, j], forms[made, j, 0], forms[made, j, 1]
        root, cost, same = columns[j, ROOT], 0.0, False
        if columns[j, RANGED] == 1:
            bottom, top = min(low, node), max(high, node)
            if bottom == root:
                cost = levels[root, HEIGHT]
            elif bottom != top:
                cost = levels[top, PLACE] - levels[bottom, PLACE] + levels[root, PLACE]
            same = node == root
            wider = low != root and (bottom != low or top != high)
        else:
            bottom = min(low, w.above[row, j])
            top = bottom
            cost = levels[bottom, HEIGHT]
            same, wider = node == bottom, bottom != low
        before = made * cost if wider else sums[made, j]
        forms[made + 1, j, 0], forms[made + 1, j, 1] = bottom, top
        sums[made + 1, j] = before + (0.0 if same else cost)
        total += sums[made + 1, j] - sums[made, j]
    w.numbers[BASE, made + 1] = w.numbers[BASE, made] + total - w.duals[row]
    w.integers[MEMBER, made] = row


@inlined
def node_with(w: FormBuffers, made: int, row: int, j: int) -> int:
    """Return a number of what a form has in a column with one more record."""
    low, node = w.forms[made, j, 0], w.codes[row, j]
    if w.columns[j, RANGED] == 0:
        return min(low, w.above[row, j])  # type: ignore[no-any-return]
    root = w.columns[j, ROOT]
    if root in (low, node):
        return root  # type: ignore[no-any-return]
    return min(low, node) * w.tree.shape[0] + max(w.forms[made, j, 1], node)  # type: ignore[no-any-return]


@part
def is_first_of_form(w: FormBuffers, made: int, row: int, stamp: int) -> bool:
    """Tell whether no record has been asked for that makes the same form. w OUT: seen."""
    width, room = w.codes.shape[1], w.seen.shape[0] - 1
    mixed = 0
    for j in range(width):
        mixed = mixed * MIX + node_with(w, made, row, j)
    at = (mixed ^ (mixed >> 29)) & room
    while w.seen[at, 1] == stamp:
        other, same = w.seen[at, 0], True
        for j in range(width):
            same = same and node_with(w, made, other, j) == node_with(w, made, row, j)
        if same:
            return False
        at = (at + 1) & room
    w.seen[at, 0], w.seen[at, 1] = row, stamp
    return True


@part
def mark_doubles(w: FormBuffers, made: int) -> None:
    """Mark the candidates whose branch another one stands for. w OUT: places."""
    stamps = w.integers[STAMP]
    stamps[0] += 1
    for i in range(w.integers[COUNT, made] - 1, -1, -1):
        row = w.lists[made, i]
        w.places[i] = 0
        if w.more[made, i] != COVERED and w.duals[row] + w.spared[row] == 0.0:
            w.places[i] = 0 if is_first_of_form(w, made, row, stamps[0]) else 1
