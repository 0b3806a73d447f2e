"""A figure as chunk -> combine -> finalize, and how trees of partial results combine."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Operator = Callable[[Any, Any], Any]


def merged(one: Any, other: Any, by: Operator = operator.add) -> Any:
    """Return two trees of numbers as one, leaf by leaf; what only one has is taken as it is."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict):
        return {key: merged(one.get(key), other.get(key), by) for key in {**one, **other}}
    if isinstance(one, list):
        return [merged(a, b, by) for a, b in zip(one, other, strict=True)]
    return by(one, other)


@dataclass(frozen=True)
class Aggregation:
    """A family of figures: what a chunk gives, how two combine, what all of them mean.

    Partial results are plain values, which JSON can hold. `chunk` gets a `Chunk` and the `Ranges`
    of all, `finalize` the combined results of all families and the ranges.
    """

    chunk: Callable[[Any, Any], Any]
    finalize: Callable[[dict[str, Any], Any], Any]
    combine: Operator = merged
