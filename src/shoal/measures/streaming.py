"""Measuring files larger than memory, on a sample of whole classes.

A class is drawn by a hash of its cells, so that all its records are, wherever they stand, and its
size is the true one. The originals are the same people where that is known (the same rows, or a
key), else as many of them as their share, drawn evenly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.errors import RequestError
from shoal.hints import option
from shoal.kernels.arrays import Flags, Integers
from shoal.table.dialects.dialect import PLAIN, Dialect
from shoal.table.files.formats import is_text
from shoal.table.roles import Kind
from shoal.table.sampling import Hashes, drawn, row_hashes
from shoal.table.streams import Pieces, in_pieces
from shoal.table.table import Table

RECORDS = 100_000  # that are compared, about


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    dialect: Dialect
    missing: Sequence[str]
    types: Mapping[str, str]

    def pieces(self, path: Path, more: Mapping[str, str] | None = None) -> Pieces:
        """Return a file in pieces; what is said of csv is of no use for others.

        `more` are types in the place of those that were said.
        """
        if not is_text(path):
            return in_pieces(path, PLAIN, ("",), {})
        types = self.types if more is None else more
        return in_pieces(path, self.dialect, self.missing, types)


@dataclass(frozen=True, repr=False)
class Drawn:
    """The drawn records of both sides, and a note on the sample."""

    before: Table
    after: Table
    paired: bool
    note: str


def draw(
    original: Path, release: Path, reading: Reading, quasi: Sequence[str], key: Sequence[str],
    same_rows: bool, seed: int, records: int = RECORDS,
) -> Drawn:  # fmt: skip
    """Return about so many records of both files, as tables."""
    if not quasi:
        raise RequestError(
            "the files do not fit in the memory given: name the quasi-identifiers with "
            f"{option('quasi_identifiers')}, or a {option('recipe')}, so that whole classes can be "
            "drawn"
        )
    theirs = reading.pieces(original)
    count, kinds = _counted(theirs)
    ours = reading.pieces(release, {})
    released, own = _counted(ours)
    texts = [name for name, kind in own.items() if kinds.get(name) is Kind.TEXT is not kind]
    if texts and is_text(release):  # what is text in the original is text in its release
        ours = reading.pieces(release, dict.fromkeys(texts, "text"))
        _counted(ours)
    if same_rows and count != released:
        raise RequestError(
            f"rows are said to be the same, but there are {count:,} and {released:,}"
        )
    limit = min(1.0, records / max(released, 1)) * 2.0**64

    def of_drawn_classes(piece: Table, _: int) -> Flags:
        return row_hashes([piece[name] for name in quasi], piece.rows) <= limit

    after, rows = _some(ours, of_drawn_classes)
    if same_rows:
        before, _ = _some(theirs, lambda piece, start: _at(rows, piece, start))
    elif key:
        people = np.unique(row_hashes([after[name] for name in key], after.rows))
        before, _ = _some(theirs, lambda piece, _: _known(piece, key, people))
    else:
        share = after.rows / max(released, 1) * 2.0**64
        before, _ = _some(theirs, lambda piece, start: drawn(seed, start, piece.rows) <= share)
    note = (
        f"measured on {after.rows:,} of {released:,} released records, in whole classes, and "
        f"{before.rows:,} of {count:,} originals: among all a person is harder to find"
    )
    paired = bool(same_rows or key)
    if not paired:
        note += ", and small differences are chance, as both sides were drawn apart"
    return Drawn(before, after, paired, note)


def _counted(pieces: Pieces) -> tuple[int, dict[str, Kind]]:
    """Return how many records a file has, and what its columns are."""
    count = sum(piece.rows for piece in pieces.first())
    head = next(pieces.again())
    return count, {column.name: column.kind for column in head.columns}


def _at(rows: Integers, piece: Table, start: int) -> Flags:
    wanted = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + piece.rows)] - start
    chosen = np.zeros(piece.rows, dtype=bool)
    chosen[wanted] = True
    return chosen


def _known(piece: Table, key: Sequence[str], people: Hashes) -> Flags:
    return np.isin(row_hashes([piece[name] for name in key], piece.rows), people)


def _some(pieces: Pieces, chosen: Callable[[Table, int], Flags]) -> tuple[Table, Integers]:
    """Return the records that are chosen, as one table, and where they stand in the file."""
    parts: list[Table] = []
    places = []
    start = 0
    for piece in pieces.again():
        some = np.flatnonzero(chosen(piece, start))
        if some.size or not parts:
            parts.append(piece.take(some))
        places.append(some + start)
        start += piece.rows
    columns = []
    for number, column in enumerate(parts[0].columns):
        every = [part.columns[number] for part in parts]
        cells = None
        if column.cells is not None:
            cells = pa.concat_arrays([one.cells for one in every])
        values = pa.concat_arrays([one.values for one in every])
        columns.append(column.replace(values=values, cells=cells, quoted=None))
    source = replace(pieces.source, lines=None)
    return Table(tuple(columns), source), np.concatenate(places)
