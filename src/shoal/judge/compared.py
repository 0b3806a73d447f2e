"""Tables whose cells are compared with those of other files: a number for each different cell.

Cells of all files are compared by their texts: those that compare as equal (`cells.comparable`)
have one number, stars have 0. Which of the others may stand for one value is told by a table of
pairs of such numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.judge.cells import comparable, is_single, spans
from shoal.judge.engine import Engine
from shoal.judge.papers import SINGLE, Beside
from shoal.judge.values import plain_value


@dataclass(frozen=True)
class CompositionRequest:
    """Roles of the two releases as requested (None: unknown), and papers beside them."""

    quasi: Sequence[str]
    sensitive: Sequence[str] | None
    k: int
    ours: Beside | None = None
    theirs: Beside | None = None
    roles: tuple[str, str] = ("", "")

    def their_quasi(self, header: Sequence[str]) -> list[str]:
        """Return the quasi-identifiers of the other release, as far as they are known."""
        known = () if self.theirs is None else self.theirs.quasi_identifiers
        return list(dict.fromkeys(name for name in (*self.quasi, *known) if name in header))


def load(
    engine: Engine, name: str, heading: str, kinds: Mapping[str, str], rows: Sequence[Sequence[Any]]
) -> None:
    """Make a table of rows of Python values; `kinds` has the Arrow type of each column."""
    import pyarrow as pa

    types = [pa.list_(pa.string()) if kind == "strings" else kind for kind in kinds.values()]
    columns = zip(*rows, strict=True) if rows else [()] * len(types)
    arrays = [pa.array(cells, kind) for cells, kind in zip(columns, types, strict=True)]
    engine.load(name, pa.table(arrays, names=list(kinds)), heading)


def number_cells(engine: Engine, name: str, tables: Mapping[str, Sequence[str]]) -> list[Any]:
    """Make a table of the different cells of some columns; return what each number stands for.

    `number` is equal for cells that compare as equal, `form` for all spellings of one value.
    """
    parts = [
        f"SELECT {column} AS cell FROM {table}" for table in tables for column in tables[table]
    ]
    every = " UNION ".join(["SELECT '*' AS cell", *parts])
    cells = [cell for (cell,) in engine.rows(f"{every} ORDER BY ALL") if cell is not None]
    texts = [comparable(cell) for cell in cells]
    numbers = {text: number for number, text in enumerate(dict.fromkeys([None, *texts]))}
    forms = [plain_value(cell, (), True) for cell in cells]
    alike = {form: numbers[text] for form, text in zip(forms, texts, strict=True)} | {None: 0}
    rows = [(c, numbers[t], alike[f]) for c, t, f in zip(cells, texts, forms, strict=True)]
    kinds = {"cell": "string", "number": "int32", "form": "int32"}
    load(engine, name, "the different cells of what is compared; * has number 0", kinds, rows)
    return list(numbers)


def numbered(table: str, cells: str, columns: Mapping[str, tuple[str, str]], others: str) -> str:
    """Return the query that puts numbers in the place of texts.

    `columns` has the text and the kind of number (number or form) of each column that is made.
    """
    chosen = [f"coalesce({name}_cell.{kind}, 0) AS {name}" for name, (_, kind) in columns.items()]
    joins = [
        f"LEFT JOIN {cells} {name}_cell ON {name}_cell.cell = {table}.{text}"
        for name, (text, _) in columns.items()
    ]
    return "\n".join([f"SELECT {', '.join([others, *chosen])}", f"FROM {table}", *joins])


def load_pairs(
    engine: Engine, name: str, query: str, values: Sequence[Any], meet: Callable[[Any, Any], bool]
) -> bool:
    """Make a table of those pairs of numbers, told by a query, that meet; tell whether all do."""
    asked = engine.rows(query)
    found = [(one, other) for one, other in asked if meet(values[one], values[other])]
    spans.cache_clear()  # no values of records stay behind
    kinds = {"one": "int32", "other": "int32"}
    load(engine, name, "cells that may stand for one value", kinds, found)
    return len(found) == len(asked)


def tells_nothing(
    engine: Engine, table: str, column: str, name: str, values: Sequence[Any], known: Beside | None
) -> bool:
    """Tell whether values of a column may be means or the like, and do not say of what.

    `name` is the column in the file, `column` the one of a table of numbers.
    """
    if known is not None and name in known.released_as:
        return known.released_as[name] in SINGLE
    cells = engine.rows(f"SELECT DISTINCT {column} FROM {table}")
    return is_single(values[number] for (number,) in cells)
