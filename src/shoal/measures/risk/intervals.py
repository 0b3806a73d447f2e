"""Interval disclosure: how often an original lies close to its released number."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

WIDTHS = range(1, 11)  # percent


def by_deviation(before: Floats, after: Floats, deviation: float) -> float:
    """Return the mean over p of the share of cells with |x - x'| <= p/100 s, in percent."""
    apart = np.abs(before - after)
    shares = [float((apart <= p / 100.0 * deviation).mean()) for p in WIDTHS]
    return 100.0 * sum(shares) / len(shares)


def by_ranks(before: Floats, after: Floats) -> float:
    """Return the mean over p of the share of cells between released values some ranks away."""
    order = np.argsort(after, kind="stable")
    ordered, x = after[order], before[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(np.append(starts, after.size))
    first, last = np.repeat(starts, counts), np.repeat(starts + counts - 1, counts)
    shares = []
    for p in WIDTHS:
        reach = math.ceil(p * after.size / 200)
        low = ordered[np.maximum(first - reach, 0)]
        high = ordered[np.minimum(last + reach, after.size - 1)]
        shares.append(float(((low <= x) & (x <= high)).mean()))
    return 100.0 * sum(shares) / len(shares)
