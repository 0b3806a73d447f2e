"""Incumbent of `best`: the best partition so far, the clock, and parallel searches."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import group_means, percent, squared_error, total_squares
from shoal.methods.bounds.generation import Plan, Remaining
from shoal.methods.bounds.integer import solve_part
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.ils.driver import Watch, split_groups
from shoal.methods.ils.parameters import MOVES, Annealing, Fixed, Search, Stop, Task
from shoal.methods.ils.search import search
from shoal.partition import canonical_labels
from shoal.progress import Reporter

Job = TypeVar("Job")
Done = TypeVar("Done")
ROUNDS = 12
STARTS = 4  # searches of a round
SEARCH = 350_000  # iterations of a first search, times k²: about one and a half seconds
POLISH = 60_000
PARTS = "search", "dive", "programme", "neighborhood"
ELITE = 16  # groupings whose groups may become columns
ANNEALED = Search(moves=MOVES, samples=5, acceptance=Annealing())
STEADY = Search(moves=MOVES, samples=5, acceptance=Fixed())


class Start(NamedTuple):
    """One search: start (None: random), iterations, seed and parameters."""

    start: Integers | None
    iterations: int
    seeds: tuple[int, int]
    how: Search


class Incumbent:
    """The state that all steps share. `number` is that of a round, part of its seeds."""

    threads = 1  # of rounds, which come one after the other

    def __init__(self, matrix: Floats, task: Task, report: Reporter) -> None:
        k, start, seed, self.options = task.k, task.start, task.seed, task.options
        self.matrix, self.k, self.report = matrix, k, report
        self.rows, self.seed = matrix.shape[0], seed
        self.workers = task.threads or os.cpu_count() or 1
        self.total = total_squares(matrix)
        self.watch = Watch(self.options, report, ROUNDS)
        self.start_cost = np.inf if start is None else self.cost_of(start)
        self.labels = None if start is None else split_groups(matrix, start, k)
        self.cost = np.inf if self.labels is None else self.cost_of(self.labels)
        self.around = Around(matrix, k, np.random.default_rng([seed, 1]))
        self.elite: deque[Integers] = deque(maxlen=ELITE)
        self.by_part = {name: {"applied": 0.0, "improved": 0.0, "gain": 0.0} for name in PARTS}

    def cost_of(self, labels: Integers) -> float:
        """Return SSE of a grouping."""
        return float(squared_error(self.matrix, labels).sum())

    def take(self, part: str, labels: Integers) -> None:
        """Update the incumbent if a grouping is better; its groups become columns."""
        cost = self.cost_of(labels)
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

    def remaining(self) -> float | None:
        """Return the seconds that are left, None without a limit; none when asked to finish."""
        self.report.stop.check()
        if self.report.stop.finish:
            return 0.0
        given = self.watch.seconds_given
        return None if given is None else given - self.watch.seconds

    def over(self) -> bool:
        """Tell whether the time is up."""
        left = self.remaining()
        return left is not None and left <= 0.0

    def iterations(self, work: int) -> int:
        """Return how many iterations are so much work, and not too much for a small table."""
        iterations = min(work // self.k**2, self.rows * self.rows // 4)
        return max(200, int(iterations))

    def searches(self, jobs: list[Start]) -> list[Integers]:
        """Search from some starts, side by side."""

        def run(job: Start) -> Integers:
            stop = Stop(iterations=job.iterations, seconds=self.remaining())
            options = replace(job.how, stop=stop, schedule=job.iterations)
            seed = int(np.random.SeedSequence([self.seed, 3, *job.seeds]).generate_state(1)[0])
            task = Task(self.k, job.start, options, seed, threads=1)
            labels, _ = search(self.matrix, task, self.report.quiet())
            return split_groups(self.matrix, labels, self.k)

        return self.side_by_side(run, jobs)

    def side_by_side(self, work: Callable[[Job], Done], jobs: Sequence[Job]) -> list[Done]:
        """Run a function for all jobs on threads."""
        if self.workers == 1 or len(jobs) < 2:
            return [work(job) for job in jobs]
        with ThreadPoolExecutor(min(self.workers, len(jobs))) as pool:
            return list(pool.map(work, jobs))

    def join(
        self, part: str, labels: Integers, places: list[Integers],
        parts: list[Integers | None],
    ) -> None:  # fmt: skip
        """Join the better groupings of some places."""
        better = labels.copy()
        for rows, own in zip(places, parts, strict=True):
            if not self.over():
                self.around.note(labels, rows)
            if own is not None:
                better[rows] = int(better.max()) + 1 + own
        self.take(part, canonical_labels(better))

    def polish(self, number: int) -> None:
        """Search a little from the best so far."""
        job = Start(self.labels, self.iterations(POLISH), (number, 0), STEADY)
        for polished in self.searches([job]):
            self.take("search", polished)


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
