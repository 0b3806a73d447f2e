"""Releases that are lists of Python: rows as lists or tuples, or as dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import InputError
from shoal.judge.readers.source import Source
from shoal.judge.readers.whole import whole

NAME = "the list"


def listed_rows(data: Sequence[Any]) -> Source:
    """Return an opened list of rows; columns of rows without names are x0, x1, …"""
    if not data:
        raise InputError(f"{NAME} has no rows")
    if all(isinstance(row, Mapping) for row in data):
        header = list(dict.fromkeys(str(name) for row in data for name in row))
        rows = [[row.get(name) for name in header] for row in data]
    else:
        rows = [list(row) if isinstance(row, list | tuple) else [] for row in data]
        header = [f"x{place}" for place in range(len(rows[0]))]
        if not header or any(len(row) != len(header) for row in rows):
            raise InputError(f"{NAME}: rows must be lists of one length, or dicts")
    cells = {name: _cells([row[place] for row in rows]) for place, name in enumerate(header)}
    return whole(NAME, header, cells, len(rows), "")


def _cells(values: list[Any]) -> Any:
    """Return the cells of a column; dicts, of which only intervals can be judged, as structs."""
    if not any(isinstance(value, Mapping) for value in values):
        return values
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(f"{NAME}: a column holds values of several kinds") from None
