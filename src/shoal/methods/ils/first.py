"""First moves of a pair that gain: swaps, then shifts there, then shifts back.

So the 2020 thesis writes the visit of a pair (`update`, `updateC`): every record of one group is
tried with every record of the other, and a swap that gains is made at once; then every record that
its group can spare is tried as a shift. `moves` has the formulas, and takes the best move instead.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import ANY, inlined, part
from shoal.kernels.nearest import slack
from shoal.methods.ils.layout import (
    BY_SHIFTS,
    BY_SWAPS,
    HAS_MOVED,
    LABEL,
    LOSS,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    MOVED,
    RADIUS,
    SHIFTS,
    SHIFTS_TRIED,
    SIZE,
    SLOT,
    SWAPS,
    SWAPS_TRIED,
    K,
)
from shoal.methods.ils.moves import kept, may_shift
from shoal.methods.ils.state import State, gap, move, refresh

SWAP, BACK, OVER = 0, 2, 3  # stages of a visit; between the first two: shift there


@inlined
def may_gain(s: State, one: int, two: int) -> bool:
    """Tell whether two groups are near enough for a swap or a shift to gain."""
    centers, k, most = s.centers, s.choices[K], s.choices[MOST]
    squared = gap(centers, one, centers, two, s.points.shape[1])
    both = centers[one, RADIUS] + centers[two, RADIUS]
    may = both * both > squared
    a, b = s.groups[one, SIZE], s.groups[two, SIZE]
    if not may and (a > k or b > k):
        between = math.sqrt(squared)
        may = may_shift(a, b, centers[one, RADIUS], between, k, most)
        may = may or may_shift(b, a, centers[two, RADIUS], between, k, most)
    return may  # type: ignore[no-any-return]


@inlined
def exchange(records: Integers, groups: Integers, lists: Integers, counts: Integers, x: int,
             y: int) -> None:  # fmt: skip
    """Let two records change places; centroids stay as they were. All IN/OUT."""
    for column in (LABEL, SLOT):
        records[x, column], records[y, column] = records[y, column], records[x, column]
    for turn in range(2):
        row = x if turn == 0 else y
        groups[records[row, LABEL], MEMBERS + records[row, SLOT]] = row
        for since in range(2):
            if records[row, HAS_MOVED + since] == 0:
                records[row, HAS_MOVED + since] = 1
                lists[MOVED + since, counts[MOVED + since]] = row
                counts[MOVED + since] += 1


@part
def improve_first(s: State, one: int, two: int) -> int:
    """Visit a pair of groups as the thesis does; return how many moves were made. s IN/OUT.

    In every stage each record (each pair of records) has its turn once. Left out are those that
    the bounds of `moves` rule out, which a plain loop would try in vain.
    """
    points, centers, groups, own, roots = s.points, s.centers, s.groups, s.own, s.roots
    counts, apart, width = s.counts, s.apart, s.points.shape[1]
    k, most = s.choices[K], s.choices[MOST] if s.choices[MAY_SHIFT] == 1 else 0
    applied, stage, i, j = 0, SWAP, 0, 0
    while stage < OVER:
        here, there = (two, one) if stage == BACK else (one, two)
        a, b = groups[here, SIZE], groups[there, SIZE]
        between = math.sqrt(gap(centers, here, centers, there, width))
        reach, radius = centers[here, RADIUS], centers[there, RADIUS]
        both = centers[here, LOSS] + centers[there, LOSS]
        least, change = -(1e-11 * both + slack(both, s.error)), 0.0
        x, y = -1 + ANY, -1 + ANY
        if stage == SWAP:
            weight = 1.0 / a + 1.0 / b
            opened = s.choices[MAY_SWAP] == 1 and reach + radius > between
            for other in range(b if opened else 0):
                row = groups[there, MEMBERS + other]
                apart[0, other] = np.inf
                if roots[row] + reach > between:
                    apart[0, other] = gap(points, row, centers, here, width) - own[row]
            while opened and i < a and x < 0:
                row = groups[here, MEMBERS + i]
                if roots[row] + radius > between:
                    away = gap(points, row, centers, there, width)
                    far = math.sqrt(away)
                    while j < b and x < 0:
                        other = groups[there, MEMBERS + j]
                        ends = far + roots[other]  # no farther is x from y
                        change = away - own[row] + apart[0, j]
                        if change - weight * ends * ends < least:
                            counts[SWAPS_TRIED] += 1
                            change -= weight * gap(points, row, points, other, width)
                            if change < least:
                                x, y = row, other
                        j += 1
                if x < 0:
                    i, j = i + 1, 0
        elif may_shift(a, b, reach, between, k, most):
            while i >= 0 and x < 0:  # from the last: the last one takes the place of who goes
                row = groups[here, MEMBERS + i]
                i -= 1
                counts[SHIFTS_TRIED] += 1
                change = b / (b + 1.0) * gap(points, row, centers, there, width)
                change -= a / (a - 1.0) * own[row]
                if change < least:
                    x = row
        if x < 0:
            stage += 1
            i = groups[two if stage == BACK else one, SIZE] - 1
        elif kept(s, here, there, x, y):
            if y >= 0:
                exchange(s.records, groups, s.lists, counts, x, y)
            else:
                move(s.records, groups, s.lists, counts, x, there)
            for turn in range(2):
                refresh(s, here if turn == 0 else there)
            counts[SWAPS if y >= 0 else SHIFTS] += 1
            s.sums[BY_SWAPS if y >= 0 else BY_SHIFTS] -= change
            applied += 1
    return applied
