"""A file in pieces, whatever its format: read once to know it, and again as often as one likes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from shoal.errors import RequestError
from shoal.table.batches import ParquetPieces
from shoal.table.pieces import CsvPieces
from shoal.table.read import is_parquet
from shoal.table.table import Source, Table


class Pieces(Protocol):
    """A file in pieces; `source` is whole after the first pass."""

    source: Source

    def first(self) -> Iterator[Table]:
        """Yield the pieces of the first pass, whose columns have the kinds of each alone."""
        ...

    def again(self) -> Iterator[Table]:
        """Yield the same pieces with the kinds of the whole file."""
        ...


def in_pieces(
    path: Path, delimiter: str | None, missing: Sequence[str], types: Mapping[str, str]
) -> Pieces:
    """Return a csv, csv.gz or Parquet file in pieces."""
    if not is_parquet(path):
        return CsvPieces(path, delimiter=delimiter, missing=missing, types=types)
    if types or delimiter or tuple(missing) != ("",):
        raise RequestError("types, delimiter and missing can be declared for csv files only")
    return ParquetPieces(path)
