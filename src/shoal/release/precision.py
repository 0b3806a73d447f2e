"""Precision of numeric columns: the digits to which means are rounded.

A weighted mean with all its digits is a knapsack: whoever knows the weights of a group's records
and of what numbers the values are multiples finds the values from Σwx/Σw. Rounded to the precision
of the data it says no more than a value does.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

DIGITS = 12  # after the point, of floats
FINE = 10**9  # steps between the least and the greatest number: beyond it they were computed


def unit_of_whole(whole: npt.NDArray[Any]) -> int:
    """Return the precision of whole numbers of a column's smallest unit.

    The largest power of ten of which all are multiples; of numbers so long that nobody wrote them,
    a step (1, 2 or 5 times a power of ten) that makes no more means than there are values.
    """
    common = int(np.gcd.reduce(whole)) if whole.size else 0
    unit = 1
    while common and common % (10 * unit) == 0:
        unit *= 10
    low, high = (int(whole.min()), int(whole.max())) if whole.size else (0, 0)
    if (high - low) // unit < FINE:
        return unit
    return max(unit, int(_coarse(Fraction(high - low), np.unique(whole).size)))


def unit_of_floats(values: npt.NDArray[np.floating[Any]]) -> Fraction:
    """Return the precision of floats, none missing, as `unit_of_whole` says it."""
    plain = values[np.isfinite(values)]
    different = np.unique(plain)
    if not different.size:
        return Fraction(1)
    span = Fraction(float(different[-1])) - Fraction(float(different[0]))
    for digits in range(DIGITS + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.round(different, digits) == different
        if whole.all():
            unit = Fraction(1, 10**digits)
            if digits == 0 and np.abs(different).max() < 2**53:
                unit = Fraction(unit_of_whole(different.astype(np.int64)))
            if span < FINE * unit:
                return unit
            break
    return _coarse(span, different.size) if span else Fraction(1, 10**DIGITS)


def _coarse(span: Fraction, different: int) -> Fraction:
    """Return the least step of 1, 2 or 5 times a power of ten that parts a span into few enough."""
    most = max(different - 1, 1)
    power = math.floor(math.log10(span.numerator) - math.log10(span.denominator)) - len(str(most))
    unit = Fraction(10) ** (power - 1)
    while True:
        for times in (1, 2, 5):
            if span <= most * times * unit:
                return times * unit
        unit *= 10
