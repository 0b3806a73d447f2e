"""Equivalence classes in memory, and the candidates that a missing cell matches."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from shoal.errors import RequestError
from shoal.judge.combination import Combination
from shoal.judge.count_rows import FIRST, TIMES, Words
from shoal.judge.limits import limits
from shoal.judge.models.matching import READINGS, candidate_values, candidates, smallest, steps
from shoal.judge.readers.source import Key
from shoal.judge.sensitive import Sensitive

STEPS = 1_000_000  # limit of an optional reading: about a second

Values = Mapping[int, int]


class Class(NamedTuple):
    """One class: its first record, its records, its candidates, their values, what is too narrow.

    `values` has the counts of each sensitive column; `narrow` numbers the `Subset`s in which its
    combination is too rare.
    """

    first: int
    size: int
    candidates: int
    values: Sequence[Values]
    narrow: Sequence[int] = ()


@dataclass(frozen=True)
class Subset:
    """Quasi-identifiers with a k of their own: their names, where they stand, and that k."""

    columns: tuple[str, ...]
    places: tuple[int, ...]
    k: int


@dataclass(frozen=True)
class Narrow:
    """What a subset has: its smallest combination, how many are too rare, the records in them."""

    smallest: int
    classes: int
    records: int


class Counted(Protocol):
    """The classes of a release."""

    narrow: list[Narrow]

    def quick(self, k: int) -> Counter[int] | None:
        """Return how many classes of each size there are, where no class needs a closer look."""
        ...

    def classes(self) -> Iterator[Class]:
        """Yield every class."""
        ...

    def numbers(self, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of classes that begin at these records, which are in order."""
        ...

    def readings(self, own: int) -> dict[str, int | None]:
        """Return the smallest set of candidates in each reading; that of `own` is known."""
        ...


def part_of(key: Sequence[Any], subset: Subset) -> Key:
    """Return the cells of a subset."""
    return tuple(key[place] for place in subset.places)


class Sizes:
    """Classes of which only the sizes count: no cell says nothing, and nothing else is asked."""

    narrow: list[Narrow] = []  # noqa: RUF012 - there never is one

    def __init__(self, entries: Words) -> None:
        entries = entries[np.argsort(entries[:, FIRST])]
        self.firsts, self.times = entries[:, FIRST], entries[:, TIMES]

    def quick(self, k: int) -> Counter[int] | None:
        """Return how many classes of each size there are, if all are good."""
        sizes, classes = np.unique(self.times, return_counts=True)
        by_size = Counter(dict(zip(sizes.tolist(), classes.tolist(), strict=True)))
        return by_size if min(by_size, default=0) >= k else None

    def classes(self) -> Iterator[Class]:
        """Yield every class."""
        for first, size in zip(self.firsts.tolist(), self.times.tolist(), strict=True):
            yield Class(first, size, size, ())

    def numbers(self, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of classes that begin at these records, which are in order."""
        places = np.searchsorted(self.firsts, np.array(firsts, np.uint64))
        return [int(place) + 1 for place in places]

    def readings(self, own: int) -> dict[str, int | None]:
        """Return the smallest set of candidates: every reading is the same where no star is."""
        return dict.fromkeys(READINGS, own)


class Memory:
    """Classes in memory, in order of first appearance."""

    def __init__(
        self, counts: Counter[Key], firsts: array[int], width: int,
        sensitive: Sequence[Sensitive], subsets: Sequence[Subset], reading: str,
        combined: Sequence[Combination] = (),
    ) -> None:  # fmt: skip
        self.reading, self.subsets, self.combined = reading, subsets, combined
        self.values: list[dict[Key, Values]] = []
        self._check(counts, width)
        if sensitive:
            counts, firsts = self._folded(counts, firsts, width, sensitive)
        self.sizes, self.firsts = counts, firsts
        self.candidates = candidates(self.sizes, reading) if reading != "own" else self.sizes
        self.narrow: list[Narrow] = []
        self._rare: list[set[Key]] = []
        for subset in subsets:
            self._look(subset)

    def _check(self, counts: Counter[Key], width: int) -> None:
        """Refuse a reading in which too many classes meet."""
        if self.reading == "own":
            return
        work, most = steps({key[:width] for key in counts}, self.reading), limits().cells
        if work > most:
            raise RequestError(
                f"missing_as {self.reading}: too many classes to compare ({work} cells, at most "
                f"{most}); verify with missing_as own, which is stricter"
            )

    def _folded(
        self, counts: Counter[Key], firsts: array[int], width: int, sensitive: Sequence[Sensitive]
    ) -> tuple[Counter[Key], array[int]]:
        sizes: Counter[Key] = Counter()
        begins = array("q")
        values: list[dict[Key, dict[int, int]]] = [{} for _ in (*sensitive, *self.combined)]
        for (row, times), first in zip(counts.items(), firsts, strict=True):
            key = row[:width]
            if key not in sizes:
                begins.append(first)
            sizes[key] += times
            codes = [column.code(cell) for column, cell in zip(sensitive, row[width:], strict=True)]
            for column, code in zip(sensitive, codes, strict=True):
                column.whole[code] += times
            codes += [one.code(codes, times) for one in self.combined]
            for of, code in zip(values, codes, strict=True):
                within = of.setdefault(key, {})
                within[code] = within.get(code, 0) + times
        most = limits().counts
        for of in values:
            counted = candidate_values(of, self.reading, most)
            if counted is None:
                raise RequestError(
                    f"missing_as {self.reading}: too many values could be those of a person (more "
                    f"than {most} counts); verify with missing_as own, which is stricter"
                )
            self.values.append(counted)
        return sizes, begins

    def _look(self, subset: Subset) -> None:
        sizes: Counter[Key] = Counter()
        for key, size in self.sizes.items():
            sizes[part_of(key, subset)] += size
        matching = candidates(sizes, self.reading)
        rare = {key for key, many in matching.items() if many < subset.k}
        records = sum(sizes[key] for key in rare)
        self.narrow.append(Narrow(min(matching.values(), default=0), len(rare), records))
        self._rare.append(rare)

    def quick(self, k: int) -> Counter[int] | None:
        """Return how many classes of each size there are, if size alone counts and all are good."""
        sizes = Counter(self.sizes.values())
        plain = self.reading == "own" and not self.values and not self.subsets
        return sizes if plain and min(sizes, default=0) >= k else None

    def classes(self) -> Iterator[Class]:
        """Yield every class."""
        for (key, size), first in zip(self.sizes.items(), self.firsts, strict=True):
            values = [of[key] for of in self.values]
            narrow = [
                i for i, subset in enumerate(self.subsets) if part_of(key, subset) in self._rare[i]
            ]
            yield Class(first, size, self.candidates[key], values, narrow)

    def numbers(self, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of classes that begin at these records, which are in order."""
        return [bisect_left(self.firsts, first) + 1 for first in firsts]

    def readings(self, own: int) -> dict[str, int | None]:
        """Return the smallest set of candidates in each reading, where that is cheap."""
        by_reading: dict[str, int | None] = {"own": own}
        for reading in READINGS[1:]:
            if reading == self.reading:
                by_reading[reading] = min(self.candidates.values(), default=0)
            else:
                by_reading[reading] = smallest(self.sizes, reading, STEPS)
        return by_reading
