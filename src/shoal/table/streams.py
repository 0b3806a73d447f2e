"""Chunks of a file of any format, to be read several times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from shoal.errors import RequestError
from shoal.table.csv_pieces import SIZE, CsvPieces
from shoal.table.dataframes.frames import RECORDS
from shoal.table.dialects.dialect import CSV_ONLY, PLAIN, Dialect
from shoal.table.files.databases import DatabasePieces
from shoal.table.files.formats import is_parquet, is_text
from shoal.table.files.many_files import ParquetPieces
from shoal.table.files.opening import is_database
from shoal.table.source import Source
from shoal.table.table import Table


class Pieces(Protocol):
    """A file in pieces; `source` is whole after the first pass."""

    @property
    def source(self) -> Source:
        """What it is; whole after the first pass."""
        ...

    def first(self) -> Iterator[Table]:
        """Yield the pieces of the first pass, whose columns have the kinds of each alone."""
        ...

    def again(self) -> Iterator[Table]:
        """Yield the same pieces with the kinds of the whole file."""
        ...


class Reading(Protocol):
    """A table in chunks, each in pieces; `is_shared`: other machines can read them too."""

    @property
    def source(self) -> Source:
        """What it is; whole after the first pass."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether other machines can read it."""
        ...

    @property
    def tasks(self) -> int:
        """How many chunks there are."""
        ...

    @property
    def shape(self) -> tuple[int, float]:
        """How many columns there are, and about how many bytes a record has."""
        ...

    @property
    def rows(self) -> int | None:
        """How many records there are, where that is known before they are read."""
        ...

    def start(self, number: int) -> int:
        """Return how many records stand before a chunk."""
        ...

    def first(self, number: int) -> Iterator[Table]:
        """Yield the pieces of a chunk at the first pass; there is one, maybe without records."""
        ...

    def again(self, number: int) -> Iterator[Table]:
        """Yield the pieces of a chunk with the kinds of the whole table."""
        ...

    def empty(self) -> Table:
        """Return the table without its records, after the first pass."""
        ...


class Whole:
    """A file that is one chunk: only this process reads it."""

    is_shared, tasks, rows = False, 1, None

    def __init__(self, pieces: Pieces, shape: tuple[int, float] = (1, 0.0)) -> None:
        self.pieces, self.shape = pieces, shape

    @property
    def source(self) -> Source:
        """What it is; whole after the first pass."""
        return self.pieces.source

    def start(self, number: int) -> int:
        """Return 0: nothing stands before it."""
        return number

    def first(self, number: int) -> Iterator[Table]:  # noqa: ARG002 - as Reading has it
        """Yield the pieces of the first pass."""
        return self.pieces.first()

    def again(self, number: int) -> Iterator[Table]:  # noqa: ARG002 - as Reading has it
        """Yield the same pieces with the kinds of the whole file."""
        return self.pieces.again()

    def empty(self) -> Table:
        """Return the table without its records."""
        head = next(self.pieces.again()).take(np.zeros(0, dtype=np.int64))
        return replace(head, source=self.source)


def in_pieces(
    path: Path,
    dialect: Dialect,
    missing: Sequence[str],
    types: Mapping[str, str],
    size: int = SIZE,
    records: int = RECORDS,
) -> Pieces:
    """Return a file in pieces: of csv about `size` bytes each, of Parquet so many records."""
    typed = is_parquet(path) or is_database(path)
    if not is_text(path) and not typed:
        raise RequestError(f"{path.name}: such a file is read as a whole; save it as Parquet")
    if not typed:
        return CsvPieces(path, dialect=dialect, missing=missing, types=types, size=size)
    if types or dialect != PLAIN or tuple(missing) != ("",):
        raise RequestError(f"types, missing and how text is written {CSV_ONLY}")
    return DatabasePieces(path, records) if is_database(path) else ParquetPieces(path, records)
