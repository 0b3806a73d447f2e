"""Whole groups of a release, and their columns before and after."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.once import once
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.roles import AVERAGED, STAR, TICKS, Column, Kind, Role
from shoal.table.table import Table, present, some_rows

Operator = Callable[[Any, Any], Any]
GENERALIZED = ("generalize", "range")  # aggregators that release nodes of hierarchies, or intervals


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """A quasi-identifier of a chunk before and after, with its groups' `labels` and `aggregator`.

    `weights` are survey weights of the records.
    """

    before: Column
    after: Column
    aggregator: str
    tree: CodedColumn | None
    labels: Integers
    weights: Floats | None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.before.name

    @once
    def there(self) -> Flags:
        """Which cells were not missing."""
        return present(self.before)

    @once
    def stars(self) -> Flags:
        """Which released cells are suppressed."""
        return starred(self.after)

    @once
    def kept(self) -> Flags:
        """Which cells were there and are not suppressed."""
        return self.there & ~self.stars

    @once
    def same(self) -> Flags:
        """Which cells are released as they were."""
        if self.aggregator not in GENERALIZED:
            return self.kept & same_cells(self.before, self.after)
        assert self.tree is not None
        values = self.tree.values
        texts = np.array([*values.texts, ""], dtype=object)[values.indices]
        same: Flags = texts == np.array(self.after.values.to_pylist(), dtype=object)
        return self.kept & same

    @property
    def is_numbers(self) -> bool:
        """Whether the column held numbers or dates, still does, and releases some."""
        return is_numbers(self.before, self.after) and bool(self.kept.any())

    @property
    def has_places(self) -> bool:
        """Whether the column releases numbers, dates or medians of ranks."""
        ranked = self.before.is_ordinal and self.aggregator in AVERAGED
        return self.is_numbers or (ranked and bool(self.kept.any()))

    @property
    def is_whole(self) -> bool:
        """Whether both sides are whole numbers of one unit."""
        same = self.before.values.type == self.after.values.type
        return self.before.is_ordinal or (same and self.before.kind is not Kind.FLOAT)

    def cells(self) -> tuple[Column, Column]:
        """Return the kept cells of both sides; ordinal ones have the order of the original."""
        after = self.after
        if self.before.is_ordinal:
            after = after.replace(order=self.before.order)
        return some_rows(self.before, self.kept), some_rows(after, self.kept)

    def mass(self, rows: Flags) -> float:
        """Return how many records some rows stand for: their number, or the sum of their weights.

        That of weights is exact enough as a float: every figure divides by it once.
        """
        if self.weights is None:
            return int(np.count_nonzero(rows))
        return float(self.weights[rows].sum())


@dataclass(frozen=True, eq=False, repr=False)
class Chunk:
    """Whole groups of a release, all or some: row i of both tables is the same record.

    `labels` are the groups, `aggregators` those of the columns, `wider` the groups of columns that
    have an own, larger k. `weights` are survey weights, `released_weights` those that are
    released. `originals` is the table before kept columns were rounded: where it is not known, no
    totals are given. `points` are the records as the method saw them, where nobody has measured
    the loss of its groups.
    """

    before: Table
    after: Table
    labels: Integers
    aggregators: Mapping[str, str]
    coded: Coded | None = None
    wider: Mapping[str, Integers] = field(default_factory=dict)
    weights: Floats | None = None
    released_weights: Floats | None = None
    originals: Table | None = None
    points: Floats | None = None

    @once
    def pairs(self) -> tuple[Pair, ...]:
        """The quasi-identifiers before and after."""
        trees = {} if self.coded is None else {one.name: one for one in self.coded.columns}
        return tuple(
            Pair(
                column,
                self.after[column.name],
                self.aggregators[column.name],
                trees.get(column.name),
                self.wider.get(column.name, self.labels),
                self.weights,
            )
            for column in self.before.with_role(Role.QUASI_IDENTIFIER)
        )


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


def merged(one: Any, other: Any, by: Operator = operator.add) -> Any:
    """Return two trees of numbers as one, leaf by leaf; what only one has is taken as it is."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict):
        return {key: merged(one.get(key), other.get(key), by) for key in {**one, **other}}
    if isinstance(one, list):
        return [merged(a, b, by) for a, b in zip(one, other, strict=True)]
    return by(one, other)


@dataclass(frozen=True)
class Aggregation:
    """A family of figures: what a chunk gives, how two combine, what all of them mean.

    Partial results are plain values, which JSON can hold. `chunk` gets a `Chunk` and the `Ranges`
    of all, or, `by_column`, each of its pairs; what it has nothing to say of is None. `finalize`
    gets the combined results of all families and the ranges.
    """

    chunk: Callable[[Any, Any], Any]
    finalize: Callable[[dict[str, Any], Any], Any]
    combine: Operator = merged
    by_column: bool = False
