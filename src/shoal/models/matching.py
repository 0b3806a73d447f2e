"""What a missing cell matches: three readings, of which the strictest is the verdict.

A person whose quasi-identifiers are those of a released record r could be any record s that matches
r. In every reading equal cells match. A star (`*`, an empty or a missing cell) matches

- `own`: only itself: it is a category of its own (the default, and the strictest);
- `root`: as the root of its hierarchy it covers any value: s matches r where s has a star, but not
  where r alone has one (Ciglic, Eder and Koncilia 2016 call the readings apart);
- `wildcard`: anything, on either side.

Precondition: `classes` counts the records of every key. Postcondition of `candidates`: for every
key, how many records match it in the reading; never fewer than have that key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

Key = tuple[Any, ...]
READINGS = ("own", "root", "wildcard")


def is_star(cell: Any) -> bool:
    """Tell whether a cell says nothing: missing, empty, not a number, or suppressed."""
    return cell is None or cell in ("", "*") or cell != cell  # noqa: PLR0124


def candidates(classes: Mapping[Key, int], reading: str) -> dict[Key, int]:
    """Return how many records could be the person behind each key."""
    if reading == "own":
        return dict(classes)
    by_stars: dict[frozenset[int], list[Key]] = {}
    for key in classes:
        stars = frozenset(i for i, cell in enumerate(key) if is_star(cell))
        by_stars.setdefault(stars, []).append(key)
    found: dict[Key, int] = dict.fromkeys(classes, 0)
    for theirs, keys in by_stars.items():  # the star pattern of those who may match
        for mine, wanted in by_stars.items():
            if reading == "root" and not mine <= theirs:
                continue
            width = len(wanted[0])
            compared = [i for i in range(width) if i not in theirs and i not in mine]
            index: Counter[Key] = Counter()
            for key in keys:
                index[tuple(key[i] for i in compared)] += classes[key]
            for key in wanted:
                found[key] += index[tuple(key[i] for i in compared)]
    return found
