"""Nearest and farthest among the records of a tree, skipping what its boxes exclude."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import jit
from shoal.kernels.tree import (
    FAN,
    LEAF,
    TOP,
    Tree,
    aim,
    frame_size,
    leaf_distances,
    least_distances,
    most_distances,
    open_frame,
)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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


@jit
def _largest(bounds: Floats, count: int) -> int:
    """Return where the largest of the first count bounds is. bounds IN."""
    at = 0
    for i in range(1, count):
        at = i if bounds[i] > bounds[at] else at
    return at


@jit
def _least(bounds: Floats, count: int) -> int:
    """Return where the least of the first count bounds is. bounds IN."""
    at = 0
    for i in range(1, count):
        at = i if bounds[i] < bounds[at] else at
    return at


@jit
def farthest(tree: Tree, center: Floats, error: float) -> tuple[int, float]:
    """Return the row farthest from a center, and its distance; the lowest row wins a tie.

    tree IN (work space OUT), center IN (d). The pool is not empty.
    """
    most, second, low, row = -1.0, -1.0, -0.5, -1
    length = aim(tree, center)
    level = tree.state[TOP]
    open_frame(tree, level, 0)
    most_distances(tree, level, length)
    while level <= tree.state[TOP]:
        bounds = tree.bounds[level]
        at = _largest(bounds, frame_size(tree, level))
        if bounds[at] < low:
            level += 1
            continue
        bounds[at] = -1.0
        node = tree.frames[level] * FAN + at
        if level > 0:
            level -= 1
            open_frame(tree, level, node)
            most_distances(tree, level, length)
            continue
        first = node * LEAF
        for i in range(leaf_distances(tree, node, center)):
            distance = tree.block[i]
            if distance > most:
                most, second, row = distance, most, tree.rows[first + i]
                low = most - slack(most, error)
            elif distance > second:
                second = distance
    if second >= low:
        row = _lowest_beyond(tree, center, low)
    return row, most


@jit
def _lowest_beyond(tree: Tree, center: Floats, limit: float) -> int:
    """Return the lowest row whose distance is at least a limit. tree IN, center IN (d)."""
    lowest = tree.rows.shape[0]
    length = aim(tree, center)
    level = tree.state[TOP]
    open_frame(tree, level, 0)
    most_distances(tree, level, length)
    while level <= tree.state[TOP]:
        bounds = tree.bounds[level]
        at = _largest(bounds, frame_size(tree, level))
        if bounds[at] < limit or bounds[at] < 0.0:
            level += 1
            continue
        bounds[at] = -1.0
        node = tree.frames[level] * FAN + at
        if level > 0:
            level -= 1
            open_frame(tree, level, node)
            most_distances(tree, level, length)
            continue
        first = node * LEAF
        for i in range(leaf_distances(tree, node, center)):
            if tree.block[i] >= limit and tree.rows[first + i] < lowest:
                lowest = tree.rows[first + i]
    return lowest  # type: ignore[no-any-return]


@jit
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


@jit
def nearest(
    tree: Tree, center: Floats, size: int, error: float, keys: Floats, found: Integers
) -> None:
    """Put the size rows nearest to a center into found; the lowest rows win a tie for the last.

    tree IN (work space OUT), center IN (d), keys OUT (size + 1) work space, found OUT (size + 1).
    At least size records are in the pool.
    """
    if size == 0:
        return
    heap = size + 1  # one more than asked for: is it as near as the last one?
    for i in range(heap):
        keys[i] = np.inf
        found[i] = -1
    level = tree.state[TOP]
    open_frame(tree, level, 0)
    least_distances(tree, level, center)
    while level <= tree.state[TOP]:
        bounds = tree.bounds[level]
        at = _least(bounds, frame_size(tree, level))
        if bounds[at] > keys[0] or bounds[at] == np.inf:
            level += 1
            continue
        bounds[at] = np.inf
        node = tree.frames[level] * FAN + at
        if level > 0:
            level -= 1
            open_frame(tree, level, node)
            least_distances(tree, level, center)
            continue
        first = node * LEAF
        limit = keys[0]
        for i in range(leaf_distances(tree, node, center)):
            if tree.block[i] < limit:
                keys[0] = tree.block[i]
                found[0] = tree.rows[first + i]
                sift_down(keys, found, heap, 0)
                limit = keys[0]
    beyond = keys[0]
    last = keys[1] if heap < 3 else max(keys[1], keys[2])
    margin = slack(last, error)
    if beyond > last + margin:
        found[0], found[size] = found[size], found[0]
    else:
        _settle_ties(tree, center, size, (last - margin, last + margin), keys, found)


@jit
def _settle_ties(
    tree: Tree,
    center: Floats,
    size: int,
    limits: tuple[float, float],
    keys: Floats,
    found: Integers,
) -> None:
    """Fill found with all rows nearer than the first limit and the lowest ones up to the second.

    tree IN, center IN (d), keys OUT work space, found OUT (size + 1).
    """
    low, high = limits
    sure = 0
    open_places = 0
    for turn in range(2):  # first those that are nearer for sure, then the lowest of the equal
        if turn == 1:
            open_places = size - sure
            if open_places == 0:
                return
            for i in range(open_places):
                keys[i] = np.inf
        level = tree.state[TOP]
        open_frame(tree, level, 0)
        least_distances(tree, level, center)
        while level <= tree.state[TOP]:
            bounds = tree.bounds[level]
            at = _least(bounds, frame_size(tree, level))
            if bounds[at] > high or bounds[at] == np.inf:
                level += 1
                continue
            bounds[at] = np.inf
            node = tree.frames[level] * FAN + at
            if level > 0:
                level -= 1
                open_frame(tree, level, node)
                least_distances(tree, level, center)
                continue
            first = node * LEAF
            for i in range(leaf_distances(tree, node, center)):
                distance = tree.block[i]
                row = tree.rows[first + i]
                if turn == 0 and distance < low:
                    found[sure] = row
                    sure += 1
                elif turn == 1 and low <= distance <= high and row < keys[0]:
                    keys[0] = row
                    found[sure] = row
                    sift_down(keys, found[sure:], open_places, 0)
