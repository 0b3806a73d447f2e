"""Columns of intervals (pandas): ordinal texts inside, intervals again when they come back.

Intervals are ordered by their lower, then their upper ends. A group releases its median interval,
or, where it is generalized, the least range of them in that order, which comes back as the interval
from the least lower end to the greatest upper one: it covers every interval of the range.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.errors import in_shape
from shoal.table.commas import splits
from shoal.table.roles import STAR


def is_interval(kind: Any) -> bool:
    """Tell whether an Arrow type holds intervals of pandas."""
    return getattr(kind, "extension_name", "") == "pandas.interval"


@dataclass(frozen=True)
class Intervals:
    """The different intervals of a column in their order, and their texts."""

    __repr__ = in_shape

    every: tuple[Any, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, values: Any) -> Intervals:
        """Return the intervals of an Arrow array."""
        every = tuple(sorted({one for one in _objects(values) if one is not None}))
        return cls(every, tuple(map(str, every)))

    def read(self, texts: Iterable[str | None]) -> list[Any] | None:
        """Return released texts as intervals, None where suppressed; None if one is no range."""
        rank = {text: place for place, text in enumerate(self.texts)}
        known: dict[str | None, Any] = {None: None, STAR: None}
        for text in texts:
            if text not in known:
                ends = _ends(str(text), rank)
                if ends is None:
                    return None
                known[text] = self._hull(*ends)
        return [known[text] for text in texts]

    def _hull(self, low: int, high: int) -> Any:
        """Return the least interval that covers those from one place to another."""
        if low == high:
            return self.every[low]
        covered = self.every[low : high + 1]
        first = covered[0]
        return type(first)(first.left, max(one.right for one in covered), first.closed)


def _ends(text: str, rank: dict[str, int]) -> tuple[int, int] | None:
    """Return the places of the ends of a range [least,greatest], or of an interval alone."""
    if text in rank:
        return rank[text], rank[text]
    if text[:1] == "[" and text[-1:] == "]":
        for low, high in splits(text[1:-1]):
            if low in rank and high in rank and rank[low] < rank[high]:
                return rank[low], rank[high]
    return None


def interval_texts(values: Any) -> Any:
    """Return an Arrow array of intervals as texts."""
    texts = [None if one is None else str(one) for one in _objects(values)]
    return pa.array(texts, type=pa.string())


def _objects(values: Any) -> list[Any]:
    """Return intervals as pandas has them, None where missing."""
    there = values.is_valid().to_pylist()
    own = values.to_pandas().tolist()
    return [one if valid and one == one else None for one, valid in zip(own, there, strict=True)]  # noqa: PLR0124
