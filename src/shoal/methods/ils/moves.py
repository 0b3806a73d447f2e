"""Shifts and swaps between two groups, with four pruning tests.

With sizes a and b, centroids c and c', radii r and r' of two groups (Laszlo and Mukherjee 2015;
2020 thesis): shifting x to the other group changes SSE by b/(b+1) D(x,c') - a/(a-1) D(x,c);
swapping x and y by D(x,c') + D(y,c) - D(x,c) - D(y,c') - (1/a + 1/b) D(x,y). No swap can gain if
r + r' <= |c - c'|, no shift if a/(a-1) r² <= b/(b+1) (|c - c'| - r)².
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.jit import ANY, inlined
from shoal.kernels.nearest import slack
from shoal.kernels.rules import keeps
from shoal.methods.ils.state import (
    BREACH,
    BY_SHIFTS,
    BY_SWAPS,
    EXCESS,
    LOSS,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    RADIUS,
    RULES,
    SHIFTS,
    SHIFTS_TRIED,
    SIZE,
    SWAPS,
    SWAPS_TRIED,
    K,
    State,
    gap,
    move,
    refresh,
)


@inlined
def may_shift(a: int, b: int, radius: float, between: float, k: int, most: int) -> bool:
    """Tell whether a shift from a group of a to one of b is allowed, and might gain."""
    rest = between - radius
    return (a > k and b < most) and (
        rest <= 0.0 or a * (b + 1.0) * radius * radius > b * (a - 1.0) * rest * rest
    )


@inlined
def kept(s: State, one: int, two: int, x: int, y: int) -> bool:
    """Tell whether the rules allow that x goes from one group to another, and y back."""
    a, b = s.groups[one, SIZE], s.groups[two, SIZE]
    function, rules = s.choices[BREACH], s.choices[RULES]
    return keeps(function, rules, s.groups, one, a, two, b, MEMBERS, x, y)


@inlined
def apply(s: State, one: int, two: int, x: int, y: int, change: float) -> None:
    """Move x into the other group, and y back; none if negative. s IN/OUT."""
    if x >= 0:
        move(s.records, s.groups, s.lists, s.counts, x, two)
    if y >= 0:
        move(s.records, s.groups, s.lists, s.counts, y, one)
    for turn in range(2):
        refresh(s, one if turn == 0 else two)
    swapped = x >= 0 and y >= 0
    s.counts[SWAPS if swapped else SHIFTS] += 1
    s.sums[BY_SWAPS if swapped else BY_SHIFTS] -= change


@inlined
def reach(squared: float, radius: float, other: float, weight: float, least: float) -> float:
    """Return the most that D(x,c') - D(x,c) may be where a swap of x gains, and a little more.

    That of an x at the radius of its group, which may have more than any other.
    """
    both = radius * radius + other * other
    ahead = (2.0 - weight) * squared - weight * both - least - 1e-9 * (squared + both)
    ahead += min(0.0, 2.0 * other * (weight * other - math.sqrt(squared - weight * least)))
    return np.inf if weight >= 1.0 else squared - ahead / (1.0 - weight)


@inlined
def improve_pair(s: State, one: int, two: int) -> int:
    """Apply the best shift or swap between two groups while there is one that gains.

    Returns how many there were. s IN/OUT. With v = (x - c) - (y - c'), u the direction from c to
    c', and w = 1/a + 1/b, a swap changes SSE by (2-w) |c-c'|² - 2 (1-w) |c-c'| u·v - w |v|²: what
    is left to gain for x when y may lie anywhere within the radius decides whether y is looked at.
    With D(y,c) - D(y,c') >= |c-c'|² - 2 |c-c'| |y-c'|, so does what is left for y with the best of
    those x.
    """
    points, centers, groups, own, roots = s.points, s.centers, s.groups, s.own, s.roots
    apart, counts, lists = s.apart, s.counts, s.lists
    k, width = s.choices[K], points.shape[1]
    most = s.choices[MOST] if s.choices[MAY_SHIFT] == 1 else 0
    applied, nobody = 0, -1 + ANY
    while True:
        a, b = groups[one, SIZE], groups[two, SIZE]
        squared = gap(centers, one, centers, two, width)
        radius = centers[two, RADIUS]
        ends = centers[one, RADIUS] + radius
        if max(a, b) <= k and ends * ends * (1.0 + 1e-12) < squared:
            break  # as below, without a root
        between = math.sqrt(squared)
        swaps = s.choices[MAY_SWAP] == 1 and ends > between
        there = may_shift(a, b, centers[one, RADIUS], between, k, most)
        back = may_shift(b, a, radius, between, k, most)
        if not (swaps or there or back) or max(a, b) > s.choices[MOST]:
            break
        both = centers[one, LOSS] + centers[two, LOSS]
        least = -(1e-11 * both + slack(both, s.error))
        x, y = nobody, nobody
        weight = 1.0 / a + 1.0 / b
        most_added = reach(squared, centers[one, RADIUS], radius, weight, least)
        listed = 0
        for i in range(a):  # without a branch that nobody could foretell
            row = groups[one, MEMBERS + i]
            distance = gap(points, row, centers, two, width)
            lists[EXCESS, listed] = row
            apart[0, listed], apart[1, listed] = least, distance
            if there:
                change = b / (b + 1.0) * distance - a / (a - 1.0) * own[row]
                if change < least and kept(s, one, two, row, nobody):
                    least, x, y = change, row, nobody
            listed += there | (distance - own[row] <= most_added)
        along, opened = (1.0 - weight) * between, 0
        for i in range(listed if swaps else 0):
            row, distance = lists[EXCESS, i], apart[1, i]
            ahead = own[row] + squared - distance  # 2 |c-c'| u·(x-c)
            pull = along * along + weight * (1.0 - weight) * ahead + weight * weight * own[row]
            rest = (2.0 - weight) * squared - (1.0 - weight) * ahead
            rest -= weight * (own[row] + radius * radius) + apart[0, i]
            lists[EXCESS, opened] = row
            apart[0, opened], apart[1, opened] = distance - own[row], distance
            far = roots[row] + radius > between
            opened += far & ((rest < 0.0) | (rest * rest < 4.0 * radius * radius * pull))
        nearest, farthest = np.inf, 0.0  # of x that may swap
        for i in range(opened):
            apart[1, i] = math.sqrt(apart[1, i])
            nearest, farthest = min(nearest, apart[0, i]), max(farthest, apart[1, i])
        counts[SHIFTS_TRIED] += a * there + b * back
        listed = 0
        for j in range(b if opened > 0 or back else 0):
            row = groups[two, MEMBERS + j]
            distance = gap(points, row, centers, one, width)
            ends = farthest + roots[row]
            rest = nearest - weight * ends * ends - 1e-12 * both  # and that of y, at least
            lists[EXCESS, a + listed], apart[2, listed] = row, distance
            listed += back | (rest + (distance - own[row]) < least)
        for j in range(listed):
            row, distance = lists[EXCESS, a + j], apart[2, j]
            ends = farthest + roots[row]
            rest = nearest - weight * ends * ends - 1e-12 * both
            if back or rest + squared - 2.0 * between * roots[row] < least:
                if back:
                    change = a / (a + 1.0) * distance - b / (b - 1.0) * own[row]
                    if change < least and kept(s, one, two, nobody, row):
                        least, x, y = change, nobody, row
                added = distance - own[row]
                for i in range(opened if rest + added < least else 0):
                    ends = apart[1, i] + roots[row]  # no farther is x from y
                    change = apart[0, i] + distance - own[row]
                    if change - weight * ends * ends < least:
                        counts[SWAPS_TRIED] += 1
                        change -= weight * gap(points, row, points, lists[EXCESS, i], width)
                        if change < least and kept(s, one, two, lists[EXCESS, i], row):
                            least, x, y = change, lists[EXCESS, i], row
        if x < 0 and y < 0:
            break
        apply(s, one, two, x, y, least)
        applied += 1
    return applied
