"""Sums of floats without rounding: the same for any order, and for any chunks."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats

UNIT = 2**1074  # so many of the least float make 1
HUGE = 2.0**900  # numbers beyond may have sums that no float holds
SHIFT = 128


def exact_sum(values: Floats) -> int:
    """Return the sum of finite floats, as a multiple of the least float.

    Sums correctly rounded (Shewchuk 1997) are taken away until nothing is left.
    """
    if values.size and float(np.abs(values).max()) > HUGE:
        return exact_sum(np.ldexp(values, -SHIFT)) << SHIFT
    parts = values.tolist()
    total = 0
    while rounded := math.fsum(parts):
        numerator, denominator = rounded.as_integer_ratio()
        total += numerator * (UNIT // denominator)
        parts.append(-rounded)
    return total


def as_float(total: int) -> float:
    """Return an exact sum, rounded once; infinite where no float can hold it."""
    try:
        return total / UNIT
    except OverflowError:
        return math.inf if total > 0 else -math.inf
