"""Roles, kinds and columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from shoal.errors import shown
from shoal.once import once
from shoal.table.files.variable import Variable

STAR = "*"  # the root of every tree, and what a group releases that has nothing in common
MAJORITY = "majority"  # of the two values that a column of numbers has
AVERAGED = ("mean", "median", MAJORITY)  # aggregators whose release is a number
STRATUM = "stratum"  # aggregator of a column in which all records of a group agree
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # of Arrow's units of time, in a second


class Role(StrEnum):
    """Role of a column."""

    IDENTIFIER = "identifier"  # names a person; dropped
    QUASI_IDENTIFIER = "quasi-identifier"  # could be looked up elsewhere; grouped
    SENSITIVE = "sensitive"  # what must not be learned about a person; kept
    OTHER = "other"  # kept untouched


class Kind(StrEnum):
    """Kind of the cells of a column."""

    INTEGER = "integer"
    DECIMAL = "decimal"  # numbers written with a fixed point: exact
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    TEXT = "text"
    DURATION = "duration"  # kept or sensitive, never grouped
    UNKNOWN = "unknown"  # nested, binary, …: kept, never grouped

    @property
    def is_numeric(self) -> bool:
        """Whether the kind has differences and means."""
        return self not in (Kind.TEXT, Kind.UNKNOWN)

    @property
    def is_grouped(self) -> bool:
        """Whether columns of the kind can be quasi-identifiers."""
        return self not in (Kind.DURATION, Kind.UNKNOWN)

    @property
    def is_number(self) -> bool:
        """Whether the cells are plain numbers."""
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)


@dataclass(frozen=True, repr=False)
class Written:
    """Format of a csv column, so that released cells look like the original ones.

    decimals: the most digits after the point (below zero: trailing zeros; of whole numbers: the
    zeros after it, as in 19.0); digits: those that means are rounded to, where they are fewer;
    words: what false and true are called; pattern: strftime of a date and time; zone: what every
    time is written with that is not UTC's or nobody's, as +01:00 is. Values are local times.
    """

    decimals: int = 0
    words: tuple[str, str] = ("false", "true")
    pattern: str = ""
    digits: int | None = None
    zone: str = ""


@dataclass(frozen=True, repr=False)
class Column:
    """A name, a role, a kind, and the values as an Arrow array (missing cells are null).

    A csv column also keeps its cells as they stood in the file: `cells`, and in `quoted` which of
    them stood in quotes (None: none did). `doubt` says why a text column may have been meant as
    something else; such a column is not taken as a quasi-identifier. `protected` marks the columns
    of a released Table whose values are those of groups. `order` is the declared order of the
    values of an ordinal column, whose kind is text; it may hold values that no cell has. `rounded`
    marks columns that are kept, rounded. `variable` is what a statistics file says of it. `ends` is
    the Arrow type of what released texts are intervals of.
    """

    name: str
    kind: Kind
    values: Any
    role: Role = Role.QUASI_IDENTIFIER
    written: Written | None = None
    cells: Any = None
    quoted: Any = None
    doubt: str | None = None
    protected: bool = False
    order: tuple[str, ...] | None = None
    rounded: bool = False
    variable: Variable | None = None
    ends: Any = None

    @property
    def is_ordinal(self) -> bool:
        """Whether the values are texts with a declared order."""
        return self.order is not None

    @property
    def has_places(self) -> bool:
        """Whether the values have differences: numbers and dates, and ordinal ones as ranks."""
        return self.kind.is_numeric or self.is_ordinal

    @property
    def kind_name(self) -> str:
        """What a person calls the kind; one that is not interpreted by its type."""
        if self.kind is Kind.UNKNOWN and self.values is not None:
            return family(self.values.type)
        return "ordinal" if self.is_ordinal else str(self.kind)

    @property
    def missing(self) -> int:
        """The number of missing cells; not-a-number is missing too."""
        return len(self.missing_rows())

    @once
    def different(self) -> int:
        """The number of different values, missing ones not counted."""
        import pyarrow.compute as pc

        from shoal.table.dataframes.opaque import cell_bytes

        values = cell_bytes(self.values) if self.kind is Kind.UNKNOWN else self.values
        present = values.filter(pc.invert(values.is_null(nan_is_null=True)))
        return int(pc.count_distinct(present).as_py())

    def missing_rows(self) -> list[int]:
        """Return the rows of the missing cells."""
        if not self.values.null_count and self.kind is not Kind.FLOAT:
            return []
        absent: list[int] = np.flatnonzero(self.values.is_null(nan_is_null=True)).tolist()
        return absent

    def __str__(self) -> str:
        return f"column {shown(self.name)} ({self.kind_name}, {self.role})"

    def replace(self, **changes: Any) -> Column:
        """Return the column with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Schema:
    """The columns' names, kinds and roles, without their cells."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    roles: tuple[Role, ...]

    def with_role(self, role: Role) -> list[str]:
        """Return the names of the columns with a role."""
        return [name for name, its in zip(self.names, self.roles, strict=True) if its is role]


def family(kind: Any) -> str:
    """Return the family of an Arrow type, without names that came with the data."""
    if hasattr(kind, "vendor_name"):
        return str(kind.type_name)
    for one in ("struct", "list", "map", "decimal", "extension", "binary", "union", "duration"):
        if one in str(kind):
            return one
    return str(kind)[:20]


def averaged(aggregators: Mapping[str, str]) -> bool:
    """Tell whether all columns of numbers stay numbers: means, medians, majorities, or strata."""
    return {*AVERAGED, STRATUM}.issuperset(aggregators.values())
