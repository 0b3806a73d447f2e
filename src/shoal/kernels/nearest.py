"""Nearest and farthest among the records that are still without a group."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import jit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@jit
def slack(distance: float, error: float) -> float:
    """Return how far apart two squared distances may be and still count as equal.

    `error` bounds the rounding of a coordinate. Records that are exactly as far away as each
    other must not be told apart by it: a tie goes to the lowest row, as on paper.
    """
    return 4.0 * error * math.sqrt(distance) + 4.0 * error * error + 4e-15 * distance


class Leader(NamedTuple):
    """The farthest record so far: its distance, what counts as equal to it, its position."""

    distance: float
    low: float
    high: float
    at: int


@jit
def _challenge(leader: Leader, distance: float, at: int, rows: Integers, error: float) -> Leader:
    """Return the leader after a record as far or farther came; the lowest row wins a tie."""
    if distance <= leader.high and rows[at] > rows[leader.at]:
        at = leader.at
    most = max(distance, leader.distance)
    margin = slack(most, error)
    return Leader(most, most - margin, most + margin, at)


@jit
def farthest(
    points: Floats, rows: Integers, count: int, center: Floats, error: float, block: Floats
) -> int:
    """Return the position farthest from a center; the lowest row wins a tie.

    points IN (d, n), rows IN (n), center IN (d), block OUT (BLOCK) work space.
    """
    leader = Leader(-1.0, -1.0, -1.0, -1)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        squared_distances(points, start, stop, center, block)
        for i in range(stop - start):
            distance = block[i]
            if distance >= leader.low:
                leader = _challenge(leader, distance, start + i, rows, error)
    return leader.at


@jit
def _sift_down(distances: Floats, places: Integers, size: int) -> None:
    """Restore the heap after its root changed: the largest distance belongs on top."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        right = child + 1
        if right < size and distances[right] > distances[child]:
            child = right
        if distances[child] <= distances[at]:
            return
        distances[at], distances[child] = distances[child], distances[at]
        places[at], places[child] = places[child], places[at]
        at = child


@jit
def nearest(
    points: Floats,
    rows: Integers,
    count: int,
    center: Floats,
    error: float,
    distances: Floats,
    places: Integers,
    block: Floats,
) -> int:
    """Find the len(places) nearest to a center, and return the farthest position, in one sweep.

    points IN (d, n), rows IN (n), center IN (d); distances OUT (m), places OUT (m) positions of
    the nearest as a heap, the farthest of them on top; block OUT (BLOCK) work space. At least m
    points are there.
    """
    size = distances.shape[0]
    for i in range(size):
        distances[i] = np.inf
        places[i] = 0
    limit = np.inf
    filled = 0
    leader = Leader(-1.0, -1.0, -1.0, -1)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        squared_distances(points, start, stop, center, block)
        for i in range(stop - start):
            distance = block[i]
            if distance < limit or filled < size:
                distances[0] = distance
                places[0] = start + i
                _sift_down(distances, places, size)
                limit = distances[0]
                filled += 1
            if distance >= leader.low:
                leader = _challenge(leader, distance, start + i, rows, error)
    return leader.at


@jit
def within(
    points: Floats,
    rows: Integers,
    count: int,
    center: Floats,
    limits: tuple[float, float],
    nearer: Integers,
    equal: Integers,
    block: Floats,
) -> tuple[int, int]:
    """List the rows nearer than the first limit, and those from there up to the second.

    points IN (d, n), rows IN (n), center IN (d); nearer OUT, equal OUT rows; block OUT work space.
    Returns how many of each.
    """
    low, high = limits
    sure = 0
    ties = 0
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        squared_distances(points, start, stop, center, block)
        for i in range(stop - start):
            if block[i] < low:
                nearer[sure] = rows[start + i]
                sure += 1
            elif block[i] <= high:
                equal[ties] = rows[start + i]
                ties += 1
    return sure, ties
