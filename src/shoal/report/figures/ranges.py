"""First pass: ranges of all columns, which scale, center and bin the second."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.exact_sum import UNIT, whole_sum
from shoal.measures.histogram import edges_of, is_whole
from shoal.measures.task import FEW, side_by_side
from shoal.report.aggregation import Operator, merged
from shoal.report.chunk import Chunk, Pair
from shoal.report.counts import moment_text
from shoal.report.public.cells import Span, released_span
from shoal.table.roles import TICKS, Column, Kind
from shoal.table.table import as_floats, as_integers, days_or_numbers, some_rows

FAR = 300  # binary orders of magnitude from which numbers are scaled: their squares must fit
DAY = 86_400  # seconds
COMBINED: dict[str, Operator] = {
    "same": lambda one, _: one,
    "low": min,
    "high": max,
    "sum": operator.add,
}


def ranges_of(chunk: Chunk, threads: int | None = 1) -> dict[str, Any]:
    """Return least and greatest numbers and exact sums of every column of a chunk."""
    every = side_by_side(_range, chunk.pairs, 1 if chunk.before.rows < FEW else threads)
    return {pair.name: one for pair, one in zip(chunk.pairs, every, strict=True)}


def widened(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ranges of two chunks together."""
    return {
        name: {key: merged(one[name][key], other[name][key], by) for key, by in COMBINED.items()}
        for name in one
    }


def _range(pair: Pair) -> dict[str, Any]:
    """Return what a column of a chunk spans.

    `values` are the originals that were there; of columns that release numbers `after` are these,
    `released` the same with times in days; `named` are the ends of whatever the release names.
    `whole` says that both sides are whole numbers, `parts` of which so many make one.
    """
    same: dict[str, Any] = {}
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    missing = int(np.count_nonzero(~pair.there)) + int(np.count_nonzero(pair.stars))
    total: dict[str, Any] = {"missing": missing}
    if pair.before.has_places and pair.there.any():
        low["values"], high["values"] = _ends(some_rows(pair.before, pair.there))
    if pair.has_places:
        before, after = pair.cells()
        low["after"], high["after"] = _ends(after)
        same = {
            "kind": str(pair.before.kind),
            "whole": pair.is_whole,
            "parts": _parts(before, pair.is_whole),
            "weighted": pair.weights is not None,
        }
        weights = None if pair.weights is None else pair.weights[pair.kept]
        total["mass"] = UNIT * len(before.values) if weights is None else whole_sum(weights)
        total["before"], total["after"] = (
            _total(side, weights, pair.is_whole) for side in (before, after)
        )
        if pair.is_numbers:
            days = days_or_numbers(after)
            low["released"], high["released"] = float(days.min()), float(days.max())
            low["integral"] = int(is_whole(days))
    named = released_span(pair.before, pair.after)
    if named is not None:
        low["named"], high["named"] = named
    return {"same": same, "low": low, "high": high, "sum": total}


def _ends(column: Column) -> tuple[float, float]:
    """Return least and greatest value, exactly: whole numbers of the smallest unit, or floats."""
    whole = as_integers(column)
    if whole is not None:
        return int(whole.min()), int(whole.max())
    values = as_floats(column)
    return float(values.min()), float(values.max())


def _total(column: Column, weights: Floats | None, whole: bool) -> int:
    """Return the exact sum of values, each times its weight; of whole numbers in their unit."""
    integers = as_integers(column) if whole else None
    if integers is None or weights is not None:
        values = as_floats(column) if integers is None else integers.astype(np.float64)
        return whole_sum(values if weights is None else values * weights)
    fits = integers.dtype != object and float(np.abs(integers).max()) * integers.size < 2.0**62
    return UNIT * int(integers.sum() if fits else sum(integers.tolist()))


def _parts(column: Column, whole: bool) -> int:
    """Return how many of the smallest units make one of the column's: a number, or a day."""
    if column.kind is Kind.DECIMAL and whole:
        return int(10**column.values.type.scale)
    return DAY * TICKS[column.values.type.unit] if column.kind is Kind.DATETIME else 1


@dataclass(frozen=True)
class Scale:
    """Numbers of a column as floats whose squares fit: (value - base) / unit.

    `centers` are the means of both sides on this scale, `unit` what one is in numbers or days.
    """

    base: int
    whole: bool
    unit: float
    centers: tuple[float, float]

    def place(self, column: Column) -> Floats:
        """Return the values of a complete column on the scale."""
        if not self.whole:
            return as_floats(column) / self.unit
        values = as_integers(column)
        assert values is not None
        if values.dtype == object or abs(self.base) > 2**62:
            values = values.astype(object)
        return np.asarray((values - self.base).astype(np.float64))


@dataclass(frozen=True)
class Ranges:
    """What is known of all records before their figures are computed.

    `columns` are the combined ranges, `k` is the least size of groups, `deleted` counts records
    that were left out, `counts` says how many records have each value of a column with a tree,
    `recoded` that columns have one level for all records, `suppressed` how many of the deleted were
    left out within a budget.
    """

    columns: Mapping[str, Any]
    aggregators: Mapping[str, str]
    k: int
    deleted: int = 0
    counts: Mapping[str, Integers] = field(default_factory=dict)
    recoded: bool = False
    suppressed: int = 0

    def scale(self, name: str) -> Scale:
        """Return the scale of a column that has places."""
        same, low, high, total = (self.columns[name][key] for key in COMBINED)
        mass, whole = total["mass"], same["whole"]
        base, unit, ends = 0, 1.0, (low["values"], low["after"])
        if whole:
            base = min(ends)
            means = [(total[side] - base * mass) / mass for side in ("before", "after")]
        else:
            size = max(abs(float(end)) for side in (low, high)
                       for end in (side["values"], side["after"]))  # fmt: skip
            exponent = int(np.frexp(size)[1])
            unit = float(np.ldexp(1.0, exponent - 1)) if abs(exponent) > FAR else 1.0
            means = [total[side] / mass / unit for side in ("before", "after")]
        for side, key in enumerate(("values", "after")):
            if low[key] == high[key]:  # a constant is its own mean, to the last bit
                means[side] = float(low[key] - base) / unit if whole else float(low[key]) / unit
        return Scale(base, whole, unit, (means[0], means[1]))

    def mean(self, name: str, side: str) -> float | str:
        """Return the mean of the kept cells of a side, as a person writes it."""
        same, total = (self.columns[name][key] for key in ("same", "sum"))
        kind = Kind(same["kind"])
        times = DAY if kind is Kind.DATETIME else 1
        average = times * total[side] / (total["mass"] * same["parts"])
        return moment_text(average, kind, "s")

    def ends(self, name: str, what: str) -> Span | None:
        """Return the least and the greatest number of a column; None where it has none."""
        low, high = (self.columns[name][key].get(what) for key in ("low", "high"))
        return None if low is None else (low, high)

    def edges(self, name: str) -> Floats | None:
        """Return the bins of a column that releases numbers."""
        ends = self.ends(name, "released")
        whole = self.columns[name]["low"].get("integral")
        return None if ends is None else edges_of(*ends, bool(whole))

    def varies(self, name: str, side: str = "values") -> bool:
        """Tell whether the numbers of a side of a column differ."""
        ends = self.ends(name, side)
        return ends is not None and ends[0] < ends[1]

    @property
    def complete(self) -> list[str]:
        """The columns of numbers that miss no cell and release all."""
        return [
            name
            for name, one in self.columns.items()
            if "released" in one["low"] and not one["sum"]["missing"]
        ]
