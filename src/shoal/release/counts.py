"""What became of cells: which are there, kept, suppressed; how many groups, of which sizes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from shoal.arrays import Flags, Floats, Integers
from shoal.partition import Partition
from shoal.table.code import CodedColumn
from shoal.table.roles import STAR, TICKS, Column, Kind
from shoal.table.table import as_floats, missing_cells


def same_cells(before: Column, after: Column) -> Flags:
    """Return which cells are released as they were."""
    import pyarrow.compute as pc

    b, a = before.values, after.values
    if before.kind is Kind.FLOAT:  # Arrow does not compare half floats
        b, a = b.cast("double"), a.cast("double")
    if b.type != a.type:
        return np.zeros(len(b), dtype=bool)
    return np.asarray(pc.equal(b, a).fill_null(False))


def starred(column: Column) -> Flags:
    """Return which cells of a released column say nothing."""
    stars = ~present(column)
    if column.kind is Kind.TEXT:
        values = column.values.dictionary_encode()
        star = np.array([text == STAR for text in values.dictionary.to_pylist()] or [False])
        stars |= star[np.asarray(values.indices.fill_null(0))]
    return stars


def starred_for_missing(column: Column, labels: Integers) -> int:
    """Return how many cells are in a group in which the column is missing for others."""
    there = present(column)
    holed = np.bincount(labels, weights=~there) > 0
    return int(np.count_nonzero(there & holed[labels]))


def present(column: Column) -> Flags:
    """Return which cells are there."""
    return ~missing_cells(column)


def is_numbers(before: Column, after: Column) -> bool:
    """Tell whether a column held numbers or dates and still does."""
    return before.kind.is_numeric and after.kind.is_numeric


def days_or_numbers(column: Column) -> Floats:
    """Return the values as numbers, dates and times as days since 1970."""
    values = as_floats(column)
    if column.kind is Kind.DATETIME:
        values = values / (86_400.0 * TICKS[column.values.type.unit])
    return values


def group_counts(partition: Partition, before: Sequence[Column]) -> dict[str, Any]:
    """Return how many groups there are, of which sizes, and in how many all records agree."""
    order = np.argsort(partition.labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(partition.sizes)[:-1]))
    varied = np.zeros(partition.groups, dtype=bool)
    for column in before:
        filled = column.values.dictionary_encode(null_encoding="encode").indices
        codes = np.asarray(filled)[order]
        varied |= np.maximum.reduceat(codes, starts) > np.minimum.reduceat(codes, starts)
    sizes, counts = np.unique(partition.sizes, return_counts=True)
    return {
        "count": partition.groups,
        "smallest": int(sizes[0]),
        "largest": int(sizes[-1]),
        "without_spread": int(np.count_nonzero(~varied)),
        "sizes": {str(size): int(count) for size, count in zip(sizes, counts, strict=True)},
    }


def cell_counts(before: Column, after: Column, way: str, coded: CodedColumn | None) -> list[int]:
    """Return how many cells are unchanged, changed, suppressed, and were missing."""
    there = present(before)
    gone = there & starred(after)
    if way in ("generalize", "range"):
        assert coded is not None
        texts = np.array([*coded.values.texts, ""], dtype=object)[coded.values.indices]
        same = there & ~gone & (texts == np.array(after.values.to_pylist(), dtype=object))
    else:
        same = there & ~gone & same_cells(before, after)
    changed = there & ~gone & ~same
    return [int(flags.sum()) for flags in (same, changed, gone, ~there)]


def moment_said(average: float, kind: Kind, unit: str) -> float | str:
    """Return a mean as a person writes it: of dates a date, of times (in Arrow's unit) a time."""
    try:
        if kind is Kind.DATE:
            return (date(1970, 1, 1) + timedelta(days=round(average))).isoformat()
        if kind is Kind.DATETIME:
            seconds = round(average / TICKS[unit])
            return (datetime(1970, 1, 1) + timedelta(seconds=seconds)).isoformat()
    except OverflowError:  # a year that no calendar has
        return average
    return average


def days_said(days: float, kind: str) -> float | str:
    """Return a figure that counts days since 1970 as a person writes it; of others the figure."""
    if kind == Kind.DATE:
        return moment_said(days, Kind.DATE, "")
    return moment_said(days * 86_400.0, Kind.DATETIME, "s") if kind == Kind.DATETIME else days


def unit_of(column: Column) -> str:
    """Return Arrow's unit of the times of a column; nothing where it has none."""
    return str(column.values.type.unit) if column.kind is Kind.DATETIME else ""


def missing_said(
    *, cells: int, records: int, suppressed: int, starred: int | None, nothing: int, deleted: int
) -> dict[str, Any]:
    """Say how many cells were missing, what that means, and what was done about it.

    `starred` counts cells in groups in which the column is missing for others (None: not told),
    `nothing` the records that are * in every quasi-identifier.
    """
    text = (
        f"{cells:,} cells of {records:,} records; in matching, a missing cell is a "
        "category of its own; a group in which it is missing for some releases * for all"
    )
    if starred is not None:
        text += f": {starred:,} cells that were there are in such groups"
    if nothing:
        text += f"; {nothing:,} records are * in every quasi-identifier"
    if deleted:
        text = f"{deleted:,} incomplete records were deleted; {text}"
    return {
        "cells": cells,
        "records": records,
        "deleted": deleted,
        "suppressed": suppressed,
        "suppressed_beside_missing": starred,
        "suppressed_everywhere": nothing,
        "reading": "own category",
        "text": text,
    }
