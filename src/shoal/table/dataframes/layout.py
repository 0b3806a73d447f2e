"""Layouts of tables in Python's own lists and dicts, and how an Arrow table gets one again."""

from __future__ import annotations

from typing import Any

ROWS, TUPLES, RECORDS, COLUMNS = "rows", "tuples", "records", "columns"


def as_laid_out(frame: Any, layout: str) -> Any:
    """Return an Arrow table as lists and dicts, laid out as the caller's were."""
    if layout == RECORDS:
        return frame.to_pylist()
    cells: list[list[Any]] = [column.to_pylist() for column in frame.columns]
    if layout == COLUMNS:
        return dict(zip(frame.column_names, cells, strict=True))
    rows = zip(*cells, strict=True)
    return list(rows) if layout == TUPLES else [list(row) for row in rows]
