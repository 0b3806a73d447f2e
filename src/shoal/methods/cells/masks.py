"""Local search over masks: records shift, patterns open and are given up."""

from __future__ import annotations

import numpy as np

from shoal.errors import RequestError, in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.partition import rows_of_groups
from shoal.progress import Reporter

NONE = -1  # no pattern: too few records match
MOST = 50_000_000  # records times masks
STALLS = 20  # rounds without a better bound, after which steps are shorter
SHORTER = 1.5  # times
SHORTEST = 1e-3  # of a step's factor: no more is gained
BETTER = 1e-5  # a share of the bound: less is no gain
LEAST = 1e-9  # of a gain: less is rounding


class Masks:
    """A mask for every record, and how many are released by each pattern."""

    def __init__(self, patterns: Patterns, masks: Integers) -> None:
        self.patterns, self.masks = patterns, masks.copy()
        self.own: Integers = patterns.ids[np.arange(masks.size), masks]
        self.sizes: Integers = np.bincount(self.own, minlength=patterns.count + 1)

    @property
    def costs(self) -> Floats:
        """What every record costs."""
        return self.patterns.costs[self.masks]

    @property
    def cost(self) -> float:
        """What all records cost."""
        return float(self.costs.sum()) - self.patterns.free

    def move(self, rows: Integers, masks: Integers) -> None:
        """Release some records under other masks."""
        np.subtract.at(self.sizes, self.own[rows], 1)
        self.masks[rows] = masks
        self.own[rows] = self.patterns.ids[rows, masks]
        np.add.at(self.sizes, self.own[rows], 1)

    def descend(self, report: Reporter) -> None:
        """Move while that gains: single records, new patterns, patterns that are given up."""
        before = np.inf
        while self.cost < before - LEAST:
            before = self.cost
            report.stop.check()
            self._shift()
            self._open()
            self._give_up()

    def _cheapest(self, rows: Integers, but: int) -> Integers:
        """Return the cheapest mask of each record by another pattern in use, or NONE."""
        ids = self.patterns.ids[rows]
        used = (ids != NONE) & (self.sizes[ids] > 0) & (ids != but)
        return np.where(used.any(axis=1), used.argmax(axis=1), NONE)

    def _shift(self) -> None:
        """Release records of patterns with more than k by cheaper patterns in use."""
        ids, k = self.patterns.ids, self.patterns.k
        best = ((ids != NONE) & (self.sizes[ids] > 0)).argmax(axis=1)
        for row in np.flatnonzero(best < self.masks):
            if self.sizes[self.own[row]] > k and self.sizes[ids[row, best[row]]]:
                self.move(np.array([row]), best[row : row + 1])

    def _leaving(self, rows: Integers) -> Integers:
        """Return those of some records that can leave their patterns: k or nobody stays."""
        k, own = self.patterns.k, self.own[rows]
        order = np.lexsort((-self.masks[rows], own))
        rows, own = rows[order], own[order]
        first = np.concatenate(([True], own[1:] != own[:-1]))
        place = np.arange(own.size) - np.flatnonzero(first)[np.cumsum(first) - 1]
        counts = np.bincount(own, minlength=self.sizes.size)
        sizes = self.sizes[own]
        free: Integers = rows[(counts[own] == sizes) | (place < sizes - k)]
        return free

    def _open(self) -> None:
        """Open patterns that at least k records are cheaper by, the most gain first."""
        patterns = self.patterns
        ids = patterns.ids
        cheaper = (ids != NONE) & (np.arange(ids.shape[1]) < self.masks[:, None])
        cheaper &= self.sizes[ids] == 0
        gains = self.costs[:, None] - patterns.costs
        total = np.bincount(ids[cheaper], gains[cheaper], minlength=patterns.count)
        many = np.bincount(ids[cheaper], minlength=patterns.count)
        for pattern in np.argsort(-total, kind="stable"):
            if total[pattern] <= LEAST:
                break
            if many[pattern] < patterns.k or self.sizes[pattern]:
                continue
            mask = int(patterns.masks[pattern])
            rows = patterns.members(int(pattern))
            rows = self._leaving(rows[patterns.costs[mask] < self.costs[rows] - LEAST])
            if rows.size >= patterns.k:
                self.move(rows, np.full(rows.size, mask))

    def _give_up(self) -> None:
        """Give up patterns whose records cost less, all together, by others in use."""
        for pattern in np.unique(self.own):
            rows = np.flatnonzero(self.own == pattern)
            to = self._cheapest(rows, int(pattern))
            if rows.size and (to != NONE).all():
                gain = self.costs[rows].sum() - self.patterns.costs[to].sum()
                if gain > LEAST:
                    self.move(rows, to)

    def perturb(self, random: np.random.Generator) -> None:
        """Give up one pattern, drawn by what it costs; where some match no other, it stays."""
        weights = np.bincount(self.own, self.costs, minlength=self.sizes.size)
        if weights.sum() <= 0.0:
            return
        pattern = int(random.choice(weights.size, p=weights / weights.sum()))
        rows = np.flatnonzero(self.own == pattern)
        to = self._cheapest(rows, pattern)
        if (to != NONE).all():
            self.move(rows, to)


def cheapest_masks(
    patterns: Patterns, groups: Integers, rounds: int, seed: int, report: Reporter
) -> Masks:
    """Return masks by greedy choice and by groups, the better of both after local search.

    Groups that are generalized by flat trees release what differs within them as suppressed: the
    search for the least ILoss by column weights is one for the fewest cells.
    """
    solutions = [
        Masks(patterns, one) for one in (first_masks(patterns), masks_of(patterns, groups))
    ]
    for one in solutions:
        one.descend(report)
    best = min(solutions, key=lambda one: one.cost)
    random = np.random.default_rng(seed)
    for done in range(rounds):
        report("suppressing", done, rounds)
        other = Masks(patterns, best.masks)
        other.perturb(random)
        other.descend(report)
        best = min(best, other, key=lambda one: one.cost)
    report("suppressing", rounds, rounds)
    return best


def masks_of(patterns: Patterns, groups: Integers) -> Integers:
    """Return the mask of every record by groups: the columns in which one's cells differ."""
    last = patterns.hidden.shape[1]
    powers = 1 << np.arange(last)
    number = np.empty(1 << last, dtype=np.int64)
    number[patterns.hidden @ powers] = np.arange(1 << last)
    masks = np.empty(groups.size, dtype=np.int64)
    for rows in rows_of_groups(np.array(groups)):
        own = patterns.codes[rows]
        varying = (own.max(axis=0) > own.min(axis=0)) | (own.min(axis=0) < 0)
        masks[rows] = number[int(varying @ powers)]
    return masks


def first_masks(patterns: Patterns) -> Integers:
    """Return a mask for every record, so that every pattern in use has at least k records.

    Mask by mask, from the cheapest on, all records are taken that at least k of those without one
    are equal with. The rest, fewer than k, join patterns in use; where they match none, everything
    of them is suppressed, and of as many others as k needs.
    """
    k, rows = patterns.k, patterns.rows
    masks = np.full(rows, NONE, dtype=np.int64)
    for mask in range(patterns.costs.size):
        free = np.flatnonzero(masks == NONE)
        own = patterns.ids[free, mask]
        counts = np.bincount(own[own != NONE], minlength=patterns.count)
        taken = (own != NONE) & (counts[np.maximum(own, 0)] >= k)
        masks[free[taken]] = mask
    free = np.flatnonzero(masks == NONE)
    if not free.size:
        return masks
    used = np.zeros(patterns.count + 1, dtype=bool)
    known = np.flatnonzero(masks != NONE)
    used[patterns.ids[known, masks[known]]] = True
    used[NONE] = False
    fits = used[patterns.ids[free]]
    if fits.any(axis=1).all():
        masks[free] = fits.argmax(axis=1)
        return masks
    masks[free] = patterns.costs.size - 1
    return _filled(patterns, masks, free.size)


def _filled(patterns: Patterns, masks: Integers, have: int) -> Integers:
    """Suppress all of as many more records as k needs: of large classes, else of whole ones."""
    k, last = patterns.k, patterns.costs.size - 1
    while have < k:
        others = np.flatnonzero(masks != last)
        own = patterns.ids[others, masks[others]]
        sizes = np.bincount(own, minlength=patterns.count)
        spare = np.flatnonzero(sizes[own] > k)
        if spare.size:
            dearest = others[spare[masks[others[spare]].argmax()]]
            masks[dearest], have = last, have + 1
        else:
            whole = others[own == own[masks[others].argmax()]]
            masks[whole], have = last, have + whole.size
    return masks


class Patterns:
    """All masks of some columns, the cheapest first, and the pattern of every record under each.

    `costs` (masks) is what a record costs under a mask, `hidden` (masks, columns) what it
    suppresses; `ids` (records, masks) numbers the patterns that at least k records match, NONE for
    others; `masks` has the mask of each pattern. A missing cell, of code -1, is released as a
    suppressed one in any case: all masks of its record have it, and it is `free`.
    """

    __repr__ = in_shape

    def __init__(self, codes: Integers, k: int, weights: Floats) -> None:
        rows, columns = codes.shape
        if not fits(rows, columns):
            raise RequestError(
                f"{rows:,} records of {columns} columns have too many combinations of suppressed "
                "cells; choose fewer columns"
            )
        hidden = (np.arange(1 << columns)[:, None] >> np.arange(columns) & 1).astype(bool)
        costs = hidden @ weights
        order = np.lexsort((np.arange(costs.size), costs))
        self.k, self.rows, self.codes = k, rows, codes
        self.hidden: Flags = hidden[order]
        self.costs: Floats = costs[order]
        self.ids: Integers = np.full((rows, costs.size), NONE, dtype=np.int64)
        missing = codes < 0
        self.free = float((missing @ weights).sum())
        values = _numbered(codes)
        masks: list[Integers] = []
        made = 0
        for mask, gone in enumerate(self.hidden):
            open_cells = (missing & ~gone).any(axis=1)
            own = _equal(values[:, ~gone])
            counts = np.bincount(own[~open_cells], minlength=int(own.max()) + 1)
            usable = np.flatnonzero(counts >= k)
            number = np.full(counts.size, NONE, dtype=np.int64)
            number[usable] = made + np.arange(usable.size)
            self.ids[:, mask] = np.where(open_cells, NONE, number[own])
            masks.append(np.full(usable.size, mask))
            made += usable.size
        self.masks: Integers = np.concatenate(masks)
        at = np.flatnonzero(self.ids.ravel() != NONE)
        by = np.argsort(self.ids.ravel()[at], kind="stable")
        ends = np.cumsum(np.bincount(self.ids.ravel()[at], minlength=made))
        self._members, self._ends = (at // costs.size)[by], ends

    @property
    def count(self) -> int:
        """The number of patterns."""
        return int(self.masks.size)

    @property
    def pairs(self) -> int:
        """The number of pairs of a record and a pattern that it matches."""
        return int(self._members.size)

    def members(self, pattern: int) -> Integers:
        """Return the records that match a pattern."""
        first = self._ends[pattern - 1] if pattern else 0
        return self._members[first : self._ends[pattern]]

    @property
    def bound(self) -> float:
        """What no solution costs less than: every record by its cheapest pattern."""
        usable = self.ids != NONE
        return float(self.costs[usable.argmax(axis=1)].sum()) - self.free


def fits(rows: int, columns: int) -> bool:
    """Tell whether all masks of so many records can be held."""
    return rows << columns <= MOST


def _numbered(codes: Integers) -> Integers:
    """Return every column's values by numbers from 0 on."""
    return np.stack([np.unique(one, return_inverse=True)[1] for one in codes.T], axis=1)


def _equal(values: Integers) -> Integers:
    """Return a number for every row, the same for equal rows; values are numbers from 0 on."""
    number = np.zeros(len(values), dtype=np.int64)
    many = 1
    for column in values.T:
        wide = int(column.max()) + 1
        if many * wide > np.iinfo(np.int64).max:
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
            many = int(number.max()) + 1
        number, many = number * wide + column, many * wide
    return np.unique(number, return_inverse=True)[1].astype(np.int64)


class Relaxation:
    """What no masks cost less than, by a price of every record.

    That every record has one mask is priced by u: a pattern p, whose cells cost c(p), is then used
    by the set S of at least k of its records for which the sum of c(p) - u(i) is least, if that is
    below 0. For any u, the sum of u and of these is a bound; the best u gives the bound of the
    linear programme over all groups. u climbs by subgradients with Polyak's step (Held, Wolfe and
    Crowder 1974, Validation of subgradient optimization, Mathematical Programming 6).
    """

    __repr__ = in_shape

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        usable = patterns.ids != NONE
        rows, masks = np.nonzero(usable)
        own = patterns.ids[rows, masks]
        by = np.argsort(own, kind="stable")
        self.records: Integers = rows[by]
        self.own: Integers = own[by]
        self.costs: Floats = patterns.costs[masks[by]]
        sizes = np.bincount(self.own, minlength=patterns.count)
        self.starts: Integers = np.cumsum(sizes) - sizes
        self.first: Flags = np.arange(self.own.size) - self.starts[self.own] < patterns.k
        self.prices: Floats = patterns.costs[usable.argmax(axis=1)].copy()
        self.bound = patterns.bound

    def climb(self, most: float, rounds: int, report: Reporter) -> float:
        """Return the bound after so many rounds; `most` is what known masks cost."""
        prices, factor, stalled = self.prices, 1.0, 0
        for done in range(rounds):
            report("bounding", done, rounds)
            bound, slope = self._relaxed(prices)
            if bound > self.bound * (1.0 + BETTER):
                self.bound, self.prices, stalled = bound, prices, 0
            else:
                stalled += 1
            if stalled > STALLS:
                prices, factor, stalled = self.prices, factor / SHORTER, 0
            steep = float(slope @ slope)
            if steep == 0.0 or factor < SHORTEST or most <= self.bound:
                break
            prices = prices + factor * max(most - bound, 0.0) / steep * slope
        report("bounding", rounds, rounds)
        return min(self.bound, most)

    def _relaxed(self, prices: Floats) -> tuple[float, Floats]:
        """Return the bound by some prices, less what missing cells need not cost, and its slope."""
        rows = prices.size
        order = np.argsort(-prices, kind="stable")
        rank = np.empty(rows, dtype=np.int64)
        rank[order] = np.arange(rows)
        base = self.own * rows
        records = order[np.sort(base + rank[self.records]) - base]  # of a pattern the dearest first
        reduced = self.costs - prices[records]
        used = (reduced < 0.0) | self.first
        values = np.add.reduceat(np.where(used, reduced, 0.0), self.starts)
        chosen = used & (values < 0.0)[self.own]
        slope: Floats = 1.0 - np.bincount(records[chosen], minlength=rows).astype(np.float64)
        bound = float(prices.sum() + np.minimum(values, 0.0).sum())
        return bound - self.patterns.free, slope
