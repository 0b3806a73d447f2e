"""Recovery of values: by known members, by digits, by dominance."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.sides import Numbers, Side, Words

NOISE = 1e-9  # of a standard deviation: floats that differ by less are taken as equal
DIGITS = 12  # after the point, at most
DOMINANT = 10.0  # the p of the p % rule
NEARLY_EQUAL = 1e-9  # of two sums: what the order of their terms may do, and more


def known_members(side: Numbers, classes: Integers) -> Flags:
    """Return which cells are recovered exactly from all other members of their class.

    Of a mean: m x' - sum of the others, which is off by m (x' - true mean) for every member. Of
    the ranges of a column whose ends all are members' values: a value that alone is at an end.
    Cells are lost to it where the class has missing ones. Row i of both sides is one person.
    """
    there = side.has_before
    known = there & side.has_after
    if not there.all():
        holed = np.bincount(classes, weights=~there) > 0
        known &= ~holed[classes]
    sizes = np.bincount(classes)
    if side.is_single:
        means = np.bincount(classes, weights=np.where(there, side.before, 0.0)) / sizes
        error = np.abs(sizes[classes] * (side.after - means[classes]))
        limit = side.step / 2.0 * (1.0 - NOISE) if side.step else NOISE * side.deviation
        narrow: Flags = known & (error <= limit)
        return narrow
    least, most = _extremes(side.before, classes, known)
    tight = known & (side.low == least[classes]) & (side.high == most[classes])
    if not known.any() or not tight[known].all():
        return np.zeros(there.size, dtype=bool)
    low_end, high_end = known & (side.before == side.low), known & (side.before == side.high)
    alone_low = np.bincount(classes, weights=low_end)[classes] == 1
    alone_high = np.bincount(classes, weights=high_end)[classes] == 1
    recovered: Flags = (low_end & alone_low) | (high_end & alone_high)
    recovered |= known & (side.low == side.high)
    return recovered


def _extremes(values: Floats, classes: Integers, known: Flags) -> tuple[Floats, Floats]:
    """Return the least and the greatest of every class; of one without values not-a-number."""
    count = int(classes.max()) + 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, classes[known], values[known])
    np.maximum.at(most, classes[known], values[known])
    return least, most


def exact_values(side: Side, classes: Integers) -> tuple[Flags, Flags]:
    """Return which cells are released as they were in a class of one value, and which were there.

    Row i of both sides is one person.
    """
    if isinstance(side, Words):
        there = side.before >= 0
        own = np.append(side.own, -1)[side.after]
        same = there & (own == side.before)
        values = side.before.astype(np.float64)
    else:
        there = side.has_before
        apart = np.abs(side.before - side.low) + np.abs(side.before - side.high)
        same = there & (np.nan_to_num(apart, nan=np.inf) <= NOISE * side.deviation)
        values = np.where(there, side.before, np.inf)
    least, most = _extremes(values, classes, np.ones(classes.size, dtype=bool))
    return same & (least == most)[classes], there


def last_digit(values: Floats) -> float:
    """Return the largest power of ten, 10^-12 to 1, of which all values are multiples; 0: none."""
    there = values[~np.isnan(values)]
    largest = float(np.abs(there).max(initial=0.0))
    for digits in range(DIGITS + 1):
        if largest * 10.0**digits >= 2.0**52:
            return 0.0
        scaled = there * 10.0**digits
        if (np.abs(scaled - np.round(scaled)) <= 1e-6).all():
            return 10.0**-digits
    return 0.0


def extra_digits(before: Floats, after: Floats) -> tuple[int, int] | None:
    """Return how many released numbers have more digits than the originals have, and of how many.

    In the column's own unit; None where originals have digits without end.
    """
    unit = last_digit(before)
    released = after[~np.isnan(after)]
    if not unit or not released.size:
        return None
    scaled = released / unit
    return int((np.abs(scaled - np.round(scaled)) > 1e-6).sum()), released.size


def dominated(values: Floats, classes: Integers) -> float:
    """Return the share of classes in which T - x1 - x2 is below 10 % of x1, in percent.

    A class without any value above 0 hides nothing that could be larger.
    """
    sizes = np.where(np.isnan(values), 0.0, np.abs(values))
    left = sizes.copy()
    first = _take_largest(left, classes)
    _take_largest(left, classes)
    rest = np.bincount(classes, weights=left)
    unsafe = (first > 0) & (100.0 * rest < DOMINANT * first)
    close = np.abs(100.0 * rest - DOMINANT * first) <= NEARLY_EQUAL * first
    close |= ~np.isfinite(rest)
    if (close & (first > 0)).any():  # as near as sums in another order may differ
        rows = close[classes]
        unsafe[close] = _dominated_by_sorting(
            sizes[rows], np.unique(classes[rows], return_inverse=True)[1]
        )
    return 100.0 * float(unsafe.mean())


def _take_largest(left: Floats, classes: Integers) -> Floats:
    """Return the largest value of every class, and leave a 0 in its place. left IN/OUT."""
    most = np.zeros(int(classes.max()) + 1)
    np.maximum.at(most, classes, left)
    largest = np.flatnonzero(left == most[classes])
    places = np.zeros(most.size, dtype=np.int64)
    places[classes[largest]] = largest
    left[places] = 0.0
    return most


def _dominated_by_sorting(sizes: Floats, classes: Integers) -> Flags:
    """Return in which classes the largest value dominates; others are added from the largest."""
    order = np.lexsort((-sizes, classes))
    counts = np.bincount(classes)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    ranked = sizes[order]
    first = ranked[starts]
    place = np.arange(ranked.size) - np.repeat(starts, counts)
    rest = np.bincount(classes[order], weights=np.where(place > 1, ranked, 0.0))
    unsafe: Flags = (first > 0) & (100.0 * rest < DOMINANT * first)
    return unsafe
