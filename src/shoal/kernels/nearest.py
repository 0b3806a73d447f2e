"""Nearest and farthest among the records that are still without a group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import jit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@jit
def farthest(points: Floats, rows: Integers, count: int, center: Floats, block: Floats) -> int:
    """Return the position farthest from a center; the lowest row wins a tie.

    points IN (d, n), rows IN (n), center IN (d), block OUT (BLOCK) work space.
    """
    best = -1.0
    best_at = -1
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        squared_distances(points, start, stop, center, block)
        for i in range(stop - start):
            distance = block[i]
            if distance > best or (distance == best and rows[start + i] < rows[best_at]):
                best = distance
                best_at = start + i
    return best_at


@jit
def _sift_down(distances: Floats, places: Integers, rows: Integers, size: int) -> None:
    """Restore the heap after its root changed: the largest (distance, row) belongs on top."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        right = child + 1
        if right < size and (
            distances[right] > distances[child]
            or (distances[right] == distances[child] and rows[places[right]] > rows[places[child]])
        ):
            child = right
        if distances[child] < distances[at] or (
            distances[child] == distances[at] and rows[places[child]] <= rows[places[at]]
        ):
            return
        distances[at], distances[child] = distances[child], distances[at]
        places[at], places[child] = places[child], places[at]
        at = child


@jit
def nearest_and_farthest(
    points: Floats,
    rows: Integers,
    count: int,
    center: Floats,
    distances: Floats,
    places: Integers,
    block: Floats,
) -> int:
    """Find the len(places) nearest to a center, ties by row, and return the farthest position.

    points IN (d, n), rows IN (n), center IN (d); distances OUT (m), places OUT (m) positions of
    the nearest in the order of a heap; block OUT (BLOCK) work space. One sweep over the points.
    """
    size = distances.shape[0]
    for i in range(size):
        distances[i] = np.inf
        places[i] = 0
    limit = np.inf
    filled = 0
    best = -1.0
    best_at = -1
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        squared_distances(points, start, stop, center, block)
        for i in range(stop - start):
            distance = block[i]
            if distance > best or (distance == best and rows[start + i] < rows[best_at]):
                best = distance
                best_at = start + i
            if distance <= limit and (
                distance < limit or filled < size or rows[start + i] < rows[places[0]]
            ):
                distances[0] = distance
                places[0] = start + i
                _sift_down(distances, places, rows, size)
                limit = distances[0]
                filled += 1
    return best_at
