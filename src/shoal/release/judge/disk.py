"""Classes on disk: part by part, with the subsets of quasi-identifiers in parts of their own."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from shoal.models.matching import READINGS
from shoal.release.judge.classes import Class, Narrow, Subset, part_of
from shoal.release.judge.reading import Key
from shoal.release.judge.sensitive import Sensitive
from shoal.release.judge.spill import Spill, key_of, text_of


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
                        (text_of(part_of(key_of(text), subset)), f"{size}\t{text}")
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
