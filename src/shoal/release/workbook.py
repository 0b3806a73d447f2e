"""Bytes of a released table as an Excel workbook, by the extra `formats`.

Texts are written as texts: no formula, link or number is made of one. Who made the file, and when,
is not said.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import RequestError
from shoal.kernels.arrays import Integers
from shoal.release.plain_values import (
    IN_PARQUET,
    as_moments,
    as_numbers,
    as_texts,
    largest,
    refused,
)
from shoal.table.files.formats import extra
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

ROWS, COLUMNS, TEXT = 1_048_576, 16_384, 32_767  # of a sheet, and signs of a cell
DIGITS = 10**15  # from which on whole numbers lose digits
FIRST = date(1900, 3, 1)  # before it, programs do not agree on days
MADE = datetime(1980, 1, 1)  # in the place of the time of writing
OPTIONS = {
    "in_memory": True, "strings_to_formulas": False, "strings_to_urls": False,
    "strings_to_numbers": False,
}  # fmt: skip
DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss.000"


class Exact(float):
    """A float that is written with all its digits: xlsxwriter would write 16 of 17."""

    def __format__(self, form: str) -> str:
        return repr(float(self))


def workbook_bytes(table: Table, order: Integers) -> bytes:
    """Return a workbook of one sheet, the rows in an order."""
    xlsxwriter = extra("xlsxwriter", "release.xlsx")
    check_shape(table.rows, table.names)
    index = pa.array(order)
    columns = [cell_values(column).take(index) for column in table.columns]
    _check_blank(columns)
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, OPTIONS) as book:
        book.set_properties({"created": MADE})
        sheet = book.add_worksheet("release")
        forms = {Kind.DATE: book.add_format({"num_format": DAY}),
                 Kind.DATETIME: book.add_format({"num_format": MOMENT})}  # fmt: skip
        for place, (column, values) in enumerate(zip(table.columns, columns, strict=True)):
            sheet.write_string(0, place, column.name)
            write = _writer(sheet, column.kind, forms)
            for row, value in enumerate(values.to_pylist(), 1):
                if value is not None:
                    write(row, place, value)
    return content.getvalue()


def _writer(sheet: Any, kind: Kind, forms: dict[Kind, Any]) -> Callable[[int, int, Any], Any]:
    """Return what writes a cell of a kind."""
    if kind is Kind.BOOLEAN:
        return sheet.write_boolean  # type: ignore[no-any-return]
    if kind in forms:
        return lambda row, place, value: sheet.write_datetime(row, place, value, forms[kind])
    if kind.is_number:
        return lambda row, place, value: sheet.write_number(row, place, Exact(value))
    return sheet.write_string  # type: ignore[no-any-return]


def check_shape(rows: int, names: Sequence[str]) -> None:
    """Refuse a table that is larger than a sheet, or has names longer than a cell."""
    if rows >= ROWS:
        raise RequestError(
            f"a sheet of Excel has {ROWS:,} rows, one of them the header, and the release "
            f"{rows:,} records; write csv or Parquet"
        )
    if len(names) > COLUMNS:
        raise RequestError(
            f"a sheet of Excel has {COLUMNS:,} columns, and the release {len(names):,}; write csv "
            "or Parquet"
        )
    if any(len(name) > TEXT for name in names):
        raise RequestError(
            f"a cell of Excel has {TEXT:,} signs, and a column's name more; write csv or Parquet"
        )


def _check_blank(columns: list[Any]) -> None:
    """Refuse records without a value: blank rows are no records to whoever reads a sheet."""
    blank = None
    for values in columns:
        blank = values.is_null() if blank is None else pc.and_(blank, values.is_null())
    if blank is not None and pc.any(blank).as_py():
        raise RequestError(
            "a record has no value at all, and a blank row of a sheet is none; write csv or Parquet"
        )


def cell_values(column: Column) -> Any:
    """Return the values of a column as cells can hold them."""
    values = column.values
    if column.kind in (Kind.FLOAT, Kind.DECIMAL):
        return as_numbers(column)
    if column.kind is Kind.INTEGER and largest(values) >= DIGITS:
        raise refused(column, "its numbers have more than 15 digits, which Excel cannot hold")
    if column.kind in (Kind.DATE, Kind.DATETIME):
        values = values.cast(pa.date32()) if column.kind is Kind.DATE else as_moments(column)
        first = pc.min(values).as_py()
        if first is not None and (first.date() if isinstance(first, datetime) else first) < FIRST:
            raise refused(column, f"it has dates before {FIRST}, which Excel cannot hold")
        return values
    if column.kind is Kind.TEXT:
        if (pc.max(pc.utf8_length(values)).as_py() or 0) > TEXT:
            raise refused(column, f"its texts are longer than {TEXT:,} signs")
        return as_texts(values)
    if not column.kind.is_grouped:
        raise refused(column, "Excel has no type for its cells", IN_PARQUET)
    return values
