"""Rules of hierarchies from texts: `ages.csv`, `widths:5,10`, `prefixes`, `dates`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, listed, shown
from shoal.table.hierarchy.listed import read_listed
from shoal.table.hierarchy.tree import ROOT, Balanced, Cuts, Quantiles, Widths
from shoal.table.hierarchy.values import Axis, Distinct, Rule
from shoal.table.roles import Column, Kind

LEVELS = 24
CALENDAR = ("day", "month", "quarter", "year")
FORMS = (
    "FILE.csv", "widths:5,10", "cuts:18,30,65", "quantiles:20,5", "prefixes:3,2", "dates",
    "balanced", "flat",
)  # fmt: skip
WORDS = ("widths", "cuts", "quantiles", "prefixes", "dates", "balanced", "flat")


def automatic(column: Column) -> Rule:
    """Return what a column without a hierarchy gets: balanced intervals, or a flat tree."""
    return Flat() if not column.has_places or column.kind is Kind.BOOLEAN else Balanced()


def is_file(rule: str) -> bool:
    """Tell whether the rule of a hierarchy names a file."""
    return rule.partition(":")[0] not in WORDS


def digests(hierarchies: Mapping[str, str], folder: Path | None = None) -> dict[str, str]:
    """Return the sha256 of the files of hierarchies, by column."""
    hashes = {}
    for name, rule in hierarchies.items():
        if is_file(rule):
            path = (folder or Path()) / rule
            try:
                with path.open("rb") as file:
                    hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                raise InputError(f"there is no hierarchy file {shown(path.name)}") from None
    return hashes


def specify(text: str, folder: Path | None = None) -> Rule:
    """Return the rule that a text names; files are looked for beside `folder`."""
    word, _, rest = text.partition(":")
    parts = [part.strip() for part in rest.split(",")] if rest.strip() else []
    if word == "widths":
        return _widths(text, rest)
    if word == "cuts" and parts:
        levels = [[cut.strip() for cut in level.split(",")] for level in rest.split("/")]
        return Cuts(tuple(map(tuple, levels)))
    if word == "quantiles":
        counts = _counts(text, parts)
        if not counts or any(a % b or a == b for a, b in pairwise(counts)) or counts[-1] < 2:
            raise RequestError(f"{shown(text)}: each number must be a part of the one before")
        return Quantiles(counts)
    if word == "prefixes":
        lengths = _counts(text, parts)
        if any(a <= b for a, b in pairwise(lengths)):
            raise RequestError(f"{shown(text)}: the lengths must fall")
        return Prefixes(lengths)
    if word == "dates":
        levels_ = tuple(parts) or CALENDAR
        if [level for level in CALENDAR if level in levels_] != list(levels_):
            raise RequestError(f"{shown(text)}: say some of {', '.join(CALENDAR)}, in this order")
        return Dates(levels_)
    if text in ("balanced", "flat"):
        return Balanced(given=True) if text == "balanced" else Flat(given=True)
    if word in ("cuts", "balanced", "flat"):
        raise RequestError(f"{shown(text)} is no hierarchy; say {', '.join(FORMS)}")
    path = Path(text) if folder is None else folder / text
    if not path.suffix and not _is_file(path):
        raise RequestError(f"{shown(text)} is no hierarchy; say {', '.join(FORMS)}")
    return read_listed(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _widths(text: str, rest: str) -> Rule:
    numbers, _, origin = rest.partition("@")
    try:
        widths = tuple(Axis("number").read(part, text) for part in numbers.split(","))
    except InputError:
        raise RequestError(f"{shown(text)}: say widths:5,10,20") from None
    if widths[0] <= 0 or any(b % a or a == b for a, b in pairwise(widths)):
        raise RequestError(
            f"{shown(text)}: widths must be positive, each a multiple of the one before; "
            "else intervals would overlap"
        )
    return Widths(widths, origin.strip())


def _counts(text: str, parts: list[str]) -> tuple[int, ...]:
    try:
        counts = tuple(int(part) for part in parts)
    except ValueError:
        raise RequestError(f"{shown(text)}: whole numbers are wanted") from None
    if any(count < 1 for count in counts):
        raise RequestError(f"{shown(text)}: numbers from 1 on are wanted")
    return counts


def in_folder(folder: Path, columns: list[str]) -> dict[str, str]:
    """Return the files of a folder that are named like columns: COLUMN.csv."""
    if not folder.is_dir():
        raise RequestError(f"there is no folder {shown(folder)}")
    paths = {name: folder / f"{name}.csv" for name in columns if "/" not in name}
    files = {name: str(path) for name, path in paths.items() if _is_file(path)}
    if not files:
        raise RequestError(
            f"{shown(folder)} has no file named like a quasi-identifier: "
            f"{listed([f'{name}.csv' for name in columns])}"
        )
    return files


def rules_for(
    columns: list[Column], texts: Mapping[str, str], folder: Path | None = None
) -> list[Rule]:
    """Return every column's rule: the given one, else the default."""
    return [
        specify(texts[column.name], folder) if column.name in texts else automatic(column)
        for column in columns
    ]


@dataclass(frozen=True)
class Prefixes:
    """Texts with ever fewer of their first signs: 1234, 123*, 12**, 1***.

    prefixes:3,2 keeps 3, then 2; without numbers one sign less in every level, of at most LEVELS.
    """

    lengths: tuple[int, ...] = ()
    given: bool = True
    shows_values: bool = False

    def __str__(self) -> str:
        return f"prefixes:{','.join(map(str, self.lengths))}" if self.lengths else "prefixes"

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the masked forms of every value, the longest first."""
        if values.kind in (Kind.DECIMAL, Kind.FLOAT):  # 3.5 and 3.50 are one number
            raise RequestError(
                f"the hierarchy {self} is for texts, whole numbers and dates; column "
                f"{shown(values.name)} is {values.kind}, whose numbers can be written in several "
                "lengths; say widths:N, cuts:A,B or quantiles:N"
            )
        longest = max(map(len, values.texts), default=0)
        lengths = self.lengths or tuple(range(min(longest - 1, LEVELS), 0, -1))
        return [
            [text, *(text[:keep] + "*" * (len(text) - keep) for keep in lengths), ROOT]
            for text in values.texts
        ], []


@dataclass(frozen=True)
class Dates:
    """The calendar: 2026-03-31 lies in 2026-03, that in 2026-Q1, that in 2026.

    Times with a zone are counted in UTC, as they are written.
    """

    levels: tuple[str, ...] = CALENDAR
    given: bool = True
    shows_values: bool = False

    def __str__(self) -> str:
        return f"dates:{','.join(self.levels)}" if self.levels != CALENDAR else "dates"

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return day, month, quarter and year of every value, as far as asked for."""
        if values.kind not in (Kind.DATE, Kind.DATETIME):
            raise RequestError(
                f"the hierarchy {self} is for dates; column {shown(values.name)} is {values.kind}"
            )
        return [
            [text, *(_calendar(value, level) for level in self.levels), ROOT]
            for value, text in zip(values.values, values.texts, strict=True)
        ], []


def _calendar(value: Any, level: str) -> str:
    year = f"{value.year:04d}"
    words = {
        "day": f"{year}-{value.month:02d}-{value.day:02d}",
        "month": f"{year}-{value.month:02d}",
        "quarter": f"{year}-Q{(value.month + 2) // 3}",
        "year": year,
    }
    return words[level]


@dataclass(frozen=True)
class Flat:
    """The default of categories: the root, and all values below it."""

    given: bool = False
    shows_values: bool = False

    def __str__(self) -> str:
        return "flat"

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return two levels."""
        return [[text, ROOT] for text in values.texts], []
