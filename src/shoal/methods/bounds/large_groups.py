"""Bounds where groups are large: by pairs of records instead of groups."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import ROUNDED
from shoal.methods.bounds.pairs import least_by_pairs
from shoal.methods.bounds.semidefinite import Semidefinite
from shoal.progress import Reporter

# steps of the semidefinite relaxation at most, and steps times n³; a step takes about 0.5 ns n³
WORK = {"quick": (0, 0.0), "normal": (200, 7e10), "best": (1_000, 6e11)}
FEWEST = 40  # steps: with fewer it has hardly begun to gain
A_CERTIFICATE = 20  # steps between two certificates
SETTLED = 2e-5  # a share of the bound: where steps between two certificates gain less they end


def steps_by(effort: str, rows: int) -> int:
    """Return how many steps of the semidefinite relaxation an effort makes, 0 if too few."""
    most, work = WORK[effort]
    steps = min(most, int(work / rows**3))
    return steps if steps >= FEWEST else 0


class LargeGroups:
    """The pair bound of a table, and the semidefinite bound above it.

    `gaps` (n, n) are finite squared distances, `labels` a good grouping whose cost is `upper`,
    above 0. `least` never exceeds the cost of any grouping; `relaxation` has the certificate.
    """

    def __init__(
        self, gaps: Floats, k: int, labels: Integers, upper: float,
        over: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.gaps, self.k, self.labels, self.over = gaps, k, labels, over
        self.unit = upper / labels.size
        self.least = 0.0
        self.by_record = np.zeros(labels.size)
        self.relaxation: Semidefinite | None = None

    def bound_by_pairs(self) -> None:
        """Find the pair bound."""
        self.least, self.by_record = least_by_pairs(self.gaps, self.k, self.over)

    def raise_bound(self, steps: int, report: Reporter) -> None:
        """Make some steps of the semidefinite relaxation, and keep what is proven."""
        if steps == 0:
            return
        scale = 1.0 / (2.0 * self.k * self.unit)
        relaxation = Semidefinite(self.gaps * scale, self.k, self.labels, self.by_record * scale)
        self.relaxation = relaxation
        with suppress(np.linalg.LinAlgError):  # what is proven by then is a bound all the same
            try:
                self._step(relaxation, steps, report)
            finally:
                relaxation.certify()
                proven = relaxation.bound * self.unit * (1.0 - ROUNDED)
                self.least = max(self.least, proven)

    def _step(self, relaxation: Semidefinite, steps: int, report: Reporter) -> None:
        """Step until the bound hardly rises, or the time is up."""
        before = -np.inf
        for step in range(steps):
            report("bounding", step, steps)
            if self.over():
                return
            relaxation.step()
            if step % A_CERTIFICATE == A_CERTIFICATE - 1:
                relaxation.certify()
                if relaxation.bound < before * (1.0 + SETTLED):
                    return
                before = relaxation.bound
