"""Bytes of a released table: csv, Parquet, Feather and others, rows in random order."""

from __future__ import annotations

import gzip
import os
from collections.abc import Container
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.backends.executor import Threads
from shoal.errors import OutputError, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.release.cells import csv_cells, header_cell
from shoal.release.dialects import encoded, in_encoding
from shoal.release.intervals import structs
from shoal.release.plain_values import is_long
from shoal.table.csv_text.split import bytes_of
from shoal.table.dataframes.opaque import is_made_of_objects
from shoal.table.dialects.dialect import Dialect
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.dialects.zones import instants
from shoal.table.files.formats import HELD_BY_STATISTICS
from shoal.table.roles import Column, Kind, family
from shoal.table.table import Table

RECORDS = 65_536  # that one thread joins at a time


def row_order(rows: int, *, keep: bool = False, seed: int | None = None) -> Integers:
    """Return the order of the rows in a file: shuffled by the operating system's randomness.

    `keep` leaves the input's order; `seed` is for tests, which must be able to repeat a file.
    """
    if keep:
        return np.arange(rows, dtype=np.int64)
    if seed is not None:
        return np.random.default_rng(seed).permutation(rows)
    keys = np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)
    return np.argsort(keys, kind="stable")


def release_bytes(table: Table, order: Integers, kind: str, threads: int | None = None) -> bytes:
    """Return the whole file: kind is the ending of its name, one of `formats.WRITTEN`."""
    if kind == "parquet":
        return parquet_bytes(table, order)
    if kind in ("feather", "arrow"):
        return ipc_bytes(table, order)
    if kind == "jsonl":
        from shoal.release.json_lines import json_lines_bytes

        return json_lines_bytes(table, order)
    if kind == "xlsx":
        from shoal.release.workbook import workbook_bytes

        return workbook_bytes(table, order)
    if kind in HELD_BY_STATISTICS:
        from shoal.release.statistics import statistics_bytes

        return statistics_bytes(table, order, kind)
    text = csv_bytes(table, order, threads=threads)
    return gzip.compress(text, mtime=0) if kind == "csv.gz" else text


def csv_bytes(
    table: Table, order: Integers, header: bool = True, threads: int | None = None
) -> bytes:
    """Return csv in the dialect of the table's source.

    Some records at a time are joined from the cells of all columns, then put into their order.
    """
    sign, dialect, notations = _writing(table)
    names = in_encoding(pa.array(table.names), dialect).to_pylist()
    first = f"{sign.join(header_cell(name, sign) for name in names)}\n" if header else ""
    pool = Threads(threads if table.rows > RECORDS else 1)
    columns = list(
        pool.map(
            lambda one: csv_cells(one, sign, dialect, notations.get(one.name, STRICT)),
            table.columns,
        )
    )
    lines = pool.map(partial(_lines, columns, sign), range(0, table.rows, RECORDS))
    if not np.array_equal(order, np.arange(table.rows)):
        every = pa.concat_arrays([own.cast(pa.large_string()) for own in lines])
        slices = range(0, order.size, RECORDS)
        lines = pool.map(lambda start: every.take(pa.array(order[start : start + RECORDS])), slices)
    text = b"".join([first.encode("utf-8"), *(bytes_of(own).data for own in lines)])
    return encoded(text, dialect, first=header)


def _writing(table: Table) -> tuple[str, Dialect, dict[str, Notation]]:
    """Return the delimiter, the dialect, and how columns are written that are not plain."""
    source = table.source
    return source.delimiter, source.dialect, dict(source.notations)


def _lines(columns: list[Any], sign: str, start: int) -> Any:
    """Return some records as lines."""
    *cells, last = (column.slice(start, RECORDS) for column in columns)
    ended = pc.binary_join_element_wise(last, "", "\n")
    return pc.binary_join_element_wise(*cells, ended, sign)


def parquet_bytes(table: Table, order: Integers) -> bytes:
    """Return Parquet with plain columns: no dictionary, metadata or statistics of the original."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    whole = parquet_table(table, order, _exact(table))
    pq.write_table(whole, sink, **parquet_options(whole.schema))
    data: bytes = sink.getvalue().to_pybytes()
    return data


def ipc_bytes(table: Table, order: Integers) -> bytes:
    """Return Arrow's own format, which is Feather too; its columns are those of Parquet."""
    sink = pa.BufferOutputStream()
    made = parquet_table(table, order, _exact(table))
    with pa.ipc.new_file(sink, made.schema, options=ipc_options()) as writer:
        writer.write_table(made, max_chunksize=RECORDS)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def ipc_options() -> Any:
    """Return how Arrow's own format is written."""
    return pa.ipc.IpcWriteOptions(compression="zstd")


def _exact(table: Table) -> set[str]:
    """Return the columns that came as decimals, or that floats could not hold."""
    decimals = [column for column in table.columns if column.kind is Kind.DECIMAL]
    return {one.name for one in decimals if one.written is None or is_long(one)}


def parquet_options(schema: Any) -> dict[str, Any]:
    """Return how Parquet is written; Arrow's types are noted where Parquet has no such type."""
    noted = any("duration" in str(kind) for kind in schema.types)
    return {"compression": "zstd", "write_statistics": False, "store_schema": noted}


def parquet_table(table: Table, order: Integers, exact: Container[str]) -> Any:
    """Return Arrow columns as they are written; decimals stay what they are where it is said."""
    index = pa.array(order)
    arrays = {
        column.name: _parquet_values(column, column.name in exact).take(index)
        for column in table.columns
    }
    return pa.table(arrays).replace_schema_metadata(None)


def check_typed(column: Column) -> None:
    """Raise OutputError for cells that no file with types holds."""
    if is_made_of_objects(column.values.type):
        raise OutputError(
            f"column {shown(column.name)}: no file holds cells of type "
            f"{family(column.values.type)}; leave it out with "
            f"{option('drop', [column.name])}"
        )


def _parquet_values(column: Column, exact: bool) -> Any:
    if column.ends is not None:
        return structs(column)
    check_typed(column)
    if column.kind is Kind.DECIMAL and not exact:
        # by way of texts: Arrow's own cast to floats is off by a bit at times
        return column.values.cast(pa.string()).cast(pa.float64())
    if column.kind is Kind.DATETIME and column.written is not None and column.written.zone:
        return instants(column.values, column.written.zone)
    return column.values
