"""What a form costs one record: the other records, by how far they widen it.

Of a tree column a form costs the record x what the node loses, which is the highest of the common
ancestors of x and the others: one number a value, of which the largest counts. Of a range it costs
how far it reaches to the left of x and to the right: two numbers. So every record is a few numbers
as seen from x, and a form is the largest of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, part
from shoal.methods.topdown.trees import END, HEIGHT, PARENT, PLACE, RANGED, ROOT, Trees

FAR = 1e300  # more than any loss


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
