"""Pairing of originals and released records.

Releases are shuffled, so that this is not known from the files alone, but for three cases: the rows
are in the same order, a column names the record, or the columns that are kept as they are tell most
records apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, listed
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import joined
from shoal.measures.sides import Numbers, Side
from shoal.table.roles import TICKS, Column, Kind
from shoal.table.table import Table, as_floats, as_integers, missing_cells, some_rows
from shoal.table.texts import texts_of

SURE = 6.0  # standard errors from which on an agreement of the rows is no chance
CHANCE = 14.0  # minus the log of the chance that shuffled rows agree so
FEW = 0.5  # of the records must be distinct by the kept columns


@dataclass(frozen=True, eq=False, repr=False)
class Pairing:
    """Pairs of rows, an original and its released record, and the basis of that knowledge."""

    first: Integers
    second: Integers
    basis: str


def common_codes(before: Column, after: Column) -> tuple[Integers, Integers]:
    """Return the cells of both columns as numbers, equal cells the same; missing is a value."""
    if before.kind.is_numeric and after.kind.is_numeric:
        gone = np.concatenate([missing_cells(column) for column in (before, after)])
        numbers = np.concatenate(_comparable(before, after))
        codes = np.zeros(gone.size, dtype=np.int64)
        codes[~gone] = np.unique(numbers, return_inverse=True)[1].reshape(-1) + 1
        return codes[: len(before.values)], codes[len(before.values) :]
    known: dict[str, int] = {}
    both = []
    for column in (before, after):
        encoded = column.values.dictionary_encode()
        places = [
            known.setdefault(text, len(known) + 1) for text in texts_of(column, encoded.dictionary)
        ]
        indices = np.asarray(encoded.indices.fill_null(len(places)))
        both.append(np.array([*places, 0], dtype=np.int64)[indices])
    return both[0], both[1]


def _comparable(before: Column, after: Column) -> list[npt.NDArray[Any]]:
    """Return the numbers that are there of both columns in one unit, whole ones exactly."""
    columns = [some_rows(column, ~missing_cells(column)) for column in (before, after)]
    if {column.kind for column in columns} not in ({Kind.INTEGER}, {Kind.DATETIME}):
        return [as_floats(column) for column in columns]
    whole = [as_integers(column) for column in columns]
    parts = [np.zeros(0, dtype=np.int64) if part is None else part for part in whole]
    if columns[0].kind is Kind.DATETIME:
        ticks = [TICKS[column.values.type.unit] for column in columns]
        if ticks[0] != ticks[1]:
            parts = [
                part.astype(object) * (max(ticks) // own)
                for part, own in zip(parts, ticks, strict=True)
            ]
    return parts


def is_kept(before: Column, after: Column) -> bool:
    """Tell whether the release holds the very values of the original, in whatever order."""
    if len(before.values) != len(after.values):
        return False
    first, second = common_codes(before, after)
    return bool(np.array_equal(np.sort(first), np.sort(second)))


def by_key(original: Table, release: Table, key: Sequence[str]) -> Pairing:
    """Pair the records by columns that name them."""
    first, second = _labels(original, release, key)
    named = [_named(table, key) for table in (original, release)]
    for labels, rows, table in ((first, named[0], original), (second, named[1], release)):
        if np.unique(labels[rows]).size < rows.size:
            raise InputError(
                f"{table.source.name}: {listed(list(key))} does not name records: some share a "
                "value"
            )
    matched, those = _once(first[named[0]], second[named[1]])
    rows, released = named[0][matched], named[1][those]
    if not rows.size:
        raise InputError(f"the two tables have no value of {listed(list(key))} in common")
    return Pairing(rows, released, f"paired by {listed(list(key))}")


def _named(table: Table, key: Sequence[str]) -> Integers:
    """Return the rows of which no part of the key is missing."""
    gone = np.zeros(table.rows, dtype=bool)
    for name in key:
        gone |= missing_cells(table[name])
    return np.flatnonzero(~gone)


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
) -> Pairing | None:
    """Return the pairing of records, None where it cannot be known.

    Kept columns decide: the same row by row, the rows are in the same order; else they pair the
    records that they tell apart, if these are most. A column whose values only were swapped looks
    kept; no pairs are made where the columns together are not, or where the rows agree otherwise.
    Without any, the rows are taken as they are where quasi-identifiers agree row by row far beyond
    chance, and in dataframes.
    """
    same = original.rows == release.rows
    ordered = Pairing(np.arange(original.rows), np.arange(original.rows), "rows in the same order")
    if kept:
        first, second = _labels(original, release, kept)
        if not (same and np.array_equal(first, second)):
            rows, released = _once(first, second)
            together = same and np.array_equal(np.sort(first), np.sort(second))
            if not together or rows.size < max(2, FEW * original.rows):
                return None
            paired = [side.take(rows, released) for side in quasi]
            if any(map(_agree, quasi)) and not any(map(_agree, paired)):
                return None
            return Pairing(rows, released, f"paired by what was kept ({listed(list(kept))})")
        counts = np.unique(second, return_counts=True)[1]
        log_orders = math.lgamma(second.size + 1) - sum(math.lgamma(c + 1) for c in counts.tolist())
        if log_orders > CHANCE:
            return ordered
    return ordered if same and (in_memory or any(map(_agree, quasi))) else None


def _agree(side: Side) -> bool:
    """Tell whether a column agrees row by row far better than shuffled rows would.

    And than with the rows next to them: files that were sorted each for itself agree with those.
    """
    if isinstance(side, Numbers):
        return _together(side.before, side.after)
    own = np.append(side.own, -1)[side.after]
    size = len(side.values)
    shares = [np.bincount(part[part >= 0], minlength=size) / part.size for part in
              (side.before, own)]  # fmt: skip
    hits = [
        float(((b >= 0) & (a == b)).mean()) if b.size else 0.0 for b, a in _beside(side.before, own)
    ]
    chance = max(float((shares[0] * shares[1]).sum()), hits[1], hits[2])
    spread = math.sqrt(max(chance * (1.0 - chance), 1e-12) / own.size)
    return hits[0] - chance > SURE * spread


def _together(before: Floats, after: Floats) -> bool:
    """Tell whether numbers' ranks go together row by row, and not with the rows next to them."""
    codes = []
    for x, y in _beside(mean_ranks(before), mean_ranks(after)):
        r = correlation(x, y)
        codes.append(0.0 if r is None else r)
    size = int((~(np.isnan(before) | np.isnan(after))).sum())
    return (codes[0] - max(0.0, codes[1], codes[2])) * math.sqrt(size) > SURE


def _beside(
    before: npt.NDArray[Any], after: npt.NDArray[Any]
) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Return both row by row, and each with the row after it on the other side."""
    return [(before, after), (before[:-1], after[1:]), (before[1:], after[:-1])]


def correlation(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation over the complete records; None where a column is constant."""
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = x[there], y[there]
    if x.size < 2 or x.min() == x.max() or y.min() == y.max():
        return None
    x, y = x - x.mean(), y - y.mean()
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    value = float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))
    return max(-1.0, min(1.0, value))


def correlation_matrix(columns: Sequence[Floats]) -> Floats:
    """Return the correlations of all pairs, not-a-number where one is constant.

    Complete columns all at once, those with missing cells pair by pair.
    """
    correlations = np.full((len(columns), len(columns)), np.nan)
    whole = [i for i, column in enumerate(columns) if not np.isnan(column).any()]
    varied = [i for i in whole if columns[i].size > 1 and columns[i].min() < columns[i].max()]
    if varied:
        matrix = np.stack([columns[i] - columns[i].mean() for i in varied])
        matrix /= np.abs(matrix).max(axis=1, keepdims=True)
        matrix /= np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
        correlations[np.ix_(varied, varied)] = np.clip(matrix @ matrix.T, -1.0, 1.0)
    complete = set(whole)
    for i, j in combinations(range(len(columns)), 2):
        if i not in complete or j not in complete:
            value = correlation(columns[i], columns[j])
            if value is not None:
                correlations[i, j] = correlations[j, i] = value
    return correlations


def mean_ranks(values: Floats) -> Floats:
    """Return ranks as shares of all values that are there, equal ones their mean rank."""
    ranks = np.full(values.size, np.nan)
    there = ~np.isnan(values)
    _, back, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks[there] = ((2 * last - counts + 1) / 2.0)[back.reshape(-1)] / max(int(there.sum()), 1)
    return ranks
