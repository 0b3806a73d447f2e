"""Steps of a round of `best`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import is_nothing
from shoal.methods.bounds.effort import Plan
from shoal.methods.bounds.generation import Generation
from shoal.methods.bounds.integer import solve_integer
from shoal.methods.bounds.pairs import least_by_pairs
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.ils.neighbors import least_by_neighbors
from shoal.methods.ils.start import split_groups
from shoal.methods.ils.task import Task
from shoal.methods.matheuristic.dive import dive, dive_into
from shoal.methods.matheuristic.incumbent import (
    ANNEALED,
    POLISH,
    SEARCH,
    STARTS,
    STEADY,
    Incumbent,
    Start,
)
from shoal.progress import Reporter

AFFORDABLE = 110_000  # records times k² up to which the programme of all is solved for the bound
WHOLE = 5_000  # records up to which the distances between all of them are kept: 200 MB
LARGE_GROUPS = 7  # k from which on groups are grown, and seldom proven to be the cheapest
INTEGER_K = 4  # up to here the integer programme of all records is worth its time
AT_ONCE = 8  # neighborhoods of a batch
BATCHES = 3
NEARBY = {2: 120, 3: 150, 4: 130, 5: 120, 6: 100}  # records of a neighborhood, by k
NEARBY_GROUPS = 8  # groups of a neighborhood where k is larger
REGION = {2: 700, 3: 600, 4: 450, 5: 400, 6: 300}  # records of a region, by k
REGION_RECORDS = 250  # where k is larger
REGIONS = 4  # of a round

SMALL_PLAN = Plan(
    climb=15, branches=200, limit=2_000, cuts=4, listed=2_500, columns=1_500, nodes=20
)
GROWN_PLAN = Plan(
    climb=15, branches=20, rounds=20, limit=20, cuts=1, listed=500, columns=1_000, nodes=10,
    grown=True,
)  # fmt: skip
WHOLE_PLAN = Plan(climb=20, branches=500, limit=1_000_000, cuts=10, listed=60_000, nodes=40)


@dataclass(frozen=True)
class Sizes:
    """Records up to which all distances are kept, and up to which their programme comes first."""

    whole: int = WHOLE
    handy: int = 1_500


USUAL = Sizes()


class Steps(Incumbent):
    """The steps, with the programme of all records, and its bound."""

    def __init__(self, matrix: Floats, task: Task, report: Reporter, sizes: Sizes = USUAL) -> None:
        super().__init__(matrix, task, report)
        self.sizes = sizes
        k = self.k
        self.grown = k >= LARGE_GROUPS
        self.plan = GROWN_PLAN if self.grown else SMALL_PLAN
        self.nearby = NEARBY.get(k, NEARBY_GROUPS * k + k // 2)
        self.region = REGION.get(k, max(REGION_RECORDS, self.nearby))
        self.generation: Generation | None = None
        self.bound = least_by_neighbors(self.matrix, k, report)
        self.complete = self.proven = False

    def search_from_starts(self, number: int) -> None:
        """Search from random starts, side by side."""
        longer = min(1 + number // 4, 4)  # the later, the longer
        iterations = self.iterations(longer * SEARCH)
        jobs = [Start(None, iterations, (number, i), ANNEALED) for i in range(STARTS)]
        if self.rows > self.sizes.whole:
            jobs = [Start(self.labels, self.iterations(POLISH), (number, 0), STEADY)]
        for labels in self.searches(jobs):
            self.take("search", labels)

    def programme(self, number: int) -> None:
        """Make the linear programme of all records, solve it and dive into it."""
        self._make_programme()
        if self.generation is None:
            return
        cheap = self.k <= INTEGER_K  # there cuts are, and the dive is better for them
        self.generation.raise_bound(WHOLE_PLAN if cheap else replace(WHOLE_PLAN, cuts=0))
        self._learn()
        self._dives((0.7,), number)

    def cut(self, number: int) -> None:
        """Add cuts, and dive again."""
        if self.generation is None:
            return
        self.generation.cut(WHOLE_PLAN)
        self._learn()
        self._dives((0.85, 0.5) if self.k <= INTEGER_K else (0.7, 0.85), number)

    def integer(self, number: int) -> None:
        """Solve the integer programme over the columns that matter; it may prove the best."""
        if self.generation is None or self.k > INTEGER_K or self.proven:
            self.neighborhoods(number)
            return
        self._choose()

    def _choose(self) -> None:
        """Choose among the columns by the integer programme."""
        assert self.generation is not None
        assert self.labels is not None
        self._update()
        plan = replace(WHOLE_PLAN, columns=3 * self.rows)
        solution = solve_integer(self.generation, self.labels, plan)
        self.bound = max(self.bound, solution.bound * self.generation.unit)
        self.proven = self.proven or solution.proven
        if solution.labels is not None:
            self.take("programme", solution.labels)

    def again(self, number: int) -> None:
        """Search from new starts, take their groups for columns, and dive at another depth."""
        self.search_from_starts(number)
        if self.generation is None:
            return
        self._update()
        self.generation.converge(WHOLE_PLAN)
        self._learn()
        rng = np.random.default_rng([self.seed, 2, number])
        self._dives((float(rng.uniform(0.4, 0.95)),), number)
        if self.k <= INTEGER_K and not self.proven and number % 2 == 0:
            self.integer(number)

    def neighborhoods(self, number: int) -> None:
        """Free neighborhoods where the loss is, and solve them, some side by side."""
        for batch in range(BATCHES):
            if batch and self.over():
                return
            wide = self.nearby * float(self.around.rng.uniform(0.7, 1.6))
            self._free(int(wide), max(AT_ONCE, self.rows // 300))
        self.polish(number)

    def regions(self, number: int) -> None:
        """Dive into the programmes of some regions, side by side, and search from there."""
        assert self.labels is not None
        labels = self.labels
        rng = np.random.default_rng([self.seed, 4, number])
        share = float(rng.uniform(0.6, 0.9))

        def solve(rows: Integers) -> Integers | None:
            if self.over():
                return None
            own = np.unique(labels[rows], return_inverse=True)[1].astype(np.int64)
            part = np.ascontiguousarray(self.matrix[rows])
            return dive_into(part, self.k, own, self.plan, share, self.remaining)

        places = self.around.choose(labels, REGIONS, self.region)
        self.join("dive", labels, places, self.side_by_side(solve, places))
        self.polish(number)

    def bound_alone(self, _: int) -> None:
        """Solve the programme of all records, and cut it, for the bound."""
        self._make_programme()
        if self.generation is not None:
            self.generation.raise_bound(WHOLE_PLAN)
            self._learn()
            if self.k <= INTEGER_K and not self.over():
                self._choose()
            self.generation = None  # its distances take the most memory

    def bound_by_pairs(self) -> None:
        """Bound the loss by pairs of records, where there is room for their distances."""
        if self.rows > self.sizes.whole or self.over():
            return
        gaps = squared_gaps(self.matrix)
        if np.isfinite(gaps).all():
            self.bound = max(self.bound, least_by_pairs(gaps, self.k, self.over)[0])

    def _free(self, records: int, count: int) -> None:
        assert self.labels is not None
        labels = self.labels
        places = self.around.choose(labels, count, records)

        def solve(rows: Integers) -> Integers | None:
            if self.over():
                return None
            return self.around.solve(labels, rows, self.plan, self.remaining)

        self.join("neighborhood", labels, places, self.side_by_side(solve, places))

    def _make_programme(self) -> None:
        assert self.labels is not None
        if is_nothing(self.cost, self.matrix):
            self.proven = True
            return
        self.generation = Generation.scaled(
            Gaps(squared_gaps(self.matrix)), self.k, self.labels, others=self.elite,
            remaining=self.remaining, threads=self.workers,
        )  # fmt: skip
        if self.generation is not None:
            self._learn()

    def _update(self) -> None:
        """Add the incumbent and the groups of searches to the programme."""
        assert self.generation is not None
        self.generation.upper = min(self.generation.upper, self.cost / self.generation.unit)
        for labels in self.elite:
            self.generation.columns.add_grouping(labels, self.generation.losses)

    def _learn(self) -> None:
        """Take over the programme's bound."""
        assert self.generation is not None
        self.bound = max(self.bound, self.generation.least)
        self.complete = self.complete or self.generation.complete

    def _dives(self, shares: tuple[float, ...], number: int) -> None:
        """Dive at some depths, search from there."""
        generation = self.generation
        if generation is None or self.proven:
            return
        for i, share in enumerate(shares):
            if self.over():
                return
            labels = dive(self.matrix, generation, share, self.plan)
            if labels is None:
                return
            self.take("dive", split_groups(self.matrix, labels, self.k))
            job = Start(labels, self.iterations(POLISH), (number, 10 + i), STEADY)
            for polished in self.searches([job]):
                self.take("dive", polished)
