"""The key of a table: its quasi-identifiers as numbers, and which cells say nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InputError, shown
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.compared import codes_of, joined
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import missing_cells


@dataclass(frozen=True, eq=False, repr=False)
class Key:
    """Quasi-identifiers: codes of the cells from 0 on, equal cells the same, missing ones too.

    `stars` marks cells that say nothing: missing, empty or `*`.
    """

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


# How many records of one table match each record of another, where cells may be missing.
#
# The readings are those of the judge (`shoal.judge.classes`): equal cells match in each.
# Whoever looks for the person behind a record of the table itself follows `root` where the other
# record has a star; whoever links a table to its population, where the table's own record has one,
# which then covers any value. `wildcard`: a star on either side matches anything; `own`: only a
# star of the same kind.


class Covers(NamedTuple):
    """Whether a star matches any value: one of the record looked for, one of those looked at."""

    own: bool
    other: bool


WITHIN = {
    "own": Covers(False, False),
    "root": Covers(False, True),
    "wildcard": Covers(True, True),
}
OUTSIDE = {**WITHIN, "root": Covers(True, False)}  # of a population


def matches(key: Key, others: Key, covers: Covers, weights: Floats | None = None) -> Floats:
    """Return the number of other records, or their weights together, that match each record.

    Both keys have codes in common. Records are compared by patterns of stars: any two patterns
    agree in the columns in which neither has one.
    """
    if not (covers.own or covers.other):
        return _equal(key.codes, others.codes, weights, key.rows, others.rows)
    counts = np.zeros(key.rows)
    theirs = list(_patterns(others))
    for mine, rows in _patterns(key):
        for other, at in theirs:
            compared = _compared(mine, other, covers)
            if compared is None:
                continue
            counts[rows] += _equal(
                [key.codes[j][rows] for j in compared],
                [others.codes[j][at] for j in compared],
                None if weights is None else weights[at],
                rows.size,
                at.size,
            )
    return counts


def _patterns(key: Key) -> Iterator[tuple[tuple[bool, ...], Integers]]:
    """Yield every pattern of stars with its rows."""
    numbers = np.zeros(key.rows, dtype=np.int64)
    for flags in key.stars:
        numbers = joined(numbers, flags.astype(np.int64))
    order = np.argsort(numbers, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        if rows.size:
            yield tuple(bool(flags[rows[0]]) for flags in key.stars), rows


def _compared(mine: tuple[bool, ...], theirs: tuple[bool, ...], covers: Covers) -> list[int] | None:
    """Return the columns in which two patterns must agree; None where they never match."""
    for own, other in zip(mine, theirs, strict=True):
        if (own and not other and not covers.own) or (other and not own and not covers.other):
            return None
    return [j for j, (own, other) in enumerate(zip(mine, theirs, strict=True))
            if not own and not other]  # fmt: skip


def _equal(
    own: Integers | list[Integers] | tuple[Integers, ...],
    other: Integers | list[Integers] | tuple[Integers, ...],
    weights: Floats | None,
    rows: int,
    others: int,
) -> Floats:
    """Return how many others, or what weight of them, equal each record in all codes."""
    labels = np.zeros(rows + others, dtype=np.int64)
    for mine, theirs in zip(own, other, strict=True):
        labels = joined(labels, np.concatenate((mine, theirs)))
    size = int(labels.max(initial=0)) + 1
    counted: Floats = np.bincount(labels[rows:], weights, size).astype(float)
    return counted[labels[:rows]]
