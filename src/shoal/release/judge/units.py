"""How many households a class of a release hides among; no code of the release's making."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any


def fewest_units(columns: Sequence[Any], units: Sequence[int]) -> int:
    """Return the fewest different units that share a combination of values.

    columns are Arrow arrays, one value a record; units (n) say whose record each is.
    """
    seen: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    keys = zip(*([str(value) for value in column.to_pylist()] for column in columns), strict=True)
    for key, unit in zip(keys, units, strict=True):
        seen[key].add(unit)
    return min((len(every) for every in seen.values()), default=0)
