"""Workbooks, read by python-calamine; Shoal writes those of Excel by xlsxwriter."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from shoal.errors import InputError, pip_install
from shoal.judge.readers.arrow import check_unpacked, whole
from shoal.judge.readers.source import Source

READER = "python-calamine"
BOOKS = "xlsx", "xlsm", "xlsb", "xls", "ods"
ZIP = b"PK\x03\x04"
EXACT = 2.0**53  # up to which floats are whole numbers


def workbook(path: Path) -> Source:
    """Return the one sheet of a workbook that holds something; its first row is the header."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise InputError(
            f"{path.name}: this is a spreadsheet; {pip_install('formats')} to read it"
        ) from None
    raw = path.read_bytes()
    _check_size(raw, path.name)
    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw)) as book:
            sheets = [book.get_sheet_by_name(one).to_python() for one in book.sheet_names]
    except calamine.CalamineError:
        raise InputError(f"{path.name}: not a whole workbook, or one with a password") from None
    filled = [rows for rows in sheets if rows]
    if len(filled) != 1:
        raise InputError(
            f"{path.name}: {len(filled)} sheets hold something; save the release as the only one"
        )
    header, *records = filled[0]
    if not all(isinstance(cell, str) and cell for cell in header):
        raise InputError(f"{path.name}: the first row of the sheet must name every column")
    names = [str(cell) for cell in header]
    columns = {name: [_value(row[at]) for row in records] for at, name in enumerate(names)}
    return whole(path.name, names, columns, len(records), READER)


def _value(cell: Any) -> Any:
    """Return a cell's value; a blank one is missing, and a sheet's whole numbers are floats."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT:
        return int(cell)
    return None if cell == "" else cell


def _check_size(raw: bytes, name: str) -> None:
    """Refuse a file that would unpack to far more than a table; those of old are not packed."""
    if not raw.startswith(ZIP):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            size = sum(one.file_size for one in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError):
        raise InputError(f"{name}: not a whole workbook") from None
    check_unpacked(size, len(raw), name)
