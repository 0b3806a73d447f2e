"""Hierarchies of texts and dates: prefixes, the calendar, and none at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.errors import RequestError, shown
from shoal.table.hierarchy.tree import ROOT
from shoal.table.hierarchy.values import Distinct
from shoal.table.roles import Kind

LEVELS = 24
CALENDAR = ("day", "month", "quarter", "year")


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
