"""Sides of a column: original values, and the intervals or words that were released.

A released number is an interval, most often of one point; a released word covers some of the
original's values; `*` and a missing cell say nothing and cover everything. Numbers are shifted and
scaled so that no difference drowns or overflows: in the column's own unit a value is
(base + scaled) * unit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.once import once


@dataclass(frozen=True, eq=False, repr=False)
class Numbers:
    """A column of numbers, dates or ranks: originals, and the ends of what is released.

    Not-a-number is a missing original, or a released cell that says nothing. `is_single`: the
    others are single numbers (means, medians), none an interval. `losses` and `widths` are
    ILoss and NCP of every released cell, `step` is one step of the column's last digit, 0 where it
    has none.
    """

    name: str
    before: Floats
    low: Floats
    high: Floats
    base: float
    unit: float
    step: float
    is_single: bool
    losses: Floats
    widths: Floats
    magnitudes: bool
    kind: str

    @once
    def after(self) -> Floats:
        """The released numbers, the middle of an interval; not-a-number where nothing is said."""
        middle: Floats = self.low + (self.high - self.low) / 2
        return middle

    @once
    def has_before(self) -> Flags:
        """Which originals are not missing."""
        known: Flags = ~np.isnan(self.before)
        return known

    @once
    def has_after(self) -> Flags:
        """Which released cells say something."""
        known: Flags = ~np.isnan(self.low)
        return known

    @once
    def is_complete(self) -> bool:
        """Whether no original is missing and every released cell says something."""
        return bool(self.has_before.all() and self.has_after.all())

    @once
    def known(self) -> Floats:
        """The originals that are not missing."""
        return self.before if self.has_before.all() else self.before[self.has_before]

    @once
    def ordered(self) -> Floats:
        """The originals that are not missing, the least first."""
        return np.sort(self.known)

    @once
    def center(self) -> float:
        """The mean of the originals, scaled; 0 where all are missing."""
        return float(self.known.mean()) if self.known.size else 0.0

    @once
    def deviation(self) -> float:
        """The standard deviation of the originals (n - 1), scaled; 0 for a constant."""
        return deviation(self.known)

    def own(self, value: float) -> float:
        """Return a scaled value in the column's own unit."""
        return (self.base + float(value)) * self.unit

    @property
    def shown(self) -> Numbers:
        """The column without originals whose release says nothing; row i of both is one person.

        A figure of all originals beside one of all released numbers would give those away.
        """
        if self.has_after.all():
            return self
        return replace(self, before=np.where(self.has_after, self.before, np.nan))

    def take(self, before: Integers, after: Integers) -> Numbers:
        """Return some originals and some released records."""
        return replace(
            self,
            before=self.before[before],
            low=self.low[after],
            high=self.high[after],
            losses=self.losses[after],
            widths=self.widths[after],
        )


@dataclass(frozen=True, eq=False, repr=False)
class Words:
    """A column of categories: codes of originals in `values`, of released cells in `forms`.

    -1 is a missing original, or a released cell that says nothing; `covers` lists the values that
    each form covers, `own` is the value that a form is itself (-1: none). `read` tells whether
    it is known what every form covers.
    """

    name: str
    values: tuple[str, ...]
    before: Integers
    forms: tuple[str, ...]
    after: Integers
    covers: tuple[Integers, ...]
    own: Integers
    losses: Floats
    widths: Floats
    read: bool = True

    @once
    def links(self) -> tuple[Integers, Integers]:
        """Form and value of everything that is covered, in the order of the values."""
        forms = np.repeat(np.arange(len(self.covers)), [covered.size for covered in self.covers])
        values = np.concatenate([*self.covers, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        order = np.argsort(values, kind="stable")
        return forms[order].astype(np.int64), values[order]

    def spread(self, counts: Floats) -> Floats:
        """Spread counts of forms evenly over the values they cover.

        The last count is that of cells that say nothing, which are as the originals are.
        """
        forms, values = self.links
        sizes = np.array([max(covered.size, 1) for covered in self.covers], dtype=np.float64)
        shape = (len(self.values), *counts.shape[1:])
        found = np.zeros(shape)
        weights = counts[:-1] / sizes.reshape(-1, *([1] * (counts.ndim - 1)))
        np.add.at(found, values, weights[forms])
        known = np.bincount(self.before[self.before >= 0], minlength=len(self.values))
        shares = known / max(int(known.sum()), 1)
        spread: Floats = found + np.multiply.outer(shares, counts[-1])
        return spread

    def fits(self, before: Integers, after: Integers) -> Flags:
        """Return which originals (rows) are covered by which released cells (columns).

        What says nothing covers everything; a missing original is covered by nothing else.
        """
        forms, values = self.links
        wanted, back = np.unique(before, return_inverse=True)
        table = np.zeros((wanted.size, len(self.forms) + 1), dtype=bool)
        starts, ends = (np.searchsorted(values, wanted, side) for side in ("left", "right"))
        for row in range(wanted.size):
            table[row, forms[starts[row] : ends[row]]] = True
        table[:, -1] = True
        fits: Flags = table[back.reshape(-1)[:, None], after[None, :]]
        return fits

    def take(self, before: Integers, after: Integers) -> Words:
        """Return some originals and some released records."""
        return replace(
            self,
            before=self.before[before],
            after=self.after[after],
            losses=self.losses[after],
            widths=self.widths[after],
        )


Side = Numbers | Words
Pairs = tuple[Integers, Integers]


def deviation(values: Floats) -> float:
    """Return the standard deviation with divisor n - 1; exactly 0 where all values are equal."""
    if values.size < 2 or values.min() == values.max():
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest there are
        centered = values - values.mean()
        return float(np.sqrt((centered * centered).sum() / (values.size - 1)))


TARGETS = 5  # of a column of numbers
MOST = 50  # values that a model tells apart; the rarer ones are one


def targets(side: Side) -> tuple[Integers, Integers, int]:
    """Return the sensitive values as few numbers: of originals, of the release; -1 is unknown.

    Numbers count in fifths of the released ones, the rarest of many words are one value.
    """
    if isinstance(side, Numbers):
        edges = edges_of(side.after, TARGETS)
        return binned(side.before, edges), binned(side.after, edges), edges.size + 1
    own = np.append(side.own, -1)[side.after]
    size = len(side.values)
    if size <= MOST:
        return side.before, own, size
    counts = np.bincount(own[own >= 0], minlength=size)
    rank = np.empty(size + 1, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(size), MOST - 1)
    rank[size] = -1
    return rank[side.before], rank[own], MOST


def edges_of(values: Floats, bins: int) -> Floats:
    """Return where numbers are cut into bins of about as many each."""
    there = values[~np.isnan(values)]
    if not there.size:
        return np.zeros(0)
    return np.unique(np.quantile(there, np.arange(1, bins) / bins))


def binned(values: Floats, edges: Floats) -> Integers:
    """Return the bins of numbers, -1 of what is missing."""
    bins = np.searchsorted(edges, values, "right").astype(np.int64)
    bins[np.isnan(values)] = -1
    return bins
