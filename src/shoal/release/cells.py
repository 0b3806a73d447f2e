"""Texts of released csv cells, in the format of their column."""

from __future__ import annotations

from typing import Any

from shoal.errors import OutputError, shown
from shoal.table.roles import STAR, Column, Kind
from shoal.table.scan import DELIMITERS
from shoal.table.texts import texts_of

QUOTE = '"'


def csv_cells(column: Column, delimiter: str) -> list[str]:
    """Return the column's cells, quotes included, ready to be joined by the delimiter.

    A csv column that is not protected comes back byte for byte as it stood in its file.
    """
    if column.cells is not None and not column.protected:
        return _as_it_stood(column)
    distinct = column.values.dictionary_encode()
    texts = texts_of(column, distinct.dictionary)
    absent = STAR if column.protected else ""
    if column.kind is Kind.TEXT:
        if any("\0" in text for text in texts):
            raise OutputError(
                f"column {shown(column.name)} holds a NUL, which csv cannot; use Parquet"
            )
        return _spread([_quoted(text, delimiter) for text in texts], distinct.indices, absent)
    return _spread([text and _quoted(text, delimiter) for text in texts], distinct.indices, absent)


def _spread(texts: list[str], indices: Any, absent: str) -> list[str]:
    """Return one cell a record from one a distinct value, and a text for those without."""
    return [absent if i is None else texts[i] for i in indices.to_pylist()]


def _as_it_stood(column: Column) -> list[str]:
    cells: list[str] = column.cells.to_pylist()
    if column.quoted is None:
        return cells
    pairs = zip(cells, column.quoted.tolist(), strict=True)
    return ['"' + cell.replace('"', '""') + '"' if quoted else cell for cell, quoted in pairs]


def _quoted(text: str, delimiter: str) -> str:
    """Put a text in quotes where it needs them; an empty text gets them, to differ from missing."""
    if not text or any(sign in text for sign in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def header_cell(name: str, delimiter: str) -> str:
    """Return a column's name as a header cell, in quotes where a reader could take it for two."""
    if any(sign in name for sign in DELIMITERS):
        return f'"{name.replace(QUOTE, QUOTE * 2)}"'
    return _quoted(name, delimiter)
