"""Dataframes in and out: whatever narwhals or the Arrow stream protocol knows."""

from __future__ import annotations

import contextlib
import hashlib
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, listed, shown
from shoal.table.roles import Column, Kind
from shoal.table.table import Source, Table


def from_dataframe(data: Any) -> Table:
    """Return the Table of a dataframe. The caller's object is read, never changed."""
    frame = _narwhals(data)
    name = "the dataframe"
    labels = tuple(frame.columns)
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise InputError(f"{name} has more than one column named {listed(twice)}")
    if not names:
        raise InputError(f"{name} has no columns")
    blank = [i for i, n in enumerate(names) if not n.strip()]
    if blank:
        raise InputError(f"{name}: the name of column {blank[0]} is blank")
    if any(not isinstance(label, str) for label in labels):  # pandas numbers its columns
        renamed = frame.to_native().set_axis(names, axis=1)
        frame = nw.from_native(renamed, eager_only=True)
    arrow = {n: _to_arrow(frame, n) for n in names}
    source = Source(name=name, kind="dataframe", native=frame.to_native(), labels=labels)
    return from_arrow(pa.table(arrow), source)


def _narwhals(data: Any) -> nw.DataFrame[Any]:
    frame: Any = None
    try:
        frame = nw.from_native(data)
    except TypeError:
        if hasattr(data, "__arrow_c_stream__"):
            with contextlib.suppress(pa.ArrowException, TypeError, ValueError):
                frame = nw.from_native(pa.table(data))
    except ValueError:  # narwhals: column names that are there twice
        raise InputError("the dataframe has two columns of one name") from None
    if isinstance(frame, nw.LazyFrame):
        raise InputError("the dataframe is lazy; collect() it first")
    if not isinstance(frame, nw.DataFrame):
        raise InputError(
            f"cannot read a table from {type(data).__name__}: "
            "give a path, a dataframe (pandas, polars, pyarrow) or a Table"
        )
    return nw.maybe_reset_index(frame)


def _to_arrow(frame: nw.DataFrame[Any], name: str) -> Any:
    try:
        values = frame[name].to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError):
        raise InputError(
            f"the dataframe, column {shown(name)}: its objects are not of one plain type"
        ) from None
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values


def from_arrow(table: Any, source: Source) -> Table:
    """Return the Table of an Arrow table: one column each, of a kind we know."""
    columns = []
    for name, values in zip(table.column_names, table.columns, strict=True):
        columns.append(_column(name, values.combine_chunks(), source.name))
    if not source.sha256:
        source = Source(**{**source.__dict__, "sha256": content_hash(table)})
    return Table(tuple(columns), source)


def content_hash(table: Any) -> str:
    """Return a hash of names and values, for data that has no file."""
    digest = hashlib.sha256()
    plain = pa.table(
        {n: _decoded(c) for n, c in zip(table.column_names, table.columns, strict=True)}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, plain.schema) as writer:
        writer.write_table(plain.combine_chunks())
    digest.update(sink.getvalue())
    return digest.hexdigest()


def _decoded(values: Any) -> Any:
    """Return the values without a dictionary, whose unused entries must not travel on."""
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _column(name: str, values: Any, where: str) -> Column:
    values = _decoded(values)
    kind, values = _kind(values)
    if kind is None:
        raise InputError(
            f"{where}, column {shown(name)}: cells of type {_plain_type(values.type)} "
            "are not supported; drop or convert the column first"
        )
    if kind is Kind.FLOAT:
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return Column(name, kind, values)


def _plain_type(kind: Any) -> str:
    """Return the family of an Arrow type, without names that came with the data."""
    for family in ("struct", "list", "map", "decimal", "extension", "binary", "union", "duration"):
        if family in str(kind):
            return family
    return str(kind)[:20]


def _kind(values: Any) -> tuple[Kind | None, Any]:
    kind, types = values.type, pa.types
    if types.is_boolean(kind):
        return Kind.BOOLEAN, values
    if types.is_integer(kind):
        return Kind.INTEGER, values
    if types.is_floating(kind):
        return Kind.FLOAT, values
    if types.is_date(kind):
        return Kind.DATE, values
    if types.is_timestamp(kind):
        return Kind.DATETIME, values
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Kind.TEXT, values.cast(pa.string())
    if types.is_null(kind):
        return Kind.TEXT, values.cast(pa.string())
    return None, values


def to_native(table: Table) -> Any:
    """Return the released columns in the caller's type; untouched ones are the caller's own.

    The index of a pandas dataframe is left behind: it may name people.
    """
    frame: nw.DataFrame[Any] = nw.from_native(table.source.native, eager_only=True)
    kept = frame.select(table.names)
    changed = [_native_series(kept[c.name], c) for c in table.columns if c.protected]
    result = kept.with_columns(*changed).to_native()
    labels = table.source.labels or ()
    if any(not isinstance(label, str) for label in labels):
        own = {str(label): label for label in labels}
        result.columns = [own[name] for name in table.names]
    return result.replace_schema_metadata(None) if isinstance(result, pa.Table) else result


def _native_series(before: nw.Series[Any], column: Column) -> Any:
    name = column.name
    if isinstance(before.to_native(), pa.ChunkedArray):
        kind = before.to_native().type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return nw.from_native(pa.chunked_array([column.values.cast(kind)]), series_only=True).alias(
            name
        )
    values: Any = column.values
    zone = values.type.tz if pa.types.is_timestamp(values.type) else None
    if zone:
        values = values.cast(pa.timestamp(values.type.unit))
    values = values.to_pylist() if column.kind is Kind.DATE else np.asarray(values)
    series = nw.new_series(name, values, backend=before.implementation)
    if zone:
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    native = before.to_native()
    if hasattr(native, "astype"):  # pandas and its kin: nullable and Arrow types too
        return nw.from_native(series.to_native().astype(native.dtype), series_only=True)
    return series.cast(before.dtype)
