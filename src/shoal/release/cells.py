"""Texts of released csv cells, in the format of their column."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import OutputError, shown
from shoal.hints import option
from shoal.release.dialects import in_encoding
from shoal.table.csv_text.scan import DELIMITERS
from shoal.table.dataframes.opaque import is_made_of_objects
from shoal.table.dialects.dialect import PLAIN, Dialect
from shoal.table.dialects.notation import STRICT, Notation, written_texts
from shoal.table.roles import STAR, Column, Kind, family
from shoal.table.texts import arrow_texts

QUOTE = '"'


def csv_cells(
    column: Column, delimiter: str, dialect: Dialect = PLAIN, notation: Notation = STRICT
) -> Any:
    """Return the column's cells, quotes included, ready to be joined by the delimiter.

    A csv column that is not protected comes back byte for byte as it stood in its file.
    """
    if column.cells is not None and not column.protected:
        return _as_it_stood(column, dialect)
    check_plain(column)
    distinct = column.values.dictionary_encode()
    texts = arrow_texts(column, distinct.dictionary)
    if not notation.is_plain:
        texts = written_texts(texts, notation)
    texts = in_encoding(texts, dialect)
    is_text = column.kind is Kind.TEXT
    if is_text and pc.any(pc.match_substring(texts, "\0")).as_py():
        raise OutputError(f"column {shown(column.name)} holds a NUL, which csv cannot; use Parquet")
    needy = _needy(texts, delimiter)
    if is_text:
        needy = pc.or_(needy, pc.equal(texts, ""))  # in quotes, to differ from missing
    cells = _in_quotes(texts, needy).take(distinct.indices)
    return cells.fill_null(STAR if column.protected else "") if cells.null_count else cells


def check_plain(column: Column) -> None:
    """Raise OutputError for cells that have no plain text; times of a day have one."""
    kind = column.values.type
    if not column.kind.is_grouped and not pa.types.is_time(kind):
        otherwise = "" if is_made_of_objects(kind) else ", or write Parquet"
        raise OutputError(
            f"column {shown(column.name)}: cells of type {family(kind)} have no plain text; leave "
            f"it out with {option('drop', [column.name])}{otherwise}"
        )


def _as_it_stood(column: Column, dialect: Dialect) -> Any:
    cells = in_encoding(column.cells, dialect)
    if column.quoted is None:
        return cells
    return _in_quotes(cells, pa.array(column.quoted))


def _in_quotes(texts: Any, flags: Any) -> Any:
    """Put flagged texts in quotes, and double the quotes in them."""
    if not pc.any(flags).as_py():
        return texts
    doubled = pc.replace_substring(texts, QUOTE, QUOTE * 2)
    return pc.if_else(flags, pc.binary_join_element_wise(QUOTE, doubled, QUOTE, ""), texts)


def _needy(texts: Any, delimiter: str) -> Any:
    """Return which texts need quotes."""
    needy = pc.match_substring(texts, delimiter)
    for sign in (QUOTE, "\n", "\r"):
        needy = pc.or_(needy, pc.match_substring(texts, sign))
    return needy


def header_cell(name: str, delimiter: str) -> str:
    """Return a column's name as a header cell, in quotes where a reader could take it for two."""
    if not name or any(sign in name for sign in (*DELIMITERS, delimiter, QUOTE, "\n", "\r")):
        return f'"{name.replace(QUOTE, QUOTE * 2)}"'
    return name
