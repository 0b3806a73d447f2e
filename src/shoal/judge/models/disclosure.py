"""δ-disclosure privacy (Brickell and Shmatikov 2008, KDD, definition 4).

In plain words: every sensitive value is about as frequent in a class as in the whole table, neither
much more nor much less: |ln(q / p)| < δ for its shares q in the class and p in the table. So every
value of the table occurs in every class: what does not occur is infinitely far.

The logarithm is natural; a δ that is meant for base 2 is 1.44 times as large.

Precondition: `counts` says how often each value occurs in a class, `whole` in the whole release,
whatever the spelling; missing values are left out of both, or are a value in both. It holds for the
union of classes that have it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Counts = Mapping[Any, int]


def change(counts: Counts, whole: Counts) -> float:
    """Return the largest |ln(q / p)| of a class; infinite where a value of the whole is not there.

    Of a release without any value it is 0: there is nothing to disclose.
    """
    size, every = sum(counts.values()), sum(whole.values())
    largest = 0.0
    for value, own in whole.items():
        count = counts.get(value, 0)
        if own and not count:
            return math.inf
        if own:
            largest = max(largest, abs(math.log(count * every / (own * size))))
    return largest
