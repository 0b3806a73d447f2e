"""Source of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shoal.kernels.arrays import Integers
from shoal.table.dialects.dialect import PLAIN, Dialect
from shoal.table.dialects.notation import Notation


@dataclass(frozen=True, repr=False)
class Source:
    """Where a table came from: what messages call it, its hash, and how to find a record in it.

    kind is csv, parquet, arrow, json, database, dataframe or array. `native` is the caller's own
    dataframe, which is read and never written; `labels` are its own column names where they are not
    texts.
    `missing`, `types` and `columns` say how a file was read and what it holds, so that a recipe can
    read it so again; `dialect` is how its text is written, `notations` how its columns of numbers
    and dates are that are not plain. `start` is where the rows of a piece begin in what is not a
    csv file. `layout` is how lists and dicts of Python held the table (`dataframes/plain.py`).
    `encoding` is what the texts of a statistics file were said to be in; its release names its own.
    """

    name: str
    kind: str
    sha256: str = ""
    path: str | None = None
    delimiter: str = ","
    dialect: Dialect = PLAIN
    notations: tuple[tuple[str, Notation], ...] = ()
    lines: Integers | None = None
    native: Any = None
    labels: tuple[Any, ...] | None = None
    missing: tuple[str, ...] = ("",)
    types: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()
    start: int = 0
    layout: str = ""
    encoding: str | None = None

    @property
    def how(self) -> dict[str, Any]:
        """How the file is read again, as input settings."""
        own = self.dialect.to_settings()
        return own if self.encoding is None else {**own, "encoding": self.encoding}

    @property
    def found_delimiter(self) -> str | None:
        """What separates the cells of the file, None where nothing does."""
        return self.delimiter if self.kind == "csv" and not self.dialect.widths else None

    def where(self, rows: Iterable[int], limit: int = 5) -> str:
        """Return the place of some records in words: lines of a csv file, rows of anything else."""
        every = list(rows)
        if self.kind == "csv":
            places = [
                r + 2 if self.lines is None else int(self.lines[r + 1]) for r in every[:limit]
            ]
            word = "line"
        else:
            places, word = [self.start + r for r in every[:limit]], "row"
        more = ", …" if len(every) > limit else ""
        return f"{word}{'s' if len(every) > 1 else ''} {', '.join(map(str, places))}{more}"
