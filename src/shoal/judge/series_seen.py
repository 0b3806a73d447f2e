"""A release of a series as its file shows it, compared with its entry in the ledger."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.errors import InputError, listed
from shoal.judge.declared import beside
from shoal.judge.readers.reading import opened
from shoal.judge.readers.source import Source
from shoal.judge.readers.written import Written
from shoal.judge.series_ledger import value_number
from shoal.judge.spelling import plain_value

Tree = Mapping[str, Any]
TOGETHER = " + "  # between the names of kept columns that are joined by together


@dataclass(frozen=True)
class Seen:
    """A release as its file shows it: the values and kept values of every class, by number.

    The kept values are those of people, without counterfeits.
    """

    values: list[Counter[str]]
    records: dict[str, list[list[tuple[str, str]]]]  # kept column, class: kept value, value

    @property
    def sizes(self) -> list[int]:
        """The records of every class."""
        return [sum(one.values()) for one in self.values]


def see(
    path: Path, kind: str | None, entry: Tree, secret: bytes, written: Written | None = None
) -> Seen:
    """Read a release as its entry says: classes in the order in which they first appear.

    How a csv file is written is `written`, or what a report beside it says.
    """
    promise = entry["promise"]
    quasi, kept, hidden = promise["quasi_identifiers"], promise["kept"], promise["sensitive"]
    if written is None:
        papers = beside(path)
        written = Written() if papers is None else Written(**papers.text)
    joined = [[name] for name in kept] + ([list(kept)] if len(kept) > 1 else [])
    classes: dict[Any, int] = {}
    values: list[Counter[str]] = []
    records: dict[str, list[list[tuple[str, str]]]] = {TOGETHER.join(one): [] for one in joined}
    with opened(path, kind, written) as source:
        wanted = [*quasi, *kept, *([hidden] if hidden else [])]
        _check_columns(source, wanted)
        for row in source.keys(wanted):
            number = classes.setdefault(row[: len(quasi)], len(classes))
            if number == len(values):
                values.append(Counter())
                for every in records.values():
                    every.append([])
            cells = dict(zip(wanted, row, strict=True))
            value = ""
            if hidden:
                value = value_number(secret, hidden, _plain(cells[hidden], source.as_bytes))
            values[number][value] += 1
            for names in joined:
                own = "\0".join(_plain(cells[name], source.as_bytes) for name in names)
                records[TOGETHER.join(names)][number].append((own, value))
    _take_out(records, entry, secret)
    return Seen(values, records)


def _take_out(
    records: Mapping[str, list[list[tuple[str, str]]]], entry: Tree, secret: bytes
) -> None:
    """Take the counterfeits out of the records that kept columns could join: they are nobody's."""
    roll = entry["roll"]
    nobody = set(roll.get("counterfeits", ()))
    if not nobody:
        return
    for name, classes in records.items():
        false: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
        for person, number, value, own in zip(
            roll["people"], roll["classes"], roll["values"], roll["joined"][name], strict=True
        ):
            if person in nobody and number < len(classes):
                false[number][own, value] += 1
        for number, counts in false.items():
            left = []
            for own, value in classes[number]:
                key = (value_number(secret, name, own), value)
                if counts[key]:
                    counts[key] -= 1
                else:
                    left.append((own, value))
            classes[number] = left


def of_entry(seen: Seen, entry: Tree) -> list[str]:
    """Return what is wrong with one release and its entry: classes, their values, and k."""
    promise, roll, what = entry["promise"], entry["roll"], f"release {entry['number']}"
    people = Counter(roll["classes"])
    if [people[number] for number in range(len(seen.values))] != seen.sizes:
        return [f"{what}: the classes of the file are not those of the ledger"]
    problems = []
    nobody = set(roll.get("counterfeits", ()))
    owners = zip(roll["people"], roll["classes"], strict=True)
    real = Counter(number for person, number in owners if person not in nobody)
    small = sum(1 for number in people if real[number] < promise["k"])
    if small:
        problems.append(f"{what}: {small} classes have fewer than k = {promise['k']} people")
    if len(roll["people"]) - sum(real.values()) != len(nobody):
        problems.append(f"{what}: the counterfeits are not those of the ledger")
    if promise["l"] is None:
        return problems
    meant: dict[int, Counter[str]] = defaultdict(Counter)
    for number, value in zip(roll["classes"], roll["values"], strict=True):
        meant[number][value] += 1
    other = sum(1 for number, values in enumerate(seen.values) if meant[number] != values)
    if other:
        problems.append(f"{what}: {other} classes have other values than the ledger has")
    return problems


def _plain(cell: Any, as_bytes: bool) -> str:
    """Return a cell as one text for all its spellings."""
    if as_bytes and isinstance(cell, str):
        cell = cell.encode("latin-1").decode("utf-8", "surrogateescape")
    plain = plain_value(cell, ())
    if plain is None:
        return ""
    return f"{plain.normalize():f}" if isinstance(plain, Decimal) else str(plain)


def _check_columns(source: Source, wanted: Sequence[str]) -> None:
    lacking = [name for name in wanted if name not in source.header]
    if lacking:
        raise InputError(f"{source.name}: it lacks {listed(lacking)}, which the ledger names")
