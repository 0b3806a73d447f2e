"""What a missing cell matches: three readings, of which the strictest is the verdict.

A person whose quasi-identifiers are those of a released record r could be any record s that matches
r. In every reading equal cells match. A star (`*`, an empty or a missing cell) matches

- `own`: only itself: it is a category of its own (the default, and the strictest);
- `root`: as the root of its hierarchy it covers any value: s matches r where s has a star, but not
  where r alone has one (Ciglic, Eder and Koncilia 2016 call the readings apart);
- `wildcard`: anything, on either side.

Precondition: `classes` counts the records of every key, in which not-a-number is `NAN`.
Postcondition of `candidates`: for every key, how many records match it in the reading; never fewer
than have that key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Key = tuple[Any, ...]
READINGS = ("own", "root", "wildcard")
NAN = float("nan")  # the one that may stand in keys: another one would not equal itself
NONE: frozenset[int] = frozenset()
STARS = frozenset((None, "", "*", NAN))


def is_star(cell: Any) -> bool:
    """Tell whether a cell says nothing: missing, empty, not a number, or suppressed."""
    return cell is None or cell in ("", "*") or cell != cell  # noqa: PLR0124


def candidates(classes: Mapping[Key, int], reading: str) -> dict[Key, int]:
    """Return how many records could be the person behind each key."""
    if reading == "own":
        return dict(classes)
    found: dict[Key, int] = dict.fromkeys(classes, 0)
    for compared, keys, wanted in _meetings(classes, reading):
        index: Counter[Key] = Counter()
        for key in keys:
            index[tuple(key[i] for i in compared)] += classes[key]
        for key in wanted:
            found[key] += index[tuple(key[i] for i in compared)]
    return found


def candidate_values(
    classes: Mapping[Key, Mapping[Any, int]], reading: str
) -> dict[Key, Mapping[Any, int]]:
    """Return how often each value occurs among the records that could be the person of each key."""
    if reading == "own":
        return dict(classes)
    found: dict[Key, Counter[Any]] = {key: Counter() for key in classes}
    for compared, keys, wanted in _meetings(classes, reading):
        index: dict[Key, Counter[Any]] = {}
        for key in keys:
            index.setdefault(tuple(key[i] for i in compared), Counter()).update(classes[key])
        for key in wanted:
            found[key].update(index.get(tuple(key[i] for i in compared), {}))
    return dict(found)


def smallest(classes: Mapping[Key, int], reading: str, most: float = math.inf) -> int | None:
    """Return the least number of candidates, or None where that takes more than `most` steps.

    Nobody has fewer candidates than records with the same key: from the smallest class on, it ends
    where no class that is left could have fewer than were found.
    """
    if reading == "own" or not any(has_star(key) for key in classes):
        return min(classes.values(), default=0)
    by_stars = _by_stars(classes)
    indexes: dict[frozenset[int], list[tuple[list[int], Counter[Key]]]] = {}
    least, steps = sum(classes.values()), 0
    for key in sorted(classes, key=classes.__getitem__):
        if classes[key] >= least:
            break
        mine = _stars(key)
        if mine not in indexes:
            indexes[mine] = []
            steps += len(classes)
            for theirs, keys in by_stars.items():
                if reading == "root" and not mine <= theirs:
                    continue
                compared = _compared(len(key), mine, theirs)
                index: Counter[Key] = Counter()
                for other in keys:
                    index[tuple(other[i] for i in compared)] += classes[other]
                indexes[mine].append((compared, index))
        met = (index[tuple(key[i] for i in compared)] for compared, index in indexes[mine])
        least = min(least, sum(met))
        steps += len(by_stars)
        if steps > most:
            return None
    return least


def has_star(key: Key) -> bool:
    """Tell whether a key has a cell that says nothing."""
    return not STARS.isdisjoint(key)


def _meetings(
    classes: Iterable[Key], reading: str
) -> Iterator[tuple[list[int], list[Key], list[Key]]]:
    """Yield, for any two patterns of stars, where cells must be equal; who may match; whom."""
    by_stars = _by_stars(classes)
    for theirs, keys in by_stars.items():
        for mine, wanted in by_stars.items():
            if reading == "wildcard" or mine <= theirs:
                yield _compared(len(wanted[0]), mine, theirs), keys, wanted


def _compared(width: int, mine: frozenset[int], theirs: frozenset[int]) -> list[int]:
    return [i for i in range(width) if i not in theirs and i not in mine]


def _by_stars(classes: Iterable[Key]) -> dict[frozenset[int], list[Key]]:
    by_stars: dict[frozenset[int], list[Key]] = {}
    for key in classes:
        by_stars.setdefault(_stars(key), []).append(key)
    return by_stars


def _stars(key: Key) -> frozenset[int]:
    if not has_star(key):
        return NONE
    return frozenset(i for i, cell in enumerate(key) if is_star(cell))
