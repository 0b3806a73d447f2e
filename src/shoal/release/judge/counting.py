"""Classes: the records that share every quasi-identifier, counted from the first record on.

While there are few they are counted in memory. Beyond SPILL entries (distinct combinations of
quasi-identifiers and sensitive values) the counts go to temporary files and are judged part by part
(`spill.py`): the result is the same, but other readings of missing cells than `own`, for which any
two classes may have to meet, are not counted then.

Precondition: records come in the order of the file. Postcondition: `Memory.classes` and
`Disk.classes` yield every class once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Protocol

from shoal.errors import InputError, RequestError
from shoal.models.matching import READINGS, candidate_values, candidates, smallest
from shoal.release.judge.reading import Key, Source
from shoal.release.judge.sensitive import Sensitive
from shoal.release.judge.spill import Spill, key_of, text_of

SPILL = 400_000
BATCH = 512  # few enough that their cells die young: nothing for the garbage collector
STEPS = 1_000_000  # what a reading that nobody asked for may take: about a second

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


def tally(rows: Iterator[Key], full: Callable[[Counter[Key], array[int]], bool]) -> tuple[
    Counter[Key], array[int]
]:  # fmt: skip
    """Count rows; return how often and where first each occurs, in order of first appearance.

    `full` is called when there are more than SPILL; if it takes them all, counting begins anew.
    """
    counts: Counter[Key] = Counter()
    firsts = array("q")
    seen = 0
    while batch := list(islice(rows, BATCH)):
        before = len(counts)
        counts.update(batch)
        at = 0
        for row in reversed(list(islice(reversed(counts), len(counts) - before))):
            at = batch.index(row, at)
            firsts.append(seen + at + 1)
        seen += len(batch)
        if len(counts) > SPILL and full(counts, firsts):
            counts.clear()
            del firsts[:]
    return counts, firsts


def count(
    source: Source, quasi: Sequence[str], sensitive: Sequence[Sensitive],
    subsets: Sequence[Subset], reading: str, spill: Callable[[], Spill],
) -> Counted:  # fmt: skip
    """Return the classes of a release, from memory or, if they are many, from `spill`."""
    width = len(quasi)
    disk: Disk | None = None

    def full(counts: Counter[Key], firsts: array[int]) -> bool:
        nonlocal disk
        if reading != "own":
            raise RequestError(
                f"missing_as {reading} is counted in memory, and there are more than {SPILL} "
                "classes; verify with missing_as own, which is stricter"
            )
        disk = disk or Disk(spill(), sensitive, subsets)
        disk.take(counts, firsts, width)
        return True

    rows = source.keys([*quasi, *(column.name for column in sensitive)])
    try:
        counts, firsts = tally(rows, full)
    except TypeError:
        raise InputError(f"{source.name}: a column holds lists, not values") from None
    if disk is None:
        return Memory(counts, firsts, width, sensitive, subsets, reading)
    disk.take(counts, firsts, width)
    counts.clear()
    disk.finish()
    return disk


class Memory:
    """Classes in memory, in order of first appearance."""

    def __init__(
        self, counts: Counter[Key], firsts: array[int], width: int,
        sensitive: Sequence[Sensitive], subsets: Sequence[Subset], reading: str,
    ) -> None:  # fmt: skip
        self.reading, self.subsets = reading, subsets
        self.values: list[dict[Key, Values]] = []
        if sensitive:
            counts, firsts = self._folded(counts, firsts, width, sensitive)
        self.sizes, self.firsts = counts, firsts
        self.candidates = candidates(self.sizes, reading) if reading != "own" else self.sizes
        self.narrow: list[Narrow] = []
        self._rare: list[set[Key]] = []
        for subset in subsets:
            self._look(subset)

    def _folded(
        self, counts: Counter[Key], firsts: array[int], width: int, sensitive: Sequence[Sensitive]
    ) -> tuple[Counter[Key], array[int]]:
        sizes: Counter[Key] = Counter()
        begins = array("q")
        values: list[dict[Key, dict[int, int]]] = [{} for _ in sensitive]
        for (row, times), first in zip(counts.items(), firsts, strict=True):
            key = row[:width]
            if key not in sizes:
                begins.append(first)
            sizes[key] += times
            for column, of, cell in zip(sensitive, values, row[width:], strict=True):
                code = column.code(cell)
                column.whole[code] += times
                within = of.setdefault(key, {})
                within[code] = within.get(code, 0) + times
        self.values = [dict(candidate_values(of, self.reading)) for of in values]
        return sizes, begins

    def _look(self, subset: Subset) -> None:
        sizes: Counter[Key] = Counter()
        for key, size in self.sizes.items():
            sizes[_part(key, subset)] += size
        found = candidates(sizes, self.reading)
        rare = {key for key, many in found.items() if many < subset.k}
        records = sum(sizes[key] for key in rare)
        self.narrow.append(Narrow(min(found.values(), default=0), len(rare), records))
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
                i for i, subset in enumerate(self.subsets) if _part(key, subset) in self._rare[i]
            ]
            yield Class(first, size, self.candidates[key], values, narrow)

    def numbers(self, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of classes that begin at these records, which are in order."""
        return [bisect_left(self.firsts, first) + 1 for first in firsts]

    def readings(self, own: int) -> dict[str, int | None]:
        """Return the smallest set of candidates in each reading, where it can be told soon."""
        found: dict[str, int | None] = {"own": own}
        for reading in READINGS[1:]:
            most = float("inf") if reading == self.reading else STEPS
            found[reading] = smallest(self.sizes, reading, most)
        return found


class Disk:
    """Classes in temporary files, part by part."""

    def __init__(
        self, spill: Spill, sensitive: Sequence[Sensitive], subsets: Sequence[Subset]
    ) -> None:
        self.spill, self.sensitive, self.subsets = spill, sensitive, subsets
        self.narrow: list[Narrow] = []

    def take(self, counts: Counter[Key], firsts: array[int], width: int) -> None:
        """Write counts down: the key's text, its first record, its number, codes of its values."""
        self.spill.add("classes", self._entries(counts, firsts, width))

    def _entries(
        self, counts: Counter[Key], firsts: array[int], width: int
    ) -> Iterator[tuple[str, str]]:
        for (row, times), first in zip(counts.items(), firsts, strict=True):
            more = f"{first}\t{times}"
            for column, cell in zip(self.sensitive, row[width:], strict=True):
                code = column.code(cell)
                column.whole[code] += times
                more += f"\t{code}"
            yield text_of(row[:width]), more

    def finish(self) -> None:
        """Judge the subsets, whose combinations lie in parts of their own."""
        for number, subset in enumerate(self.subsets):
            for part in range(self.spill.count):
                sizes = self._part(part)
                self.spill.add(
                    f"subset{number}",
                    (
                        (text_of(_part(key_of(text), subset)), f"{size}\t{text}")
                        for text, (_, size, _) in sizes.items()
                    ),
                )
            self.narrow.append(self._narrow(number, subset))

    def _narrow(self, number: int, subset: Subset) -> Narrow:
        least, classes, records = 0, 0, 0
        for part in range(self.spill.count):
            sizes: Counter[str] = Counter()
            for text, size, _ in self.spill.entries(f"subset{number}", part):
                sizes[text] += int(size)
            if sizes:
                least = min([least or min(sizes.values()), *sizes.values()])
            rare = {text for text, size in sizes.items() if size < subset.k}
            classes += len(rare)
            records += sum(sizes[text] for text in rare)
            self.spill.add(
                "rare",
                (
                    (whole, str(number))
                    for text, _, whole in self.spill.entries(f"subset{number}", part)
                    if text in rare
                ),
            )
        return Narrow(least, classes, records)

    def _part(self, part: int) -> dict[str, tuple[int, int, list[dict[int, int]]]]:
        found: dict[str, tuple[int, int, list[dict[int, int]]]] = {}
        for text, first, times, *codes in self.spill.entries("classes", part):
            begin, size, values = found.get(text) or (int(first), 0, [{} for _ in codes])
            many = int(times)
            for within, code in zip(values, map(int, codes), strict=True):
                within[code] = within.get(code, 0) + many
            found[text] = (begin, size + many, values)
        return found

    def quick(self, k: int) -> Counter[int] | None:  # noqa: ARG002 - as Counted has it
        """Return nothing: every class is looked at."""
        return None

    def classes(self) -> Iterator[Class]:
        """Yield every class, part by part."""
        for part in range(self.spill.count):
            narrow: dict[str, list[int]] = {}
            for text, number in self.spill.entries("rare", part):
                narrow.setdefault(text, []).append(int(number))
            found = self._part(part)
            self.spill.keep(part, array("q", sorted(first for first, _, _ in found.values())))
            for text, (first, size, values) in found.items():
                yield Class(first, size, size, values, narrow.get(text, ()))

    def numbers(self, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of classes that begin at these records: how many begin before."""
        before = [1] * len(firsts)
        for part in range(self.spill.count):
            begins = self.spill.kept(part)
            for i, first in enumerate(firsts):
                before[i] += bisect_left(begins, first)
        return before

    def readings(self, own: int) -> dict[str, int | None]:
        """Return the smallest class; other readings are not counted on disk."""
        return {reading: own if reading == "own" else None for reading in READINGS}


def _part(key: Sequence[Any], subset: Subset) -> Key:
    return tuple(key[place] for place in subset.places)
