"""The p % rule for business figures (Cox 1981; Hundepool and others 2012, section 4.2.2).

In plain words: a group's mean (or total) must not give away its largest unit. The second largest
knows its own value and subtracts it from the total T: what is left over, T - x1 - x2, is all that
hides x1. It must be at least p % of x1.

Precondition: the values are those that one figure stands for; their sizes count, not their signs.
Postcondition of `left_over`: 100 (T - x1 - x2) / x1; infinite where all values are 0, which hide
nothing that could be larger. It holds for the union of groups that have it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def left_over(values: Iterable[float]) -> float:
    """Return what hides the largest value, in percent of it."""
    every = sorted((abs(value) for value in values), reverse=True)
    if not every or every[0] == 0.0:
        return math.inf
    scale = -math.frexp(every[0])[1]  # by a power of two, so that nothing overflows or is rounded
    rest = math.fsum(math.ldexp(value, scale) for value in every[2:])
    return 100.0 * rest / math.ldexp(every[0], scale)
