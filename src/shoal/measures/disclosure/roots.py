"""Roots of functions of one number, and the digamma function."""

from __future__ import annotations

import math
from collections.abc import Callable

HALVINGS = 200
SMALL = 10.0  # below, digamma is computed from a larger argument


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is above 0 at `low` and not at `high` changes its sign."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if function(middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def bracket(function: Callable[[float], float], start: float) -> float:
    """Return a number above `start`, doubled until the function is not above 0 there."""
    high = start
    while function(high) > 0.0 and high < 1e18:
        high *= 2.0
    return high


def digamma(x: float) -> float:
    """Return the derivative of log Γ for x > 0 (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18)."""
    below = 0.0
    while x < SMALL:
        below -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (
        1 / 240 - square * (1 / 132 - square * (691 / 32760 - square / 12))))))  # fmt: skip
    return below + math.log(x) - 0.5 / x - series
