"""ILoss of small tables: a bound on that of any grouping, and the optimal one with a proof."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from shoal.errors import Canceled, RequestError
from shoal.extras import check_extra
from shoal.kernels.arrays import Integers
from shoal.measures.loss import ROUNDED, percent
from shoal.methods.bounds.generation import Generation, Plan, Remaining
from shoal.methods.bounds.hierarchies.forms import Forms
from shoal.methods.bounds.hierarchies.neighbors import least_by_companions
from shoal.methods.bounds.integer import raise_by_effort, solve_integer, up_to
from shoal.methods.bounds.losses import cost_of
from shoal.methods.ils.hierarchies.search import by_falling_loss, search_trees
from shoal.methods.ils.parameters import Search, Stop, Task
from shoal.methods.topdown.bins import GRAIN
from shoal.methods.topdown.grouping import cut_up, records_of, top_down
from shoal.partition import PROVEN
from shoal.progress import Reporter
from shoal.table.encode_nodes import Coded

PROGRAMME = {"quick": 300, "normal": 600, "best": 3_000}  # records that have a linear programme
MOST, MOST_K = 300, 6  # records of a table whose optimum is proven
ROOMS = 50_000, 400_000  # groups that are listed: the first room first
SEARCH = Search(perturbations=("dissolve", "regroup", "resplit"), samples=3)
ITERATIONS = 5_000  # of the search for a grouping to compare with
PLANS = {  # each goes on from where the one before ended
    "quick": Plan(climb=30, branches=200, rounds=0, cuts=0),
    "normal": Plan(climb=0, rounds=60, limit=2_000, cuts=0),
    "best": Plan(climb=0, rounds=100, limit=100_000, cuts=0, listed=60_000, nodes=10_000),
}


class TreeTable:
    """A table of coded records, and what its groupings into groups of k records lose."""

    def __init__(self, coded: Coded, k: int) -> None:
        self.coded, self.k = by_falling_loss(coded), k
        self.trees, self.codes = records_of(self.coded)
        self.forms = Forms(self.trees, self.codes)

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.coded.rows

    def rate(self, lost: float) -> float:
        """Return a sum of losses as ILoss rate, in percent."""
        return percent(lost, float(self.codes.size))

    def safe(self, least: float) -> float:
        """Return a bound less what rounding may have added to it: losses are whole grains."""
        return max(least * (1.0 - ROUNDED) - 2.0 * self.codes.size / GRAIN, 0.0)

    def companions(self, report: Reporter) -> float:
        """Return the neighbor bound."""
        return float(least_by_companions(self.trees, self.codes, self.k, report).sum())

    def search(self, seed: int, report: Reporter, threads: int | None, stop: Stop) -> Integers:
        """Return a good grouping, with groups of k to 2k - 1 records."""
        labels = top_down(self.coded, self.k, report)
        task = Task(self.k, labels, replace(SEARCH, stop=stop), seed, threads)
        labels = search_trees(self.coded, task, report)[0]
        return cut_up(self.trees, self.codes, labels, self.k, 2 * self.k - 1)


def least_on_trees(
    coded: Coded, k: int, effort: str, seconds: float | None, report: Reporter,
    threads: int | None = None,
) -> tuple[float, bool]:  # fmt: skip
    """Return a lower bound on the ILoss rate of any grouping, in percent, and whether complete.

    Requires k records.
    """
    table = TreeTable(coded, k)
    if k == 1:
        return 0.0, True
    if table.rows < 2 * k:  # there is one grouping
        one = table.forms.of_records(0 * table.codes[:, 0])
        return table.rate(table.safe(float(one.sum()))), True
    least, complete = table.companions(report), False
    if table.rows <= PROGRAMME[effort]:
        if effort != "quick":
            what = f"a bound by effort {effort} needs the HiGHS solver, effort quick does not"
            check_extra("optimal", what)
        remaining = _clock(seconds, report)
        stop = Stop(iterations=ITERATIONS, seconds=None if seconds is None else seconds / 4.0)
        labels = table.search(0, report.quiet(), threads, stop)
        cost = cost_of(table.forms, labels)
        generation = Generation.scaled(table.forms, k, labels, remaining=remaining, threads=threads)
        if generation is None:  # nothing is lost
            return 0.0, True
        with suppress(Canceled):  # a bound that was cut short is one all the same
            plans = up_to(PLANS, effort)
            complete = raise_by_effort(generation, labels, plans, effort == "best", report)
        least = min(max(least, generation.least), cost)
        complete = complete or generation.complete
    return table.rate(table.safe(least)), complete


def _clock(seconds: float | None, report: Reporter) -> Remaining:
    """Return what tells the seconds that are left, from now on."""
    begun = time.perf_counter()

    def remaining() -> float | None:
        report.stop.check()
        if report.stop.finish:
            return 0.0
        return None if seconds is None else seconds - (time.perf_counter() - begun)

    return remaining


def exact_on_trees(
    coded: Coded, k: int, seed: int, report: Reporter, threads: int | None = None
) -> tuple[Integers, float]:
    """Return the grouping of least ILoss, and a rate that none falls short of, by less than a hair.

    Requires 2 <= k and 2k rows. Nothing is returned that is not proven.
    """
    if coded.rows > MOST or k > MOST_K:
        raise RequestError(
            f"exact is for tables of up to {MOST:,} records with categories or missing cells and k "
            f"up to {MOST_K}, here are {coded.rows:,} and k = {k}; kaim+ comes near, and `shoal "
            "bound` says how near"
        )
    table, stages = TreeTable(coded, k), len(ROOMS) + 2
    report("proving", 0, stages)
    labels = table.search(seed, report.quiet(), threads, Stop(iterations=ITERATIONS))
    report("proving", 1, stages)
    if report.stop.finish:  # there is nothing halfway to a proof
        raise KeyboardInterrupt
    check: Callable[[], None] = report.stop.check
    generation = Generation.scaled(table.forms, k, labels, remaining=check, threads=threads)
    if generation is None:
        return labels, 0.0
    plan = replace(PLANS["best"], climb=30, branches=2_000, columns=8 * table.rows, nodes=1_000_000)
    generation.raise_bound(plan)
    for stage, room in enumerate(ROOMS):
        report("proving", 2 + stage, stages)
        solution = solve_integer(generation, labels, replace(plan, listed=room))
        labels = labels if solution.labels is None else solution.labels
        if solution.proven:
            cost = table.rate(cost_of(table.forms, labels))
            return labels, cost * (1.0 - PROVEN / 2)
    cost = cost_of(table.forms, labels)
    gap = percent(cost - generation.least, generation.least)
    raise RequestError(
        f"exact could not prove which grouping is the best: the one it found is at most {gap:.3g} "
        "% above the optimum; kaim+ returns such a grouping, and `shoal bound` says how near it is"
    )
