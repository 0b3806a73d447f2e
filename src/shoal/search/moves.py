"""Shifts and swaps between two groups, and the four tests that say which can gain.

With sizes a and b, centroids c and c', radii r and r' of two groups (Laszlo and Mukherjee 2015;
2020 thesis): shifting x to the other group changes SSE by b/(b+1) D(x,c') - a/(a-1) D(x,c);
swapping x and y by D(x,c') + D(y,c) - D(x,c) - D(y,c') - (1/a + 1/b) D(x,y). No swap can gain if
r + r' <= |c - c'|, no shift if a/(a-1) r² <= b/(b+1) (|c - c'| - r)².
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.jit import inlined
from shoal.kernels.nearest import slack
from shoal.search.layout import (
    BY_SHIFTS,
    BY_SWAPS,
    K,
    LOSS,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    RADIUS,
    SHIFTS,
    SHIFTS_TRIED,
    SIZE,
    SWAPS,
    SWAPS_TRIED,
)
from shoal.search.state import State, gap, move, refresh


@inlined
def may_shift(a: int, b: int, radius: float, between: float, k: int, most: int) -> bool:
    """Tell whether a shift from a group of a to one of b is allowed, and might gain."""
    rest = between - radius
    return (a > k and b < most) and (
        rest <= 0.0 or a * (b + 1.0) * radius * radius > b * (a - 1.0) * rest * rest
    )


@inlined
def improve_pair(s: State, one: int, two: int) -> int:
    """Apply the best shift or swap between two groups while there is one that gains.

    Returns how many there were. s IN/OUT.
    """
    points, centers, groups, own = s.points, s.centers, s.groups, s.own
    apart, counts = s.apart, s.counts
    k, width = s.choices[K], points.shape[1]
    most = s.choices[MOST] if s.choices[MAY_SHIFT] == 1 else 0
    applied = 0
    while True:
        a, b = groups[one, SIZE], groups[two, SIZE]
        between = math.sqrt(gap(centers, one, centers, two, width))
        swaps = s.choices[MAY_SWAP] == 1 and centers[one, RADIUS] + centers[two, RADIUS] > between
        there = may_shift(a, b, centers[one, RADIUS], between, k, most)
        back = may_shift(b, a, centers[two, RADIUS], between, k, most)
        if not (swaps or there or back):
            break
        both = centers[one, LOSS] + centers[two, LOSS]
        least = -(1e-11 * both + slack(both, s.error))
        x, y = -1, -1
        stay, join = a / (a - 1.0), b / (b + 1.0)
        for i in range(a):
            row = groups[one, MEMBERS + i]
            apart[0, i] = gap(points, row, centers, two, width)
            change = join * apart[0, i] - stay * own[row]
            if there and change < least:
                least, x, y = change, row, -1
        stay, join = b / (b - 1.0), a / (a + 1.0)
        nearest = np.inf
        for i in range(b):
            row = groups[two, MEMBERS + i]
            distance = gap(points, row, centers, one, width)
            apart[1, i] = distance - own[row]
            apart[2, i] = math.sqrt(own[row])
            nearest = apart[1, i] if apart[1, i] < nearest else nearest
            change = join * distance - stay * own[row]
            if back and change < least:
                least, x, y = change, -1, row
        counts[SHIFTS_TRIED] += a * there + b * back
        if swaps:
            weight = 1.0 / a + 1.0 / b
            for i in range(a):
                row = groups[one, MEMBERS + i]
                root = math.sqrt(apart[0, i])
                first = apart[0, i] - own[row]
                reach = root + centers[two, RADIUS]
                if first + nearest - weight * reach * reach >= least:
                    continue
                for j in range(b):
                    both = first + apart[1, j]
                    reach = root + apart[2, j]  # no farther is x from y
                    if both - weight * reach * reach < least:
                        counts[SWAPS_TRIED] += 1
                        other = groups[two, MEMBERS + j]
                        change = both - weight * gap(points, row, points, other, width)
                        if change < least:
                            least, x, y = change, row, other
        if x < 0 and y < 0:
            break
        if x >= 0:
            move(s.records, groups, s.lists, counts, x, two)
        if y >= 0:
            move(s.records, groups, s.lists, counts, y, one)
        for turn in range(2):
            refresh(s, one if turn == 0 else two)
        swapped = x >= 0 and y >= 0
        counts[SWAPS if swapped else SHIFTS] += 1
        s.sums[BY_SWAPS if swapped else BY_SHIFTS] -= least
        applied += 1
    return applied
