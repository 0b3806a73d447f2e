"""Dataframes in and out: whatever narwhals or the Arrow stream protocol knows."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from shoal.arrays import Integers
from shoal.errors import InputError, listed, shown
from shoal.table.roles import STAR, Column, Kind
from shoal.table.scan import MAX_COLUMNS, MAX_NAME
from shoal.table.table import Source, Table


def from_dataframe(data: Any) -> Table:
    """Return the Table of a dataframe. The caller's object is read, never changed."""
    frame = _narwhals(data)
    name = "the dataframe"
    labels = tuple(frame.columns)
    names = [str(label) for label in labels]
    check_names(names, name)
    if any(not isinstance(label, str) for label in labels):  # pandas numbers its columns
        renamed = frame.to_native().set_axis(names, axis=1)
        frame = nw.from_native(renamed, eager_only=True)
    arrow = {n: _to_arrow(frame, n) for n in names}
    orders = {n: _own_order(frame[n].to_native(), values) for n, values in arrow.items()}
    source = Source(name=name, kind="dataframe", native=frame.to_native(), labels=labels)
    table = from_arrow(pa.table(arrow), source)
    return table.mapped(lambda column: column.having(order=orders[column.name]))


def _own_order(native: Any, values: Any) -> tuple[str, ...] | None:
    """Return the order that ordered categories of texts declare; None for any other column.

    Parquet files are not asked: one without a dictionary comes back with its words as they appear,
    called ordered.
    """
    levels = _declared(native, values)
    if not levels or STAR in levels or not all(isinstance(level, str) for level in levels):
        return None
    return tuple(levels)


def _declared(native: Any, values: Any) -> list[Any] | None:
    """Return the levels of ordered categories, the least first; None where they have no order.

    Of Arrow chunks that say different things, and of what cannot be an order, nothing is taken.
    """
    if not pa.types.is_dictionary(values.type) or not values.type.ordered:
        return None
    if pa.types.is_nested(values.type.value_type):
        return None
    levels: list[Any] = values.dictionary.to_pylist()
    chunks = native.chunks if isinstance(native, pa.ChunkedArray) else ()
    if any(pa.types.is_dictionary(c.type) and c.dictionary.to_pylist() != levels for c in chunks):
        return None
    return None if None in levels or len(set(levels)) < len(levels) else levels


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
        raise InputError(
            "the dataframe is lazy; collect() it first; one of Dask or Spark is released to a "
            "folder by shoal.anonymize_file"
        )
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
        reason = _refusal(frame[name].to_native())
        raise InputError(f"the dataframe, column {shown(name)}: {reason}") from None
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return _with_texts(values, frame[name].to_native())


def _refusal(native: Any) -> str:
    """Return why Arrow cannot hold a column."""
    kind = str(getattr(native, "dtype", ""))
    if kind.startswith("Sparse"):
        return "it is sparse; make it dense first (sparse.to_dense())"
    if kind.startswith("complex"):
        return "complex numbers are not supported; take it out of the dataframe"
    return "its objects are not of one plain type"


def _with_texts(values: Any, native: Any) -> Any:
    """Return categories that are intervals (those of pandas.cut) by their texts, in their order."""
    kind = values.type
    if not pa.types.is_dictionary(kind) or not _is_interval(kind.value_type):
        return values
    texts = pa.array([str(level) for level in native.cat.categories], type=pa.string())
    return pa.DictionaryArray.from_arrays(values.indices, texts, ordered=kind.ordered)


def _is_interval(kind: Any) -> bool:
    return getattr(kind, "extension_name", "") == "pandas.interval"


def from_arrow(table: Any, source: Source) -> Table:
    """Return the Table of an Arrow table: one column each, of a kind we know."""
    names = table.column_names
    check_names(names, source.name)
    columns = []
    for name, values in zip(names, table.columns, strict=True):
        decoded = _decoded(values.combine_chunks())
        columns.append(Column(name, *_kind(decoded)))
    if not source.sha256:
        source = replace(source, sha256=content_hash(table))
    return Table(tuple(columns), source)


def check_names(names: list[str], where: str) -> None:
    """Refuse names that are blank, too long, there twice, or too many."""
    if not names:
        raise InputError(f"{where} has no columns")
    if len(names) > MAX_COLUMNS:
        raise InputError(f"{where} has {len(names)} columns; the limit is {MAX_COLUMNS}")
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise InputError(f"{where}, column {number}: the name is blank")
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise InputError(f"{where}, column {number}: the name is not text that UTF-8 can hold")
        if name.startswith("\ufeff"):
            raise InputError(f"{where}, column {number}: the name begins with an invisible mark")
        if len(name) > MAX_NAME:
            raise InputError(f"{where}, column {number}: the name is longer than {MAX_NAME}")
    if len(set(names)) < len(names):
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        raise InputError(f"{where} has more than one column named {listed(twice)}")


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
    if not pa.types.is_dictionary(values.type):
        return values
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([chunk.dictionary_decode() for chunk in values.chunks],
                                type=values.type.value_type)  # fmt: skip
    return values.dictionary_decode()


def _kind(values: Any) -> tuple[Kind, Any]:
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
    return Kind.UNKNOWN, values


def take_native(native: Any, rows: Integers) -> Any:
    """Return some rows of a dataframe, numbered anew where it has an index."""
    try:
        some = nw.from_native(native, eager_only=True)[rows.tolist()]
    except pa.ArrowNotImplementedError:
        raise InputError(
            "the dataframe: its library cannot take some rows of a column's type (string_view of "
            "Arrow, for one); cast it to another first"
        ) from None
    return nw.maybe_reset_index(some).to_native()


def _exactly(frame: nw.DataFrame[Any], names: Sequence[str]) -> nw.DataFrame[Any]:
    """Return the columns of these very names.

    They are taken by their places: polars reads the names `*` and `^.*$` as patterns.
    """
    own = list(frame.columns)
    kept = frame[:, [own.index(name) for name in names]]
    _check_exact(kept.columns, names)
    return kept


def _check_exact(found: Sequence[str], names: Sequence[str]) -> None:
    if list(found) != list(names):
        raise InputError(f"the dataframe: its library does not give {listed(names)} alone")


def to_native(table: Table) -> Any:
    """Return the released columns in the caller's type; untouched ones are the caller's own.

    The index of a pandas dataframe is left behind, and so are its notes (attrs): they may name
    people.
    """
    frame: nw.DataFrame[Any] = nw.from_native(table.source.native, eager_only=True)
    kept = _exactly(frame, table.names)
    new = {c.name for c in table.columns if c.protected or c.rounded}
    changed = [_native_series(kept[c.name], c) for c in table.columns if c.name in new]
    untouched = [_without_leftovers(kept[c.name]) for c in table.columns if c.name not in new]
    made = kept.with_columns(*changed, *untouched)
    _check_exact(made.columns, table.names)
    result = made.to_native()
    if hasattr(result, "attrs"):
        result.attrs = {}
    labels = table.source.labels or ()
    if any(not isinstance(label, str) for label in labels):
        own = {str(label): label for label in labels}
        result.columns = [own[name] for name in table.names]
    if isinstance(result, pa.Table):
        return pa.table(dict(zip(result.column_names, result.columns, strict=True)))
    return result


def without_order(native: Any) -> Any:
    """Return a dataframe whose categories do not tell in which order its rows were read.

    Categories of no order of their own are sorted in pandas, and texts in polars, which numbers
    them as they come.
    """
    frame: nw.DataFrame[Any] = nw.from_native(native, eager_only=True)
    changed: list[Any] = []
    for name in frame.columns:
        series = frame[name]
        own = series.to_native()
        if series.dtype != nw.Categorical or isinstance(own, pa.ChunkedArray):
            continue
        if hasattr(own, "cat") and hasattr(own.cat, "reorder_categories"):
            levels = sorted(own.cat.categories, key=lambda level: (str(type(level)), level))
            changed.append(nw.from_native(own.cat.reorder_categories(levels), series_only=True))
        else:
            changed.append(series.cast(nw.String))
    return frame.with_columns(*changed).to_native() if changed else native


def _without_leftovers(series: nw.Series[Any]) -> Any:
    """Return a column as it is; categories lose the levels that no record has."""
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray) and pa.types.is_dictionary(native.type):
        plain = native.cast(native.type.value_type).combine_chunks()
        order = _declared(native, native.combine_chunks())
        chunks = pa.chunked_array([_encoded(plain, native.type, order)])
        return nw.from_native(chunks, series_only=True).alias(series.name)
    if hasattr(native, "cat") and hasattr(native.cat, "remove_unused_categories"):
        return nw.from_native(native.cat.remove_unused_categories(), series_only=True)
    if isinstance(series.dtype, nw.Enum):
        present = set(series.drop_nulls().to_list())
        return series.cast(nw.Enum([c for c in series.dtype.categories if c in present]))
    return series


def _encoded(plain: Any, kind: Any, order: Sequence[Any] | None) -> Any:
    """Return values as a dictionary of those there are: in their order, or of no order."""
    if order is None:
        unordered = pa.dictionary(kind.index_type, kind.value_type)
        return plain.dictionary_encode().cast(unordered)
    import pyarrow.compute as pc

    levels = pa.array(_levels(plain, order), type=plain.type)
    places = pc.index_in(plain, value_set=levels).cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(places, levels, ordered=True)


def _levels(values: Any, order: Sequence[Any]) -> list[Any]:
    """Return what an order names and a record has."""
    present = set(values.unique().to_pylist())
    return [level for level in order if level in present]


def _native_series(before: nw.Series[Any], column: Column) -> Any:
    """Return the released values as a series of the library and type that `before` has.

    Numbers that became intervals are texts, means of whole numbers that were not rounded floats.
    """
    name, values, native = column.name, column.values, before.to_native()
    if column.kind is Kind.FLOAT and (before.dtype.is_integer() or before.dtype.is_decimal()):
        if isinstance(native, pa.ChunkedArray):
            return nw.from_native(pa.chunked_array([values]), series_only=True).alias(name)
        return nw.new_series(name, values.to_pylist(), nw.Float64, backend=before.implementation)
    if column.kind is Kind.TEXT and before.dtype not in (nw.String, nw.Categorical, nw.Enum):
        if isinstance(native, pa.ChunkedArray):
            return nw.from_native(pa.chunked_array([values]), series_only=True).alias(name)
        return nw.new_series(name, values.to_pylist(), nw.String, backend=before.implementation)
    if isinstance(native, pa.ChunkedArray):
        if pa.types.is_dictionary(native.type):
            values = _encoded(values.cast(native.type.value_type), native.type, column.order)
        else:
            values = values.cast(native.type)
        chunks = pa.chunked_array([values])
        return nw.from_native(chunks, series_only=True).alias(name)
    if values.null_count and hasattr(native, "astype"):
        return nw.from_native(
            type(native)(values.to_pylist(), dtype=native.dtype, name=name), series_only=True
        )
    if values.null_count and before.dtype not in (nw.Categorical, nw.Enum):
        return nw.new_series(name, values.to_pylist(), before.dtype, backend=before.implementation)
    zone = values.type.tz if pa.types.is_timestamp(values.type) else None
    if zone:
        values = values.cast(pa.timestamp(values.type.unit))
    plain: Any = values.to_pylist() if column.kind is Kind.DATE else np.asarray(values)
    series = nw.new_series(name, plain, backend=before.implementation)
    if zone:
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    if before.dtype == nw.Enum and column.order is not None:
        levels = _levels(values, column.order)
        if hasattr(native, "astype"):
            kind = type(native.dtype)(levels, ordered=True)
            return nw.from_native(series.to_native().astype(kind), series_only=True)
        return series.cast(nw.Enum(levels))
    if before.dtype in (nw.Categorical, nw.Enum):  # the old levels do not hold the new values
        return series.cast(nw.Categorical) if hasattr(native, "astype") else series
    if hasattr(native, "astype"):  # pandas and its kin: nullable and Arrow types too
        return nw.from_native(series.to_native().astype(native.dtype), series_only=True)
    return series.cast(before.dtype)
