"""Protection against formulas in spreadsheets.

A cell that begins with one of these signs is run by spreadsheet programs as it is opened
(CWE-1236). An apostrophe before it makes it a text. Numbers stay what they are, also -5 in a column
of texts; so does a lone sign. A text that begins with apostrophes before such a sign gets one more,
so that no two texts become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from shoal.errors import RequestError, listed
from shoal.hints import option
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠].", re.DOTALL)  # also of full width
NUMBER = re.compile(r"[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?%?")


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet could run a cell of this text."""
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def as_text(text: str) -> str:
    """Return a cell's text as no spreadsheet runs it."""
    return f"'{text}" if is_formula(text) else text


def formulas_in(names: Iterable[str]) -> list[str]:
    """Return the names that a spreadsheet would run as headers."""
    return [name for name in names if is_formula(name)]


def check_headers(names: Iterable[str]) -> None:
    """Refuse names of columns that a spreadsheet would run."""
    risky = formulas_in(names)
    if risky:
        raise RequestError(
            f"a spreadsheet would run the header of {listed(risky)} as a formula; rename or drop "
            f"such a column, or leave out {option('spreadsheet_safe')}"
        )


def guarded_table(table: Table) -> Table:
    """Return a table whose texts no spreadsheet runs; a column's name that it would is refused."""
    check_headers(table.names)
    return table.mapped(_guarded)


def _guarded(column: Column) -> Column:
    if column.kind is not Kind.TEXT:
        return column
    cells = column.cells if column.cells is None else _mapped(column.cells)
    return column.replace(values=_mapped(column.values), cells=cells)


def _mapped(values: Any) -> Any:
    """Return texts with an apostrophe where one is needed; the same object where none is."""
    import pyarrow as pa

    encoded = values.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    changed = [as_text(text) for text in texts]
    if changed == texts:
        return values
    return pa.array(changed, type=encoded.dictionary.type).take(encoded.indices)
