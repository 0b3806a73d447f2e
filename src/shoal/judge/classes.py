"""Equivalence classes in memory, and the candidates that a missing cell matches."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError
from shoal.judge.limits import each, limits
from shoal.judge.models.matching import READINGS, candidate_values, candidates, smallest, steps
from shoal.judge.readers.source import Key
from shoal.judge.sensitive import Combination, Sensitive

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
FIRST, TIMES = -2, -1  # where an entry has its first record, and how often it occurs
PARTS = 256
FEW = 20_000  # rows a thread, at least
_TOP = np.uint64(56)
_ODD = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of splitmix64
_FAR, _NEAR = np.uint64(32), np.uint64(29)
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


# Counts as rows of 64-bit words: equal rows are merged.
#
# An entry is a row: the words of its key, the codes of its sensitive values, the record in which it
# occurs first, and how often it occurs. Equal rows are found by sorting a mix of their words; rows
# are neighbors then, and are compared word by word, so that no two are taken for one.


@dataclass(frozen=True)
class Layout:
    """How many words of an entry are its key, how many codes; which bits are of which subset."""

    key: int
    codes: int
    masks: Sequence[Words]

    @property
    def width(self) -> int:
        """How many words an entry has."""
        return self.key + self.codes + 2


def mix(words: Words) -> Words:
    """Return one word a row, equal for equal rows, that spreads over all its bits."""
    mixed = np.full(len(words), 0x9E3779B97F4A7C15, np.uint64)
    for column in words.T:
        mixed ^= column
        mixed *= _ODD[0]
        mixed ^= mixed >> _FAR
    mixed *= _ODD[1]
    mixed ^= mixed >> _NEAR
    return mixed


def parts_of(words: Words) -> Words:
    """Return in which part rows belong, by the highest bits of their mix."""
    return mix(words) >> _TOP


def grouped(words: Words) -> tuple[Places, Places]:
    """Return an order in which equal rows are neighbors, and where each group of them begins."""
    return _grouped(words, mix(words))


def _grouped(words: Words, mixed: Words) -> tuple[Places, Places]:
    order = np.argsort(mixed)
    mixed = mixed[order]
    new = _changes(words[order])
    if np.any(new[1:] & (mixed[1:] == mixed[:-1])):
        # Different rows of one mix may stand in any order: all words decide.
        order = np.lexsort(words.T)
        new = _changes(words[order])
    return order, np.flatnonzero(new)


def _changes(words: Words) -> npt.NDArray[np.bool_]:
    """Tell which rows differ from the one before; the first does."""
    new = np.zeros(len(words), np.bool_)
    new[:1] = True
    for column in words.T:
        new[1:] |= column[1:] != column[:-1]
    return new


def merged(entries: Words, width: int, threads: int = 1) -> Words:
    """Return one entry for all that are equal in the first words: earliest, and times summed.

    Threads merge the rows of a range of mixes each: equal rows are in one of them.
    """
    threads = max(1, min(threads, len(entries) // FEW))
    if threads == 1:
        return _merged(entries, width, mix(entries[:, :width]))
    cuts = np.linspace(0, len(entries), threads + 1).astype(np.intp).tolist()
    slices = [slice(*ends) for ends in pairwise(cuts)]
    mixed = np.concatenate([*each(lambda some: mix(entries[some, :width]), slices, threads)])
    ranges = (mixed >> _FAR) * np.uint64(threads) >> _FAR

    def of_range(number: int) -> Words:
        rows = np.flatnonzero(ranges == np.uint64(number))
        return _merged(entries[rows], width, mixed[rows])

    return np.concatenate([*each(of_range, range(threads), threads)])


def _merged(entries: Words, width: int, mixed: Words) -> Words:
    if not len(entries):
        return entries
    order, begins = _grouped(entries[:, :width], mixed)
    unique = entries[order[begins]]
    unique[:, FIRST] = np.minimum.reduceat(entries[order, FIRST], begins)
    unique[:, TIMES] = np.add.reduceat(entries[order, TIMES], begins)
    return unique


class Pile:
    """Entries in memory, merged whenever there are twice as many as may be different."""

    def __init__(self, layout: Layout, limit: int, threads: int = 1) -> None:
        self.identity, self.limit, self.threads = layout.key + layout.codes, limit, threads
        self.rows: Words = np.empty((2 * limit, layout.width), np.uint64)
        self.held = 0

    def add(self, entries: Words) -> list[Words]:
        """Take entries; return those that are too many to hold, which is mostly none."""
        out = []
        while len(entries):
            now = entries[: len(self.rows) - self.held]
            self.rows[self.held : self.held + len(now)] = now
            self.held += len(now)
            entries = entries[len(now) :]
            if self.held == len(self.rows):
                out += self._pressed()
        return out

    def _pressed(self) -> list[Words]:
        few = self.all()
        self.held = 0
        if len(few) > self.limit:
            return [few]
        self.rows[: len(few)] = few
        self.held = len(few)
        return []

    def all(self) -> Words:
        """Return all entries that are held, each once."""
        return merged(self.rows[: self.held], self.identity, self.threads)
