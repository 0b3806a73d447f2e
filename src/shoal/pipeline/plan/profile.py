"""Profile of a table in memory; figures are counted on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.measures.risk.kept_columns import released_codes
from shoal.table.assign import identifier_reason
from shoal.table.proposals.codes import code_length, count_codes
from shoal.table.roles import Column
from shoal.table.table import Change, Table, complete_rows, same
from shoal.table.two_valued import is_two_valued


@dataclass(frozen=True, repr=False)
class TableProfile:
    """The profile of a table in memory."""

    table: Table

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.table.rows

    def missing(self, column: Column) -> int:
        """Return how many cells are missing."""
        return self.table[column.name].missing

    def different(self, column: Column) -> int:
        """Return how many different values there are."""
        return self.table[column.name].different

    def reason(self, column: Column) -> str | None:
        """Return why a column looks like an identifier, None where it does not."""
        return identifier_reason(self.table[column.name])

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value; None where none has any."""
        return repeating(self.table[column.name])

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        return is_two_valued(self.table[column.name])

    def code_length(self, column: Column) -> int | None:
        """Return the length of the codes that the cells are, None where they are no codes."""
        own = self.table[column.name]
        return code_length(count_codes(own), self.rows - own.missing)

    def unique_share(self, column: Column, released: Change = same) -> float:
        """Return the share of records that are unique in a column, as it is `released`."""
        return unique_share(released(self.table[column.name]))

    def complete(self, names: Sequence[str]) -> TableProfile:
        """Return the profile of the records that miss none of some columns."""
        rows = complete_rows([self.table[name] for name in names])
        if rows.size == self.rows:
            return self
        return TableProfile(self.table.take(rows))


def unique_share(column: Column) -> float:
    """Return the share of records whose cell no other record has; missing cells are one value."""
    if not len(column.values):
        return 0.0
    return float((np.bincount(released_codes(column)) == 1).sum()) / len(column.values)


def repeating(column: Column) -> bool | None:
    """Tell whether two records have one value of a column; None if none has any."""
    present = len(column.values) - column.missing
    return column.different < present if present else None
