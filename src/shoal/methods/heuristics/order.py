"""Paths through all records, for the dynamic program that cuts a path into groups (`cut_path`)."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import jit
from shoal.kernels.nearest import rounding, slack, slacks
from shoal.measures.loss import group_means

BITS = 16  # of a coordinate on the Hilbert curve
NEAR_WHOLE = 1e-9  # of a cell: what scaling may round
WORD_BITS = 60  # of a key's part: an int64 stays positive


def hilbert(matrix: Floats) -> Integers:
    """Return the rows along a Hilbert curve through 2^16 cells an attribute (Skilling 2004).

    Attribute by attribute, cell = floor((x - min) / (max - min) 2^16), at most 2^16 - 1. The
    lowest row goes first in a cell. O(n d) and a sort. Requires an attribute.
    """
    count, width = matrix.shape
    cells = np.zeros((count, width), dtype=np.int64)
    for j in range(width):
        cells[:, j] = _cells(matrix[:, j])
    words = np.empty((-(-BITS * width // WORD_BITS), count), dtype=np.int64)
    _curve_keys(cells, words)
    return _sorted(words)


def _sorted(words: Integers) -> Integers:
    """Return the rows by their words, the most significant first; the lowest row wins a tie."""
    order: Integers = np.argsort(words[0], kind="stable").astype(np.int64)
    first = words[0][order]
    same = first[1:] == first[:-1]
    tied = np.append(same, False) | np.insert(same, 0, False)
    if tied.any():  # those that share a word are rows of one stretch, and stay in it
        rows = order[tied]
        order[tied] = rows[np.lexsort(words[::-1, rows])]
    return order


def _cells(column: Floats) -> Integers:
    """Return the cell of every value of an attribute; all 0 where it is constant."""
    low, high = column.min(), column.max()
    if low == high:
        return np.zeros(column.shape[0], dtype=np.int64)
    if high / 2 - low / 2 > np.finfo(np.float64).max / 2:  # max - min would overflow
        column, low, high = column / 2, low / 2, high / 2
    places = (column - low) / (high - low) * 2**BITS
    whole = np.rint(places)
    cells = np.where(np.abs(places - whole) <= NEAR_WHOLE, whole, np.floor(places))
    capped: Integers = np.minimum(cells, 2**BITS - 1).astype(np.int64)
    return capped


@jit
def _curve_keys(cells: Integers, words: Integers) -> None:
    """Turn cells into places on the Hilbert curve, as several words, the most significant first.

    cells IN/OUT (n, d), words OUT (w, n). Skilling, "Programming the Hilbert
    curve" (AIP Conference Proceedings 707, 2004): AxestoTranspose, then the bits of all
    attributes in turn.
    """
    count, width = cells.shape
    for row in range(count):
        axes = cells[row]
        bit = 1 << (BITS - 1)
        while bit > 1:  # inverse undo
            mask = bit - 1
            for j in range(width):  # without a branch that nobody could foretell
                flip = mask if axes[j] & bit else 0
                swap = (axes[0] ^ axes[j]) & (mask ^ flip)
                axes[0] ^= swap | flip
                axes[j] ^= swap
            bit >>= 1
        for j in range(1, width):  # Gray encode
            axes[j] ^= axes[j - 1]
        flip = 0
        bit = 1 << (BITS - 1)
        while bit > 1:
            if axes[width - 1] & bit:
                flip ^= bit - 1
            bit >>= 1
        word, key, left = 0, 0, WORD_BITS
        for shift in range(BITS - 1, -1, -1):
            for j in range(width):
                key = 2 * key + (((axes[j] ^ flip) >> shift) & 1)
                left -= 1
                if left == 0:
                    words[word, row] = key
                    word, key, left = word + 1, 0, WORD_BITS
        if left < WORD_BITS:
            words[word, row] = key


def through_groups(matrix: Floats, labels: Integers) -> Integers:
    """Return a path through groups: from one to the nearest next, each on one stretch.

    The order of MDAV-MHM (Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006): a
    fixed-size method's groups, then the univariate dynamic program along them. From group 0 the
    path goes to the group whose centroid is nearest among those not yet visited (the lowest label
    wins a tie). Inside a group, records go from those near the group before to those near the
    group after, by rising D(x, centroid before) - D(x, centroid after), rows rising in a tie.
    Groups stay whole, so cutting the path is never worse than the groups. O(n d + g² d).
    Requires labels 0..g-1, each in use.
    """
    count, width = matrix.shape
    error = rounding(matrix)
    centroids = group_means(matrix, labels)
    groups = centroids.shape[0]
    walk = np.empty(groups, dtype=np.int64)
    _walk_nearest(centroids.T.copy(), error, walk, np.empty(groups), np.empty(width))

    stops = np.empty(groups, dtype=np.int64)
    stops[walk] = np.arange(groups)
    stop = stops[labels]
    keys, tolerances = np.zeros(count), np.zeros(count)
    for sign, there in ((1.0, stop > 0), (-1.0, stop < groups - 1)):
        neighbors = walk[stop[there] - int(sign)]
        distances = np.zeros(neighbors.shape[0])
        for j in range(width):
            distances += (matrix[there, j] - centroids[neighbors, j]) ** 2
        keys[there] += sign * distances
        tolerances[there] += slacks(distances, error)

    order = np.lexsort((keys, stop))
    before, after = order[:-1], order[1:]
    parted = stop[before] != stop[after]
    parted |= keys[after] - keys[before] > np.maximum(tolerances[before], tolerances[after])
    ties = np.concatenate(([0], np.cumsum(parted)))  # records of one tie share a number
    path: Integers = order[np.lexsort((order, ties))].astype(np.int64)
    return path


@jit
def _walk_nearest(
    centers: Floats, error: float, walk: Integers, distances: Floats, center: Floats
) -> None:
    """Visit all centers, from the first always to the nearest next; the lowest wins a tie.

    centers IN/OUT (d, g), in another order after; walk OUT (g); distances (g) and
    center (d) are work space. Those without a visit stand in front, so a sweep gets shorter with
    every visit.
    """
    width, count = centers.shape
    for i in range(count):
        walk[i] = i  # unvisited centers in front, the visited ones from the end on
    at = 0
    for left in range(count - 1, -1, -1):
        for j in range(width):
            center[j] = centers[j, at]
            centers[j, at] = centers[j, left]
        walk[at], walk[left] = walk[left], walk[at]
        least = np.inf
        for start in range(0, left, BLOCK):
            stop = min(start + BLOCK, left)
            squared_distances(centers, start, stop, center, distances[start:stop])
            for i in range(start, stop):
                if distances[i] < least:  # noqa: PLR1730 (a branch is faster than min)
                    least = distances[i]
        limit = least + slack(least, error)
        at = 0
        lowest = count
        for i in range(left):
            if distances[i] <= limit and walk[i] < lowest:
                lowest = walk[i]
                at = i
    for i in range(count // 2):
        walk[i], walk[count - 1 - i] = walk[count - 1 - i], walk[i]
