"""What the report says of all records, summed up region by region: every figure here adds up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.large.moments import Moments
from shoal.measures.generalization import (
    Costs,
    cell_losses,
    discernibility,
    ncp,
    non_uniform_entropy,
)
from shoal.measures.histogram import counted, edges_of, is_whole, shown_histogram
from shoal.measures.loss import percent, squared_error
from shoal.partition import Partition
from shoal.release.counts import (
    cell_counts,
    days_or_numbers,
    group_counts,
    is_numbers,
    moment_said,
    present,
    starred,
    starred_for_missing,
    unit_of,
)
from shoal.release.public.cells import released_span
from shoal.release.public.columns import sums_of
from shoal.release.report import ColumnReport
from shoal.release.rounded import ROUNDED, off_the_means, spread
from shoal.table.code import Coded, CodedColumn
from shoal.table.roles import TICKS, Column, Kind, Role
from shoal.table.table import Table, some_rows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CELLS = ("unchanged", "generalized", "suppressed", "missing")


def added(one: Any, other: Any) -> Any:
    """Return the sum of two trees of numbers; what only one has is taken as it is."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict):
        return {key: added(one.get(key), other.get(key)) for key in {**one, **other}}
    if isinstance(one, list):
        return [added(a, b) for a, b in zip(one, other, strict=True)]
    return one + other


def ranges(before: Table, after: Table) -> dict[str, list[float]]:
    """Return least and greatest number that each column's release names, and whether all are whole.

    Of intervals their ends, of ordinal values ranks.
    """
    found = {}
    for column in before.having(Role.QUASI_IDENTIFIER):
        kept = _kept(column, after[column.name])
        if kept is not None:
            values = days_or_numbers(kept[1])
            found[column.name] = [
                float(values.min()), float(values.max()), float(is_whole(values)),
            ]  # fmt: skip
            continue
        named = released_span(column, after[column.name])
        if named is not None:
            found[column.name] = [*named, 0.0]
    return found


def wider(one: Mapping[str, list[float]], other: Mapping[str, list[float]]) -> dict[str, Any]:
    """Return the ranges that hold two others."""
    found = {**one}
    for name, (low, high, whole) in other.items():
        least, most, all_whole = found.get(name, (low, high, whole))
        found[name] = [min(low, least), max(high, most), min(whole, all_whole)]
    return found


def _kept(before: Column, after: Column) -> tuple[Column, Column] | None:
    """Return the numbers of the cells that were there and are released; None where none is."""
    kept = present(before) & present(after)
    if not is_numbers(before, after) or not kept.any():
        return None
    return some_rows(before, kept), some_rows(after, kept)


@dataclass(frozen=True)
class Figures:
    """How the figures of a region are made."""

    how: Mapping[str, str]
    moments: Mapping[str, Moments]
    spans: Mapping[str, list[float]]
    complete: list[str]
    known: Coded | None

    def of(
        self, before: Table, after: Table, partition: Partition, points: Floats, coded: Coded | None
    ) -> dict[str, Any]:
        """Return the sums of one region."""
        columns = before.having(Role.QUASI_IDENTIFIER)
        trees = {} if coded is None else {column.name: column for column in coded.columns}
        labels = partition.labels
        groups = group_counts(partition, columns)
        shown = [c for c in trees.values() if self.how[c.name] in ("generalize", "range")]
        found: dict[str, Any] = {
            "rows": before.rows,
            "groups": groups["count"],
            "without_spread": groups["without_spread"],
            "sizes": groups["sizes"],
            "columns": {
                c.name: self._column(c, after[c.name], trees.get(c.name), labels) for c in columns
            },
            "incomplete": int(np.logical_or.reduce([~present(c) for c in columns]).sum()),
            "nothing": int(np.logical_and.reduce([starred(after[c.name]) for c in columns]).sum()),
            "error": float(squared_error(points, labels).sum()),
            "public": self._public(columns, after, trees),
            **self._products(before, after),
        }
        if coded is not None:
            whole = Coded(tuple(self._counted(column) for column in shown), before.rows)
            found["costs"] = {
                "ncp": ncp(whole, labels) * before.rows if shown else 0.0,
                "discernibility": discernibility(partition.sizes),
                "entropy": non_uniform_entropy(whole, labels),
            }
        return found

    def _public(
        self, before: Sequence[Column], after: Table, trees: Mapping[str, CodedColumn]
    ) -> dict[str, Any]:
        """Return the sums of what may be published."""
        spans = {name: (low, high) for name, (low, high, _) in self.spans.items()}
        return sums_of(before, [after[c.name] for c in before], self.how, trees, spans)

    def _counted(self, column: CodedColumn) -> CodedColumn:
        """Return a column of a region with the counts that its values have in all records."""
        assert self.known is not None
        counts = next(c.values.counts for c in self.known.columns if c.name == column.name)
        return replace(column, values=replace(column.values, counts=counts))

    def _column(
        self, before: Column, after: Column, coded: CodedColumn | None, labels: Integers
    ) -> dict[str, Any]:
        way = self.how[before.name]
        found: dict[str, Any] = dict(
            zip(CELLS, cell_counts(before, after, way, coded), strict=True)
        )
        found["beside"] = starred_for_missing(before, labels)
        found["released"] = spread(after)
        if coded is not None:
            found["iloss"] = float(cell_losses(coded, labels).sum())
        words = way in ("generalize", "range")  # which have no ranks
        numbers = None if words else _numbers(before, after)
        if numbers is not None:  # ordinal ones too, which have no means
            own = self.moments[before.name]
            b, a = (_apart(own, column) for column in numbers)
            found |= {
                "kept": b.size, "b": float(b.sum()), "bb": float((b * b).sum()),
                "a": float(a.sum()), "aa": float((a * a).sum()),
                "error": float(((b - a) ** 2).sum()),
            }  # fmt: skip
            if way in ROUNDED and not before.is_ordinal:
                there = present(before) & present(after)
                found["rounding"] = off_the_means(b, a, labels[there], None)
        kept = _kept(before, after)
        if kept is not None:
            edges = edges_of(*self._span(before.name))
            found["before"] = counted(days_or_numbers(kept[0]), edges).tolist()
            found["after"] = counted(days_or_numbers(kept[1]), edges).tolist()
        return found

    def _span(self, name: str) -> tuple[float, float, bool]:
        low, high, whole = self.spans[name]
        return low, high, bool(whole)

    def _products(self, before: Table, after: Table) -> dict[str, Any]:
        """Return sums of products of the numbers of complete columns, before and after."""
        names = self.numbers(after)
        found = {}
        for side, table in (("products_before", before), ("products_after", after)):
            values = np.stack([_apart(self.moments[n], table[n]) for n in names]) if names else None
            found[side] = [] if values is None else (values @ values.T).tolist()
            found[f"sums_{side}"] = [] if values is None else values.sum(axis=1).tolist()
        return found

    def numbers(self, after: Table) -> list[str]:
        """Return the columns of numbers that miss no cell and are released as numbers."""
        return [name for name in self.complete if after[name].kind.is_numeric]


def _numbers(before: Column, after: Column) -> tuple[Column, Column] | None:
    """Return the cells that have places before and after."""
    if not before.is_ordinal:
        return _kept(before, after)
    kept = present(before) & ~starred(after)
    if not kept.any():
        return None
    return some_rows(before, kept), some_rows(after.having(order=before.order), kept)


def _apart(own: Moments, column: Column) -> Floats:
    """Return how far numbers are from the mean of all, in deviations; plain where there is none."""
    return (own.steps(column) - own.mean) / (own.deviation or 1.0)


def column_report(
    column: Column, way: str, sums: Mapping[str, Any], rows: int, own: Moments | None,
    tree: CodedColumn | None, span: list[float] | None, k: int,
) -> ColumnReport:  # fmt: skip
    """Return what became of a column, from the sums of all regions."""
    report = ColumnReport(
        name=column.name,
        kind=column.kind_name,
        information_loss=_lost(way, sums, rows),
        released_as=way,
        rounding_loss=_rounding(sums, rows),
        **{name: sums[name] for name in CELLS},
        hierarchy=None if tree is None else str(tree.rule),
        levels=None if tree is None else int(tree.tree.heights[0]) + 1,
    )
    if "before" not in sums or own is None or span is None:
        return report
    count, spread = sums["kept"], own.deviation or 1.0
    base = float(own.base or 0) + own.mean
    unit = unit_of(column)
    scale = spread / (86_400.0 * TICKS[unit]) if column.kind is Kind.DATETIME else spread
    edges = edges_of(span[0], span[1], bool(span[2]))
    return replace(
        report,
        mean_before=moment_said(base + spread * sums["b"] / count, column.kind, unit),
        mean_after=moment_said(base + spread * sums["a"] / count, column.kind, unit),
        variance_before=scale**2 * _variance(sums["b"], sums["bb"], count),
        variance_after=scale**2 * _variance(sums["a"], sums["aa"], count),
        histogram=shown_histogram(
            edges, np.array(sums["before"]), np.array(sums["after"]), k
        ),
    )  # fmt: skip


def _variance(total: float, squares: float, count: int) -> float:
    return max(0.0, squares - total * total / count) / (count - 1) if count > 1 else 0.0


def _lost(way: str, sums: Mapping[str, Any], rows: int) -> float:
    """Return what a column lost, in percent; a suppressed cell has lost everything."""
    if way in ("generalize", "range"):
        return percent(sums["iloss"], rows)
    if way == "mode":
        return percent(sums["generalized"] + sums["suppressed"], rows)
    there = rows - sums["missing"]
    if "kept" not in sums:
        return percent(there, rows)
    count = sums["kept"]
    share = count / there
    lost = percent(sums["error"], sums["bb"] - sums["b"] ** 2 / count)
    return float(lost * share + 100.0 * (1.0 - share))


def _rounding(sums: Mapping[str, Any], rows: int) -> float | None:
    """Return how much of what a column lost is due to rounding, in percent."""
    if "rounding" not in sums:
        return None
    count = sums["kept"]
    share = count / (rows - sums["missing"])
    return float(percent(sums["rounding"], sums["bb"] - sums["b"] ** 2 / count) * share)


def correlations(names: list[str], sums: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Return the correlations of the complete columns, before and after."""
    found: dict[str, Any] = {"columns": names}
    for side in ("before", "after"):
        products = np.array(sums[f"products_{side}"]).reshape(len(names), len(names))
        totals = np.array(sums[f"sums_products_{side}"])
        about = products - np.outer(totals, totals) / max(rows, 1)
        spread = np.sqrt(np.maximum(np.diagonal(about), 0.0))
        found[side] = [
            [_correlation(about[i, j], spread[i], spread[j], rows) for j in range(len(names))]
            for i in range(len(names))
        ]
    return found


def _correlation(product: float, one: float, other: float, rows: int) -> float | None:
    """Return a correlation; None where a column is constant, but for what sums round."""
    least = 1e-7 * math.sqrt(rows)
    if one <= least or other <= least:
        return None
    return max(-1.0, min(1.0, float(product / (one * other))))


def costs(sums: Mapping[str, Any], shown: Sequence[str], k: int, deleted: int) -> Costs:
    """Return the costs of a release whose columns of some names are generalized."""
    own, rows = sums["costs"], sums["rows"]
    lost = sum(sums["columns"][name]["iloss"] for name in shown)
    return Costs(
        100.0 * (lost + deleted * len(shown)) / ((rows + deleted) * len(shown)),
        own["ncp"] / rows,
        own["discernibility"] + deleted * (rows + deleted),
        rows / sums["groups"] / k,
        own["entropy"],
        deleted,
    )
