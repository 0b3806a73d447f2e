"""First pass: ranges of all columns, which scale, center and bin the second."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.exact_sum import UNIT, whole_sum
from shoal.measures.compared import Spread, classes_of
from shoal.measures.histogram import edges_of, is_whole
from shoal.measures.result import BRIEF, FEW, side_by_side
from shoal.measures.utility.distributions import largest_gap
from shoal.partition import first_rows
from shoal.report.chunk import Aggregation, Chunk, Operator, Pair, merged, moment_text
from shoal.report.public.cells import Span, cell_losses, linkages, numbers, released_span, shares
from shoal.report.public.rounding import Stable
from shoal.table.encode_nodes import CodedColumn
from shoal.table.roles import AVERAGED, STRATUM, TICKS, Column, Kind, Role
from shoal.table.table import Table, as_floats, as_integers, days_or_numbers, some_rows

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


Key = tuple[str, ...]


def chunk(pair: Pair, ranges: Ranges) -> dict[str, Any]:
    """Return the sums of what is published of a column; its released range is that of all records.

    `lost` sums what cells lost; of columns released as numbers, `said` counts the cells that the
    release says something of, and `place` sums where their originals lie in the released range. One
    that was missing lies where it is released, so that the release alone tells how many there are.
    """
    within = ranges.ends(pair.name, "named")
    lost = cell_losses(pair.before, pair.after, pair.aggregator, pair.tree, within)
    sums: dict[str, Any] = {"lost": float(lost.sum())}
    both = numbers(pair.before, pair.after) if pair.is_numbers else None
    if both is not None and within is not None:
        place = shares(originals_of(*both)[~pair.stars], within)
        sums |= {"said": place.size, "place": float(place.sum())}
    return sums


def originals_of(before: Floats, after: Floats) -> Floats:
    """Return the originals of what is released; what was missing is what it is released as."""
    filled: Floats = np.where(np.isnan(before), after, before)
    return filled


def loss_of(lost: Sequence[float], rows: int, deleted: int, k: int, moves: bool) -> Stable:
    """Return what a cell of some columns lost on average, in percent; `lost` are their sums.

    A record contributes the mean of what its cells lost, from 0 to 1, one that was deleted 1. A
    mean of n such contributions changes by at most k/n when k of them are replaced or added; when
    k are removed too: the mean of the rest is (n m - k m') / (n - k), with m at most
    (n - k + k m') / n. n is at least that of the released records.

    The bound is doubled where the value of a class `moves` with its records (means, medians,
    majorities): a record moves a mean of c by at most 1/c of the range, and with it what c cells
    lost; it changes how many of c are not of the majority by at most one.
    """
    mean = sum(lost) / max(len(lost), 1)
    bound = 100.0 * k * (2 if moves else 1) / max(rows, 1)
    return Stable(100.0 * (mean + deleted) / max(rows + deleted, 1), bound, 100.0, True)


def mean_of(sums: Mapping[str, Any], within: Span, k: int) -> Stable:
    """Return the mean of a column's originals, each clipped to the released range.

    Over the cells of which the release says something, m of them by the release alone: a record
    moves it by at most the width of the range over m, k of them by k times that.
    """
    low, high = within
    many = max(sums["said"], 1)
    share = sums["place"] / many
    wide = high - low
    return Stable(low * (1.0 - share) + high * share, wide * k / many, wide, False)


def count_of(value: int, rows: int, k: int) -> Stable:
    """Return a number of records, or of cells of one column: k records change it by at most k."""
    return Stable(float(value), float(k), float(rows), False)


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[Key, Stable]:
    """Return every stable figure of columns.

    Cells that were missing and still are, and those that became their group's value, are counted
    apart: the first are some of the cells that are missing in the release. The originals in a bar
    of a histogram are counted: a record is in one bar, so that k records change each by at most k.
    """
    own, cells, k = sums["stable"], sums["cells"], ranges.k
    rows, deleted = cells["records"], ranges.deleted
    grouped = [name for name in own if ranges.aggregators[name] != STRATUM]
    moving = {name for name in grouped if ranges.aggregators[name] in AVERAGED}
    lost = {name: one["lost"] for name, one in own.items()}
    every = loss_of([lost[name] for name in grouped], rows, deleted, k, bool(moving))
    figures: dict[Key, Stable] = {("loss",): every}
    for name, one in own.items():
        figures["columns", name, "loss"] = loss_of([lost[name]], rows, 0, k, name in moving)
        counts = cells["columns"][name]
        missing = counts["missing"] - counts["filled"]
        for key in ("unchanged", "filled"):
            figures["columns", name, key] = count_of(counts[key], rows, k)
        figures["columns", name, "missing"] = count_of(missing, rows, k)
        within = ranges.ends(name, "named")
        if "said" in one and within is not None:
            figures["columns", name, "mean"] = mean_of(one, within, k)
            for bar, count in enumerate(sums["histograms"][name]["before"]):
                figures["columns", name, "bars", str(bar)] = count_of(count, one["said"], k)
    figures["missing", "records"] = count_of(cells["incomplete"], rows, k)
    figures["missing", "deleted"] = count_of(deleted, rows, k)
    return figures


STABLE = Aggregation(chunk, finalize, by_column=True)


def compared(
    table: Table,
    released: Table,
    trees: Mapping[str, CodedColumn],
    k: int,
    threads: int | None = None,
    classes: Integers | None = None,
) -> dict[Key, Stable]:
    """Return the figures that compare the two tables; row i of both is the same record.

    They are the same for any number of threads; None are all cores. `classes` are the numbers of
    the released equivalence classes, where they are known.
    """
    before = table.with_role(Role.QUASI_IDENTIFIER)
    pairs = [(column, released[column.name]) for column in before]
    if classes is None:
        classes = classes_of([after for _, after in pairs], released.rows)
    threads = 1 if released.rows < FEW else threads
    every = side_by_side(lambda pair: gap_of(*pair, classes, k), pairs, threads)
    gaps = {b.name: gap for (b, _), gap in zip(pairs, every, strict=True) if gap is not None}
    figures: dict[Key, Stable] = {("gaps", name): gap for name, gap in gaps.items()}
    each = max(1, (int(classes.max(initial=0)) + 1) * len(pairs))
    most = max(BRIEF.attackers, int(BRIEF.distances // each))
    given = {name: tree for name, tree in trees.items() if tree.rule.given}
    for key, linked in linkages(pairs, given, classes, k, most, threads).items():
        figures["linked", key] = linked
    return figures


def gap_of(before: Column, after: Column, classes: Integers, k: int) -> Stable | None:
    """Return the largest gap between the distributions of originals and of released numbers.

    sup |F - F'| (Kolmogorov and Smirnov), over the m cells of which the release says something. k
    records replaced move F by at most k/m everywhere; k added or removed move F and F' each by at
    most k/m, and so does the gap move by at most 2k/m.
    """
    both = numbers(before, after)
    if both is None:
        return None
    kept = ~np.isnan(both[1])
    if not kept.any():
        return None
    counts = np.bincount(classes[kept], minlength=int(classes.max()) + 1)
    used = counts > 0
    values = both[1][first_rows(classes, counts.size)]
    gap = largest_gap(np.sort(originals_of(*both)[kept]), Spread.of(values[used], counts[used]))
    return Stable(gap, 2.0 * k / int(kept.sum()), 1.0, True)


def nested(figures: Mapping[Key, Stable]) -> dict[str, Any]:
    """Return the figures as they may be published, as a tree of their keys."""
    tree: dict[str, Any] = {}
    for key, figure in figures.items():
        place = tree
        for part in key[:-1]:
            place = place.setdefault(part, {})
        place[key[-1]] = figure.to_dict()
    return tree
