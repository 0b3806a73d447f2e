"""Steps of a round of `best`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import is_nothing
from shoal.methods.bounds.cuts import NOBODY
from shoal.methods.bounds.generation import Generation, Plan, Remaining
from shoal.methods.bounds.integer import solve_integer, solve_part
from shoal.methods.bounds.large_groups import least_by_pairs
from shoal.methods.bounds.losses import cost_of
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.ils.driver import split_groups
from shoal.methods.ils.neighbors import least_by_neighbors
from shoal.methods.ils.parameters import Task
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

FEW = 120  # records that are left to the integer programme
ROUNDS = 8  # of a programme on the way
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


# Diving heuristic: a partition from the fractional solution of the linear programme.
#
# The groups that the programme takes for the most part are taken; the programme of the records that
# are left is solved, and so on, until few are left: their best grouping is found.


def dive(
    matrix: Floats, generation: Generation, share: float, plan: Plan, cuts: int = 0
) -> Integers | None:
    """Return a grouping by a programme that is solved; None where the time was not enough.

    Groups of which the programme takes at least `share` are taken, and always one. `cuts` are the
    rounds of cuts on the way, after each step.
    """
    k, here = generation.k, generation
    brief = replace(plan, rounds=ROUNDS, limit=plan.branches, cuts=cuts)
    rows, groups = np.arange(generation.rows), list[Integers]()
    while True:
        if here.solved is None or here.over():
            return None
        taken = _take(here, share)
        groups += [rows[group] for group in taken]
        used = np.zeros(rows.size, dtype=bool)
        used[np.concatenate(taken)] = True
        left = np.flatnonzero(~used)
        if left.size < 2 * k:
            if left.size:
                groups.append(rows[left])
            break
        start = mdav(np.ascontiguousarray(matrix[rows[left]]), k, Reporter(None))
        if left.size <= FEW:
            losses = here.losses.take(left)
            solution = solve_part(losses, k, start, plan, here.remaining)
            best = start if solution.labels is None else solution.labels
            groups += [rows[left[best == group]] for group in range(int(best.max()) + 1)]
            break
        here = here.inside(left, start)
        here.converge(brief)
        if cuts:
            here.cut(brief)
        rows = rows[left]
    labels = np.empty(generation.rows, dtype=np.int64)
    for label, group in enumerate(groups):
        labels[group] = label
    return labels


def dive_into(
    matrix: Floats, k: int, labels: Integers, plan: Plan, share: float, remaining: Remaining
) -> Integers | None:
    """Return the grouping that a dive into a region's own programme finds, if it loses less.

    labels (n) from 0: a grouping of the region's records into groups of k to 2k - 1.
    """
    losses = Gaps(squared_gaps(matrix))
    generation = Generation.scaled(losses, k, labels, remaining=remaining, threads=1)
    if generation is None:
        return None
    generation.raise_bound(plan)
    better = dive(matrix, generation, share, plan)
    if better is None or cost_of(losses, better) >= cost_of(losses, labels):
        return None
    return better


def _take(here: Generation, share: float) -> list[Integers]:
    """Return disjoint groups that a programme takes for the most part; the rest can be grouped."""
    assert here.solved is not None
    values = here.solved.values
    members = here.columns.members
    used, left = np.zeros(here.rows, dtype=bool), here.rows
    taken: list[Integers] = []
    for column in np.argsort(-values, kind="stable"):
        if taken and values[column] < share:
            break
        group = members[column][members[column] != NOBODY]
        after = left - group.size
        if used[group].any() or 0 < after < here.k:
            continue
        used[group] = True
        left = after
        taken.append(group)
    return taken
