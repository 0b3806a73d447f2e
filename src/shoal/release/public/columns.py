"""Sums over records of what is published of a column: they add up, region by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.measures.histogram import counted, edges_of, is_whole
from shoal.release.aggregate import AVERAGED, STRATUM
from shoal.release.counts import cell_counts, is_numbers, present, starred
from shoal.release.public.cells import Span, cell_losses, numbers, shares
from shoal.release.public.rounding import Stable
from shoal.table.code import CodedColumn
from shoal.table.roles import Column

Key = tuple[str, ...]


def column_sums(
    before: Column, after: Column, way: str, tree: CodedColumn | None, within: Span | None
) -> dict[str, Any]:
    """Return the sums of some records; `within` is the column's released range, of all of them.

    `lost` sums what cells lost; of columns released as numbers, `said` counts the cells that the
    release says something of, and `place` sums where their originals lie in the released range.
    """
    unchanged, _, _, missing = cell_counts(before, after, way, tree)
    found: dict[str, Any] = {
        "lost": float(cell_losses(before, after, way, tree, within).sum()),
        "unchanged": unchanged,
        "missing": missing,
    }
    both = numbers(before, after)
    if both is None or within is None or not is_numbers(before, after):
        return found
    kept = present(before) & ~starred(after)
    return {
        **found,
        "said": int(kept.sum()),
        "place": float(shares(both[0][kept], within).sum()),
    }


def sums_of(
    before: Sequence[Column],
    after: Sequence[Column],
    how: Mapping[str, str],
    trees: Mapping[str, CodedColumn],
    spans: Mapping[str, Span | None],
) -> dict[str, Any]:
    """Return the sums of the columns of some records, and of how many some cell was missing.

    `spans` are the released ranges of the columns, of all records.
    """
    columns = {
        b.name: column_sums(b, a, how[b.name], trees.get(b.name), spans.get(b.name))
        for b, a in zip(before, after, strict=True)
    }
    incomplete = np.logical_or.reduce([~present(column) for column in before])
    return {"rows": int(incomplete.size), "incomplete": int(incomplete.sum()), "columns": columns}


def bars(before: Column, after: Column) -> list[int]:
    """Return how many originals are in each bar of a histogram over the released range."""
    both = numbers(before, after)
    if both is None or not is_numbers(before, after):
        return []
    kept = ~np.isnan(both[0]) & ~np.isnan(both[1])
    if not kept.any():
        return []
    released = both[1][kept]
    edges = edges_of(float(released.min()), float(released.max()), is_whole(released))
    counts: list[int] = counted(both[0][kept], edges).tolist()
    return counts


def loss_of(
    sums: Mapping[str, Any], columns: Sequence[str], deleted: int, k: int, moves: bool
) -> Stable:
    """Return what a cell of some columns lost on average, in percent.

    A record contributes the mean of what its cells lost, from 0 to 1, one that was deleted 1. A
    mean of n such contributions changes by at most k/n when k of them are replaced or added; when
    k are removed too: the mean of the rest is (n m - k m') / (n - k), with m at most
    (n - k + k m') / n. n is at least that of the released records.

    The bound is doubled where the value of a class `moves` with its records (means, medians,
    majorities): a record moves a mean of c by at most 1/c of the range, and with it what c cells
    lost; it changes how many of c are not of the majority by at most one.
    """
    rows = sums["rows"]
    lost = sum(sums["columns"][name]["lost"] for name in columns) / max(len(columns), 1)
    bound = 100.0 * k * (2 if moves else 1) / max(rows, 1)
    return Stable(100.0 * (lost + deleted) / max(rows + deleted, 1), bound, 100.0, True)


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


def of_columns(
    sums: Mapping[str, Any],
    spans: Mapping[str, Span | None],
    counts: Mapping[str, Sequence[int]],
    how: Mapping[str, str],
    deleted: int,
    k: int,
) -> dict[Key, Stable]:
    """Return every stable figure that sums give; `how` is what the columns release.

    `counts` are the originals in the bars of the columns of numbers: a record is in one bar, so
    that k records change each by at most k.
    """
    rows = sums["rows"]
    grouped = [name for name in sums["columns"] if how[name] != STRATUM]
    moving = {name for name in grouped if how[name] in AVERAGED}
    found: dict[Key, Stable] = {("loss",): loss_of(sums, grouped, deleted, k, bool(moving))}
    for name, own in sums["columns"].items():
        found["columns", name, "loss"] = loss_of(sums, [name], 0, k, name in moving)
        found["columns", name, "unchanged"] = count_of(own["unchanged"], rows, k)
        found["columns", name, "missing"] = count_of(own["missing"], rows, k)
        within = spans.get(name)
        if "said" in own and own["said"] and within is not None:
            found["columns", name, "mean"] = mean_of(own, within, k)
            for bar, count in enumerate(counts.get(name, ())):
                found["columns", name, "bars", str(bar)] = count_of(count, own["said"], k)
    found["missing", "records"] = count_of(sums["incomplete"], rows, k)
    found["missing", "deleted"] = count_of(deleted, rows, k)
    return found
