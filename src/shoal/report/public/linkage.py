"""Linkage attacks with stable figures: all but the attacked original is released.

Scales and ranks are those of the released classes, each counted once, and whoever finds several
classes that fit equally well takes one of them, each as likely, then one of its records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.reading import both_sides, words_of
from shoal.measures.risk.linkage import (
    Attack,
    Met,
    MetNumbers,
    by_distance_and_blocks,
    by_ranks,
)
from shoal.measures.sides import Numbers, Side, deviation
from shoal.measures.task import side_by_side
from shoal.partition import first_rows
from shoal.report.public.cells import intervals, numbers, originals
from shoal.report.public.rounding import SAYS, Stable
from shoal.table.encode_nodes import CodedColumn
from shoal.table.roles import Column
from shoal.table.sampling import row_hashes

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
        """Return a column in ranks among the released classes."""
        if not isinstance(side, Numbers):
            return super().ranked(side)
        released = side.after[self.seen]
        ordered = np.sort(released[~np.isnan(released)])
        before, after = (_ranks(part, ordered) for part in (side.before[self.rows], released))
        return MetNumbers(before, after, after, True, np.isnan(after))

    def chance(self, part: slice, best: Flags) -> Floats:
        """Return the chance of each attacker, of the classes that fit: one of them, one of its."""
        own = self.own[part]
        hit = best[np.arange(own.size), own]
        chances: Floats = np.where(hit, 1.0 / (best.sum(axis=1) * self.counts[own]), 0.0)
        return chances


def _ranks(values: Floats, ordered: Floats) -> Floats:
    """Return the share of ordered values below each of some, half of the equal ones counted."""
    below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return np.where(np.isnan(values), np.nan, below / (2.0 * max(ordered.size, 1)))


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
