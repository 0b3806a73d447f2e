"""How many households or strata lie in a class of a release; no code of the release's making."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any


def units_a_class(columns: Sequence[Any], units: Sequence[int]) -> tuple[int, int]:
    """Return the fewest and the most different units that share a combination of values.

    columns are Arrow arrays, one value a record; units (n) say whose record each is.
    """
    seen: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    keys = zip(*([str(value) for value in column.to_pylist()] for column in columns), strict=True)
    for key, unit in zip(keys, units, strict=True):
        seen[key].add(unit)
    counts = [len(every) for every in seen.values()]
    return min(counts, default=0), max(counts, default=0)
