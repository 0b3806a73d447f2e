"""`best`: rounds of searches, linear programmes, dives and neighborhoods until the budget is spent.

It begins with searches from random starts. Their groups are the first columns of the linear
programme of all records, which prices more of them, gives the bound, and is dived into; cuts
follow, and where groups are small the integer programme. From then on rounds alternate between
neighborhoods that are freed and solved, and new searches and dives. Where groups are large or
records many, regions have programmes of their own that are dived into, side by side; the programme
of all records, up to WHOLE of them, is then solved for the bound's sake. A round's result depends
on the seed and on the rounds before it, never on threads; with a time limit on the clock, too.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from shoal.bounds.generation import Generation
from shoal.bounds.integer import Plan, solve_integer
from shoal.bounds.prices import squared_gaps
from shoal.errors import interrupt
from shoal.measures.loss import percent, squared_error, squares
from shoal.partition import SearchLog, by_first_row
from shoal.progress import Reporter
from shoal.search.best.around import Around
from shoal.search.best.dive import dive, dive_into
from shoal.search.log import thinned
from shoal.search.neighbors import least_by_neighbors
from shoal.search.parameters import MOVES, Annealing, Fixed, Search, Stop
from shoal.search.run import search
from shoal.search.start import split_groups
from shoal.search.watch import Watch

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Job = TypeVar("Job")
Done = TypeVar("Done")
Step = Callable[[int], None]

ROUNDS = 12
WHOLE = 5_000  # records up to which the distances between all of them are kept: 200 MB
HANDY = 1_500  # records up to which the programme of all of them comes first
STARTS = 4
LARGE_GROUPS = 7  # k from which on groups are grown, and seldom proven to be the cheapest
SEARCH = 350_000  # iterations of a first search, times k²: about one and a half seconds
POLISH = 60_000
BRANCHES = 1_000_000  # of a root, when the programme of all records is priced
AT_ONCE = 8  # neighborhoods of a batch
BATCHES = 3
NEARBY = {2: 120, 3: 150, 4: 130, 5: 120, 6: 100}  # records of a neighborhood, by k
NEARBY_GROUPS = 8  # groups of a neighborhood where k is larger
REGION = {2: 700, 3: 600, 4: 450, 5: 400, 6: 300}  # records of a region, by k
REGION_RECORDS = 250  # where k is larger
REGIONS = 4  # of a round
INTEGER_K = 4  # up to here the integer programme of all records is worth its time

PARTS = "search", "dive", "programme", "neighborhood"
ELITE = 16  # groupings whose groups may become columns

SMALL_PLAN = Plan(
    climb=15, branches=200, limit=2_000, cuts=4, listed=2_500, columns=1_500, nodes=20
)
GROWN_PLAN = Plan(
    climb=15, branches=20, rounds=20, limit=20, cuts=1, listed=500, columns=1_000, nodes=10
)
ANNEALED = Search(moves=MOVES, samples=5, acceptance=Annealing())
STEADY = Search(moves=MOVES, samples=5, acceptance=Fixed())


class _Job(NamedTuple):
    """One search: where it begins (None: anywhere), how long it is, its seed, how it goes."""

    start: Integers | None
    iterations: int
    seeds: tuple[int, int]
    how: Search


def best(
    matrix: Floats,
    k: int,
    start: Integers | None,
    options: Search,
    seed: int,
    report: Reporter,
    threads: int | None = None,
) -> tuple[Integers, SearchLog, tuple[float, bool]]:
    """Return the best grouping found, how, and (the least SSE of any grouping, whether complete).

    Requires 2 <= k and 2k rows; a start has groups 0, 1, ... of at least k records. Never more loss
    than the start had.
    """
    return _Best(matrix, k, start, options, seed, report, threads).run()


class _Best:
    def __init__(
        self,
        matrix: Floats,
        k: int,
        start: Integers | None,
        options: Search,
        seed: int,
        report: Reporter,
        threads: int | None,
    ) -> None:
        self.matrix, self.k, self.options = matrix, k, options
        self.rows, self.seed = matrix.shape[0], seed
        self.threads = threads or os.cpu_count() or 1
        self.total = float(squares(matrix - matrix.mean(axis=0)).sum())
        self.watch = Watch(options, report, ROUNDS)
        self.grown = k >= LARGE_GROUPS
        self.plan = GROWN_PLAN if self.grown else SMALL_PLAN
        self.nearby = NEARBY.get(k, NEARBY_GROUPS * k + k // 2)
        self.region = REGION.get(k, max(REGION_RECORDS, NEARBY_GROUPS * k + k // 2))
        self.labels = start
        self.cost = np.inf if start is None else self._cost(start)
        self.start_cost = self.cost
        self.generation: Generation | None = None
        self.unit = 1.0
        self.bound = least_by_neighbors(matrix, k, report)
        self.complete = self.proven = False
        self.elite: deque[Integers] = deque(maxlen=ELITE)
        self.by_part = {name: {"applied": 0.0, "improved": 0.0, "gain": 0.0} for name in PARTS}

    def run(self) -> tuple[Integers, SearchLog, tuple[float, bool]]:
        rng = np.random.default_rng([self.seed, 1])
        self.around = Around(self.matrix, self.k, rng)
        before, interrupt.anytime = interrupt.anytime, True
        try:
            if self.labels is not None:
                self._take("search", split_groups(self.matrix, self.labels, self.k))
            self._search_from_starts(0)
            self._note()
            while not self._told_to_stop():
                self._round(self.watch.done)
                self.watch.done += 1
                self._note()
        finally:
            interrupt.anytime = before
        assert self.labels is not None
        labels = by_first_row(self.labels)
        bound = min(self.bound, self.cost)
        return labels, self._log(labels), (bound, self.complete or self.proven)

    def _round(self, number: int) -> None:
        """Do what comes next."""
        if not self.grown and self.rows <= HANDY:
            first: list[Step] = [self._programme, self._cut, self._integer]
            cycle: list[Step] = [self._neighborhoods, self._neighborhoods, self._again]
        else:
            first = [self._neighborhoods, self._regions, self._regions]
            if not self.grown and self.rows <= WHOLE:
                first.append(self._bound_alone)
            cycle = [self._neighborhoods, self._regions, self._regions, self._search_from_starts]
        if self.rows <= self.nearby:  # one neighborhood is the whole table
            cycle = [self._again]
        if number < len(first):
            first[number](number)
        else:
            cycle[(number - len(first)) % len(cycle)](number)

    # What a round may do

    def _search_from_starts(self, number: int) -> None:
        """Search from random starts, side by side."""
        longer = 1 + number // 4  # the later, the longer
        iterations = self._iterations(longer * SEARCH)
        jobs = [_Job(None, iterations, (number, i), ANNEALED) for i in range(STARTS)]
        if self.rows > WHOLE:
            jobs = [_Job(self.labels, self._iterations(POLISH), (number, 0), STEADY)]
        for labels in self._searches(jobs):
            self._take("search", labels)

    def _programme(self, number: int) -> None:
        """Make the linear programme of all records, solve it and dive into it."""
        self._make_programme()
        generation = self.generation
        if generation is None:
            return
        generation.climb(20, 500)
        self._converge()
        self._dives((0.7, 0.5), number)

    def _cut(self, number: int) -> None:
        """Add cuts, and dive again."""
        if self.generation is None:
            return
        self.generation.cut(10, 500, BRANCHES)
        self._learn()
        self._dives((0.7, 0.85), number)

    def _integer(self, number: int) -> None:
        """Solve the integer programme over the columns that matter; it may prove the best."""
        if self.generation is None or self.k > INTEGER_K or self.proven:
            self._neighborhoods(number)
            return
        assert self.labels is not None
        count = 3 * self.rows
        plan = Plan(listed=60_000, limit=BRANCHES, columns=count, nodes=40)
        self._update()
        found = solve_integer(self.generation, self.labels, plan)
        self.bound = max(self.bound, found.bound * self.unit)
        self.proven = self.proven or found.proven
        if found.labels is not None:
            self._take("programme", found.labels)

    def _again(self, number: int) -> None:
        """Search from new starts, take their groups for columns, and dive at another depth."""
        self._search_from_starts(number)
        if self.generation is None:
            return
        self._update()
        self._converge()
        rng = np.random.default_rng([self.seed, 2, number])
        self._dives((float(rng.uniform(0.4, 0.95)),), number)
        if self.k <= INTEGER_K and not self.proven and number % 2 == 0:
            self._integer(number)

    def _neighborhoods(self, number: int) -> None:
        """Free neighborhoods where the loss is, and solve them, some side by side."""
        for batch in range(BATCHES):
            if batch and self._over():
                return
            wide = self.nearby * float(self.around.rng.uniform(0.7, 1.6))
            self._free(int(wide), max(AT_ONCE, self.rows // 300))
        self._polish(number)

    def _regions(self, number: int) -> None:
        """Dive into the programmes of some regions, side by side, and search from there."""
        assert self.labels is not None
        labels = self.labels
        rng = np.random.default_rng([self.seed, 4, number])
        share = float(rng.uniform(0.6, 0.9))

        def solve(rows: Integers) -> Integers | None:
            if self._over():
                return None
            own = np.unique(labels[rows], return_inverse=True)[1].astype(np.int64)
            part = np.ascontiguousarray(self.matrix[rows])
            return dive_into(part, self.k, own, self.plan, share, self.grown, self._remaining)

        places = self.around.choose(labels, REGIONS, self.region)
        self._join("dive", labels, places, self._side_by_side(solve, places))
        self._polish(number)

    def _bound_alone(self, _: int) -> None:
        """Solve the programme of all records, and cut it, for the bound."""
        self._make_programme()
        if self.generation is not None:
            self.generation.climb(20, 500)
            self._converge()
            self.generation.cut(10, 500, BRANCHES)
            self._learn()
            self.generation = None  # its distances take the most memory

    # What those are made of

    def _free(self, records: int, count: int) -> None:
        assert self.labels is not None
        labels = self.labels
        places = self.around.choose(labels, count, records)

        def solve(rows: Integers) -> Integers | None:
            if self._over():
                return None
            return self.around.solve(labels, rows, self.plan, self.grown, self._remaining)

        self._join("neighborhood", labels, places, self._side_by_side(solve, places))

    def _join(
        self, part: str, labels: Integers, places: list[Integers],
        found: list[Integers | None],
    ) -> None:  # fmt: skip
        """Put what was found in some places together."""
        better = labels.copy()
        for rows, own in zip(places, found, strict=True):
            if not self._over():
                self.around.note(labels, rows)
            if own is not None:
                better[rows] = int(better.max()) + 1 + own
        self._take(part, by_first_row(better))

    def _polish(self, number: int) -> None:
        """Search a little from the best so far."""
        job = _Job(self.labels, self._iterations(POLISH), (number, 0), STEADY)
        for polished in self._searches([job]):
            self._take("search", polished)

    def _make_programme(self) -> None:
        assert self.labels is not None
        self.unit = self.cost / self.rows
        if self.cost <= 1e-14 * self.total:
            self.bound, self.proven = 0.0, True
            return
        gaps = squared_gaps(self.matrix) / self.unit
        if not np.isfinite(gaps).all():  # numbers that no programme can weigh
            return
        self.generation = Generation(
            gaps, self.k, self.labels, remaining=self._remaining, threads=self.threads
        )
        for labels in self.elite:
            self.generation.columns.add_grouping(labels, gaps)
        self._learn()

    def _converge(self) -> None:
        assert self.generation is not None
        self.generation.converge(60, 500, BRANCHES)
        self._learn()

    def _update(self) -> None:
        """Tell the programme of the best grouping and of the groups that searches found."""
        assert self.generation is not None
        self.generation.upper = min(self.generation.upper, self.cost / self.unit)
        for labels in self.elite:
            self.generation.columns.add_grouping(labels, self.generation.gaps)

    def _learn(self) -> None:
        """Take over the programme's bound."""
        assert self.generation is not None
        self.bound = max(self.bound, self.generation.bound * self.unit)
        self.complete = self.complete or self.generation.complete

    def _dives(self, shares: tuple[float, ...], number: int) -> None:
        """Dive at some depths, search from there."""
        generation = self.generation
        if generation is None or self.proven:
            return
        for i, share in enumerate(shares):
            if self._over():
                return
            labels = dive(self.matrix, generation, share, self.plan, self.grown)
            if labels is None:
                return
            self._take("dive", split_groups(self.matrix, labels, self.k))
            job = _Job(labels, self._iterations(POLISH), (number, 10 + i), STEADY)
            for polished in self._searches([job]):
                self._take("dive", polished)

    def _iterations(self, work: int) -> int:
        iterations = min(work // self.k**2, self.rows * self.rows // 4)
        return max(200, int(iterations))

    def _searches(self, jobs: list[_Job]) -> list[Integers]:
        """Search from some starts, side by side."""

        def run(job: _Job) -> Integers:
            stop = Stop(iterations=job.iterations, seconds=self._remaining())
            options = replace(job.how, stop=stop, schedule=job.iterations)
            seed = int(np.random.SeedSequence([self.seed, 3, *job.seeds]).generate_state(1)[0])
            labels, _ = search(self.matrix, self.k, job.start, options, seed, Reporter(None), 1)
            return split_groups(self.matrix, labels, self.k)

        return self._side_by_side(run, jobs)

    def _side_by_side(self, work: Callable[[Job], Done], jobs: Sequence[Job]) -> list[Done]:
        if self.threads == 1 or len(jobs) < 2:
            return [work(job) for job in jobs]
        with ThreadPoolExecutor(min(self.threads, len(jobs))) as pool:
            return list(pool.map(work, jobs))

    # The best so far, and what is told of it

    def _cost(self, labels: Integers) -> float:
        return float(squared_error(self.matrix, labels).sum())

    def _take(self, part: str, labels: Integers) -> None:
        """Take a grouping for the best one if it is; its groups become columns."""
        cost = self._cost(labels)
        self.elite.append(labels)
        figures = self.by_part[part]
        figures["applied"] += 1
        if self.labels is None or cost < self.cost * (1.0 - 1e-12):
            if np.isfinite(self.cost):
                figures["improved"] += 1
                figures["gain"] += percent(self.cost - cost, self.total)
            else:
                self.start_cost = cost
            self.labels, self.cost = labels, cost

    def _remaining(self) -> float | None:
        """Return the seconds that are left, None without a limit; none after an interrupt."""
        if interrupt.finish:
            return 0.0
        given = self.watch.seconds_given
        return None if given is None else given - self.watch.seconds

    def _over(self) -> bool:
        left = self._remaining()
        return left is not None and left <= 0.0

    def _note(self) -> None:
        self.watch.note(self.watch.done, np.array([percent(self.cost, self.total)]))

    def _told_to_stop(self) -> bool:
        """Report; tell whether rounds, clock, target, proof, callback or user end it."""
        loss, stop = percent(self.cost, self.total), self.options.stop
        assert self.labels is not None
        look = self.watch.look(
            loss, loss, groups=int(self.labels.max()) + 1,
            tried=sum(int(part["applied"]) for part in self.by_part.values()),
            applied=sum(int(part["improved"]) for part in self.by_part.values()),
        )  # fmt: skip
        if self.watch.told_to_stop(look):
            return True
        waited = self.watch.done - (self.watch.curve[-1][0] if self.watch.curve else 0)
        if self.proven:
            self.watch.stopped_by = "proof"
        elif stop.target is not None and loss <= stop.target:
            self.watch.stopped_by = "target"
        elif stop.patience is not None and waited >= stop.patience:
            self.watch.stopped_by = "patience"
        return bool(self.watch.stopped_by)

    def _log(self, labels: Integers) -> SearchLog:
        end = percent(self._cost(labels), self.total)
        return SearchLog(
            iterations=self.watch.done,
            runs=1,
            schedule=max(1, self.watch.done),
            stopped_by=self.watch.stopped_by,
            seconds=self.watch.seconds,
            loss_start=percent(self.start_cost, self.total),
            loss_first_optimum=self.watch.curve[0][1],
            loss_end=end,
            curve=thinned(self.watch.curve, self.watch.done, end),
            gains=self.by_part,
            pairs_examined=0,
            pairs_by_pass=[],
        )
