"""Interval disclosure: how often an original lies close to its released number."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats

WIDTHS = range(1, 11)  # percent


def by_deviation(before: Floats, after: Floats, deviation: float) -> float:
    """Return the mean over p of the number of cells with |x - x'| <= p/100 s."""
    apart = np.abs(before - after)
    counts = [int((apart <= p / 100.0 * deviation).sum()) for p in WIDTHS]
    return sum(counts) / len(counts)


def by_ranks(before: Floats, after: Floats) -> float:
    """Return the mean over p of the number of cells between released values some ranks away.

    Every number that is released has its rank, also where the original is missing (not-a-number).
    """
    order = np.argsort(after, kind="stable")
    ordered, x = after[order], before[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(np.append(starts, after.size))
    first, last = np.repeat(starts, counts), np.repeat(starts + counts - 1, counts)
    counted = []
    for p in WIDTHS:
        reach = math.ceil(p * after.size / 200)
        low = ordered[np.maximum(first - reach, 0)]
        high = ordered[np.minimum(last + reach, after.size - 1)]
        counted.append(int(((low <= x) & (x <= high)).sum()))
    return sum(counted) / len(counted)
