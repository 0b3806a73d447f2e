"""k-anonymity (Samarati 2001; Sweeney 2002).

In plain words: whoever knows all quasi-identifiers of a person finds at least k records in the
release that fit equally well, and cannot tell which of them is the person's.

Precondition: a key is the tuple of a released record's quasi-identifiers as they stand in the
file; a missing value is a value of its own and matches only itself. Postcondition of `judge`: ok
is True if and only if there is at least one record and every key occurs at least k times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """What was asked, what was found."""

    ok: bool
    k: int
    smallest: int
    too_small: int
    records_at_risk: int


def judge(sizes: Iterable[int], k: int) -> Verdict:
    """Judge class sizes by the definition."""
    every = list(sizes)
    small = [size for size in every if size < k]
    return Verdict(
        ok=bool(every) and not small,
        k=k,
        smallest=min(every, default=0),
        too_small=len(small),
        records_at_risk=sum(small),
    )
