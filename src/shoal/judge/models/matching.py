"""Three readings of missing cells in matching; the strictest decides.

A person whose quasi-identifiers are those of a released record r could be any record s that matches
r. In every reading equal cells match. A star (`*`, an empty or a missing cell) matches

- `own`: only itself: it is a category of its own (the default, and the strictest);
- `root`: as the root of its hierarchy it covers any value: s matches r where s has a star, but not
  where r alone has one (Ciglic, Eder and Koncilia 2016 call the readings apart);
- `wildcard`: anything, on either side.

Classes with few patterns of stars are counted pattern by pattern: the cells that neither has a star
in must be equal. Where there are many patterns, all classes meet as bits, so that the steps are at
most about n * n / 4096 for n classes, whatever the patterns; `steps` tells how many.

Precondition: `classes` counts the records of every key, in which not-a-number is `NAN`.
Postcondition of `candidates`: for every key, how many records match it in the reading; never fewer
than have that key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from shoal.judge.limits import limits

Key = tuple[Any, ...]
READINGS = ("own", "root", "wildcard")
NAN = float("nan")  # the one that may stand in keys: another one would not equal itself
NONE: frozenset[int] = frozenset()
STARS = frozenset((None, "", "*", NAN))


def is_star(cell: Any) -> bool:
    """Tell whether a cell says nothing: missing, empty, not a number, or suppressed."""
    return cell is None or cell in ("", "*") or cell != cell  # noqa: PLR0124


def steps(classes: Collection[Key], reading: str) -> int:
    """Return about how many cells are compared to count the candidates of all classes."""
    if reading == "own" or not classes:
        return 0
    width = len(next(iter(classes)))
    return width * min(_by_pattern(classes), _by_bits(classes))


def candidates(classes: Mapping[Key, int], reading: str) -> dict[Key, int]:
    """Return how many records could be the person behind each key."""
    if reading == "own":
        return dict(classes)
    counts: dict[Key, int] = dict.fromkeys(classes, 0)
    if _by_bits(classes) < _by_pattern(classes):
        for keys in in_blocks(list(classes), limits().block):
            block = Block(keys, is_star, reading == "root")
            sizes = Weighed((i, classes[key]) for i, key in enumerate(keys))
            for key in classes:
                counts[key] += sizes.sum(block.matching(key))
        return counts
    for compared, keys, wanted in _meetings(classes, reading):
        index: Counter[Key] = Counter()
        for key in keys:
            index[tuple(key[i] for i in compared)] += classes[key]
        for key in wanted:
            counts[key] += index[tuple(key[i] for i in compared)]
    return counts


def candidate_values(
    classes: Mapping[Key, Mapping[Any, int]], reading: str, most: float = math.inf
) -> dict[Key, Mapping[Any, int]] | None:
    """Return how often each value occurs among the records that could be the person of each key.

    None where these are more than `most` counts.
    """
    if reading == "own":
        return dict(classes)
    counts: dict[Key, Counter[Any]] = {key: Counter() for key in classes}
    added = (
        _values_by_bits(classes, reading, counts)
        if _by_bits(classes) < _by_pattern(classes)
        else _values_by_pattern(classes, reading, counts)
    )
    kept = 0
    for new in added:
        kept += new
        if kept > most:
            return None
    return dict(counts)


def _values_by_pattern(
    classes: Mapping[Key, Mapping[Any, int]], reading: str, counts: Mapping[Key, Counter[Any]]
) -> Iterator[int]:
    """Count values pattern by pattern; yield how many counts are new, key by key."""
    for compared, keys, wanted in _meetings(classes, reading):
        index: dict[Key, Counter[Any]] = {}
        for key in keys:
            index.setdefault(tuple(key[i] for i in compared), Counter()).update(classes[key])
        for key in wanted:
            before = len(counts[key])
            counts[key].update(index.get(tuple(key[i] for i in compared), {}))
            yield len(counts[key]) - before


def _values_by_bits(
    classes: Mapping[Key, Mapping[Any, int]], reading: str, by_key: Mapping[Key, Counter[Any]]
) -> Iterator[int]:
    """Count values block by block; yield how many counts are new, key by key.

    Few classes are added one by one; many are summed up in one step a value.
    """
    for keys in in_blocks(list(classes), limits().block):
        block = Block(keys, is_star, reading == "root")
        own = [classes[key] for key in keys]
        by_value: dict[Any, list[tuple[int, int]]] = {}
        for i, counts in enumerate(own):
            for value, many in counts.items():
                by_value.setdefault(value, []).append((i, many))
        sums = {value: Weighed(weights) for value, weights in by_value.items()}
        for key, counted in by_key.items():
            before = len(counted)
            match = block.matching(key)
            if match.bit_count() < len(sums):
                for i in members(match):
                    counted.update(own[i])
            else:
                every = ((value, of.sum(match)) for value, of in sums.items())
                counted.update({value: many for value, many in every if many})
            yield len(counted) - before


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


def _by_pattern(classes: Collection[Key]) -> int:
    """Return how many keys are looked up where patterns of stars meet one by one."""
    return 2 * len(set(map(_stars, classes))) * len(classes)


def _by_bits(classes: Collection[Key]) -> int:
    """Return how many keys are looked up where all classes meet as bits."""
    return len(classes) * (1 + -(-len(classes) // limits().block))


def _meetings(
    classes: Iterable[Key], reading: str
) -> Iterator[tuple[list[int], list[Key], list[Key]]]:
    """Yield, for any two patterns of stars, the columns to compare and both sets of keys."""
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


# Matching with bit sets: which classes match a key, one bitwise and per column.
#
# A block is some classes, each with a bit of its own. For every column and value, one whole number
# has the bits of the classes whose cell matches that value; the classes that match a key are the
# bitwise and of one such number per column. A block of b classes keeps these numbers short, so
# memory is bounded however many values a column has, and two sets of n and m classes of d columns
# meet in n * m / b steps of d operations each, however many patterns of stars there are.
#
# Precondition: no cell is a not-a-number other than the one of `matching.NAN`. Postcondition of
# `Block.matching`: bit i is set if and only if class i of the block matches the key in the reading.


class Block:
    """Some classes by their cells; in `root` a star of the key is matched by a star alone."""

    def __init__(self, keys: Sequence[Key], is_star: Callable[[Any], bool], root: bool) -> None:
        self.whole = (1 << len(keys)) - 1
        self._is_star, self._root = is_star, root
        width = len(keys[0]) if keys else 0
        self._columns = [self._column([key[i] for key in keys]) for i in range(width)]

    def _column(self, cells: Sequence[Any]) -> tuple[dict[Any, int], int]:
        """Return the classes that match each value, and those that have a star."""
        stars, found = 0, dict[Any, int]()
        for i, cell in enumerate(cells):
            if self._is_star(cell):
                stars |= 1 << i
            else:
                found[cell] = found.get(cell, 0) | (1 << i)
        return {cell: own | stars for cell, own in found.items()}, stars

    def matching(self, key: Key) -> int:
        """Return the classes that match a key, as bits."""
        found = self.whole
        for cell, (values, stars) in zip(key, self._columns, strict=True):
            if not self._is_star(cell):
                found &= values.get(cell, stars)
            elif self._root:
                found &= stars
            if not found:
                break
        return found


class Weighed:
    """Sums of weights of sets of classes: by the binary digits of the weights."""

    def __init__(self, weights: Iterable[tuple[int, int]]) -> None:
        """Take numbers of classes with their weights; those that are not named weigh nothing."""
        self._digits: list[int] = []
        for i, weight in weights:
            self._digits += [0] * (weight.bit_length() - len(self._digits))
            for place in members(weight):
                self._digits[place] |= 1 << i

    def sum(self, found: int) -> int:
        """Return the sum of the weights of a set."""
        return sum((found & digit).bit_count() << i for i, digit in enumerate(self._digits))


def members(found: int) -> Iterator[int]:
    """Yield the places of the bits that are set, in order."""
    while found:
        low = found & -found
        yield low.bit_length() - 1
        found ^= low


def in_blocks(keys: Sequence[Key], size: int) -> Iterator[Sequence[Key]]:
    """Yield keys in blocks of a size."""
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
