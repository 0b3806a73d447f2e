"""Equivalence classes on disk, part by part, and subsets of quasi-identifiers.

An entry goes to the part that the mix of its key names, so all entries of a key are in one part,
and each part is judged alone: memory holds one part of 256 at a time.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.judge.classes import (
    FIRST,
    PARTS,
    TIMES,
    Class,
    Layout,
    Narrow,
    Subset,
    Words,
    grouped,
    merged,
    parts_of,
)
from shoal.judge.limits import each
from shoal.judge.models.matching import READINGS
from shoal.judge.sensitive import Combination


class Disk:
    """Classes in temporary files, part by part."""

    def __init__(
        self, spill: Spill, layout: Layout, subsets: Sequence[Subset],
        combined: Sequence[Combination] = (),
    ) -> None:  # fmt: skip
        self.spill, self.layout, self.subsets = spill, layout, subsets
        self.combined = combined
        self.narrow: list[Narrow] = []
        self.sizes: Counter[int] = Counter()

    def add(self, entries: Words) -> None:
        """Write entries down."""
        self._add("entries", entries, parts_of(entries[:, : self.layout.key]))

    def _add(self, name: str, entries: Words, parts: Words) -> None:
        order = np.argsort(parts.astype(np.uint8), kind="stable")
        entries = entries[order]
        ends = np.cumsum(np.bincount(parts.astype(np.intp), minlength=PARTS)).tolist()
        for part, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if begin < end:
                self.spill.add(name, part, entries[begin:end].data)

    def _read(self, name: str, part: int, width: int) -> Words:
        return np.frombuffer(self.spill.read(name, part), np.uint64).reshape(-1, width)

    def finish(self, threads: int = 1) -> None:
        """Find the classes, then judge the subsets, whose combinations lie in their own parts."""
        for part, counted in enumerate(each(self._merged, range(PARTS), threads)):
            if not len(counted):
                continue
            if not self.layout.codes:
                self.spill.drop("entries", part)
            for number, mask in enumerate(self.layout.masks):
                self._combine(number, counted, mask, part)
            classes = counted[np.argsort(counted[:, FIRST])][:, FIRST:]
            self.spill.add("classes", part, classes.tobytes())
            sizes, times = np.unique(classes[:, TIMES], return_counts=True)
            self.sizes.update(dict(zip(sizes.tolist(), times.tolist(), strict=True)))
        for number in range(len(self.subsets)):
            self.narrow.append(self._narrow(number))

    def _merged(self, part: int) -> Words:
        """Return the classes of a part."""
        return merged(self._read("entries", part, self.layout.width), self.layout.key)

    def _combine(self, number: int, rows: Words, mask: Words, part: int) -> None:
        """Write down the classes of a part by the words of a subset.

        Those of a combination that is frequent enough already are one entry: which they are
        does not matter, and a combination may have any number of classes.
        """
        places = np.flatnonzero(mask)
        words = rows[:, places] & mask[places]
        order, begins = grouped(words)
        sizes = rows[order, TIMES]
        total = np.add.reduceat(sizes, begins)
        lengths = np.diff(begins, append=len(order))
        good = np.repeat(total >= self.subsets[number].k, lengths)
        sizes = np.where(good, np.repeat(total, lengths), sizes)
        kept = ~good
        kept[begins] = True
        order, sizes = order[kept], sizes[kept]
        words = words[order]
        where = np.full(len(order), part, np.uint64)
        every = np.column_stack([words, where, rows[order, FIRST], sizes])
        self._add(f"subset{number}", every, parts_of(words))

    def _narrow(self, number: int) -> Narrow:
        """Judge a subset, and write down which classes are in a combination that is too rare."""
        width = int(np.count_nonzero(self.layout.masks[number]))
        smallest, classes, records = [], 0, 0
        for part in range(PARTS):
            every = self._read(f"subset{number}", part, width + 3)
            self.spill.drop(f"subset{number}", part)
            if not len(every):
                continue
            order, begins = grouped(every[:, :width])
            total = np.add.reduceat(every[order, TIMES], begins)
            smallest.append(int(total.min()))
            rare = total < self.subsets[number].k
            classes += int(np.count_nonzero(rare))
            records += int(total[rare].sum())
            rows = every[order[np.repeat(rare, np.diff(begins, append=len(order)))]]
            pairs = np.column_stack([rows[:, FIRST], np.full(len(rows), number, np.uint64)])
            self._add("rare", pairs, rows[:, width])
        return Narrow(min(smallest, default=0), classes, records)

    def quick(self, k: int) -> Counter[int] | None:
        """Return how many classes of each size there are, if size alone counts and all are good."""
        plain = not self.layout.codes and not self.subsets
        return self.sizes if plain and min(self.sizes, default=0) >= k else None

    def classes(self) -> Iterator[Class]:
        """Yield every class, part by part."""
        for part in range(PARTS):
            narrow: dict[int, list[int]] = {}
            for first, number in self._read("rare", part, 2).tolist():
                narrow.setdefault(first, []).append(number)
            for first, size, values in self._classes(part):
                yield Class(first, size, size, values, narrow.get(first, ()))

    def _classes(self, part: int) -> Iterator[tuple[int, int, list[dict[int, int]]]]:
        """Yield the first record, the size and the counted codes of the classes of a part."""
        if not self.layout.codes:
            for first, size in self._read("classes", part, 2).tolist():
                yield first, size, []
            return
        entries = self._read("entries", part, self.layout.width)
        if not len(entries):
            return
        order, begins = grouped(entries[:, : self.layout.key])
        ends = [*begins[1:].tolist(), len(order)]
        more = entries[order, self.layout.key :]
        firsts = np.minimum.reduceat(more[:, FIRST], begins).tolist()
        times = more[:, TIMES].tolist()
        codes = [more[:, place].tolist() for place in range(self.layout.codes)]
        for begin, end, first in zip(begins.tolist(), ends, firsts, strict=True):
            here = times[begin:end]
            values = [_counted(of[begin:end], here) for of in codes]
            rows = [*zip(*(of[begin:end] for of in codes), strict=True)] if self.combined else []
            for one in self.combined:
                values.append(_counted([*map(one.code, rows, here)], here))
            yield first, sum(here), values

    def numbers(self, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of classes that begin at these records: how many begin before."""
        before = np.ones(len(firsts), np.intp)
        for part in range(PARTS) if firsts else ():
            begins = self._read("classes", part, 2)[:, 0]
            before += np.searchsorted(begins, np.array(firsts, np.uint64))
        return [int(number) for number in before]

    def readings(self, own: int) -> dict[str, int | None]:
        """Return the smallest class; other readings are not counted on disk."""
        return {reading: own if reading == "own" else None for reading in READINGS}


def _counted(codes: list[int], times: list[int]) -> dict[int, int]:
    sizes: dict[int, int] = {}
    for code, many in zip(codes, times, strict=True):
        sizes[code] = sizes.get(code, 0) + many
    return sizes


# Temporary files for counts that exceed memory.
#
# What belongs to a name and a part is one file that only its owner can read (0600, in a folder of
# 0700); all are gone when the judge is done, whatever happened.


class Spill:
    """A temporary folder; use it in a with statement."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-verify-"))

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, name: str, part: int, content: Any) -> None:
        """Add bytes to a part of a name."""
        self._append(self._path(name, part), content)

    def read(self, name: str, part: int) -> bytes:
        """Return the bytes of one part, in the order in which they came."""
        path = self._path(name, part)
        return path.read_bytes() if path.exists() else b""

    def drop(self, name: str, part: int) -> None:
        """Forget one part."""
        self._path(name, part).unlink(missing_ok=True)

    def _path(self, name: str, part: int) -> Path:
        return self.folder / f"{name}-{part}"

    def _append(self, path: Path, content: Any) -> None:
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(number, "wb") as file:
                file.write(content)
        except OSError as error:
            reason = error.strerror or "the disk is full"
            raise InputError(
                f"the counts of this file do not fit in the temporary folder ({reason}); "
                "name a larger one with TMPDIR"
            ) from None
