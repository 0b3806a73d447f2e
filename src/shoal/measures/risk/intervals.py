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
    low, high = (np.full((spread.values.size + 1, len(WIDTHS)), np.nan) for _ in range(2))
    for place, p in enumerate(WIDTHS):
        reach = math.ceil(p * spread.size / 200)
        low[:-1, place] = spread.ranked(np.maximum(spread.begins - reach, 0))
        high[:-1, place] = spread.ranked(np.minimum(spread.ends - 1 + reach, spread.size - 1))
    own = spread.places(released)  # the last one where nothing is said
    return count_within(before, own[classes], low, high) / len(WIDTHS)
