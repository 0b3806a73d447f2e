"""Released dates of periods, on the days on which a period begins."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa

from shoal.table.dataframes.native import frequency_of, nearest
from shoal.table.roles import Column, Kind
from shoal.table.table import Table


def in_whole_periods(released: Table) -> Table:
    """Return a released table whose dates of periods are those on which a period begins."""
    if released.source.native is None:
        return released
    return released.mapped(lambda column: _snapped(column, released))


def _snapped(column: Column, released: Table) -> Column:
    if not column.protected or column.kind not in (Kind.DATE, Kind.DATETIME):
        return column
    own = nw.from_native(released.source.native, eager_only=True)[column.name]
    frequency = frequency_of(own.to_native())
    if frequency is None:
        return column
    began = nearest(column.values, frequency).dt.to_timestamp(how="start")
    return column.replace(values=pa.array(began).cast(column.values.type))
