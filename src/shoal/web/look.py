"""A look at a file: its columns in counts, its first rows, and how it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from shoal.hints import Message
from shoal.measures.histogram import counted as in_bins
from shoal.measures.histogram import edges_of, is_whole
from shoal.table.dialects.propose import Proposal, propose
from shoal.table.files.database_names import file_of, table_of
from shoal.table.files.formats import SPREADSHEETS, is_text
from shoal.table.files.spreadsheets import sheets_of
from shoal.table.inspect import inspect
from shoal.table.roles import Column, Kind
from shoal.table.table import as_floats, missing_cells, some_rows
from shoal.web.cells import cells
from shoal.web.charts import counted_values
from shoal.web.held import held_table
from shoal.web.messages import ProgressWriter
from shoal.web.tables import journal_findings, stored_tables

ROWS = 20  # of a table that are shown
BINS, WORDS = 24, 8
SEVERAL = "{count} sheets hold something; the first of them is read, and any other can be chosen"


def look(request: Mapping[str, Any], place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Inspect a file: its columns in counts, its first rows, and how it was read.

    Where nothing is said of a text file it is read as it seems to be written.
    """
    path, given = Path(request["path"]), request["input"]
    tables, wanted = stored_tables(path), None
    if tables:
        wanted = table_of(path) or (tables[0] if len(tables) == 1 else None)
        if wanted is None:
            return {"tables": tables, "table": None}
        path = Path(f"{file_of(path)}#{wanted}")
    found = Proposal()
    if not given and is_text(path):
        found = propose(path)
    sheets = sheets_of(path) if path.name.lower().endswith(SPREADSHEETS) else []
    if not given and len(sheets) > 1:
        found = Proposal({"sheet": sheets[0]}, [Message(SEVERAL.format(count=len(sheets)))])
    if request.get("uploaded"):
        found.findings += map(Message, journal_findings(path))
    read = {**request, "path": str(path), "input": given or _plain(found.options)}
    table, records = held_table(read, place)
    inspection = inspect(table)
    columns = [
        {
            **asdict(seen),
            "numeric": column.kind.is_numeric,
            "bins": bins(column),
            "label": column.variable.label if column.variable else "",
        }
        for seen, column in zip(inspection.columns, table.columns, strict=True)
    ]
    some = table.take(np.arange(min(ROWS, table.rows)))
    first = [_first(column) for column in some.columns]
    return {
        "tables": tables,
        "table": wanted,
        "records": records,
        "seen": table.rows,
        "delimiter": table.source.delimiter if is_text(path) else None,
        "sheets": sheets,
        "reading": _plain(found.options),
        "findings": found.findings,
        "columns": columns,
        "rows": [list(row) for row in zip(*first, strict=True)],
    }


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(one) if isinstance(one, tuple) else one for key, one in options.items()}


def _first(column: Column) -> list[str | None]:
    """Return the cells of the first rows as texts."""
    if column.kind is Kind.UNKNOWN:
        return ["(cannot be shown)"] * len(column.values)
    return cells(column)


def bins(column: Column) -> dict[str, Any]:
    """Return a column in counts: bins of numbers and dates, or the most frequent texts."""
    if column.kind is Kind.UNKNOWN:
        return {"labels": [], "counts": []}
    there = ~missing_cells(column)
    if not there.any():
        return {"labels": [], "counts": []}
    if column.kind.is_numeric and column.kind is not Kind.BOOLEAN:
        numbers = as_floats(some_rows(column, there))
        edges = edges_of(float(numbers.min()), float(numbers.max()), is_whole(numbers), BINS)
        counts = in_bins(numbers, edges)
        half = 0.5 if is_whole(numbers) and edges[0] + 0.5 == numbers.min() else 0.0
        labels = [_label(edge + half, column) for edge in edges[:-1]]
        return {"labels": labels, "counts": counts.tolist()}
    return counted_values(column, WORDS, 1, "…")


def _label(number: float, column: Column) -> str:
    if column.kind in (Kind.DATE, Kind.DATETIME):
        from shoal.report.charts import day_of

        return day_of(number).strftime("%Y-%m-%d")
    return f"{number:.6g}"
