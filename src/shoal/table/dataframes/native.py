"""Released columns in the caller's own type of dataframe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from shoal.errors import InputError, listed
from shoal.kernels.arrays import Integers
from shoal.table.commas import splits
from shoal.table.dataframes.categories import (
    arrow_dictionary,
    as_arrow_backed,
    encoded,
    levels_of,
    without_leftovers,
)
from shoal.table.roles import STAR, Column, Kind
from shoal.table.source import Source

DAY = 86_400_000_000  # microseconds


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


# Columns of intervals (pandas): ordinal texts inside, intervals again when they come back.
#
# Intervals are ordered by their lower, then their upper ends. A group releases its median interval,
# or, where it is generalized, the least range of them in that order, which comes back as the
# interval from the least lower end to the greatest upper one: it covers every interval of the
# range.
def is_interval(kind: Any) -> bool:
    """Tell whether an Arrow type holds intervals of pandas."""
    return getattr(kind, "extension_name", "") == "pandas.interval"


@dataclass(frozen=True, repr=False)
class Intervals:
    """The different intervals of a column in their order, and their texts."""

    every: tuple[Any, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, values: Any) -> Intervals:
        """Return the intervals of an Arrow array."""
        every = tuple(sorted({one for one in _objects(values) if one is not None}))
        return cls(every, tuple(map(str, every)))

    def read(self, texts: Iterable[str | None]) -> list[Any] | None:
        """Return released texts as intervals, None where suppressed; None if one is no range."""
        rank = {text: place for place, text in enumerate(self.texts)}
        known: dict[str | None, Any] = {None: None, STAR: None}
        for text in texts:
            if text not in known:
                ends = _ends(str(text), rank)
                if ends is None:
                    return None
                known[text] = self._hull(*ends)
        return [known[text] for text in texts]

    def _hull(self, low: int, high: int) -> Any:
        """Return the least interval that covers those from one place to another."""
        if low == high:
            return self.every[low]
        covered = self.every[low : high + 1]
        first = covered[0]
        return type(first)(first.left, max(one.right for one in covered), first.closed)


def _ends(text: str, rank: dict[str, int]) -> tuple[int, int] | None:
    """Return the places of the ends of a range [least,greatest], or of an interval alone."""
    if text in rank:
        return rank[text], rank[text]
    if text[:1] == "[" and text[-1:] == "]":
        for low, high in splits(text[1:-1]):
            if low in rank and high in rank and rank[low] < rank[high]:
                return rank[low], rank[high]
    return None


def interval_texts(values: Any) -> Any:
    """Return an Arrow array of intervals as texts."""
    texts = [None if one is None else str(one) for one in _objects(values)]
    return pa.array(texts, type=pa.string())


def _objects(values: Any) -> list[Any]:
    """Return intervals as pandas has them, None where missing."""
    there = values.is_valid().to_pylist()
    own = values.to_pandas().tolist()
    return [one if valid and one == one else None for one, valid in zip(own, there, strict=True)]  # noqa: PLR0124


# Columns of periods (pandas): dates or times inside, periods again when they come back.
#
# A period is its first day, or its first moment where it is shorter than a day. What a group
# releases of them is rounded to the nearest start of a period, half to even, so that no release is
# finer than its input.


def is_period(kind: Any) -> bool:
    """Tell whether an Arrow type holds periods of pandas."""
    return getattr(kind, "extension_name", "") == "pandas.period"


def starts(values: Any) -> Any:
    """Return an Arrow array of periods as their first days, or moments where days are too long."""
    moments = pa.array(values.to_pandas().dt.to_timestamp(how="start")).cast(pa.timestamp("us"))
    ticks = moments.cast(pa.int64()).unique().drop_null().to_pylist()
    return moments if any(tick % DAY for tick in ticks) else moments.cast(pa.date32())


def nearest(values: Any, frequency: Any) -> Any:
    """Return the period of a frequency that begins nearest to each date or time; pandas' own."""
    moments = values.cast(pa.timestamp("us")).to_pandas()
    before = moments.dt.to_period(frequency)
    after = before + 1
    down, up = moments - before.dt.to_timestamp(), after.dt.to_timestamp() - moments
    odd = before.array.asi8 % 2 == 1
    return before.where(~((up < down) | ((up == down) & odd)), after)


def frequency_of(native: Any) -> Any:
    """Return the frequency of a native column of periods; None of any other."""
    if isinstance(native, pa.ChunkedArray):
        return native.type.freq if is_period(native.type) else None
    kind: Any = getattr(native, "dtype", None)
    return kind.freq if str(kind).startswith("period[") else None
