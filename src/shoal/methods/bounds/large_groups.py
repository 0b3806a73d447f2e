"""Bounds where groups are large: pairs of records instead of groups, by effort."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from shoal.errors import Canceled
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import ROUNDED
from shoal.methods.bounds.pairs import least_by_pairs
from shoal.methods.bounds.semidefinite import Semidefinite
from shoal.progress import Reporter

WORK = {"quick": 0.0, "normal": 7e10, "best": 6e11}  # steps times n³; a step is about 0.6 ns of it
FEWEST, MOST = 40, 1_000  # steps: with fewer the relaxation has hardly begun to gain
CERTIFIED = 20  # steps between two certificates


def steps_by(effort: str, rows: int) -> int:
    """Return how many steps of the semidefinite relaxation an effort makes, 0 if too few."""
    steps = min(MOST, int(WORK[effort] / rows**3))
    return steps if steps >= FEWEST else 0


class LargeGroups:
    """The pair bound of a table, and the semidefinite bound above it.

    `gaps` (n, n) are finite squared distances, `labels` a good grouping whose cost is `upper`, above
    0. `least` never exceeds the cost of any grouping.
    """

    def __init__(
        self, gaps: Floats, k: int, labels: Integers, upper: float, over: Callable[[], bool]
    ) -> None:
        self.gaps, self.k, self.labels, self.over = gaps, k, labels, over
        self.unit = upper / labels.size
        self.least, self.by_record = least_by_pairs(gaps, k, over)
        self.relaxation: Semidefinite | None = None

    def raise_bound(self, steps: int, report: Reporter) -> None:
        """Make some steps of the semidefinite relaxation, and keep what is proven."""
        if steps == 0 or self.over():
            return
        scale = 1.0 / (2.0 * self.k * self.unit)
        relaxation = Semidefinite(self.gaps * scale, self.k, self.labels, self.by_record * scale)
        self.relaxation = relaxation
        with suppress(Canceled, np.linalg.LinAlgError):  # what is proven by then is a bound
            for step in range(steps):
                report("bounding", step, steps)
                if self.over():
                    break
                relaxation.step()
                if step % CERTIFIED == CERTIFIED - 1:
                    relaxation.certify()
        with suppress(np.linalg.LinAlgError):
            relaxation.certify()
        self.least = max(self.least, relaxation.bound * self.unit * (1.0 - ROUNDED))
