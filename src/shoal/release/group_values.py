"""Released columns: every record has the value of its group."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal.kernels.arrays import Integers
from shoal.table.roles import STAR, Column, Kind, Written


def from_rows(column: Column, rows: Integers, labels: Integers) -> Column:
    """Return the column with every group's cells replaced by that of a row; none where it is -1."""
    chosen = rows[labels]
    values = column.values.take(pa.array(chosen, mask=chosen < 0))
    if values.null_count:
        column = column.replace(order=None)  # a star has no place in one
    return with_values(column, values.fill_null(STAR) if column.kind is Kind.TEXT else values)


def with_values(column: Column, values: Any, written: Written | None = None) -> Column:
    """Return a released column with the values of its groups, one for every record."""
    return column.replace(
        values=values,
        cells=None,
        quoted=None,
        protected=True,
        written=written or column.written,
    )
