"""How a released value is written in a csv cell: as the column it stands in wrote its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import OutputError, shown
from shoal.table.roles import Column, Kind, Written
from shoal.table.scan import DELIMITERS

QUOTE = '"'


def csv_cells(column: Column, delimiter: str) -> list[str]:
    """Return the column's cells, quotes included, ready to be joined by the delimiter.

    A csv column that is not protected comes back byte for byte as it stood in its file.
    """
    if column.cells is not None and not column.protected:
        return _as_it_stood(column)
    distinct = column.values.dictionary_encode()
    texts = [_text(value, column) for value in _plain(distinct.dictionary)]
    if column.kind is Kind.TEXT:
        if any("\0" in text for text in texts):
            raise OutputError(
                f"column {shown(column.name)} holds a NUL, which csv cannot; use Parquet"
            )
        return _spread([_quoted(text, delimiter) for text in texts], distinct.indices)
    return _spread([text and _quoted(text, delimiter) for text in texts], distinct.indices)


def _spread(texts: list[str], indices: Any) -> list[str]:
    """Return one cell a record from one a distinct value; a missing one is empty."""
    return ["" if i is None else texts[i] for i in indices.to_pylist()]


def _as_it_stood(column: Column) -> list[str]:
    cells: list[str] = column.cells.to_pylist()
    if column.quoted is None:
        return cells
    pairs = zip(cells, column.quoted.tolist(), strict=True)
    return ['"' + cell.replace('"', '""') + '"' if quoted else cell for cell, quoted in pairs]


def _plain(values: Any) -> list[Any]:
    """Return Python values; times as text, because Python's own stop at microseconds."""
    import pyarrow as pa

    if pa.types.is_timestamp(values.type):
        zone = values.type.tz
        moments = np.asarray(values.cast(pa.timestamp(values.type.unit)))
        return [f"{moment}{'Z' if zone else ''}" for moment in np.datetime_as_string(moments)]
    plain: list[Any] = values.to_pylist()
    return plain


def _text(value: Any, column: Column) -> str:
    written = column.written or Written()
    if column.kind is Kind.FLOAT and value != value:  # noqa: PLR0124 - not a number: missing
        return ""
    if column.kind is Kind.BOOLEAN:
        return written.words[bool(value)]
    if column.kind is Kind.DATE:
        return str(value)
    if column.kind is Kind.DATETIME:
        return _moment(value, written.pattern)
    if column.kind is Kind.DECIMAL:
        return f"{value:.{written.decimals}f}"
    if column.kind is Kind.FLOAT and column.written is not None:
        return float_text(value, written)
    return str(value)


def float_text(value: float, written: Written) -> str:
    """Write a float with the column's decimals; very large or small ones in the shortest form."""
    if not 0 <= written.decimals <= 17 or abs(value) >= 1e16:
        return repr(value)
    return f"{value:.{written.decimals}f}"


def _moment(text: str, pattern: str) -> str:
    """Cut an ISO moment to what the column writes: its separator, its last digit."""
    if not pattern:
        return text
    separator = pattern[len("%Y-%m-%d")]
    length = 16 if "%S" not in pattern else 19
    fraction = pattern.partition("%S.")[2]
    length += 1 + int(fraction) if fraction else 0
    return (text[:10] + separator + text[11:])[:length]


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
