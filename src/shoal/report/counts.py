"""Counts of cells (present, kept, suppressed), and their texts."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from shoal.kernels.arrays import Flags
from shoal.table.roles import STAR, TICKS, Column, Kind
from shoal.table.table import present


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


def is_numbers(before: Column, after: Column) -> bool:
    """Tell whether a column held numbers or dates and still does."""
    return before.kind.is_numeric and after.kind.is_numeric


def moment_text(average: float, kind: Kind, unit: str) -> float | str:
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


def days_text(days: float, kind: str) -> float | str:
    """Return a figure that counts days since 1970 as a person writes it; of others the figure."""
    if kind == Kind.DATE:
        return moment_text(days, Kind.DATE, "")
    return moment_text(days * 86_400.0, Kind.DATETIME, "s") if kind == Kind.DATETIME else days


def left_out_text(deleted: int, suppressed: int | None, *, recoded: bool) -> str:
    """Return in words how many records were left out, and why; nothing where none were.

    Of the `deleted`, so many were `suppressed` within a budget (None: not told); where columns are
    `recoded` for all records, those of small classes are among them.
    """
    if not deleted:
        return ""
    if recoded:
        return f"{deleted:,} records were left out, incomplete or in classes of fewer than k"
    if suppressed is None:
        return f"{deleted:,} records were left out, incomplete or suppressed"
    parts = [f"{suppressed:,} records were suppressed"] if suppressed else []
    if deleted > suppressed:
        parts.append(f"{deleted - suppressed:,} incomplete records were deleted")
    return "; ".join(parts)


def missing_text(
    *, cells: int, records: int, filled: int, suppressed: int, starred: int | None, nothing: int,
    deleted: int, recoded: bool, left_out: str,
) -> dict[str, Any]:  # fmt: skip
    """Return in words how many cells were missing, what that means, and what was done about it.

    `filled` counts missing cells that are released as their group's value, `starred` cells that
    are suppressed in groups in which the column is missing for others (None: not told), `nothing`
    the records that are * in every quasi-identifier. Where columns are `recoded` for all records,
    no star is due to a missing cell beside. `left_out` says why records were `deleted`.
    """
    text = (
        f"{cells:,} cells of {records:,} records; in matching, a missing cell is a "
        "category of its own"
    )
    if filled:
        text += (
            f"; {filled:,} of them are released as the mean of their group, of whose cells at "
            "least k are present"
        )
    other = "other groups" if filled else "groups"
    if not recoded:
        text += f"; {other} in which a cell is missing release * for all"
    if starred is not None and not recoded:
        text += f": {starred:,} cells that were there are suppressed so"
    if nothing:
        text += f"; {nothing:,} records are * in every quasi-identifier"
    if left_out:
        text = f"{left_out}; {text}"
    return {
        "cells": cells,
        "records": records,
        "deleted": deleted,
        "filled": filled,
        "suppressed": suppressed,
        "suppressed_beside_missing": starred,
        "suppressed_everywhere": nothing,
        "reading": "own category",
        "text": text,
    }
