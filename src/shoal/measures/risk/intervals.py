"""Interval disclosure: how often an original lies close to its released number."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.within import count_within
from shoal.measures.spread import Spread

WIDTHS = range(1, 11)  # percent


def by_deviation(before: Floats, after: Floats, deviation: float) -> float:
    """Return the mean over p of the number of cells with |x - x'| <= p/100 s."""
    apart = np.abs(before - after)
    counts = [int((apart <= p / 100.0 * deviation).sum()) for p in WIDTHS]
    return sum(counts) / len(counts)


def by_ranks(before: Floats, classes: Integers, released: Floats, spread: Spread) -> float:
    """Return the mean over p of the number of cells between released values some ranks away.

    Every number that is released has its rank, also where the original is missing (not-a-number).
    `released` are the numbers of the classes, not-a-number where one says nothing; `spread` has
    them in order.
    """
    said = ~np.isnan(released)
    own = spread.places(released[said])
    first, last = spread.begins[own], spread.ends[own] - 1
    low, high = (np.full((released.size, len(WIDTHS)), np.nan) for _ in range(2))
    for place, p in enumerate(WIDTHS):
        reach = math.ceil(p * spread.size / 200)
        low[said, place] = spread.ranked(np.maximum(first - reach, 0))
        high[said, place] = spread.ranked(np.minimum(last + reach, spread.size - 1))
    return count_within(before, classes, low, high) / len(WIDTHS)
