"""The key of a table: its quasi-identifiers as numbers, and which cells say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import InputError, in_shape, shown
from shoal.kernels.arrays import Flags, Integers
from shoal.measures.compared import codes_of, joined
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import missing_cells


@dataclass(frozen=True, eq=False)
class Key:
    """Quasi-identifiers: codes of the cells from 0 on, equal cells the same, missing ones too.

    `stars` marks cells that say nothing: missing, empty or `*`.
    """

    __repr__ = in_shape

    names: tuple[str, ...]
    codes: tuple[Integers, ...]
    stars: tuple[Flags, ...]

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.codes[0].size

    @property
    def has_stars(self) -> bool:
        """Whether any cell says nothing."""
        return any(bool(flags.any()) for flags in self.stars)

    def take(self, rows: Integers) -> Key:
        """Return some records."""
        return Key(
            self.names,
            tuple(codes[rows] for codes in self.codes),
            tuple(flags[rows] for flags in self.stars),
        )

    def classes(self, without: int | None = None) -> Integers:
        """Return of every record the number of its class, by all columns or all but one."""
        kept = [codes for at, codes in enumerate(self.codes) if at != without]
        return combined(kept, self.rows)


def combined(codes: Sequence[Integers], rows: int) -> Integers:
    """Return numbers from 0 on for the combinations of several codes."""
    labels = np.zeros(rows, dtype=np.int64)
    for one in codes:
        labels = joined(labels, one)
    return labels


def key_of(columns: Sequence[Column]) -> Key:
    """Return the key that columns make."""
    return Key(
        tuple(column.name for column in columns),
        tuple(codes_of(column) for column in columns),
        tuple(stars_of(column) for column in columns),
    )


def common_keys(columns: Sequence[Column], others: Sequence[Column]) -> tuple[Key, Key]:
    """Return the keys of two tables in common codes; the second is that of a population."""
    both = [_joined(one, other) for one, other in zip(columns, others, strict=True)]
    key, rows = key_of(both), len(columns[0].values)
    every = np.arange(key.rows)
    return key.take(every[:rows]), key.take(every[rows:])


def _joined(column: Column, other: Column) -> Column:
    """Return the cells of two columns, one after the other."""
    import pyarrow as pa

    values, more = column.values, other.values
    if column.kind.is_number and other.kind.is_number and values.type != more.type:
        values, more = values.cast("double", safe=False), more.cast("double", safe=False)
    elif column.kind is not other.kind or values.type != more.type:
        raise InputError(
            f"column {shown(column.name)} holds {column.kind} in the table and {other.kind} in the "
            "population; both must be alike"
        )
    kind = Kind.FLOAT if values.type == pa.float64() else column.kind
    cells = pa.concat_arrays([*_chunks(values), *_chunks(more)])
    return column.replace(values=cells, kind=kind, cells=None, quoted=None)


def _chunks(values: Any) -> list[Any]:
    """Return the arrays that an Arrow array is made of."""
    return list(getattr(values, "chunks", None) or [values])


def stars_of(column: Column) -> Flags:
    """Return which cells say nothing."""
    stars = missing_cells(column)
    if column.kind is not Kind.TEXT:
        return stars
    encoded = column.values.dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    empty = np.array([text in ("", STAR) for text in texts] + [True])
    flags: Flags = empty[np.asarray(encoded.indices.fill_null(len(texts)))]
    return flags
