"""Lazy frames and Arrow streams: polars, DuckDB, Ibis, and whatever has `__arrow_c_stream__`.

They are computed once, batch by batch. A stream can be read once alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import narwhals as nw
import pyarrow as pa

from shoal.errors import InputError, ShoalError

RECORDS = 131_072  # a batch: fixed, so that what depends on batches depends on the file alone
BATCH = 64 * 2**20  # bytes of a batch, as far as the first records tell: long ones are fewer


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
