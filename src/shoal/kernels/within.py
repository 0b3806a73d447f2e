"""Counting records in intervals around what their classes release."""

from __future__ import annotations

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit


@jit
def count_within(values: Floats, classes: Integers, low: Floats, high: Floats) -> int:
    """Return how many of their class's intervals hold the records, all together.

    values IN (n), classes IN (n), low IN, high IN (classes, widths): each interval of a class is
    within the next. Not-a-number is in none.
    """
    widths = low.shape[1]
    count = 0
    for i in range(values.shape[0]):
        for width in range(widths):
            if low[classes[i], width] <= values[i] and values[i] <= high[classes[i], width]:
                count += widths - width
                break
    return count
