"""Large neighborhoods: a group and its nearest ones are freed and regrouped."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import group_means
from shoal.methods.bounds.effort import Plan
from shoal.methods.bounds.generation import Remaining
from shoal.methods.bounds.integer import solve_part
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.partition import canonical_labels


class Around:
    """Chooses neighborhoods of a grouping, by the loss of its groups, and solves them.

    What was solved is not solved again before one of its groups has changed.
    """

    def __init__(self, matrix: Floats, k: int, rng: np.random.Generator) -> None:
        self.matrix, self.k, self.rng = matrix, k, rng
        self.done: set[bytes] = set()

    def choose(self, labels: Integers, count: int, records: int) -> list[Integers]:
        """Return the rows of up to `count` neighborhoods of about so many records, none shared."""
        means, sizes = group_means(self.matrix, labels), np.bincount(labels)
        apart = self.matrix - means[labels]
        losses = np.bincount(labels, (apart * apart).sum(axis=1))
        free = sizes < 2 * self.k
        chosen: list[Integers] = []
        for _ in range(4 * count):
            chances = np.where(free, losses, 0.0)
            if len(chosen) == count or not chances.sum() > 0.0:
                break
            group = int(self.rng.choice(sizes.size, p=chances / chances.sum()))
            away = means - means[group]
            order = np.argsort((away * away).sum(axis=1), kind="stable")
            order = order[free[order]]
            some = order[: max(2, int(np.searchsorted(np.cumsum(sizes[order]), records)))]
            rows = np.flatnonzero(np.isin(labels, some))
            if self._key(labels, rows) in self.done:
                losses[group] = 0.0  # another one
                continue
            free[some] = False
            chosen.append(rows)
        return chosen

    def solve(
        self, labels: Integers, rows: Integers, plan: Plan, remaining: Remaining = lambda: None
    ) -> Integers | None:
        """Return a better grouping of some rows, whose groups are whole; None if none was found."""
        own = np.unique(labels[rows], return_inverse=True)[1].astype(np.int64)
        losses = Gaps(squared_gaps(np.ascontiguousarray(self.matrix[rows])))
        return solve_part(losses, self.k, own, plan, remaining).labels

    def note(self, labels: Integers, rows: Integers) -> None:
        """Note that a neighborhood was solved."""
        if len(self.done) > 100_000:
            self.done.clear()
        self.done.add(self._key(labels, rows))

    @staticmethod
    def _key(labels: Integers, rows: Integers) -> bytes:
        own = np.unique(labels[rows], return_inverse=True)[1]
        return blake2b(rows.tobytes() + canonical_labels(own).tobytes(), digest_size=16).digest()
