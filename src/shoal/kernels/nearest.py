"""Nearest and farthest records in the tree, with pruning by boxes."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.distance import squared_distances
from shoal.kernels.jit import ANY, hot, jit
from shoal.kernels.layout import FAN, LEAF
from shoal.kernels.tree import EVALUATIONS, TOP, Pool

COORDINATE_ERROR = 1e-15  # of the largest coordinate: what standardizing and averaging may round


def rounding(matrix: Floats) -> float:
    """Return what rounding may have done to a coordinate."""
    return COORDINATE_ERROR * float(np.abs(matrix).max())


@jit
def slack(distance: float, error: float) -> float:
    """Return how far apart two squared distances may be and still count as equal.

    `error` bounds the rounding of a coordinate. Records that are exactly as far away as each
    other must not be told apart by it: a tie goes to the lowest row, as on paper.
    """
    return 4.0 * error * math.sqrt(distance) + 4.0 * error * error + 4e-15 * distance


def slacks(distances: Floats, error: float) -> Floats:
    """Return the slack of each of several distances."""
    return 4.0 * error * np.sqrt(distances) + 4.0 * error * error + 4e-15 * distances


@hot
def farthest(pool: Pool, center: Floats) -> tuple[int, float]:
    """Return the row farthest from a center, and its distance; the lowest row wins a tie.

    pool IN (work space OUT), center IN (d). The pool is not empty. A first round over the tree
    finds the distance; where others are as far, a second one finds the lowest row.
    """
    rows, frames, bounds, block, live = pool.rows, pool.frames, pool.bounds, pool.block, pool.live
    low, high, offsets, nodes, points = pool.low, pool.high, pool.offsets, pool.nodes, pool.points
    pivot, direction, state, error = pool.pivot, pool.direction, pool.state, pool.error
    most, second, limit, row = -1.0, -1.0, -0.5, rows.shape[0]
    length = aim(pivot, center, direction)
    top = state[TOP]
    for turn in range(2):
        level = top + 1
        node = 0
        while True:
            if level > 0:  # open the frame of the node's children
                level -= 1
                frames[level] = node
                frame = offsets[level] + node
                size = min(FAN, nodes[level] - node * FAN)
                most_distances(
                    low[frame], high[frame], size, pivot, direction, length, bounds[level]
                )
            else:  # look at the records of the leaf
                first, size = node * LEAF, live[node]
                squared_distances(points[node], 0 + ANY, size, center, block)
                state[EVALUATIONS] += size
                for i in range(size):
                    distance = block[i]
                    if turn == 1:
                        if distance >= limit and rows[first + i] < row:
                            row = rows[first + i]
                    elif distance > most:
                        most, second, row = distance, most, rows[first + i]
                        limit = most - slack(most, error)
                    elif distance > second:
                        second = distance
            while level <= top:  # the box that may reach farthest, in the lowest frame that has one
                at = 0
                for i in range(1, min(FAN, nodes[level] - frames[level] * FAN)):
                    at = i if bounds[level, i] > bounds[level, at] else at
                if bounds[level, at] >= limit and bounds[level, at] >= 0.0:
                    break
                level += 1
            if level > top:
                break
            bounds[level, at] = -1.0
            node = frames[level] * FAN + at
        if second < limit:
            break
    return row, most


@hot
def sift_down(keys: Floats, items: Integers, size: int, at: int) -> None:
    """Restore the heap after the key at a place fell: the largest key belongs on top.

    keys IN/OUT, items IN/OUT (both at least size).
    """
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        right = child + 1
        if right < size and keys[right] > keys[child]:
            child = right
        if keys[child] <= keys[at]:
            return
        keys[at], keys[child] = keys[child], keys[at]
        items[at], items[child] = items[child], items[at]
        at = child


@hot
def nearest(pool: Pool, center: Floats, skip: int, size: int) -> None:
    """Put the size rows nearest to a center into pool.found; the lowest win a tie for the last.

    One row may be skipped (-1: none). pool IN (work space OUT), center IN (d). At least size
    others are in the pool, and it was made for groups of at least size.

    A first round over the tree finds size + 1 records; where the last two are equally near, a
    second one collects those that are nearer for sure, and a third one the lowest of those that
    are equal.
    """
    if size == 0:
        return
    rows, frames, bounds, block, live = pool.rows, pool.frames, pool.bounds, pool.block, pool.live
    low, high, offsets, nodes, points = pool.low, pool.high, pool.offsets, pool.nodes, pool.points
    state, keys, found = pool.state, pool.keys, pool.found
    top = state[TOP]
    heap = size + 1
    sure = 0
    nearer, equal = np.inf, np.inf
    for turn in range(3):
        if turn != 1:
            for i in range(heap):
                keys[i] = np.inf
        level = top + 1
        node = 0
        while True:
            if level > 0:  # open the frame of the node's children
                level -= 1
                frames[level] = node
                frame = offsets[level] + node
                count = min(FAN, nodes[level] - node * FAN)
                least_distances(low[frame], high[frame], count, center, bounds[level])
            else:  # look at the records of the leaf
                first, count = node * LEAF, live[node]
                squared_distances(points[node], 0 + ANY, count, center, block)
                state[EVALUATIONS] += count
                for i in range(count):
                    distance = block[i]
                    key = distance
                    if turn == 1:
                        if distance < nearer and rows[first + i] != skip:
                            found[sure] = rows[first + i]
                            sure += 1
                        continue
                    if turn == 2:
                        if distance < nearer or distance > equal:
                            continue
                        key = rows[first + i]
                    if key < keys[0] and rows[first + i] != skip:
                        keys[0] = key
                        found[sure] = rows[first + i]
                        sift_down(keys, found[sure:], heap, 0)
            limit = keys[0] if turn == 0 else equal
            while level <= top:  # the nearest box, in the lowest frame that has one
                at = 0
                for i in range(1, min(FAN, nodes[level] - frames[level] * FAN)):
                    at = i if bounds[level, i] < bounds[level, at] else at
                if bounds[level, at] <= limit and bounds[level, at] < np.inf:
                    break
                level += 1
            if level > top:
                break
            bounds[level, at] = np.inf
            node = frames[level] * FAN + at
        if turn == 0:
            last = keys[1] if heap < 3 else max(keys[1], keys[2])
            margin = slack(last, pool.error)
            if keys[0] > last + margin:
                found[0] = found[size]
                return
            nearer, equal = last - margin, last + margin
        elif turn == 1:
            heap = size - sure
            if heap == 0:
                return


# Lower and upper bounds on distances to the records in a box.
#
# Rounding is monotonic, so the distance to a box, summed in the order in which distances are
# summed, is never more than the distance to a record in it: skipping loses nothing, not even a tie.
#
# Far corners of boxes say little where attributes are many: in eight of them, nearly all boxes
# reach beyond the farthest record. So each record carries one more number, its squared distance to
# a pivot m, the centroid when the tree was built, with bounds like any attribute. From |x - c|² =
# |x - m|² + |c - m|² - 2 (x - m)·(c - m), the first term at most the node's largest and the last
# one a sum over the sides of the box, follows a bound that tells the outer leaves.


@hot
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


@hot
def aim(pivot: Floats, center: Floats, direction: Floats) -> float:
    """Set the direction from the pivot to a center; return its squared length.

    pivot IN (d), center IN (d), direction OUT (d).
    """
    length = 0.0
    for j in range(center.shape[0]):
        direction[j] = center[j] - pivot[j]
        length += direction[j] * direction[j]
    return length


@hot
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
