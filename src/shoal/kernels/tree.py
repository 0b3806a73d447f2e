"""A tree of boxes over the records in a pool: what a search may skip.

A leaf is a block of LEAF records, attribute by attribute; those still in the pool stand in front.
A frame is a block of FAN boxes, attribute by attribute: the children of one node. So a search
reads memory in one go and computes the distances to all records or boxes of a block in one
vectorized loop. A box is the smallest around the live records of its node,
and (inf, -inf) where there are none. Rounding is monotonic, so the distance to a box, summed in
the order in which distances are summed, is never more than the distance to a record in it:
skipping loses nothing, not even a tie.

Far corners of boxes say little where attributes are many: in eight of them, nearly all boxes reach
beyond the farthest record. So each record carries one more number, its squared distance to a
pivot m, the centroid when the tree was built, with bounds like any attribute. From
|x - c|² = |x - m|² + |c - m|² - 2 (x - m)·(c - m), the first term at most the node's largest and
the last one a sum over the sides of the box, follows a bound that tells the outer leaves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import jit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LEAF = 32
FAN = 16
SAMPLE = 64
LEVELS = 12  # more than any table needs


class Tree(NamedTuple):
    """The arrays of a tree; all are changed in place. Leaves are the nodes of level 0.

    A record's position is LEAF times its leaf plus its place in it.
    """

    points: Floats  # (leaves, d + 1, LEAF), the last one the squared distance to the pivot
    rows: Integers  # (leaves * LEAF) row at a position
    places: Integers  # (n) position of a row
    live: Integers  # (leaves) records in the pool
    low: Floats  # (frames, d + 1, FAN)
    high: Floats  # (frames, d + 1, FAN)
    pivot: Floats  # (d)
    direction: Floats  # (d) work space of a search: from the pivot to the center
    offsets: Integers  # (LEVELS + 1) first frame of a level
    nodes: Integers  # (LEVELS) how many nodes a level has
    state: Integers  # see below
    order: Integers  # (n) work space
    column: Floats  # (n) work space
    pending: Integers  # (64, 2) work space: parts still to be arranged
    block: Floats  # (LEAF) work space
    bounds: Floats  # (LEVELS, FAN) work space of a search: distances to the boxes of a frame
    frames: Integers  # (LEVELS) work space of a search: the frame that is open


COUNT, BUILT, TOP, EVALUATIONS = 0, 1, 2, 3  # places in the state


def make(matrix: Floats) -> Tree:
    """Return a tree over the rows of a matrix, with all of them in the pool."""
    rows, width = matrix.shape
    leaves = -(-rows // LEAF)
    frames = 1
    nodes = leaves
    while nodes > 1:
        nodes = -(-nodes // FAN)
        frames += nodes
    padded = np.zeros((leaves * LEAF, width + 1))
    padded[:rows, :width] = matrix
    points = np.ascontiguousarray(padded.reshape(leaves, LEAF, width + 1).transpose(0, 2, 1))
    tree = Tree(
        points=points,
        rows=np.arange(leaves * LEAF, dtype=np.int64),
        places=np.arange(rows, dtype=np.int64),
        live=np.minimum(LEAF, rows - LEAF * np.arange(leaves, dtype=np.int64)),
        low=np.empty((frames, width + 1, FAN)),
        high=np.empty((frames, width + 1, FAN)),
        pivot=np.empty(width),
        direction=np.empty(width),
        offsets=np.zeros(LEVELS + 1, dtype=np.int64),
        nodes=np.zeros(LEVELS, dtype=np.int64),
        state=np.array([rows, rows, 0, 0], dtype=np.int64),
        order=np.empty(rows, dtype=np.int64),
        column=np.empty(rows),
        pending=np.empty((64, 2), dtype=np.int64),
        block=np.empty(LEAF),
        bounds=np.empty((LEVELS, FAN)),
        frames=np.empty(LEVELS, dtype=np.int64),
    )
    build(tree)
    return tree


@jit
def build(tree: Tree) -> None:
    """Arrange the records anew, the live ones in full leaves in front. tree IN/OUT."""
    points, order = tree.points, tree.order
    count = _live_first(tree)
    tree.state[BUILT] = count
    _arrange(tree, 0, count)
    end = order.shape[0]
    for j in range(tree.pivot.shape[0]):
        for at in range(end):
            tree.column[at] = points[order[at] // LEAF, j, order[at] % LEAF]
        for at in range(end):
            points[at // LEAF, j, at % LEAF] = tree.column[at]
    for at in range(end):
        order[at] = tree.rows[order[at]]
    for at in range(end):
        tree.rows[at] = order[at]
        tree.places[order[at]] = at
    for leaf in range(tree.live.shape[0]):
        tree.live[leaf] = max(0, min(LEAF, count - leaf * LEAF))
    _set_pivot(tree, count)
    _draw_boxes(tree)


@jit
def _set_pivot(tree: Tree, count: int) -> None:
    """Make the mean of the first count records the pivot; fill in the distances to it."""
    points, width = tree.points, tree.pivot.shape[0]
    for j in range(width):
        total = 0.0
        for at in range(count):
            total += points[at // LEAF, j, at % LEAF]
        tree.pivot[j] = total / max(count, 1)
    for leaf in range(points.shape[0]):
        for i in range(LEAF):
            points[leaf, width, i] = 0.0
        for j in range(width):
            middle = tree.pivot[j]
            for i in range(LEAF):
                gap = points[leaf, j, i] - middle
                points[leaf, width, i] += gap * gap


@jit
def _live_first(tree: Tree) -> int:
    """Put the positions of the live records in front of the order, and return how many.

    tree IN/OUT.
    """
    count = 0
    behind = tree.state[COUNT]
    for at in range(tree.order.shape[0]):
        if at % LEAF < tree.live[at // LEAF]:
            tree.order[count] = at
            count += 1
        else:
            tree.order[behind] = at
            behind += 1
    return count


@jit
def _arrange(tree: Tree, start: int, stop: int) -> None:
    """Order the records of start:stop so that neighbors share leaves, and leaves share nodes.

    tree IN/OUT. They are parted along the widest side of their box, near the middle, where a
    leaf or a whole frame of leaves ends; then each part alike.
    """
    first, last = start, stop
    depth = 0
    while True:
        if last - first > LEAF:
            unit = LEAF
            while unit * FAN < last - first:
                unit *= FAN
            half = (last - first) // 2
            middle = first + max(unit, (half + unit // 2) // unit * unit)
            if middle >= last:
                middle -= unit
            _part(tree, first, last, middle)
            tree.pending[depth, 0], tree.pending[depth, 1] = middle, last
            depth += 1
            last = middle
        elif depth == 0:
            return
        else:
            depth -= 1
            first, last = tree.pending[depth, 0], tree.pending[depth, 1]


@jit
def _part(tree: Tree, first: int, last: int, middle: int) -> None:
    """Reorder order[first:last] so that along the widest side no one before middle is larger.

    tree IN/OUT. The widest side is that of a sample. Hoare's selection.
    """
    points, order, column = tree.points, tree.order, tree.column
    widest, side = 0, -1.0
    step = max(1, (last - first) // SAMPLE)
    for j in range(tree.pivot.shape[0]):
        least = most = points[order[first] // LEAF, j, order[first] % LEAF]
        for i in range(first, last, step):
            value = points[order[i] // LEAF, j, order[i] % LEAF]
            least = value if value < least else least
            most = value if value > most else most
        if most - least > side:
            widest, side = j, most - least
    for i in range(first, last):
        column[i] = points[order[i] // LEAF, widest, order[i] % LEAF]
    start, stop = first, last - 1
    while start < stop:
        pivot = column[(start + stop) // 2]
        left, right = start, stop
        while left <= right:
            while column[left] < pivot:
                left += 1
            while column[right] > pivot:
                right -= 1
            if left <= right:
                column[left], column[right] = column[right], column[left]
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if middle <= right:
            stop = right
        elif middle >= left:
            start = left
        else:
            return


@jit
def _draw_boxes(tree: Tree) -> None:
    """Draw all boxes: leaves around their records, nodes around their children. tree IN/OUT."""
    level = 0
    tree.nodes[0] = max(1, (tree.state[BUILT] + LEAF - 1) // LEAF)
    while True:
        first, nodes = tree.offsets[level], tree.nodes[level]
        for node in range(nodes):
            frame, place = first + node // FAN, node % FAN
            for j in range(tree.points.shape[1]):
                if level == 0:
                    low, high = _extremes(
                        tree.points[node, j], tree.points[node, j], tree.live[node]
                    )
                else:
                    child = tree.offsets[level - 1] + node
                    size = min(FAN, tree.nodes[level - 1] - node * FAN)
                    low, high = _extremes(tree.low[child, j], tree.high[child, j], size)
                tree.low[frame, j, place], tree.high[frame, j, place] = low, high
        parents = (nodes + FAN - 1) // FAN
        tree.offsets[level + 1] = first + parents
        if parents == 1:
            break
        level += 1
        tree.nodes[level] = parents
    tree.state[TOP] = level


@jit
def _extremes(lows: Floats, highs: Floats, size: int) -> tuple[float, float]:
    """Return the least of the first lows and the largest of the first highs."""
    least, most = np.inf, -np.inf
    for i in range(size):
        least = lows[i] if lows[i] < least else least
        most = highs[i] if highs[i] > most else most
    return least, most


@jit
def remove(tree: Tree, rows: Integers, count: int) -> None:
    """Take the first count rows out of the pool; boxes shrink with them. tree IN/OUT, rows IN."""
    for i in range(count):
        at = tree.places[rows[i]]
        leaf = at // LEAF
        place = at % LEAF
        tree.live[leaf] -= 1
        end = tree.live[leaf]
        for j in range(tree.points.shape[1]):
            value = tree.points[leaf, j, place]
            tree.points[leaf, j, place] = tree.points[leaf, j, end]
            tree.points[leaf, j, end] = value
            low, high = tree.low[leaf // FAN, j, leaf % FAN], tree.high[leaf // FAN, j, leaf % FAN]
            if value <= low or value >= high:
                _shrink(tree, leaf, j)
        behind = leaf * LEAF + end
        tree.rows[at], tree.rows[behind] = tree.rows[behind], tree.rows[at]
        tree.places[tree.rows[at]] = at
        tree.places[tree.rows[behind]] = behind
    tree.state[COUNT] -= count
    if tree.state[COUNT] * 2 < tree.state[BUILT] and tree.state[BUILT] > LEAF:
        build(tree)


@jit
def _shrink(tree: Tree, leaf: int, j: int) -> None:
    """Draw side j of a leaf's box anew, and of the boxes around it that it held up. tree IN/OUT."""
    node = leaf
    low, high = _extremes(tree.points[leaf, j], tree.points[leaf, j], tree.live[leaf])
    for level in range(tree.state[TOP] + 1):
        frame, place = tree.offsets[level] + node // FAN, node % FAN
        old_low, old_high = tree.low[frame, j, place], tree.high[frame, j, place]
        if low == old_low and high == old_high:
            return
        tree.low[frame, j, place], tree.high[frame, j, place] = low, high
        node //= FAN
        size = min(FAN, tree.nodes[level] - node * FAN)
        low, high = _extremes(tree.low[frame, j], tree.high[frame, j], size)


@jit
def open_frame(tree: Tree, level: int, node: int) -> None:
    """Make the children of a node the open frame of a level. tree IN/OUT."""
    tree.frames[level] = node


@jit
def frame_size(tree: Tree, level: int) -> int:
    """Return how many boxes the open frame of a level has. tree IN."""
    return min(FAN, tree.nodes[level] - tree.frames[level] * FAN)  # type: ignore[no-any-return]


@jit
def least_distances(tree: Tree, level: int, center: Floats) -> None:
    """Fill a level's bounds with the distances from a center to the boxes: 0 inside one.

    tree IN/OUT, center IN (d). A box without records is infinitely far.
    """
    bounds = tree.bounds[level]
    frame = tree.offsets[level] + tree.frames[level]
    size = frame_size(tree, level)
    for i in range(size):
        bounds[i] = 0.0
    for j in range(center.shape[0]):
        value = center[j]
        low, high = tree.low[frame, j], tree.high[frame, j]
        for i in range(size):
            below, above = low[i] - value, value - high[i]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            bounds[i] += gap * gap


@jit
def aim(tree: Tree, center: Floats) -> float:
    """Set the direction from the pivot to a center; return its squared length. tree OUT."""
    length = 0.0
    for j in range(center.shape[0]):
        tree.direction[j] = center[j] - tree.pivot[j]
        length += tree.direction[j] * tree.direction[j]
    return length


@jit
def most_distances(tree: Tree, level: int, length: float) -> None:
    """Fill a level's bounds with what no distance to a record in the boxes exceeds.

    tree IN/OUT, length IN: `aim` returned it. A box without records has -1.
    """
    bounds = tree.bounds[level]
    frame = tree.offsets[level] + tree.frames[level]
    size = frame_size(tree, level)
    width = tree.pivot.shape[0]
    for i in range(size):
        bounds[i] = 0.0
    for j in range(width):
        step, middle = -2.0 * tree.direction[j], tree.pivot[j]
        low, high = tree.low[frame, j], tree.high[frame, j]
        for i in range(size):
            one, other = (low[i] - middle) * step, (high[i] - middle) * step
            bounds[i] += one if one > other else other
    reach, near = tree.high[frame, width], tree.low[frame, width]
    for i in range(size):
        bounds[i] += (reach[i] + length) * (1.0 + 1e-12)  # more than rounding can take away
        if near[i] > reach[i]:
            bounds[i] = -1.0


@jit
def leaf_distances(tree: Tree, leaf: int, center: Floats) -> int:
    """Put the distances of a leaf's live records into the block, and return how many.

    tree IN/OUT, center IN (d). Attributes are added in their order.
    """
    points, block = tree.points[leaf], tree.block
    size = tree.live[leaf]
    tree.state[EVALUATIONS] += size
    width = center.shape[0]
    for i in range(size):
        block[i] = 0.0
    whole = width - width % 4
    for j in range(0, whole, 4):  # four at a time: a sum stays in its register
        c0, c1, c2, c3 = center[j], center[j + 1], center[j + 2], center[j + 3]
        p0, p1, p2, p3 = points[j], points[j + 1], points[j + 2], points[j + 3]
        for i in range(size):
            d0, d1, d2, d3 = p0[i] - c0, p1[i] - c1, p2[i] - c2, p3[i] - c3
            block[i] = (((block[i] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3
    for j in range(whole, width):
        value = center[j]
        p0 = points[j]
        for i in range(size):
            d0 = p0[i] - value
            block[i] += d0 * d0
    return size  # type: ignore[no-any-return]
