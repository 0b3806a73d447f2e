"""Local search over masks: records shift, patterns open and are given up."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.cells.patterns import NONE, Patterns
from shoal.progress import Reporter

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
