"""Read a released file by a reader of our own: csv by the standard library, Parquet by pyarrow."""

from __future__ import annotations

import csv
import gzip
import io
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from fuzz.sources import encoding_of
from fuzz.values import is_number


def read_release(path: Path, options: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Return names and columns of a release that is written as its input was."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return list(table.column_names), [column.to_pylist() for column in table.columns]
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    text = io.StringIO(content.decode(encoding_of(options)), newline="")
    delimiter, quote = options.get("delimiter") or ",", options.get("quote") or '"'
    rows = list(csv.reader(text, delimiter=delimiter, quotechar=quote, strict=True))
    names, records = rows[0], [row or [""] for row in rows[1:]]
    return names, [[cell(row[place]) for row in records] for place in range(len(names))]


def cell(text: str) -> str | None:
    """Return the cell of a text: an empty one is missing."""
    return None if text == "" else text


def typed(cells: list[Any], originals: list[Any]) -> list[Any]:
    """Return the texts of a csv column as what its originals are, where all can be read so."""
    known = [value for value in originals if value is not None]
    texts = [text for text in cells if text is not None and text != "*"]
    if not known or not all(isinstance(text, str) for text in texts):
        return cells
    read: Any = None
    if all(isinstance(value, bool) for value in known):
        read = {"true": True, "false": False}.get
    elif all(is_number(value) for value in known):
        read = Decimal if not isinstance(known[0], date) else type(known[0]).fromisoformat
    try:
        made = {text: read(text) for text in texts}
    except (TypeError, ValueError, ArithmeticError):
        return cells
    return cells if None in made.values() else [made.get(text, text) for text in cells]
