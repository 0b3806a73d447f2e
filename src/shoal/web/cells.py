"""Cells of a column as texts for the screen."""

from __future__ import annotations

from shoal.table.roles import Column
from shoal.table.table import missing_cells
from shoal.table.texts import texts_of
from shoal.web.charts import CELL


def cells(column: Column) -> list[str | None]:
    """Return the cells of a column as texts; None where one is missing."""
    written = column.cells is not None
    texts = column.cells.to_pylist() if written else texts_of(column, column.values)
    gone = missing_cells(column)
    return [None if gone[at] else str(text)[:CELL] for at, text in enumerate(texts)]
