"""What is known of the columns of a table without its records: counts, and what values look like.

A plan is made of a schema and a profile. A table in memory is profiled as it is asked (here); a
file larger than memory while it is read for the first time (`large/survey.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from shoal.errors import in_shape
from shoal.table.assign import distinct, identifier_reason
from shoal.table.roles import Column
from shoal.table.table import Table, missing_cells
from shoal.table.twovalued import is_two_valued

Change = Callable[[Column], Column]


def same(column: Column) -> Column:
    """Return a column as it is."""
    return column


class Profile(Protocol):
    """What is known of columns, which are asked for by their names."""

    @property
    def rows(self) -> int:
        """The number of records."""
        ...

    def missing(self, column: Column) -> int:
        """Return how many cells are missing."""
        ...

    def different(self, column: Column) -> int:
        """Return how many different values there are."""
        ...

    def reason(self, column: Column) -> str | None:
        """Say why a column looks like an identifier, None where it does not."""
        ...

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value; None where none has any."""
        ...

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        ...

    def unique_share(self, column: Column, released: Change = same) -> float:
        """Return the share of records that are unique in a column, as it is `released`."""
        ...

    def complete(self, names: Sequence[str]) -> Profile:
        """Return the profile of the records that miss none of some columns."""
        ...


@dataclass(frozen=True)
class TableProfile:
    """The profile of a table in memory; `count_unique` counts the share of unique cells."""

    __repr__ = in_shape

    table: Table
    count_unique: Callable[[Column], float]

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.table.rows

    def missing(self, column: Column) -> int:
        """Return how many cells are missing."""
        return self.table[column.name].missing

    def different(self, column: Column) -> int:
        """Return how many different values there are."""
        return distinct(self.table[column.name])

    def reason(self, column: Column) -> str | None:
        """Say why a column looks like an identifier, None where it does not."""
        return identifier_reason(self.table[column.name])

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value; None where none has any."""
        return repeating(self.table[column.name])

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        return is_two_valued(self.table[column.name])

    def unique_share(self, column: Column, released: Change = same) -> float:
        """Return the share of records that are unique in a column, as it is `released`."""
        return self.count_unique(released(self.table[column.name]))

    def complete(self, names: Sequence[str]) -> TableProfile:
        """Return the profile of the records that miss none of some columns."""
        rows = complete_rows([self.table[name] for name in names])
        if rows.size == self.rows:
            return self
        return TableProfile(self.table.taken(rows), self.count_unique)


def complete_rows(columns: Sequence[Column]) -> Any:
    """Return the rows of the records that miss no cell of some columns."""
    gone = np.logical_or.reduce([missing_cells(column) for column in columns])
    return np.flatnonzero(~gone)


def repeating(column: Column) -> bool | None:
    """Tell whether two records have one value of a column; None if none has any."""
    import pyarrow.compute as pc

    present = column.values.filter(pc.invert(column.values.is_null(nan_is_null=True)))
    if not len(present):
        return None
    try:
        return int(pc.count_distinct(present).as_py()) < len(present)
    except NotImplementedError:  # lists and the like: nobody counts by them
        return None
