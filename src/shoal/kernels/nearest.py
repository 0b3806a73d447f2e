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
    Pool,
    aim,
    frame_size,
    leaf_distances,
    least_distances,
    most_distances,
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
def farthest(tree: Pool, center: Floats, error: float) -> tuple[int, float]:
    """Return the row farthest from a center, and its distance; the lowest row wins a tie.

    tree IN (work space OUT), center IN (d). The pool is not empty. A first round over the tree
    finds the distance; where others are as far, a second one finds the lowest row.
    """
    most, second, low, row = -1.0, -1.0, -0.5, tree.places.shape[0]
    length = aim(tree, center)
    for turn in range(2):
        level = tree.state[TOP]
        tree.frames[level] = 0
        most_distances(tree, level, length)
        while level <= tree.state[TOP]:
            bounds = tree.bounds[level]
            size = frame_size(tree, level)
            at = 0
            for i in range(1, size):
                at = i if bounds[i] > bounds[at] else at
            if bounds[at] < low or bounds[at] < 0.0:
                level += 1
                continue
            bounds[at] = -1.0
            node = tree.frames[level] * FAN + at
            if level > 0:
                level -= 1
                tree.frames[level] = node
                most_distances(tree, level, length)
                continue
            first = node * LEAF
            for i in range(leaf_distances(tree, node, center)):
                distance = tree.block[i]
                if turn == 1:
                    if distance >= low and tree.rows[first + i] < row:
                        row = tree.rows[first + i]
                elif distance > most:
                    most, second, row = distance, most, tree.rows[first + i]
                    low = most - slack(most, error)
                elif distance > second:
                    second = distance
        if second < low:
            break
    return row, most


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
    tree: Pool, center: Floats, skip: int, size: int, error: float, keys: Floats, found: Integers
) -> None:
    """Put the size rows nearest to a center into found; the lowest rows win a tie for the last.

    One row may be skipped (-1: none).

    tree IN (work space OUT), center IN (d), keys OUT (size + 1) work space, found OUT (size + 1).
    At least size others are in the pool. A first round over the tree finds size + 1 records;
    where the last two are equally near, a second one collects those that are nearer for sure, and
    a third one the lowest of those that are equal.
    """
    if size == 0:
        return
    heap = size + 1
    sure = 0
    low, high = np.inf, np.inf
    for turn in range(3):
        if turn != 1:
            for i in range(heap):
                keys[i] = np.inf
        level = tree.state[TOP]
        tree.frames[level] = 0
        least_distances(tree, level, center)
        while level <= tree.state[TOP]:
            bounds = tree.bounds[level]
            at = 0
            for i in range(1, frame_size(tree, level)):
                at = i if bounds[i] < bounds[at] else at
            limit = keys[0] if turn == 0 else high
            if bounds[at] > limit or bounds[at] == np.inf:
                level += 1
                continue
            bounds[at] = np.inf
            node = tree.frames[level] * FAN + at
            if level > 0:
                level -= 1
                tree.frames[level] = node
                least_distances(tree, level, center)
                continue
            first = node * LEAF
            for i in range(leaf_distances(tree, node, center)):
                distance = tree.block[i]
                key = distance
                if turn == 1:
                    if distance < low and tree.rows[first + i] != skip:
                        found[sure] = tree.rows[first + i]
                        sure += 1
                    continue
                if turn == 2:
                    if distance < low or distance > high:
                        continue
                    key = tree.rows[first + i]
                if key < keys[0] and tree.rows[first + i] != skip:
                    keys[0] = key
                    found[sure] = tree.rows[first + i]
                    sift_down(keys, found[sure:], heap, 0)
        if turn == 0:
            last = keys[1] if heap < 3 else max(keys[1], keys[2])
            margin = slack(last, error)
            if keys[0] > last + margin:
                found[0] = found[size]
                return
            low, high = last - margin, last + margin
        elif turn == 1:
            heap = size - sure
            if heap == 0:
                return
