"""A bound on what suppressed cells cost: the Lagrangian relaxation of the integer programme."""

from __future__ import annotations

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.methods.cells.patterns import NONE, Patterns
from shoal.progress import Reporter

STALLS = 20  # rounds without a better bound, after which steps are shorter
SHORTER = 1.5  # times
SHORTEST = 1e-3  # of a step's factor: no more is gained
BETTER = 1e-5  # a share of the bound: less is no gain


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
