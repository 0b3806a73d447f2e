"""Cells of a column as texts for the screen."""

from __future__ import annotations

from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.roles import Column
from shoal.table.table import missing_cells
from shoal.table.texts import texts_of
from shoal.web.charts import CELL


def cells(column: Column, notation: Notation = STRICT) -> list[str | None]:
    """Return the cells of a column as a file in a notation has them; None where one is missing."""
    import pyarrow as pa

    gone = missing_cells(column)
    there = pa.array(~gone)
    if column.cells is not None:
        texts = iter(column.cells.filter(there).to_pylist())
    else:
        texts = map(notation.written, texts_of(column, column.values.filter(there)))
    return [None if missing else str(next(texts))[:CELL] for missing in gone]
