"""Spreadsheets: a sheet of an Excel or OpenDocument file -> Table, by the extra `formats`."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, RequestError, listed, shown
from shoal.hints import option
from shoal.table.files.formats import extra
from shoal.table.files.opening import check_file_name, read_bytes
from shoal.table.files.unpacking import check_unpacked
from shoal.table.roles import Kind
from shoal.table.source import Source
from shoal.table.table import Table

ZIP = b"PK\x03\x04"
EXACT = 2.0**53  # up to which floats are whole numbers


def read_spreadsheet(path: Path, sheet: str | None) -> Table:
    """Return the Table of a sheet; without a name there must be one alone that is not empty."""
    from shoal.table.dataframes.frames import check_names, from_arrow

    with _opened(path) as (book, raw):
        rows = _rows(book, sheet, path.name)
    header, records = _header(rows, path.name)
    check_names(header, path.name)
    columns = [_array([row[i] for row in records]) for i in range(len(header))]
    digest = hashlib.sha256(raw).hexdigest()
    source = Source(path.name, "spreadsheet", digest, path=str(path), columns=tuple(header))
    table = from_arrow(pa.table(dict(zip(header, (a for a, _ in columns), strict=True))), source)
    doubts = {name: mixed for name, (_, mixed) in zip(header, columns, strict=True) if mixed}
    return table.mapped(
        lambda column: (
            column.replace(doubt=doubts[column.name])
            if column.name in doubts and column.kind is Kind.TEXT
            else column
        )
    )


def sheets_of(path: Path) -> list[str]:
    """Return the sheets of a file that hold something, in order."""
    with _opened(path) as (book, _):
        return [name for name in book.sheet_names if book.get_sheet_by_name(name).total_height]


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, bytes]]:
    """Open a workbook; yield it with the bytes of its file."""
    check_file_name(path.name)
    raw = read_bytes(path)
    calamine = extra("python_calamine", path.name)
    _check_size(raw, path.name)
    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw)) as book:
            yield book, raw
    except calamine.CalamineError:
        raise InputError(f"{path.name}: not a whole spreadsheet, or one with a password") from None


def _check_size(raw: bytes, name: str) -> None:
    """Refuse a file that would unpack to far more than a table."""
    if not raw.startswith(ZIP):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            size = sum(one.file_size for one in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError):
        raise InputError(f"{name}: not a whole spreadsheet") from None
    check_unpacked(size, len(raw), name)


def _rows(book: Any, sheet: str | None, name: str) -> list[list[Any]]:
    """Return the rows of the sheet that is meant."""
    if sheet is not None:
        if sheet not in book.sheet_names:
            raise RequestError(
                f"{name}: there is no sheet {shown(sheet)}; there are {listed(book.sheet_names)}"
            )
        return list(book.get_sheet_by_name(sheet).to_python())
    filled = {one: book.get_sheet_by_name(one).to_python() for one in book.sheet_names}
    filled = {one: rows for one, rows in filled.items() if rows}
    if len(filled) != 1:
        raise RequestError(
            f"{name}: {len(filled)} sheets that hold something; say which with "
            f"{option('sheet')}: "
            f"{listed(list(filled))}"
        )
    return list(next(iter(filled.values())))


def _header(rows: Sequence[Sequence[Any]], name: str) -> tuple[list[str], list[Sequence[Any]]]:
    """Return the names of the columns and the records below: the first row without a gap."""
    for number, row in enumerate(rows):
        if row and all(isinstance(cell, str) and cell.strip() for cell in row):
            records = [one for one in rows[number + 1 :] if any(cell != "" for cell in one)]
            return [str(cell).strip() for cell in row], records
    raise InputError(f"{name}: no row of the sheet names every column; the header must")


def _array(cells: Sequence[Any]) -> tuple[Any, str | None]:
    """Return the values of a column, and why it may be meant as something else."""
    values = [None if cell == "" else cell for cell in cells]
    kinds = {_kind(value) for value in values if value is not None}
    if kinds <= {"whole"}:
        return pa.array([None if v is None else int(v) for v in values], pa.int64()), None
    if kinds <= {"whole", "number"}:
        return pa.array([None if v is None else float(v) for v in values], pa.float64()), None
    if kinds <= {"date", "moment"}:
        if kinds == {"date"}:
            return pa.array(values, pa.date32()), None
        moments = [None if v is None else _moment(v) for v in values]
        return pa.array(moments, pa.timestamp("us")), None
    if len(kinds) == 1 and kinds <= {"flag"}:
        return pa.array(values, pa.bool_()), None
    texts = [None if v is None else _text(v) for v in values]
    mixed = None if kinds == {"text"} else f"cells of several kinds: {', '.join(sorted(kinds))}"
    return pa.array(texts, pa.string()), mixed


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int) or (
        isinstance(value, float) and value.is_integer() and abs(value) < EXACT
    ):
        return "whole"
    if isinstance(value, float):
        return "number"
    if isinstance(value, datetime):
        return "moment"
    if isinstance(value, date):
        return "date"
    return "time" if isinstance(value, time | timedelta) else "text"


def _moment(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
