"""Loss of each cell, from 0 to 1, scaled by the release alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.cell_texts import span
from shoal.measures.compared import Spread
from shoal.measures.reading import both_sides, words_of
from shoal.measures.result import side_by_side
from shoal.measures.risk.linkage import (
    Attack,
    Met,
    MetNumbers,
    by_distance_and_blocks,
    by_ranks,
)
from shoal.measures.sides import Numbers, Side, deviation
from shoal.partition import first_rows
from shoal.report.chunk import is_numbers, same_cells, starred
from shoal.report.public.rounding import SAYS, Stable
from shoal.table.encode_nodes import CodedColumn
from shoal.table.hierarchy.listed import FAR, Listed
from shoal.table.hierarchy.values import DAY_ZERO, Axis
from shoal.table.roles import AVERAGED, STAR, STRATUM, Column, Kind
from shoal.table.sampling import row_hashes
from shoal.table.table import days_or_numbers, present, some_rows

Span = tuple[float, float]
TIMES = (Kind.DATE, Kind.DATETIME)
PERIOD = re.compile(r"(\d{4})(?:-Q([1-4])|-(\d{2}))?", re.ASCII)


def numbers(before: Column, after: Column) -> tuple[Floats, Floats] | None:
    """Return both sides of a column as numbers (days, ranks); not-a-number where nothing is said.

    None where the release does not hold single numbers.
    """
    if not before.has_places or not (is_numbers(before, after) or before.is_ordinal):
        return None
    if before.is_ordinal:
        ranks = {text: float(rank) for rank, text in enumerate(before.order or ())}
        texts = after.values.to_pylist()
        if any(text not in ranks for text in texts if text not in (None, STAR)):
            return None
        released = np.array([ranks.get(text, np.nan) for text in texts])
        after_said = ~np.isnan(released)
    else:
        after_said = ~starred(after)
        released = np.full(after_said.size, np.nan)
        released[after_said] = days_or_numbers(some_rows(after, after_said))
    return originals(before), released


def originals(before: Column) -> Floats:
    """Return the originals of a column as numbers; not-a-number where one is missing."""
    there = present(before)
    values = np.full(there.size, np.nan)
    values[there] = days_or_numbers(some_rows(before, there))
    return values


def intervals(before: Column, after: Column) -> tuple[Integers, Floats] | None:
    """Return the released forms of a column of numbers, and the ends of what each covers.

    The last form is that of cells that say nothing. An end that is open is the farthest that any
    form names. None where a form names no numbers.
    """
    if not before.has_places or after.kind.is_numeric:
        return None
    axis = Axis("rank" if before.is_ordinal else
                "number" if before.kind.is_number else str(before.kind))  # fmt: skip
    ranks = {text: Fraction(rank) for rank, text in enumerate(before.order or ())}
    encoded = after.values.dictionary_encode()
    forms = encoded.dictionary.to_pylist()
    ends = np.full((len(forms) + 1, 2), np.nan)
    for at, form in enumerate(forms):
        if form == STAR:
            continue
        own = span(form, axis, ranks) or (_calendar(form) if before.kind in TIMES else None)
        if own is None:
            return None
        low, high = own[:2]
        ends[at] = (
            -np.inf if low <= -FAR else float(low),
            np.inf if high >= FAR else float(high),
        )
    finite = ends[np.isfinite(ends)]
    if finite.size:
        ends = np.where(np.isinf(ends), np.clip(ends, finite.min(), finite.max()), ends)
    codes = np.asarray(encoded.indices.fill_null(len(forms))).astype(np.int64)
    return codes, ends


def _calendar(form: str) -> tuple[Fraction, Fraction] | None:
    """Return the first and the last day of a month, a quarter or a year, in days since 1970."""
    period = PERIOD.fullmatch(form)
    if period is None:
        return None
    year, quarter, month = int(period[1]), period[2], period[3]
    first = 3 * int(quarter) - 2 if quarter else int(month) if month else 1
    after = first + (3 if quarter else 1 if month else 12)
    try:
        begin = date(year, first, 1)
        end = date(year + (after > 12), (after - 1) % 12 + 1, 1)
    except ValueError:
        return None
    return Fraction((begin - DAY_ZERO).days), Fraction((end - DAY_ZERO).days - 1)


def released_span(before: Column, after: Column) -> Span | None:
    """Return the least and the greatest number that a column's release names; None without."""
    both = numbers(before, after)
    if both is not None:
        values = both[1][~np.isnan(both[1])]
    else:
        forms = intervals(before, after)
        if forms is None:
            return None
        codes, ends = forms
        values = ends[np.unique(codes)]
        values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else None


def shares(values: Floats, within: Span) -> Floats:
    """Return where numbers lie in a range, from 0 to 1; what lies beyond is at its ends.

    In halves: the width of a range may not fit a float.
    """
    low, high = within
    if not high > low:
        return np.where(np.isnan(values), np.nan, 0.0)
    half: Floats = (np.clip(values, low, high) / 2 - low / 2) / (high / 2 - low / 2)
    return half


def cell_losses(
    before: Column, after: Column, aggregator: str, tree: CodedColumn | None, within: Span | None
) -> Floats:
    """Return what every cell lost, from 0 (as it was) to 1 (everything).

    A cell that was missing has lost nothing, one that is suppressed everything. A mean or a median
    has lost |x - x'| as a share of the column's released range; a mode or a medoid everything where
    it is another value. A generalized cell has lost what its released form leaves open
    (`form_losses`), whatever its original was.
    """
    there, gone = present(before), starred(after)
    if aggregator == STRATUM:
        return np.zeros(there.size)
    both = numbers(before, after) if aggregator in AVERAGED else None
    if both is not None and within is not None:
        original, released = (shares(side, within) for side in both)
        lost = np.abs(original - released)
        if not within[1] > within[0]:
            lost = (both[0] != both[1]).astype(np.float64)
    elif aggregator in ("generalize", "range"):
        lost = form_losses(before, after, tree, within)
    else:
        lost = (~same_cells(before, after)).astype(np.float64)
    lost = np.where(gone, 1.0, lost)
    return np.where(there, np.nan_to_num(lost, nan=1.0), 0.0)


def form_losses(
    before: Column, after: Column, tree: CodedColumn | None, within: Span | None
) -> Floats:
    """Return what the released form of every cell leaves open, from 0 to 1.

    An interval: its width as a share of the column's released range (NCP, Xu and others 2006); a
    mask: the share of its signs that are *; a word of a hierarchy that lists its values: (values
    below - 1) / (values - 1); any other word of a tree: its height as a share of the tree's
    (Sweeney 2002); a value: 0; *: 1.
    """
    spans = intervals(before, after)
    if spans is not None:
        codes, ends = spans
        low, high = within if within is not None else (0.0, 0.0)
        wide = ends[:, 1] / 2 - ends[:, 0] / 2
        whole = high / 2 - low / 2
        losses = np.minimum(wide / whole, 1.0) if whole > 0 else np.zeros(wide.size)
        losses = np.where(np.isnan(ends[:, 0]), 1.0, losses)
        return losses[codes]
    encoded = after.values.dictionary_encode()
    forms = [str(form) for form in encoded.dictionary.to_pylist()]
    losses = np.array([*(_form_loss(form, tree) for form in forms), 1.0])
    return losses[np.asarray(encoded.indices.fill_null(len(forms))).astype(np.int64)]


def _form_loss(form: str, tree: CodedColumn | None) -> float:
    if form == STAR:
        return 1.0
    node = None if tree is None else tree.tree.nodes.get(form)
    if tree is not None and node is not None and isinstance(tree.rule, Listed):
        below = tree.tree.values_below
        return float((below[node] - 1) / max(int(below[0]) - 1, 1))
    if form.endswith(STAR):
        return (len(form) - len(form.rstrip(STAR))) / len(form)
    if tree is None or node is None:
        return 0.0
    return float(tree.tree.heights[node] / max(int(tree.tree.heights[0]), 1))


# Linkage attacks with stable figures: all but the attacked original is released.
#
# Scales and ranks are those of the released classes, each counted once, and whoever finds several
# classes that fit equally well takes one of them, each as likely, then one of its records.
LINKAGES = ("distance_linkage", "rank_linkage", "block_linkage")


@dataclass(frozen=True, eq=False)
class PublicAttack(Attack):
    """An attack in which an original's chance depends on itself and on the released classes."""

    def met(self, side: Side) -> Met:
        """Return a column as the attackers see it, in deviations of the released classes."""
        if not isinstance(side, Numbers):
            return super().met(side)
        released = side.after[self.seen]
        return self.scaled(side, deviation(released[~np.isnan(released)]))

    def ranked(self, side: Side) -> Met:
        """Return a column in ranks among the released classes: the share below, half of equals."""
        if not isinstance(side, Numbers):
            return super().ranked(side)
        released = side.after[self.seen]
        spread = Spread.of(released, np.ones(released.size, dtype=np.int64))
        wide = 2.0 * max(spread.size, 1)
        after = np.append((spread.begins + spread.ends) / wide, np.nan)[spread.places]
        before, ordered = side.before[self.rows], spread.every()
        below = sum(np.searchsorted(ordered, before, end) for end in ("left", "right"))
        before = np.where(np.isnan(before), np.nan, below / wide)
        return MetNumbers(before, after, after, True, np.isnan(after))

    def chance(self, part: slice, best: Flags) -> Floats:
        """Return the chance of each attacker, of the classes that fit: one of them, one of its."""
        own = self.own[part]
        hit = best[np.arange(own.size), own]
        chances: Floats = np.where(hit, 1.0 / (best.sum(axis=1) * self.counts[own]), 0.0)
        return chances


def side_of(before: Column, after: Column, tree: CodedColumn | None) -> Side:
    """Return both sides of a column, with nothing in the released one that the original tells."""
    if numbers(before, after) is not None:
        return both_sides(before, after, None, None)
    forms = intervals(before, after)
    if forms is None:
        return words_of(before, after, tree, None, strict=True)
    codes, ends = forms
    original = originals(before)
    none = np.zeros(original.size)
    low, high = ends[codes, 0], ends[codes, 1]
    return Numbers(
        before.name, original, low, high, 0.0, 1.0, 0.0, False, none, none, False, before.kind_name
    )


def linkages(
    quasi: Sequence[tuple[Column, Column]],
    trees: Mapping[str, CodedColumn],
    classes: Integers,
    k: int,
    most: int,
    threads: int | None = 1,
) -> dict[str, Stable]:
    """Return how many records each of three attacks links rightly, in percent.

    An attacker's chance depends on the own original and on the released classes: it is h/(t c), c
    the size of the own class and h/t at most 1. So the chances of a class add up to a mean of
    numbers from 0 to 1. When j of its records are added, removed or replaced, that mean changes by
    at most j/c, which is at most j/k: the sum S of all chances changes by at most 1. It is at most
    n/k, so that S/n changes by at most 1/n + S k / (n (n - k)), which is at most 2/(n - k). (When
    none are added or removed, it is 1/n.)

    Of many records those of some classes are looked for, drawn by a hash of what they release; n
    is their number.
    """
    counts = np.bincount(classes)
    seen = first_rows(classes, counts.size)
    each = partial(side_by_side, threads=threads)
    rows = np.arange(classes.size)
    if classes.size > most:
        rows = np.flatnonzero(_drawn([after for _, after in quasi], seen, counts, most)[classes])
    sides = tuple(each(lambda both: side_of(both[0], both[1], trees.get(both[0].name)), quasi))
    attack = PublicAttack(sides, seen, counts, rows, classes[rows])
    near, pointed = by_distance_and_blocks(attack, each)
    bound = 200.0 / max(rows.size - k, 1)
    scale = 100.0 if rows.size >= SAYS * k else 0.0
    return {
        key: Stable(100.0 * float(chance.mean()), bound, scale, True)
        for key, chance in zip(LINKAGES, (near, by_ranks(attack, each), pointed), strict=True)
    }


def _drawn(after: Sequence[Column], seen: Integers, counts: Integers, most: int) -> Flags:
    """Return which classes are looked for: those with the least hashes, of so many records."""
    import pyarrow as pa

    rows = pa.array(seen)
    cells = [column.replace(values=column.values.take(rows), cells=None) for column in after]
    order = np.argsort(row_hashes(cells, seen.size), kind="stable")
    upto = int(np.searchsorted(np.cumsum(counts[order]), most)) + 1
    drawn = np.zeros(seen.size, dtype=bool)
    drawn[order[:upto]] = True
    return drawn
