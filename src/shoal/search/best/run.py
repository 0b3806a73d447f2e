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

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from shoal.bounds.generation import Generation
from shoal.bounds.prices import squared_gaps
from shoal.errors import interrupt
from shoal.measures.loss import percent
from shoal.numeric.fixed_size import mdav
from shoal.partition import SearchLog, by_first_row
from shoal.progress import Reporter
from shoal.search.best.desk import Task
from shoal.search.best.steps import AFFORDABLE, HANDY, WHOLE, Steps
from shoal.search.log import thinned
from shoal.search.parameters import Search
from shoal.search.run import warm_up as warm_up_search

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Step = Callable[[int], None]


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
    warm_up(matrix.shape[1])
    return _Best(Task(matrix, k, start, options, seed, report, threads)).run()


def warm_up(width: int) -> None:
    """Compile (or load) the kernels, so that a time limit counts the work alone."""
    warm_up_search(width)
    tiny = np.arange(8.0)[:, None].repeat(width, axis=1)
    generation = Generation(squared_gaps(tiny), 2, mdav(tiny, 2, Reporter(None)), threads=1)
    for grown in (False, True):
        generation.climb(1, 1, grown)


class _Best(Steps):
    def run(self) -> tuple[Integers, SearchLog, tuple[float, bool]]:
        self.watch.began = time.perf_counter()
        with interrupt.searching():
            self.search_from_starts(0)
            self._note()
            while not self._told_to_stop():
                self._round(self.watch.done)
                self.watch.done += 1
                self._note()
        assert self.labels is not None
        labels = by_first_row(self.labels)
        bound = min(self.bound, self.cost)
        return labels, self._log(labels), (bound, self.complete or self.proven)

    def _round(self, number: int) -> None:
        """Do what comes next."""
        if not self.grown and self.rows <= HANDY:
            first: list[Step] = [self.programme, self.cut, self.integer]
            cycle: list[Step] = [self.neighborhoods, self.neighborhoods, self.again]
        else:
            first = [self.neighborhoods, self.regions, self.regions]
            if not self.grown and self.rows <= WHOLE and self.rows * self.k**2 <= AFFORDABLE:
                first.append(self.bound_alone)
            cycle = [self.neighborhoods, self.regions, self.regions, self.search_from_starts]
        if self.rows <= self.nearby:  # one neighborhood is the whole table
            cycle = [self.again]
        if number < len(first):
            first[number](number)
        else:
            cycle[(number - len(first)) % len(cycle)](number)

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
        elif stop.target is not None and percent(self.bound, self.total) > stop.target:
            self.watch.stopped_by = "a target that no grouping reaches"
        elif stop.patience is not None and waited >= stop.patience:
            self.watch.stopped_by = "patience"
        return bool(self.watch.stopped_by)

    def _log(self, labels: Integers) -> SearchLog:
        end = percent(self.cost_of(labels), self.total)
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
