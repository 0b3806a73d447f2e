"""β-likeness (Cao and Karras 2012, PVLDB 5(11), definitions 2 and 3), basic and enhanced.

In plain words: whoever has found a person's class must not believe in any sensitive value much more
than the whole table lets them: with p the share of a value in the table and q that in the class,
the gain (q - p) / p is at most β. Rare values are protected as well as frequent ones; values that
are rarer in the class than in the table are no matter.

- *basic*: (q - p) / p <= β for every value with q > p;
- *enhanced*: (q - p) / p <= min(β, -ln p), so that frequent values cannot become certain.

Precondition: `counts` says how often each value occurs in a class, `whole` in the whole release,
whatever the spelling; missing values are left out of both, or are a value in both. A class of
nothing but left-out ones tells nothing and has it. It holds for the union of classes that have it,
and gains are quotients of whole numbers, rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

Counts = Mapping[Any, int]
KINDS = ("enhanced", "basic")


def gains(counts: Counts, whole: Counts) -> Iterator[tuple[float, float]]:
    """Yield the gain of every value of a class, and the share p of it in the whole release."""
    size, every = sum(counts.values()), sum(whole.values())
    for value, count in counts.items():
        if count:
            own = whole[value]
            yield (count * every - own * size) / (own * size), own / every


def gain(counts: Counts, whole: Counts, kind: str) -> float:
    """Return the least β that a class keeps, 0 where no value gains.

    It is infinite where enhanced β-likeness is broken whatever β is.
    """
    least = 0.0
    for gained, p in gains(counts, whole):
        if kind == "enhanced" and gained > max(0.0, -math.log(p)):
            return math.inf
        least = max(least, gained)
    return least


def is_like(counts: Counts, whole: Counts, beta: float, kind: str) -> bool:
    """Tell whether no value gains more than the kind of β-likeness allows it."""
    return all(
        gained <= 0.0 or gained <= (min(beta, -math.log(p)) if kind == "enhanced" else beta)
        for gained, p in gains(counts, whole)
    )
