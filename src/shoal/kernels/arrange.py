"""Building the tree of boxes over records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.kernels.layout import FAN, LEAF

SAMPLE = 64  # records that tell which side is the widest


@jit
def arrange(points: Floats, order: Integers, column: Floats, pending: Integers, count: int) -> None:
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
def move(points: Floats, order: Integers, column: Floats, rows: Integers, places: Integers) -> None:
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
def set_pivot(points: Floats, pivot: Floats, count: int) -> None:
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
def draw_boxes(
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
