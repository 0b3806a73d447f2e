"""Methods that turn many attributes into one: a path or a tree through all records, then cuts."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import jit
from shoal.kernels.nearest import COORDINATE_ERROR, rounding, slack, slacks
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.heuristics.optimal import cut_path
from shoal.methods.heuristics.optimal import optimal_1d as optimal_column
from shoal.methods.heuristics.order import hilbert as hilbert_order
from shoal.methods.heuristics.order import through_groups
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine.steps import by_falling_loss, split
from shoal.partition import canonical_labels
from shoal.progress import Reporter


def hilbert(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Cut a Hilbert curve through all records where that loses least."""
    return _along(matrix, hilbert_order(matrix), k, report)


def mdav_mhm(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Cut a path through the groups of MDAV where that loses least: never more than MDAV."""
    return _along(matrix, through_groups(matrix, mdav(matrix, k, report, classic=True)), k, report)


def _along(matrix: Floats, order: Integers, k: int, report: Reporter) -> Integers:
    report("cutting", 0, matrix.shape[0])
    labels = np.empty(matrix.shape[0], dtype=np.int64)
    labels[order] = cut_path(np.ascontiguousarray(matrix[order].T), k)
    report("cutting", matrix.shape[0], matrix.shape[0])
    return labels


def optimal_1d(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Group the one column there is so that no grouping loses less."""
    rows = matrix.shape[0]
    report("cutting", 0, rows)
    labels = optimal_column(np.ascontiguousarray(matrix[:, 0]), k, error=COORDINATE_ERROR)
    report("cutting", rows, rows)
    return labels


def mst(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Cut the longest edges of the minimum spanning tree, then split what has 2k records."""
    rows = matrix.shape[0]
    report("spanning", 0, rows)
    labels = cut_tree(*spanning_tree(matrix), k, rounding(matrix))
    ranks = np.argsort(by_falling_loss(matrix, labels))
    groups = groupings.make(matrix, ranks[labels], k)
    _, compact = np.unique(split(groups, k), return_inverse=True)
    report("spanning", rows, rows)
    return compact.astype(np.int64)


# Groups from a minimum spanning tree: its long edges are cut where both sides stay large enough.
#
# Laszlo and Mukherjee, "Minimum spanning tree partitioning algorithm for microaggregation" (IEEE
# Transactions on Knowledge and Data Engineering 17, 2005). Groups of 2k or more are split
# elsewhere.


def spanning_tree(matrix: Floats) -> tuple[Integers, Floats, Integers]:
    """Return a minimum spanning tree: every row's parent, its squared distance, the rows in order.

    Prim's method from row 0, in O(n² d) time and O(n d) memory: the next row is the one nearest
    to the tree, the lowest in a tie, joined to the first row of the tree that is as near. Parents
    stand before their children in the order; row 0 has parent -1 and length 0.
    """
    count = matrix.shape[0]
    points = np.ascontiguousarray(matrix.T, dtype=np.float64).copy()
    error = rounding(matrix)
    parents = np.full(count, -1, dtype=np.int64)
    lengths = np.zeros(count)
    order = np.arange(count, dtype=np.int64)
    nearest = np.zeros(count, dtype=np.int64)
    lows = np.empty(count // BLOCK + 1)
    block = np.empty(BLOCK)
    center = np.empty(matrix.shape[1])
    keys = np.empty(count)
    _grow_tree(points, error, parents, lengths, order, keys, nearest, lows, center, block)
    return parents, lengths, order


def cut_tree(parents: Integers, lengths: Floats, order: Integers, k: int, error: float) -> Integers:
    """Remove edges, longest first, wherever both parts keep k records; return the parts' labels.

    Takes what `spanning_tree` returns; error bounds the rounding of a coordinate. Of edges as long
    as each other the one that joined the tree first goes first. Parts are numbered by their lowest
    row.
    """
    count = parents.shape[0]
    edges = order[1:]  # an edge is named by the child
    falling = edges[np.argsort(-lengths[edges], kind="stable")]
    long = lengths[falling[:-1]]
    parted = long - lengths[falling[1:]] > slacks(long, error)
    ties = np.concatenate(([0], np.cumsum(parted)))[: count - 1]
    joined = np.empty(count, dtype=np.int64)
    joined[order] = np.arange(count)
    edges = falling[np.lexsort((joined[falling], ties))]
    labels = np.empty(count, dtype=np.int64)
    _cut(parents.copy(), order, edges, k, np.ones(count, dtype=np.int64), labels)
    return canonical_labels(labels)


@jit
def _grow_tree(
    points: Floats,
    error: float,
    parents: Integers,
    lengths: Floats,
    order: Integers,
    keys: Floats,
    nearest: Integers,
    lows: Floats,
    center: Floats,
    block: Floats,
) -> None:
    """Grow a tree from the first point by the nearest one that is outside.

    points IN/OUT (d, n), in another order after; parents OUT (n), lengths OUT (n), order IN/OUT
    (n), rows rising before. Work space: keys (n) distances to the tree, nearest (n) the rows at
    that distance, lows (n / BLOCK + 1) the least key of each block, center (d), block (BLOCK).
    Points outside stand in front; whoever joins swaps places with the last of them.
    """
    width, count = points.shape
    for i in range(count):
        keys[i] = np.inf
    for i in range(lows.shape[0]):
        lows[i] = np.inf
    at = 0
    for left in range(count - 1, -1, -1):
        row = order[at]
        if left < count - 1:
            parents[row] = nearest[at]
            lengths[row] = keys[at]
        for j in range(width):
            center[j] = points[j, at]
            points[j, at] = points[j, left]
        order[at], order[left] = order[left], row
        keys[at], nearest[at] = keys[left], nearest[left]
        keys[left] = np.inf
        changed = at // BLOCK
        last = left // BLOCK
        least = np.inf
        for start in range(0, left, BLOCK):
            stop = min(start + BLOCK, left)
            squared_distances(points, start, stop, center, block)
            old = keys[start:stop]
            nearer = 0
            for i in range(stop - start):
                nearer += block[i] < old[i]
            number = start // BLOCK
            if nearer > 0 or number in (changed, last):
                low = np.inf
                for i in range(stop - start):
                    if block[i] < old[i] and (
                        old[i] == np.inf or block[i] < old[i] - slack(old[i], error)
                    ):
                        old[i] = block[i]
                        nearest[start + i] = row
                    low = min(low, old[i])
                lows[number] = low
            least = min(least, lows[number])
        limit = least + slack(least, error)
        at = 0
        lowest = count
        for start in range(0, left, BLOCK):
            if lows[start // BLOCK] <= limit:
                for i in range(start, min(start + BLOCK, left)):
                    if keys[i] <= limit and order[i] < lowest:
                        lowest = order[i]
                        at = i
    for i in range(count // 2):
        order[i], order[count - 1 - i] = order[count - 1 - i], order[i]


@jit
def _cut(
    parents: Integers, order: Integers, edges: Integers, k: int, sizes: Integers, labels: Integers
) -> None:
    """Remove edges in turn where both parts keep k records, and label every row by its part.

    parents IN/OUT (n) -1 at the top of each part after, order IN (n), edges IN (n - 1), sizes
    IN/OUT (n) ones before, labels OUT (n) the row on top of the part. sizes counts the records
    below and at a row in its part.
    """
    count = order.shape[0]
    for i in range(count - 1, 0, -1):
        sizes[parents[order[i]]] += sizes[order[i]]
    for i in range(edges.shape[0]):
        row = edges[i]
        if sizes[row] < k:
            continue
        top = row
        while parents[top] >= 0:
            top = parents[top]
        if sizes[top] - sizes[row] < k:
            continue
        above = parents[row]
        parents[row] = -1
        while above >= 0:
            sizes[above] -= sizes[row]
            above = parents[above]
    for i in range(count):
        row = order[i]
        labels[row] = row if parents[row] < 0 else labels[parents[row]]
