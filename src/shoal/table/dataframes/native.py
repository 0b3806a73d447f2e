"""Released columns in the caller's own type of dataframe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from shoal.errors import InputError, listed
from shoal.kernels.arrays import Integers
from shoal.table.dataframes.categories import (
    arrow_dictionary,
    as_arrow_backed,
    encoded,
    levels_of,
    without_leftovers,
)
from shoal.table.dataframes.interval_columns import Intervals, is_interval
from shoal.table.dataframes.periods import frequency_of, nearest
from shoal.table.roles import Column, Kind
from shoal.table.source import Source


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


def dense(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return a column whose cells are all held; only sparse ones of pandas are not."""
    native = series.to_native()
    if not is_sparse(native):
        return series
    return nw.from_native(native.sparse.to_dense(), series_only=True)


def is_sparse(native: Any) -> bool:
    """Tell whether a column of pandas holds but the cells that differ from one value."""
    return str(getattr(native, "dtype", "")).startswith("Sparse[")


def _exactly(frame: nw.DataFrame[Any], names: Sequence[str]) -> nw.DataFrame[Any]:
    """Return the columns of these very names.

    They are taken by their places: polars reads the names `*` and `^.*$` as patterns.
    """
    own = list(frame.columns)
    kept = frame[:, [own.index(name) for name in names]]
    _check_exact(kept.columns, names)
    return kept


def _check_exact(lossy: Sequence[str], names: Sequence[str]) -> None:
    if list(lossy) != list(names):
        raise InputError(f"the dataframe: its library does not give {listed(names)} alone")


def to_native(source: Source, columns: Sequence[Column]) -> Any:
    """Return the released columns in the caller's type; untouched ones are the caller's own.

    The index of a pandas dataframe is left behind, and so are its notes (attrs): they may name
    people.
    """
    frame: nw.DataFrame[Any] = nw.from_native(source.native, eager_only=True)
    names = [column.name for column in columns]
    kept = _exactly(frame, [name for name in names if name in frame.columns])
    series = []
    for column in columns:
        if column.name not in kept.columns:
            series.append(_new_series(kept, column))
        elif column.protected or column.rounded:
            series.append(_native_series(kept[column.name], column))
        else:
            series.append(without_leftovers(kept[column.name]))
    result = _exactly(kept.with_columns(*series), names).to_native()
    if hasattr(result, "attrs"):
        result.attrs = {}
    place = getattr(source.native, "active_geometry_name", None)
    if place in names:  # of geopandas, which forgets it
        result = result.set_geometry(place)
    labels = source.labels or ()
    if any(not isinstance(label, str) for label in labels):
        own = {str(label): label for label in labels}
        result.columns = [own.get(name, name) for name in names]
    if isinstance(result, pa.Table):
        return pa.table(dict(zip(result.column_names, result.columns, strict=True)))
    return result


def _new_series(beside: nw.DataFrame[Any] | nw.Series[Any], column: Column) -> Any:
    """Return values of a type that the caller's column has not, in the caller's library."""
    made: Any = column.values
    if beside.implementation.is_polars():
        return nw.new_series(column.name, made.to_pylist(), backend="polars")
    if beside.implementation.is_pyarrow():
        made = pa.chunked_array([made])
    elif pa.types.is_struct(made.type):
        library = nw.get_native_namespace(beside)
        made = library.Series(library.arrays.ArrowExtensionArray(pa.chunked_array([made])))
    else:
        made = made.to_pandas()
    return nw.from_native(made, series_only=True).alias(column.name)


def _native_series(before: nw.Series[Any], column: Column) -> Any:
    """Return the released values as a series of the library and type that `before` has.

    Numbers that became intervals are structs or texts, means of whole numbers that were not
    rounded floats.
    """
    name, values, native = column.name, column.values, before.to_native()
    if pa.types.is_struct(values.type):
        return _new_series(before, column)
    own = _own_type(native, column)
    if own is not None:
        return nw.from_native(own, series_only=True).alias(name)
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
            values = encoded(values.cast(native.type.value_type), native.type, column.order)
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
    as_objects = column.kind in (Kind.DATE, Kind.DECIMAL)
    plain: Any = values.to_pylist() if as_objects else np.asarray(values)
    series = nw.new_series(name, plain, backend=before.implementation)
    if zone:
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    if before.dtype == nw.Enum and column.order is not None:
        levels = levels_of(values, column.order)
        if hasattr(native, "astype"):
            kind = type(native.dtype)(levels, ordered=True)
            return nw.from_native(series.to_native().astype(kind), series_only=True)
        return series.cast(nw.Enum(levels))
    if before.dtype == nw.Enum and not hasattr(native, "astype"):
        return series  # the old levels do not hold the new values
    if before.dtype in (nw.Categorical, nw.Enum):
        return series.cast(nw.Categorical)
    if hasattr(native, "astype"):  # pandas and its kin: nullable and Arrow types too
        return nw.from_native(series.to_native().astype(native.dtype), series_only=True)
    return series.cast(before.dtype)


def _own_type(native: Any, column: Column) -> Any:
    """Return released values as a type that narwhals does not make, where the original was it."""
    kind = arrow_dictionary(native)
    if kind is not None:
        return as_arrow_backed(
            encoded(column.values.cast(kind.value_type), kind, column.order), native
        )
    if is_sparse(native):
        whole = native.sparse.to_dense()
        made = _native_series(nw.from_native(whole, series_only=True), column).to_native()
        return made.astype(native.dtype) if made.dtype == whole.dtype else made
    frequency = frequency_of(native)
    if frequency is not None and column.kind in (Kind.DATE, Kind.DATETIME):
        periods = nearest(column.values, frequency)
        return pa.chunked_array([pa.array(periods)]) if _is_arrow(native) else periods
    whole = native.type if _is_arrow(native) else getattr(native, "dtype", None)
    return _as_intervals(native, column) if _holds_intervals(whole) else None


def _as_intervals(native: Any, column: Column) -> Any:
    """Return released texts as intervals; None where one is a word of a hierarchy."""
    arrow = native.combine_chunks() if _is_arrow(native) else pa.array(native)
    found = Intervals.of(arrow).read(column.values.to_pylist())
    if found is None:
        return None
    series = arrow.to_pandas()
    kind = type(series)
    try:
        made = kind(found, dtype=series.dtype)
    except (TypeError, ValueError):  # whole numbers have no missing ones
        made = kind(found, dtype=f"interval[float64, {series.dtype.closed}]")
    return pa.chunked_array([pa.array(made)]) if _is_arrow(native) else made


def _is_arrow(native: Any) -> bool:
    return isinstance(native, pa.ChunkedArray)


def _holds_intervals(kind: Any) -> bool:
    return is_interval(kind) or str(kind).startswith("interval[")
