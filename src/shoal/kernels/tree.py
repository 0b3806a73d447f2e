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
from shoal.kernels.totals import add, add_points

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LEAF = 32
FAN = 16
SAMPLE = 64
LEVELS = 12  # more than any table needs


class Pool(NamedTuple):
    """The records that are still without a group, in a tree; all arrays are changed in place.

    Leaves are the nodes of level 0. A record's position is LEAF times its leaf plus its place in
    it. One flat tuple: a tuple in a tuple takes the compiler twice as long. Memory is two copies
    of the matrix and some numbers a record.
    """

    points: Floats  # (leaves, d + 1, LEAF), the last one the squared distance to the pivot
    rows: Integers  # (leaves * LEAF) row at a position
    places: Integers  # (n) position of a row
    live: Integers  # (leaves) records in the pool
    low: Floats  # (frames, d + 1, FAN)
    high: Floats  # (frames, d + 1, FAN)
    totals: Floats  # (2, d) sum of the records in the pool, see kernels.totals
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
    center: Floats  # (d) work space: where a search looks from
    keys: Floats  # (k + 2) work space of a search
    found: Integers  # (k + 2) rows a search found
    group: Integers  # (2k + 1) rows of the group that grows
    group_totals: Floats  # (2, d) sum of the group that grows
    error: float  # what rounding may have done to a coordinate


COUNT, BUILT, TOP, EVALUATIONS = 0, 1, 2, 3  # places in the state


def make(matrix: Floats, k: int, error: float) -> Pool:
    """Return a pool with all rows of a matrix in it, for groups of k."""
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
    pool = Pool(
        points=points,
        rows=np.arange(leaves * LEAF, dtype=np.int64),
        places=np.arange(rows, dtype=np.int64),
        live=np.minimum(LEAF, rows - LEAF * np.arange(leaves, dtype=np.int64)),
        low=np.empty((frames, width + 1, FAN)),
        high=np.empty((frames, width + 1, FAN)),
        totals=np.zeros((2, width)),
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
        center=np.empty(width),
        keys=np.empty(k + 2),
        found=np.empty(k + 2, dtype=np.int64),
        group=np.empty(2 * k + 1, dtype=np.int64),
        group_totals=np.zeros((2, width)),
        error=error,
    )
    add_points(pool.totals, np.ascontiguousarray(matrix))
    build(pool)
    return pool


def build(pool: Pool) -> None:
    """Arrange the records anew, the live ones in full leaves in front. pool IN/OUT."""
    count = int(pool.state[COUNT])
    pool.state[BUILT] = count
    positions = np.arange(pool.order.shape[0])
    live = positions % LEAF < pool.live[positions // LEAF]
    pool.order[:count] = positions[live]
    pool.order[count:] = positions[~live]
    pool.live[:] = np.clip(count - LEAF * np.arange(pool.live.shape[0]), 0, LEAF)
    _arrange(pool.points, pool.order, pool.column, pool.pending, count)
    _move(pool.points, pool.order, pool.column, pool.rows, pool.places)
    _set_pivot(pool.points, pool.pivot, count)
    leaves = max(1, -(-count // LEAF))
    level = 0
    while True:
        pool.nodes[level] = leaves if level == 0 else pool.offsets[level] - pool.offsets[level - 1]
        frames = -(-int(pool.nodes[level]) // FAN)
        pool.offsets[level + 1] = pool.offsets[level] + frames
        if frames == 1:
            break
        level += 1
    pool.state[TOP] = level
    _draw_boxes(pool.points, pool.live, pool.low, pool.high, pool.offsets, pool.nodes, level)


def is_sparse(pool: Pool) -> bool:
    """Tell whether less than half of the records are left, so that it is time to build anew."""
    return bool(pool.state[COUNT] * 2 < pool.state[BUILT] and pool.state[BUILT] > LEAF)


@jit
def _arrange(
    points: Floats, order: Integers, column: Floats, pending: Integers, count: int
) -> None:
    """Order the first count records so that neighbors share leaves, and leaves share nodes.

    points IN (leaves, d + 1, LEAF), order IN/OUT (n), column OUT (n), pending OUT (64, 2) work
    space. Records are parted along the widest side of (a sample of) them, near the middle, where
    a leaf or a whole frame of leaves ends; then each part alike. Hoare's selection.
    """
    first, last = 0, count
    depth = 0
    while True:
        if last - first > LEAF:
            unit = LEAF
            while unit * FAN < last - first:
                unit *= FAN
            middle = first + max(unit, ((last - first) // 2 + unit // 2) // unit * unit)
            if middle >= last:
                middle -= unit
            widest, side = 0, -1.0
            step = max(1, (last - first) // SAMPLE)
            for j in range(points.shape[1] - 1):
                least, most = np.inf, -np.inf
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
                    break
            pending[depth, 0], pending[depth, 1] = middle, last
            depth += 1
            last = middle
        elif depth == 0:
            return
        else:
            depth -= 1
            first, last = pending[depth, 0], pending[depth, 1]


@jit
def _move(
    points: Floats, order: Integers, column: Floats, rows: Integers, places: Integers
) -> None:
    """Bring the records into an order. All IN/OUT; column and order are work space after."""
    end = order.shape[0]
    for j in range(points.shape[1] - 1):
        for at in range(end):
            column[at] = points[order[at] // LEAF, j, order[at] % LEAF]
        for at in range(end):
            points[at // LEAF, j, at % LEAF] = column[at]
    for at in range(end):
        order[at] = rows[order[at]]
    for at in range(end):
        rows[at] = order[at]
        places[order[at]] = at


@jit
def _set_pivot(points: Floats, pivot: Floats, count: int) -> None:
    """Make the mean of the first count records the pivot; fill in the distances to it.

    points IN/OUT (leaves, d + 1, LEAF), pivot OUT (d).
    """
    width = pivot.shape[0]
    for leaf in range(points.shape[0]):
        for i in range(LEAF):
            points[leaf, width, i] = 0.0
    for j in range(width):
        total = 0.0
        for at in range(count):
            total += points[at // LEAF, j, at % LEAF]
        pivot[j] = total / max(count, 1)
        for leaf in range(points.shape[0]):
            for i in range(LEAF):
                gap = points[leaf, j, i] - pivot[j]
                points[leaf, width, i] += gap * gap


@jit
def _draw_boxes(
    points: Floats,
    live: Integers,
    low: Floats,
    high: Floats,
    offsets: Integers,
    nodes: Integers,
    top: int,
) -> None:
    """Draw all boxes: leaves around their records, nodes around their children.

    points IN (leaves, d + 1, LEAF), live IN, low OUT, high OUT (frames, d + 1, FAN), offsets IN,
    nodes IN.
    """
    for level in range(top + 1):
        for node in range(nodes[level]):
            frame, place = offsets[level] + node // FAN, node % FAN
            lows = points[node] if level == 0 else low[offsets[level - 1] + node]
            highs = points[node] if level == 0 else high[offsets[level - 1] + node]
            size = live[node] if level == 0 else min(FAN, nodes[level - 1] - node * FAN)
            for j in range(points.shape[1]):
                least, most = np.inf, -np.inf
                for i in range(size):
                    least = lows[j, i] if lows[j, i] < least else least
                    most = highs[j, i] if highs[j, i] > most else most
                low[frame, j, place], high[frame, j, place] = least, most


@jit
def remove(pool: Pool, rows: Integers, count: int) -> None:
    """Take the first count rows out of the pool; boxes shrink with them. pool IN/OUT, rows IN."""
    points, low, high, live = pool.points, pool.low, pool.high, pool.live
    places, at_position, totals, state = pool.places, pool.rows, pool.totals, pool.state
    offsets, nodes = pool.offsets, pool.nodes
    for i in range(count):
        at = places[rows[i]]
        leaf, place = at // LEAF, at % LEAF
        live[leaf] -= 1
        end = live[leaf]
        for j in range(points.shape[1]):
            value = points[leaf, j, place]
            points[leaf, j, place] = points[leaf, j, end]
            points[leaf, j, end] = value
            if j < totals.shape[1]:
                add(totals, j, -value)
            node = leaf
            old_low, old_high = low[leaf // FAN, j, leaf % FAN], high[leaf // FAN, j, leaf % FAN]
            if old_low < value < old_high:
                continue
            least, most = np.inf, -np.inf
            for m in range(end):
                other = points[leaf, j, m]
                least = other if other < least else least
                most = other if other > most else most
            for level in range(state[TOP] + 1):  # the boxes that this record held up
                frame, box = offsets[level] + node // FAN, node % FAN
                if low[frame, j, box] < old_low and high[frame, j, box] > old_high:
                    break
                old_low, old_high = low[frame, j, box], high[frame, j, box]
                low[frame, j, box], high[frame, j, box] = least, most
                node //= FAN
                least, most = np.inf, -np.inf
                for m in range(min(FAN, nodes[level] - node * FAN)):
                    least = low[frame, j, m] if low[frame, j, m] < least else least
                    most = high[frame, j, m] if high[frame, j, m] > most else most
        behind = leaf * LEAF + end
        at_position[at], at_position[behind] = at_position[behind], at_position[at]
        places[at_position[at]] = at
        places[at_position[behind]] = behind
    state[COUNT] -= count


@jit
def least_distances(lows: Floats, highs: Floats, size: int, center: Floats, bounds: Floats) -> None:
    """Compute the distances from a center to the boxes of a frame: 0 inside one.

    lows IN, highs IN (d + 1, FAN), center IN (d), bounds OUT (FAN). A box without records is
    infinitely far.
    """
    for i in range(size):
        bounds[i] = 0.0
    for j in range(center.shape[0]):
        value = center[j]
        low, high = lows[j], highs[j]
        for i in range(size):
            below, above = low[i] - value, value - high[i]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            bounds[i] += gap * gap


@jit
def aim(pivot: Floats, center: Floats, direction: Floats) -> float:
    """Set the direction from the pivot to a center; return its squared length.

    pivot IN (d), center IN (d), direction OUT (d).
    """
    length = 0.0
    for j in range(center.shape[0]):
        direction[j] = center[j] - pivot[j]
        length += direction[j] * direction[j]
    return length


@jit
def most_distances(
    lows: Floats,
    highs: Floats,
    size: int,
    pivot: Floats,
    direction: Floats,
    length: float,
    bounds: Floats,
) -> None:
    """Compute what no distance from a center to a record in the boxes of a frame exceeds.

    lows IN, highs IN (d + 1, FAN), pivot IN (d), direction IN (d), length IN: `aim` gave them;
    bounds OUT (FAN). A box without records has -1.
    """
    width = pivot.shape[0]
    for i in range(size):
        bounds[i] = 0.0
    for j in range(width):
        step, middle = -2.0 * direction[j], pivot[j]
        low, high = lows[j], highs[j]
        for i in range(size):
            one, other = (low[i] - middle) * step, (high[i] - middle) * step
            bounds[i] += one if one > other else other
    near, reach = lows[width], highs[width]
    for i in range(size):
        bounds[i] += (reach[i] + length) * (1.0 + 1e-12)  # more than rounding can take away
        if near[i] > reach[i]:
            bounds[i] = -1.0


@jit
def leaf_distances(points: Floats, size: int, center: Floats, block: Floats) -> None:
    """Compute the distances from a center to the live records of a leaf.

    points IN (d + 1, LEAF), center IN (d), block OUT (LEAF). Attributes are added in their order.
    """
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
        value, p0 = center[j], points[j]
        for i in range(size):
            d0 = p0[i] - value
            block[i] += d0 * d0
