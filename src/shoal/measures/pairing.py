"""Who is who: which released record is which original's.

Releases are shuffled, so that this is not known from the files alone, but for three cases: the rows
are in the same order, a column names the record, or the columns that are kept as they are tell most
records apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, listed
from shoal.measures.compared import joined
from shoal.measures.sides import Numbers, Side
from shoal.table.roles import Column
from shoal.table.table import Table, as_floats, missing_cells, some_rows
from shoal.table.texts import texts_of

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SURE = 6.0  # standard errors from which on an agreement of the rows is no chance
CHANCE = 14.0  # minus the log of the chance that shuffled rows agree so
FEW = 0.5  # of the records must be told apart by the kept columns


@dataclass(frozen=True, eq=False)
class Who:
    """The rows of originals and of released records that are the same person's, and how known."""

    first: Integers
    second: Integers
    how: str


def common_codes(before: Column, after: Column) -> tuple[Integers, Integers]:
    """Return the cells of both columns as numbers, equal cells the same; missing is a value."""
    if before.kind.is_numeric and after.kind.is_numeric:
        parts = [_filled(before), _filled(after)]
        codes = np.unique(np.concatenate(parts), return_inverse=True)[1].reshape(-1)
        return codes[: parts[0].size], codes[parts[0].size :]
    known: dict[str, int] = {}
    found = []
    for column in (before, after):
        encoded = column.values.dictionary_encode()
        places = [
            known.setdefault(text, len(known) + 1) for text in texts_of(column, encoded.dictionary)
        ]
        indices = np.asarray(encoded.indices.fill_null(len(places)))
        found.append(np.array([*places, 0], dtype=np.int64)[indices])
    return found[0], found[1]


def _filled(column: Column) -> Floats:
    there = ~missing_cells(column)
    found = np.full(there.size, np.nan)
    found[there] = as_floats(some_rows(column, there))
    return found


def is_kept(before: Column, after: Column) -> bool:
    """Tell whether the release holds the very values of the original, in whatever order."""
    if len(before.values) != len(after.values):
        return False
    first, second = common_codes(before, after)
    return bool(np.array_equal(np.sort(first), np.sort(second)))


def by_key(original: Table, release: Table, key: Sequence[str]) -> Who:
    """Pair the records by columns that name them."""
    first, second = _labels(original, release, key)
    for labels, table in ((first, original), (second, release)):
        if np.unique(labels).size < labels.size:
            raise InputError(
                f"{table.source.name}: {listed(list(key))} does not name records: some share a "
                "value"
            )
    rows, released = _once(first, second)
    if not rows.size:
        raise InputError(f"the two tables have no value of {listed(list(key))} in common")
    return Who(rows, released, f"paired by {listed(list(key))}")


def _labels(original: Table, release: Table, names: Sequence[str]) -> tuple[Integers, Integers]:
    labels = np.zeros(original.rows + release.rows, dtype=np.int64)
    for name in names:
        labels = joined(labels, np.concatenate(common_codes(original[name], release[name])))
    return labels[: original.rows], labels[original.rows :]


def _once(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """Return the rows of labels that are there once on both sides."""
    size = int(max(first.max(initial=0), second.max(initial=0))) + 1
    single = (np.bincount(first, minlength=size) == 1) & (np.bincount(second, minlength=size) == 1)
    place = np.full(size, -1, dtype=np.int64)
    place[second] = np.arange(second.size)
    rows = np.flatnonzero(single[first])
    return rows, place[first[rows]]


def find_out(
    original: Table,
    release: Table,
    quasi: Sequence[Side],
    kept: Sequence[str],
    in_memory: bool,
) -> Who | None:
    """Find out who is who, or that it cannot be known.

    Kept columns decide: the same row by row, the rows are in the same order; else they pair the
    records that they tell apart, if these are most. Without any, the rows are taken as they are
    where quasi-identifiers agree row by row far beyond chance, and in dataframes.
    """
    same = original.rows == release.rows
    if kept:
        first, second = _labels(original, release, kept)
        counts = np.unique(second, return_counts=True)[1]
        ways = math.lgamma(second.size + 1) - sum(math.lgamma(c + 1) for c in counts.tolist())
        if ways > CHANCE:
            if same and np.array_equal(first, second):
                return Who(np.arange(first.size), np.arange(first.size), "rows in the same order")
            rows, released = _once(first, second)
            if rows.size < max(2, FEW * original.rows):
                return None
            return Who(rows, released, f"paired by what was kept ({listed(list(kept))})")
    if same and (in_memory or any(_agree(side) for side in quasi)):
        every = np.arange(original.rows)
        return Who(every, every, "rows in the same order")
    return None


def _agree(side: Side) -> bool:
    """Tell whether a column agrees row by row far better than shuffled rows would."""
    if isinstance(side, Numbers):
        there = ~(np.isnan(side.before) | np.isnan(side.low))
        if there.sum() < 3:
            return False
        x, y = side.before[there], side.after[there]
        if x.min() == x.max() or y.min() == y.max():
            return False
        r = float(np.corrcoef(x, y)[0, 1])
        return r * math.sqrt(there.sum()) > SURE
    own = np.append(side.own, -1)[side.after]
    hits = (own >= 0) & (own == side.before)
    size = len(side.values)
    shares = [np.bincount(part[part >= 0], minlength=size) / part.size for part in
              (side.before, own)]  # fmt: skip
    chance = float((shares[0] * shares[1]).sum())
    spread = math.sqrt(max(chance * (1.0 - chance), 1e-12) / own.size)
    return float(hits.mean()) - chance > SURE * spread
