"""The first records of a table as texts, for whoever asks to see them."""

from __future__ import annotations

import pyarrow as pa

from shoal.table.roles import Column, Kind
from shoal.table.table import Table, present
from shoal.table.texts import texts_of


def first_rows(table: Table, many: int) -> list[dict[str, str | None]]:
    """Return the first records as they were read, each cell as text; missing ones are None."""
    columns = [_texts(column, many) for column in table.columns]
    return [dict(zip(table.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _texts(column: Column, many: int) -> list[str | None]:
    """Return cells as they stand in a csv file, or values as they are written."""
    values = column.values.slice(0, many)
    if column.kind is Kind.UNKNOWN:
        return [None if value is None else str(value) for value in values.to_pylist()]
    there = pa.array(present(column.replace(values=values)))
    if column.cells is not None:
        texts = column.cells.slice(0, many).filter(there).to_pylist()
    else:
        texts = texts_of(column, values.filter(there))
    every = iter(texts)
    return [next(every) if known else None for known in there.to_pylist()]
