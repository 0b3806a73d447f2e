"""A figure beside its threshold, with enough digits to see which is greater."""

from __future__ import annotations

import math

ENOUGH = 17  # digits that tell any two floats apart


def digits_beside(found: float, asked: float, digits: int) -> str:
    """Return a figure in so many digits, or in as many more as show that it is not the other."""
    if not math.isfinite(found):
        return "too few values"
    own = f"{asked:g}"
    for more in range(digits, ENOUGH + 1):
        text = f"{found:.{more}g}"
        if float(text) != float(own) or found == asked:
            return text
    return repr(found)
