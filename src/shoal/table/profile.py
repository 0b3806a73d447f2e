"""Profile of a table: what is known of its columns without the records.

A plan is made of a schema and a profile. A table in memory is profiled as it is asked
(`plan/profile.py`); a file larger than memory while it is read for the first time
(`outofcore/profile.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from shoal.table.roles import Column
from shoal.table.table import missing_cells

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
        """Return why a column looks like an identifier, None where it does not."""
        ...

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value; None where none has any."""
        ...

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        ...

    def code_length(self, column: Column) -> int | None:
        """Return the length of the codes that the cells are, None where they are no codes."""
        ...

    def unique_share(self, column: Column, released: Change = same) -> float:
        """Return the share of records that are unique in a column, as it is `released`."""
        ...

    def complete(self, names: Sequence[str]) -> Profile:
        """Return the profile of the records that miss none of some columns."""
        ...


def complete_rows(columns: Sequence[Column]) -> Any:
    """Return the rows of the records that miss no cell of some columns."""
    gone = np.logical_or.reduce([missing_cells(column) for column in columns])
    return np.flatnonzero(~gone)
