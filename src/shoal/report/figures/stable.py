"""Figures of the original that may be published: stable against k people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import classes_of
from shoal.measures.spread import Spread
from shoal.measures.task import BRIEF, FEW, side_by_side
from shoal.measures.utility.distributions import largest_gap
from shoal.partition import first_rows
from shoal.release.aggregate import AVERAGED, STRATUM
from shoal.report.aggregation import Aggregation
from shoal.report.chunk import Chunk, Pair
from shoal.report.figures.ranges import Ranges
from shoal.report.public.cells import Span, cell_losses, numbers, shares
from shoal.report.public.linkage import linkages
from shoal.report.public.rounding import Stable
from shoal.table.encode_nodes import CodedColumn
from shoal.table.roles import Column, Role
from shoal.table.table import Table

Key = tuple[str, ...]


def chunk(chunk: Chunk, ranges: Ranges) -> dict[str, Any]:
    """Sum up what is published of every column; the released ranges are those of all records."""
    return {pair.name: _sums(pair, ranges.ends(pair.name, "named")) for pair in chunk.pairs}


def _sums(pair: Pair, within: Span | None) -> dict[str, Any]:
    """Return the sums of a column.

    `lost` sums what cells lost; of columns released as numbers, `said` counts the cells that the
    release says something of, and `place` sums where their originals lie in the released range. One
    that was missing lies where it is released, so that the release alone tells how many there are.
    """
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


STABLE = Aggregation(chunk, finalize)


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
