"""Composition with the original: how many people share both classes of each person.

The pair of a person's classes, one in each release, is what somebody learns who has both. A record
of the original is placed in a release by columns that name it (`key`), by its row where the rows
are in one order, or by evidence: the cells of the columns that were kept as they were, and those of
generalized ones that cover the original's. Evidence counts where it leaves one class alone; who is
left with several is unknown, and never taken for safe. A mean covers nothing and is no evidence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import InputError, listed
from shoal.judge.readers.source import Key, Source

MOST = 5_000_000  # records that are held at once
WORK = 20_000_000  # people times classes that are compared one by one
UNKNOWN, ABSENT = -1, -2

Cells = Mapping[str, Sequence[Any]]
Compare = Callable[[Any, bool], Any]


@dataclass(frozen=True)
class Side:
    """A release, read: cells to compare by their columns, the class of each record, how to read it.

    `exact` are the quasi-identifiers whose single values are values, not means of some; `in_order`
    says that the rows are those of the original, one by one.
    """

    name: str
    cells: Cells
    classes: Sequence[int]
    quasi: Sequence[str]
    exact: frozenset[str]
    in_order: bool

    def __repr__(self) -> str:
        return f"<Side of {len(self.classes)} records>"


@dataclass(frozen=True)
class Shared:
    """People in both releases, the fewest that share both classes, and those below k.

    `unknown` are those that could not be placed; `how` is how the others were, in each release.
    """

    people: int
    smallest: int | None
    below: int
    unknown: int
    how: tuple[str, str]


def read_all(source: Source, comparable: Compare) -> tuple[Cells, Cells]:
    """Return the columns of a file: as they are, and in cells that compare with those of others."""
    names = source.header
    raw: list[list[Any]] = [[] for _ in names]
    columns: list[list[Any]] = [[] for _ in names]
    known: dict[Any, Any] = {}
    for number, row in enumerate(source.keys(names)):
        if number >= MOST:
            raise InputError(f"{source.name}: more than {MOST} records are too many to place")
        for own, cells, cell in zip(raw, columns, row, strict=True):
            if (kind := (type(cell), cell)) not in known:
                known[kind] = comparable(cell, source.as_bytes)
            own.append(cell)
            cells.append(known[kind])
    return dict(zip(names, raw, strict=True)), dict(zip(names, columns, strict=True))


def numbered(rows: Sequence[Key]) -> list[int]:
    """Return which class each record is in, from 0 in order of appearance."""
    known: dict[Key, int] = {}
    return [known.setdefault(row, len(known)) for row in rows]


def changed(original: Cells, release: Cells) -> list[str]:
    """Return the columns of which the release has values that the original has not so often."""
    both = [name for name in release if name in original]
    return [name for name in both if Counter(release[name]) - Counter(original[name])]


def share(
    original: Cells, rows: int, sides: tuple[Side, Side], key: Sequence[str], k: int,
    covers: Callable[[Any, Any, bool], bool],
) -> Shared:  # fmt: skip
    """Assign every person to classes of both releases, and count shared pairs."""
    places, bases = [], []
    for side in sides:
        placed, basis = _placed(original, rows, side, key, covers)
        places.append(placed)
        bases.append(basis)
    unknown, pairs = 0, []
    for one, other in zip(*places, strict=True):
        if ABSENT in (one, other):
            continue
        if UNKNOWN in (one, other):
            unknown += 1
        else:
            pairs.append((one, other))
    counts = Counter(pairs)
    below = sum(many for many in counts.values() if many < k)
    smallest = min(counts.values(), default=None)
    return Shared(len(pairs) + unknown, smallest, below, unknown, (bases[0], bases[1]))


def _placed(
    original: Cells, rows: int, side: Side, key: Sequence[str],
    covers: Callable[[Any, Any, bool], bool],
) -> tuple[list[int], str]:  # fmt: skip
    """Return the class of every person in a release, and how it is known."""
    if key:
        return _by_key(original, side, key), f"by {listed(key)}"
    moved = {*changed(original, side.cells), *side.quasi}
    kept = [name for name in side.cells if name in original and name not in moved]
    there = [name for name in side.quasi if name in original]
    same = len(side.classes) == rows
    if side.in_order and same and all(list(side.cells[n]) == list(original[n]) for n in kept):
        fits = (
            covers(cell, own, name in side.exact)
            for name in there
            for cell, own in zip(side.cells[name], original[name], strict=True)
        )
        if all(fits):
            return list(side.classes), "by the order of the rows"
    places = _by_evidence(original, rows, side, kept, there, covers)
    return places, f"by {listed(kept)} and what covers them" if kept else "by what covers them"


def _rows(cells: Cells, names: Sequence[str], many: int) -> list[Key]:
    return list(zip(*(cells[name] for name in names), strict=True)) if names else [()] * many


def _by_key(original: Cells, side: Side, key: Sequence[str]) -> list[int]:
    for cells, name in ((original, "the original"), (side.cells, side.name)):
        for column in key:
            if column not in cells:
                raise InputError(f"{name}: there is no column {column[:60]!r} to know people by")
    theirs = _rows(side.cells, key, 0)
    own = _rows(original, key, 0)
    for rows, name in ((own, "the original"), (theirs, side.name)):
        if len(set(rows)) < len(rows) or any(None in row for row in rows):
            raise InputError(f"{name}: {listed(key)} does not name people: some share or lack it")
    known = dict(zip(theirs, side.classes, strict=True))
    if known.keys() - set(own):
        raise InputError(f"{side.name}: some of its {listed(key)} are not in the original")
    return [known.get(row, ABSENT) for row in own]


def _by_evidence(
    original: Cells, rows: int, side: Side, kept: Sequence[str], there: Sequence[str],
    covers: Callable[[Any, Any, bool], bool],
) -> list[int]:  # fmt: skip
    many = len(side.classes)
    records: dict[Key, Counter[int]] = defaultdict(Counter)
    for row, number in zip(_rows(side.cells, kept, many), side.classes, strict=True):
        records[row][number] += 1
    people: dict[Key, list[int]] = defaultdict(list)
    for person, row in enumerate(_rows(original, kept, rows)):
        people[row].append(person)
    places = [UNKNOWN] * rows
    if any(sum(ours.values()) > len(people.get(row, ())) for row, ours in records.items()):
        return places  # records without a person: a kept column was changed
    covering = _Covering(original, side, there, covers)
    absent = []
    for row, those in people.items():
        ours = records.get(row, Counter())
        if not ours:
            absent += those
        elif sum(ours.values()) == len(those):
            for person, number in covering.forced(those, ours).items():
                places[person] = number
    if len(absent) == rows - many:
        for person in absent:
            places[person] = ABSENT
    return places


class _Covering:
    """Which classes may be whose: their cells cover those of the person."""

    def __init__(
        self, original: Cells, side: Side, there: Sequence[str],
        covers: Callable[[Any, Any, bool], bool],
    ) -> None:  # fmt: skip
        self.original, self.side, self.there, self.covers = original, side, there, covers
        self.firsts: dict[int, int] = {}
        for row, number in enumerate(side.classes):
            self.firsts.setdefault(number, row)
        self.known: dict[tuple[str, Any, Any], bool] = {}
        self.work = 0

    def forced(self, people: Sequence[int], records: Counter[int]) -> dict[int, int]:
        """Return the people with a single possible class, if all are in one of these."""
        if len(records) == 1:
            return dict.fromkeys(people, next(iter(records)))
        self.work += len(people) * len(records)
        if self.work > WORK:
            return {}
        left = dict(records)
        may = {person: {n for n in records if self._may(person, n)} for person in people}
        forced: dict[int, int] = {}
        waiting = list(people)
        while waiting:
            sure = [person for person in waiting if len(may[person]) == 1]
            if not sure:
                break
            for person in sure:
                (number,) = may[person] or {UNKNOWN}
                left[number] = left.get(number, 0) - 1
                if left[number] < 0:
                    return {}  # more people than records: the evidence is wrong
                forced[person] = number
            full = {number for number, many in left.items() if not many}
            waiting = [person for person in waiting if person not in forced]
            for person in waiting:
                may[person] -= full
        return {} if any(not classes for classes in may.values()) else forced

    def _may(self, person: int, number: int) -> bool:
        row = self.firsts[number]
        for name in self.there:
            pair = (name, self.side.cells[name][row], self.original[name][person])
            if pair not in self.known:
                self.known[pair] = self.covers(pair[1], pair[2], name in self.side.exact)
            if not self.known[pair]:
                return False
        return True
