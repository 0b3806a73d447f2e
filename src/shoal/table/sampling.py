"""Hashes of cells, and samples of records drawn by them.

A draw depends on the seed and on where a record stands, a hash on what a cell holds: neither on how
a file was cut into pieces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.table.dataframes.opaque import cell_bytes
from shoal.table.roles import Column, Kind
from shoal.table.table import as_floats, as_integers, missing_cells, some_rows

Hashes = npt.NDArray[np.uint64]

DRAW = "\0draw"  # no column of a table is named so
SAMPLE = 200_000  # records by which regions are cut
CELLS = 4_000_000  # that a sample has at most: of wide tables fewer records will do


def sample_size(columns: int) -> int:
    """Return how many records of so many columns a sample has."""
    return max(2_000, min(SAMPLE, CELLS // max(columns, 1)))


def share_of(size: int, rows: int | None) -> float:
    """Return the share of records that a sample takes, and some more; 1 if unknown."""
    return 1.0 if not rows else min(1.0, 1.2 * size / rows)


def mixed(words: Hashes) -> Hashes:
    """Return well-spread hashes of 64-bit words (Steele and others 2014, splitmix)."""
    with np.errstate(over="ignore"):
        hashes = words + np.uint64(0x9E3779B97F4A7C15)
        hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(hashes ^ (hashes >> np.uint64(31)), dtype=np.uint64)


def _of_texts(texts: Any) -> Hashes:
    """Return hashes of texts, or of bytes."""
    distinct = texts.dictionary_encode()
    hashes = [
        int.from_bytes(hashlib.blake2b(cell, digest_size=8).digest(), "little")
        for cell in distinct.dictionary.cast(pa.large_binary()).to_pylist()
    ]
    each: Hashes = np.array(hashes, dtype=np.uint64)[np.asarray(distinct.indices)]
    return each


def _by_value(column: Column) -> Hashes:
    """Return hashes that are equal for equal values, in whatever type a file holds them."""
    if column.kind is Kind.TEXT:
        return _of_texts(column.values)
    return mixed((as_floats(column) + 0.0).view(np.uint64))


def hashes(column: Column) -> Hashes:
    """Return hashes of the cells that are there: of texts as they stand, of numbers by value."""
    column = some_rows(column, ~missing_cells(column))
    if column.kind is Kind.UNKNOWN:
        return _of_texts(cell_bytes(column.values))
    texts = column.values if column.kind is Kind.TEXT else column.cells
    if texts is not None:
        return _of_texts(texts)
    whole = as_integers(column)
    if whole is None:
        plain = np.asarray(column.values.cast("double")).astype(np.float64) + 0.0
        return mixed(plain.view(np.uint64))
    if whole.dtype == object:
        return mixed(np.array([value % 2**64 for value in whole], dtype=np.uint64))
    return mixed(whole.astype(np.int64).view(np.uint64))


def drawn(seed: int, start: int, count: int) -> Hashes:
    """Return a number for each of some records by which a sample is drawn, and ties are cut."""
    own = mixed(np.array([seed % 2**64], dtype=np.uint64))
    return mixed(np.arange(start, start + count, dtype=np.uint64) ^ own)


def row_hashes(columns: Sequence[Column], rows: int) -> Hashes:
    """Return a hash of each row of some columns: equal where all cells are, missing ones too."""
    hashes = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        own = np.full(rows, 0x5851F42D4C957F2D, dtype=np.uint64)
        there = ~missing_cells(column)
        own[there] = _by_value(some_rows(column, there))
        hashes = mixed(hashes) ^ own
    return mixed(hashes)


class Sample:
    """Rows of Arrow tables of one schema, drawn evenly from all that pass by.

    `seen` is how many records stand before the first that comes here, `share` the part of all
    records that may be drawn at most: of a chunk of a table, not more is to be sent around.
    """

    def __init__(self, seed: int, size: int, seen: int = 0, share: float = 1.0) -> None:
        self.seed, self.size = seed, size
        self.limit = None if share >= 1.0 else np.uint64(share * 2.0**64)
        self.rows: Any = None
        self.draws = np.zeros(0, dtype=np.uint64)
        self.seen = seen

    def add(self, rows: Any) -> None:
        """Take those of the rows that are drawn."""
        draws = drawn(self.seed, self.seen, rows.num_rows)
        self.seen += rows.num_rows
        if self.limit is not None:
            few = np.flatnonzero(draws < self.limit)
            rows, draws = rows.take(pa.array(few)), draws[few]
        if self.draws.size >= self.size:
            some = np.flatnonzero(draws < self.draws.max())
            rows, draws = rows.take(pa.array(some)), draws[some]
        self._take(rows, draws)

    def join(self, other: Sample, moved: Mapping[str, float] | None = None) -> None:
        """Take what was drawn elsewhere; numbers of some columns are `moved` by so much."""
        if other.rows is None:
            return
        rows = other.rows
        for place, name in enumerate(rows.column_names):
            if moved and moved.get(name):
                numbers = np.asarray(rows.column(name)) + moved[name]
                rows = rows.set_column(place, name, pa.array(numbers))
        self._take(rows, other.draws)

    def keep(self, put: Callable[[Any], None]) -> None:
        """Store the drawn records as one table."""
        rows = pa.table({}) if self.rows is None else self.rows
        put(rows.append_column(DRAW, pa.array(self.draws)))

    def take(self, found: Any) -> None:
        """Take what was put away."""
        self.rows = found.drop_columns([DRAW])
        self.draws = np.asarray(found.column(DRAW)).astype(np.uint64)

    def _take(self, rows: Any, draws: Hashes) -> None:
        if self.rows is not None:
            rows = pa.concat_tables([self.rows, rows])
            draws = np.concatenate((self.draws, draws))
        if draws.size > self.size:
            best = np.sort(np.argpartition(draws, self.size - 1)[: self.size])
            rows, draws = rows.take(pa.array(best)), draws[best]
        self.rows, self.draws = rows.combine_chunks(), draws
