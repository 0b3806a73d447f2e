"""Conversion of dataframes: narwhals, or the Arrow stream protocol."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import narwhals as nw
import pyarrow as pa

from shoal.errors import InputError, ShoalError, listed
from shoal.table.csv_text.decide import MAX_DIGITS
from shoal.table.csv_text.scan import MAX_COLUMNS, MAX_NAME
from shoal.table.dataframes.categories import declared_levels
from shoal.table.dataframes.native import (
    Intervals,
    dense,
    interval_texts,
    is_interval,
    is_period,
    starts,
)
from shoal.table.dataframes.opaque import from_objects
from shoal.table.roles import STAR, Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

RECORDS = 131_072  # a batch: fixed, so that what depends on batches depends on the file alone
BATCH = 64 * 2**20  # bytes of a batch, as far as the first records tell: long ones are fewer
HALVES = 26  # the version of pyarrow from which it counts distinct half floats


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
    series = dict(zip(names, frame.iter_columns(), strict=True))
    arrow = {n: _to_arrow(series[n]) for n in names}
    orders = {n: own_order(series[n].to_native(), values) for n, values in arrow.items()}
    source = Source(name=name, kind="dataframe", native=frame.to_native(), labels=labels)
    table = from_arrow(pa.table(arrow), source)
    return table.mapped(lambda column: column.replace(order=orders[column.name] or column.order))


def own_order(native: Any, values: Any) -> tuple[str, ...] | None:
    """Return the order that ordered categories of texts declare; None for any other column.

    Parquet files are not asked: one without a dictionary comes back with its words as they appear,
    called ordered.
    """
    levels = declared_levels(native, values)
    if not levels or STAR in levels or not all(isinstance(level, str) for level in levels):
        return None
    return tuple(levels)


def _narwhals(data: Any) -> nw.DataFrame[Any]:
    frame: Any = None
    try:
        frame = nw.from_native(data)
    except TypeError:
        if hasattr(data, "__arrow_c_stream__"):
            frame = from_stream(data)
    except ValueError:  # narwhals: column names that are there twice
        raise InputError("the dataframe has two columns of one name") from None
    if isinstance(frame, nw.LazyFrame):
        frame = collected(frame)
    if not isinstance(frame, nw.DataFrame):
        raise InputError(
            f"cannot read a table from {type(data).__name__}: "
            "give a path, a dataframe (pandas, polars, pyarrow), an Arrow stream, lists or a Table"
        )
    return nw.maybe_reset_index(frame)


def _to_arrow(given: nw.Series[Any]) -> Any:
    """Return a column as an Arrow array; what Arrow has no type for as bytes."""
    series = dense(given)
    if series.dtype == nw.Object and series.implementation.is_polars():
        return from_objects(series.to_list(), "object")  # Arrow would get their addresses
    try:
        values = series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError):
        return from_objects(series.to_list(), str(getattr(series.to_native(), "dtype", "object")))
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return _with_texts(values, given.to_native())


def _with_texts(values: Any, native: Any) -> Any:
    """Return categories that are intervals or periods by their texts, in their order."""
    kind = values.type
    if not pa.types.is_dictionary(kind):
        return values
    if not is_interval(kind.value_type) and not is_period(kind.value_type):
        return values
    levels = values.dictionary.to_pandas() if native is None else native.cat.categories
    texts = pa.array([str(level) for level in levels], type=pa.string())
    return pa.DictionaryArray.from_arrays(values.indices, texts, ordered=kind.ordered)


def from_arrow(table: Any, source: Source) -> Table:
    """Return the Table of an Arrow table: one column each."""
    names = table.column_names
    check_names(names, source.name)
    columns = [
        _column(name, values.combine_chunks())
        for name, values in zip(names, table.columns, strict=True)
    ]
    if not source.sha256:
        source = replace(source, sha256=content_hash(table))
    return Table(tuple(columns), source)


def _column(name: str, values: Any) -> Column:
    if is_interval(values.type):
        order = Intervals.of(values).texts
        return Column(name, Kind.TEXT, interval_texts(values), order=order or None)
    if is_period(values.type):
        values = starts(values)
    return Column(name, *_kind(_decoded(values)))


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
        return Kind.FLOAT, _widened(values)
    if types.is_date(kind):
        return Kind.DATE, values
    if types.is_timestamp(kind):
        return Kind.DATETIME, values
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Kind.TEXT, values.cast(pa.string())
    if types.is_null(kind):
        return Kind.TEXT, values.cast(pa.string())
    if types.is_duration(kind):
        return Kind.DURATION, values
    if types.is_decimal(kind):
        return _decimals(values)
    return Kind.UNKNOWN, values


def _widened(values: Any) -> Any:
    """Return half floats as single ones, which hold them, where Arrow cannot tell them apart."""
    is_half = pa.types.is_float16(values.type) and int(pa.__version__.partition(".")[0]) < HALVES
    return values.cast(pa.float32()) if is_half else values


def _decimals(values: Any) -> tuple[Kind, Any]:
    """Return decimals as those of 128 bits; of more digits than these hold, as they are."""
    kind = values.type
    if pa.types.is_decimal128(kind) and kind.scale >= 0:
        return Kind.DECIMAL, values
    try:
        return Kind.DECIMAL, values.cast(pa.decimal128(MAX_DIGITS, max(kind.scale, 0)))
    except pa.ArrowInvalid:
        return Kind.UNKNOWN, values


# Lazy frames and Arrow streams: polars, DuckDB, Ibis, and whatever has `__arrow_c_stream__`.
#
# They are computed once, batch by batch. A stream can be read once alone.


def is_polars(frame: Any) -> bool:
    """Tell whether a frame that narwhals knows is of polars."""
    return bool(frame.implementation.is_polars())


def check_here(frame: nw.LazyFrame[Any]) -> None:
    """Refuse a lazy frame whose records lie on a cluster."""
    if frame.implementation.is_dask() or frame.implementation.is_spark_like():
        raise InputError(
            "a dataframe of Dask or Spark is released to a folder by shoal.anonymize_file; for "
            "memory, give what compute() (Dask) or toPandas() (Spark) returns"
        )


def collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Return the records of a lazy frame: of polars by polars, of others as a pyarrow Table."""
    check_here(frame)
    with computing():
        if is_polars(frame):
            return frame.collect()
        return nw.from_native(stream_of(frame.to_native()).read_all(), eager_only=True)


def from_stream(data: Any) -> nw.DataFrame[Any] | None:
    """Return the records of an object with the Arrow stream protocol; None: it is no table."""
    try:
        stream = stream_of(data)
    except (pa.ArrowException, TypeError, ValueError):
        return None
    with computing():
        frame: nw.DataFrame[Any] = nw.from_native(stream.read_all(), eager_only=True)
    return frame


def stream_of(data: Any) -> Any:
    """Return a reader of batches, of about as many records each where the library lets choose."""
    kind = type(data)  # a relation has its columns as attributes
    if hasattr(kind, "to_pyarrow_batches"):  # Ibis, whose stream is of a table in memory
        return data.to_pyarrow_batches(chunk_size=RECORDS)
    if hasattr(kind, "to_arrow_reader"):  # DuckDB
        return data.to_arrow_reader(RECORDS)
    return pa.RecordBatchReader.from_stream(data)


def batches_of(data: Any) -> tuple[Any, Iterator[Any]]:
    """Return the schema of a lazy frame or stream, and its batches, to be read once."""
    with computing():
        stream = stream_of(data)

    def batches() -> Iterator[Any]:
        with computing():
            yield from stream

    return stream.schema, batches()


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Turn whatever a library raises while it computes records into an InputError.

    Its own words may show a value.
    """
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:
        raise InputError(
            f"the dataframe: its records cannot be computed ({type(error).__name__}); run the "
            "query by itself to see why"
        ) from None
