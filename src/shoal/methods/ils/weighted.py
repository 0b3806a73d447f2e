"""Shifts and swaps between two groups of records with weights.

With masses M and N (sums of weights) and centroids c and c' of two groups, shifting x of weight w
to the other group changes SSE by N w / (N + w) D(x,c') - M w / (M - w) D(x,c); swapping x with y of
weight v changes that of x's group by (M (v D(y,c) - w D(x,c)) - v w D(x,y)) / (M - w + v), and that
of the other one likewise: with weights of 1, what `moves` has.
"""

from __future__ import annotations

import math

from shoal.kernels.jit import ANY, inlined
from shoal.kernels.nearest import slack
from shoal.methods.ils.layout import (
    LOSS,
    MASS,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    SHIFTS_TRIED,
    SIZE,
    SWAPS_TRIED,
    K,
)
from shoal.methods.ils.moves import apply, kept
from shoal.methods.ils.state import State, gap


@inlined
def shifted(mass: float, other: float, weight: float, own: float, there: float) -> float:
    """Return what SSE changes by when a record leaves a group of some mass for another one."""
    rest = mass - weight
    return other * weight / (other + weight) * there - mass * weight / rest * own


@inlined
def improve_weighted_pair(s: State, one: int, two: int) -> int:
    """Apply the best shift or swap between two groups while there is one that gains.

    Returns how many there were. s IN/OUT.
    """
    points, centers, groups, own, roots = s.points, s.centers, s.groups, s.own, s.roots
    apart, counts, weights = s.apart, s.counts, s.weights
    k, width = s.choices[K], points.shape[1]
    most = s.choices[MOST] if s.choices[MAY_SHIFT] == 1 else 0
    swaps = s.choices[MAY_SWAP] == 1
    applied, nobody = 0, -1 + ANY
    while True:
        a, b = groups[one, SIZE], groups[two, SIZE]
        there, back = a > k and b < most, b > k and a < most
        if not (swaps or there or back) or max(a, b) > s.choices[MOST]:
            break
        left, right = centers[one, MASS], centers[two, MASS]
        both = centers[one, LOSS] + centers[two, LOSS]
        least = -(1e-11 * both + slack(both, s.error))
        x, y = nobody, nobody
        for i in range(a):
            row = groups[one, MEMBERS + i]
            distance = gap(points, row, centers, two, width)
            apart[0, i], apart[1, i] = distance, math.sqrt(distance)
            if there:
                change = shifted(left, right, weights[row], own[row], distance)
                if change < least and kept(s, one, two, row, nobody):
                    least, x, y = change, row, nobody
        counts[SHIFTS_TRIED] += a * there + b * back
        for j in range(b):
            row = groups[two, MEMBERS + j]
            v = weights[row]
            distance = gap(points, row, centers, one, width)
            if back:
                change = shifted(right, left, v, own[row], distance)
                if change < least and kept(s, one, two, nobody, row):
                    least, x, y = change, nobody, row
            for i in range(a if swaps else 0):
                partner = groups[one, MEMBERS + i]
                w = weights[partner]
                new, other = left - w + v, right - v + w
                change = left * (v * distance - w * own[partner]) / new
                change += right * (w * apart[0, i] - v * own[row]) / other
                ends = apart[1, i] + roots[row]  # no farther is x from y
                pull = v * w / new + v * w / other
                if change - pull * ends * ends < least:
                    counts[SWAPS_TRIED] += 1
                    change -= pull * gap(points, row, points, partner, width)
                    if change < least and kept(s, one, two, partner, row):
                        least, x, y = change, partner, row
        if x < 0 and y < 0:
            break
        apply(s, one, two, x, y, least)
        applied += 1
    return applied
