"""Columns of a dataframe that come back with another type than they had."""

from __future__ import annotations

from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa

from shoal.table.table import Table


class TypeChange(NamedTuple):
    """A column, and what its library calls its type before and after."""

    name: str
    before: str
    after: str


def type_changes(released: Table, data: Any) -> list[TypeChange]:
    """Return the columns of released data whose type is not that of the caller's dataframe.

    Categories that are others than before are no other type; lists have none.
    """
    if released.source.native is None or released.source.layout:
        return []
    was = nw.from_native(released.source.native, eager_only=True)
    now = nw.from_native(data, eager_only=True)
    places = {str(name): place for place, name in enumerate(now.columns)}
    changes = []
    for name in released.names:
        if name in was.columns:
            before = _type_name(was[name])
            after = _type_name(now[:, places[name]]) if name in places else "two columns"
            if before != after:
                changes.append(TypeChange(name, before, after))
    return changes


def _type_name(series: nw.Series[Any]) -> str:
    """Return what a library calls a type; never its categories, which are values."""
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray):
        kind = native.type
        return "dictionary" if pa.types.is_dictionary(kind) else str(kind)
    if series.implementation.is_polars():
        return type(native.dtype).__name__ if series.dtype == nw.Enum else str(native.dtype)
    return str(native.dtype)
