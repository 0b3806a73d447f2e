"""Tables of Python's own: lists of rows, lists of dicts, dicts of columns; they come back as such.

Rows are lists or tuples, whose columns are named x0, x1, … as those of an array are. A key that a
dict of a list lacks is a missing cell. Inside they are Arrow tables; a cell that is released as an
interval comes back as a dict of its ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.table.dataframes.frames import check_names, from_arrow
from shoal.table.dataframes.layout import COLUMNS, RECORDS, ROWS, TUPLES
from shoal.table.source import Source
from shoal.table.table import Table


def is_plain(data: Any) -> bool:
    """Tell whether data are a table of Python's own, if they are a table at all."""
    return isinstance(data, list | tuple | Mapping)


def from_plain(data: Any) -> Table:
    """Return the Table of a list of rows, a list of dicts or a dict of columns."""
    name = "the dict" if isinstance(data, Mapping) else "the list"
    columns, layout = _columns(data, name)
    for column in columns:
        if not isinstance(column, str):
            raise InputError(f"{name}: column names must be texts")
    check_names(list(columns), name)
    arrays = {own: _array(cells, own, name) for own, cells in columns.items()}
    counts = {own: len(array) for own, array in arrays.items()}
    if len(set(counts.values())) > 1:
        least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        raise InputError(
            f"{name}: columns must have one length; {shown(least)} has {counts[least]} cells, "
            f"{shown(most)} {counts[most]}"
        )
    frame = pa.table(arrays)
    return from_arrow(frame, Source(name, "dataframe", native=frame, layout=layout))


def _columns(data: Any, name: str) -> tuple[dict[Any, Any], str]:
    """Return cells by column, and how they were laid out."""
    if isinstance(data, Mapping):
        return dict(data), COLUMNS
    if not data:
        raise InputError(f"{name} has no rows")
    if all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(column for row in data for column in row)
        return {column: [row.get(column) for row in data] for column in names}, RECORDS
    width = len(data[0]) if _is_row(data[0]) else 0
    for place, row in enumerate(data):
        if not _is_row(row):
            raise InputError(
                f"{name}, row {place}: every row must be a list or a tuple, or each a dict"
            )
        if len(row) != width:
            raise InputError(f"{name}, row {place}: {len(row)} cells, and {width} in row 0")
    cells = zip(*data, strict=True)
    layout = TUPLES if all(isinstance(row, tuple) for row in data) else ROWS
    return {f"x{place}": list(column) for place, column in enumerate(cells)}, layout


def _is_row(row: Any) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)


def _array(cells: Any, column: str, name: str) -> Any:
    """Return cells as an Arrow array; the words of Arrow's own errors would show one."""
    where = f"{name}, column {shown(column)}"
    if isinstance(cells, str | bytes | Mapping) or not isinstance(cells, Iterable):
        raise InputError(f"{where}: the cells must be a list")
    try:
        return pa.array(cells if isinstance(cells, np.ndarray) else list(cells))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where}: cells of several types, or of one that no table holds; give it one type"
        ) from None
