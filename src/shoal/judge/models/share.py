"""(α,k)-anonymity (Wong, Li, Fu and Wang 2006): no sensitive value is more than α of a class.

In plain words: whoever has found a person's class cannot be surer than α of any sensitive value.

Precondition: `counts` says how often each sensitive value occurs in a class, whatever its spelling.
Missing values are left out of it, or are a value of their own, as is asked (`missing_sensitive`); a
class of nothing but left-out ones tells nothing and has it. It holds for the union of classes that
have it.
"""

from __future__ import annotations

from collections.abc import Iterable


def largest_share(counts: Iterable[int]) -> float:
    """Return the share of the most frequent value; of a class without records 0."""
    every = list(counts)
    size = sum(every)
    return max(every) / size if size else 0.0
