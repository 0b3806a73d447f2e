"""Bytes of a released table as JSON lines: an object a record, dates as ISO texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from shoal.kernels.arrays import Integers
from shoal.release.plain_values import IN_PARQUET, as_numbers, refused
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

RECORDS = 16_384  # that are Python's values at a time


def json_lines_bytes(table: Table, order: Integers) -> bytes:
    """Return JSON lines with the rows in an order; a missing cell is null."""
    columns = [json_values(column) for column in table.columns]
    return b"".join(_pieces(table.names, columns, order))


def _pieces(names: list[str], columns: list[Any], order: Integers) -> Iterator[bytes]:
    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    for start in range(0, order.size, RECORDS):
        rows = pa.array(order[start : start + RECORDS])
        cells = [column.take(rows).to_pylist() for column in columns]
        records = (dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True))
        yield "".join(f"{write(record)}\n" for record in records).encode("utf-8")


def json_values(column: Column) -> Any:
    """Return values that JSON has: numbers, true and false, texts."""
    if column.kind in (Kind.FLOAT, Kind.DECIMAL):
        return as_numbers(column)
    if column.kind is Kind.DATE:
        return column.values.cast(pa.date32()).cast(pa.string())
    if column.kind is Kind.DATETIME:
        moments = column.values.to_pylist()
        zone = "" if column.written is None else column.written.zone
        texts = [None if one is None else one.isoformat() + zone for one in moments]
        return pa.array(texts, pa.string())
    if not column.kind.is_grouped:
        raise refused(column, "JSON has no type for its cells", IN_PARQUET)
    return column.values
