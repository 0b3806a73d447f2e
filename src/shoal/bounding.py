"""How little any grouping can lose: `lower_bound`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.bounds.generation import ROUNDED, Generation
from shoal.bounds.integer import Plan, solve_integer
from shoal.bounds.prices import squared_gaps
from shoal.choosing import check_effort
from shoal.errors import Canceled, RequestError, interrupt
from shoal.grouping import encoded_table, group_size
from shoal.measures.loss import is_nothing, percent, squared_error, squares
from shoal.numeric.fixed_size import mdav
from shoal.partition import Bound
from shoal.progress import Callback, Reporter
from shoal.search.best.run import warm_up
from shoal.search.best.steps import LARGE_GROUPS, WHOLE
from shoal.search.neighbors import least_by_neighbors
from shoal.search.parameters import MOVES, Annealing, Search, Stop
from shoal.search.run import search
from shoal.search.start import split_groups
from shoal.settings import whole
from shoal.solving import check_size
from shoal.table.order import with_orders
from shoal.table.read import read

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

STARTS = 3
BRANCHES = {"quick": 500, "normal": 50_000, "best": 5_000_000}  # of a root, in the end
CLIMB = {"quick": 40, "normal": 25, "best": 25}  # steps
LISTED = 60_000  # groups


def lower_bound(
    X: Any,
    k: int,
    *,
    effort: str = "normal",
    standardize: bool = True,
    column_weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
) -> Bound:
    """Return what no grouping of the records into groups of at least k can lose less than.

    X and the options are as in `microaggregate`; losses are of the same kind. The nearest records
    of each record always give a bound. Up to 5,000 records the linear programme over all groups
    gives a better one: for k up to 6 by pricing all groups, for larger k by a part of them, which
    is weaker. Effort `quick` lets its duals climb, `normal` solves it and cuts off fractions,
    `best` also tries to prove the best grouping. With a time limit, in seconds, or when the
    callback returns True, the bound is the best so far: a bound all the same, not `complete`.

    >>> import numpy as np, shoal
    >>> X = np.array([[1.0], [2.0], [9.0], [8.0]])
    >>> bound = shoal.lower_bound(X, 2)
    >>> round(bound.information_loss, 6) == round(shoal.microaggregate(X, 2).information_loss, 6)
    True
    """
    k = group_size(k)
    check_effort(effort)
    if time_limit is not None and not time_limit > 0:
        raise RequestError("time_limit must be a number of seconds above 0")
    table = with_orders(read(X), orders)
    check_size(table.rows, k)
    threads = None if threads is None else max(1, whole(threads, "threads"))
    matrix = encoded_table(table, k, standardize, column_weights, hierarchies).matrix
    total = float(squares(matrix - matrix.mean(axis=0)).sum())
    warm_up(matrix.shape[1])
    clock = _Clock(time_limit, Reporter(callback))
    least, complete = _least(matrix, k, effort, clock, threads, total)
    return Bound(percent(least, total), least, complete)


class _Clock:
    """Tells how many seconds are left; after an interrupt none are."""

    def __init__(self, limit: float | None, report: Reporter) -> None:
        self.limit, self.report = limit, report
        self.began = time.perf_counter()

    def remaining(self) -> float | None:
        """Return the seconds that are left, None without a limit."""
        if interrupt.finish:
            return 0.0
        if self.limit is None:
            return None
        return self.limit - (time.perf_counter() - self.began)


def _least(
    matrix: Floats, k: int, effort: str, clock: _Clock, threads: int | None, total: float
) -> tuple[float, bool]:
    """Return the least SSE that any grouping has, and whether the bound is complete."""
    rows = matrix.shape[0]
    if k == 1 or total == 0.0:
        return 0.0, True
    if rows < 2 * k:  # there is one grouping
        return total * (1.0 - ROUNDED), True
    if rows > WHOLE:
        return least_by_neighbors(matrix, k, clock.report), False
    labels, elite = _grouping(matrix, k, clock, threads)
    cost = float(squared_error(matrix, labels).sum())
    if is_nothing(cost, matrix):
        return 0.0, True
    unit = cost / rows
    generation = Generation(
        squared_gaps(matrix) / unit, k, labels, remaining=clock.remaining, threads=threads
    )
    for one in elite:
        generation.columns.add_grouping(one, generation.gaps)
    try:
        bound, proven = _work(generation, labels, effort, clock)
    except Canceled:  # a bound that was cut short is one all the same
        bound, proven = generation.bound, False
    return min(bound * unit, cost), generation.complete or proven


def _work(
    generation: Generation, labels: Integers, effort: str, clock: _Clock
) -> tuple[float, bool]:
    """Raise a generation's bound; return it, and whether the best grouping was proven."""
    g, grown = generation, generation.k >= LARGE_GROUPS
    limit = 200 if grown else BRANCHES[effort]
    stages = {"quick": 2, "normal": 4, "best": 5}[effort]
    clock.report("bounding", 1, stages)
    if grown:
        g.climb_grown(CLIMB[effort], limit)
    else:
        g.climb(CLIMB[effort], 500)
    if effort == "quick":
        return g.bound, False
    clock.report("bounding", 2, stages)
    g.converge(100, min(limit, 500), limit, grown=grown)
    clock.report("bounding", 3, stages)
    g.cut(20, min(limit, 500), limit, grown=grown)
    if effort == "normal" or g.over():
        return g.bound, False
    clock.report("bounding", 4, stages)
    plan = Plan(limit=limit, listed=LISTED, columns=4 * g.rows, nodes=200)
    found = solve_integer(g, labels, plan)
    return max(found.bound, g.bound), found.proven


def _grouping(
    matrix: Floats, k: int, clock: _Clock, threads: int | None
) -> tuple[Integers, list[Integers]]:
    """Return a good grouping, and others, whose groups are the first columns."""
    rows = matrix.shape[0]
    iterations = max(200, min(100_000 // k**2, 20 * rows))
    elite = []
    for seed in range(STARTS):
        left = clock.remaining()
        stop = Stop(iterations=iterations, seconds=None if left is None else max(left, 0.01))
        options = Search(
            moves=MOVES, samples=5, acceptance=Annealing(), schedule=iterations, stop=stop
        )
        labels, _ = search(matrix, k, None, options, seed, Reporter(None), threads)
        elite.append(split_groups(matrix, labels, k))
    elite.append(split_groups(matrix, mdav(matrix, k, Reporter(None)), k))
    best = min(elite, key=lambda labels: float(squared_error(matrix, labels).sum()))
    return best, elite
