"""`lower_bound`: a bound on the loss of any grouping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.errors import Canceled, RequestError
from shoal.extras import check_extra
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import ROUNDED, is_nothing, percent, total_squares
from shoal.methods.auto import by_hierarchies, check_effort
from shoal.methods.bounds.generation import Generation, Plan
from shoal.methods.bounds.integer import raise_by_effort, up_to
from shoal.methods.bounds.large_groups import LargeGroups, steps_by
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.ils.driver import split_groups
from shoal.methods.ils.neighbors import least_by_neighbors
from shoal.methods.ils.parameters import Search, Stop, Task
from shoal.methods.matheuristic.incumbent import ANNEALED, Incumbent, Start
from shoal.methods.matheuristic.on_trees import least_on_trees
from shoal.methods.matheuristic.run import warm_up
from shoal.methods.matheuristic.steps import LARGE_GROUPS, WHOLE
from shoal.methods.problem import ILOSS, SSE, check_size
from shoal.partition import Bound
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.microaggregate import encoded_table, group_size
from shoal.progress import Callback, Reporter
from shoal.settings import whole
from shoal.table.encode_nodes import code
from shoal.table.ordinal import with_orders
from shoal.table.read import read

LOSSES = "auto", "sse", "iloss"
STARTS = 3
PLANS = {  # each goes on from where the one before ended
    "quick": Plan(climb=40, rounds=0, cuts=0),
    "normal": Plan(climb=0, rounds=100, limit=50_000, cuts=20),
    "best": Plan(
        climb=0, rounds=100, limit=5_000_000, cuts=20, cut_width=9, listed=60_000, nodes=200
    ),
}
GROWN_ROWS = 100  # up to which groups are priced, too, where they are large
GROWN_BRANCHES = 200  # of a root, where groups are large
GROWN_CLIMB = 25  # before the programme, which begins anew there: the most is found halfway up


def lower_bound(
    X: Any,
    k: int,
    *,
    effort: str = "normal",
    standardize: bool = True,
    column_weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    loss: str = "auto",
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Shown = False,
    callback: Callback | Reporter | None = None,
) -> Bound:
    """Return a lower bound on the loss of any grouping into groups of at least k.

    Parameters
    ----------
    X : array, dataframe or Table
        The records, as in `microaggregate`; losses are of the same kind.
    k : int
        The least number of records of a group.
    effort : {"quick", "normal", "best"}, default "normal"
        `quick` lets the duals of the linear programme climb, `normal` solves it and adds cuts,
        `best` also tries to prove the best grouping. From k = 7 on `quick` is a bound by pairs of
        records, which a semidefinite relaxation raises in the others. These need
        `shoal[optimal]`.
    standardize, column_weights, hierarchies, orders
        As in `microaggregate`. ILoss counts all columns the same: there are no column weights.
        Texts without a hierarchy have a flat tree here; `anonymize` gives prefixes to codes of one
        length (`shoal.inspect(X).options` has them), which lose less.
    loss : {"auto", "sse", "iloss"}, default "auto"
        SSE/SST, which methods by distance have, or KAIM's ILoss rate, of methods by hierarchies.
        `auto` is the loss of the method that `auto` chooses: ILoss where cells are texts or
        missing, or a hierarchy is named.
    time_limit : float, optional
        Seconds after which the best bound so far is returned: still a bound, but not `complete`.
    threads : int, optional
        The most threads that work at once.
    progress : bool or callable, default False
        True shows how far it is: on a terminal, in a notebook, else in lines on stderr. A callable
        gets a `Progress`, as `callback` does.
    callback : callable, optional
        Gets a `Progress`; True from it returns the best bound so far.

    Returns
    -------
    Bound
        The bound as information loss, as SSE where that is the loss, and whether it is complete.

    Notes
    -----
    The nearest records of each record always give a bound. Up to 5,000 records there are better
    ones. For k up to 6 it is the linear programme over all groups. For larger k it is one over the
    pairs of records that share a group, and a semidefinite relaxation above it, of up to 1,200
    records at `normal` and 2,400 at `best`. (The best known groups of the table tarragona, k = 10,
    are at most 57 % above the optimum by the nearest records, 15 % and 2 % by these.)

    Of ILoss every record loses at least what the cheapest form costs that covers it and k - 1
    others; the linear programme gives more, of up to 300, 600 and 3,000 records by the three
    efforts (minutes, at 2,000).

    Examples
    --------
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
    if loss not in LOSSES:
        raise RequestError(f"loss must be one of {', '.join(LOSSES)}")
    if loss == "iloss" or (loss == "auto" and by_hierarchies(table, hierarchies)):
        if column_weights:
            raise RequestError(
                "ILoss counts all columns the same; leave column_weights out, or say loss sse"
            )
        coded = code(table, hierarchies)
        with reporting(progress, callback) as report:
            rate, complete = least_on_trees(
                coded, k, effort, time_limit, Reporter.of(report), threads
            )
        return Bound(rate, None, complete, ILOSS)
    encoded = encoded_table(table, k, standardize, column_weights, hierarchies)
    matrix = encoded.matrix
    total = total_squares(matrix)
    warm_up(matrix.shape[1])
    stop = Stop(seconds=time_limit)
    with reporting(progress, callback) as report:
        least, complete = _least(matrix, k, effort, stop, Reporter.of(report), threads)
    return Bound(percent(least, total), least, complete, SSE[encoded.mixed])


def _least(
    matrix: Floats, k: int, effort: str, stop: Stop, report: Reporter, threads: int | None
) -> tuple[float, bool]:
    """Return a lower bound on the SSE of any grouping, and whether it is complete."""
    incumbent = Incumbent(matrix, Task(k, options=Search(stop=stop), threads=threads), report)
    if k == 1 or incumbent.total == 0.0:
        return 0.0, True
    if incumbent.rows < 2 * k:  # there is one grouping
        return incumbent.total * (1.0 - ROUNDED), True
    if incumbent.rows > WHOLE:
        return least_by_neighbors(matrix, k, report), False
    if effort != "quick":
        what = f"a bound by effort {effort} needs the HiGHS solver, effort quick does not"
        check_extra("optimal", what)
    _find_partitions(incumbent)
    if is_nothing(incumbent.cost, matrix):
        return 0.0, True
    least, complete = least_by_neighbors(matrix, k, report), False
    gaps = squared_gaps(matrix)
    if np.isfinite(gaps).all():  # else no programme can weigh them
        raised, complete = _raise(gaps, incumbent, effort)
        least = max(least, raised)
    return min(least, incumbent.cost), complete


def _raise(gaps: Floats, incumbent: Incumbent, effort: str) -> tuple[float, bool]:
    """Raise a bound: by all groups where they are small, by pairs of records where they are not."""
    k, report, labels = incumbent.k, incumbent.report, incumbent.labels
    assert labels is not None
    large = LargeGroups(gaps, k, labels, incumbent.cost, incumbent.over)
    generation: Generation | None = None
    complete = False
    with suppress(Canceled):  # a bound that was cut short is one all the same
        if k >= LARGE_GROUPS:
            large.bound_by_pairs()
        if k < LARGE_GROUPS or incumbent.rows <= GROWN_ROWS:
            generation = Generation.scaled(
                Gaps(gaps), k, labels, others=incumbent.elite, remaining=incumbent.remaining,
                threads=incumbent.workers,
            )  # fmt: skip
            if generation is None:
                return large.least, False
            complete = _work(generation, labels, effort, report)
        if k >= LARGE_GROUPS and not (complete or (generation and generation.complete)):
            large.raise_bound(steps_by(effort, incumbent.rows), report)
    if generation is None:
        return large.least, False
    return max(large.least, generation.least), complete or generation.complete


def _find_partitions(incumbent: Incumbent) -> None:
    """Find good partitions: the best is compared with, the groups of all are the first columns."""
    iterations = max(200, min(100_000 // incumbent.k**2, 20 * incumbent.rows))
    jobs = [Start(None, iterations, (0, i), ANNEALED) for i in range(STARTS)]
    by_mdav = split_groups(
        incumbent.matrix, mdav(incumbent.matrix, incumbent.k, Reporter(None)), incumbent.k
    )
    for labels in [*incumbent.searches(jobs), by_mdav]:
        incumbent.take("search", labels)


def _work(generation: Generation, labels: Integers, effort: str, report: Reporter) -> bool:
    """Raise a generation's bound; tell whether the best grouping was proven."""
    plans = up_to(PLANS, effort)
    if generation.k >= LARGE_GROUPS:
        few = GROWN_BRANCHES
        plans = [replace(plan, branches=few, limit=few, grown=True) for plan in plans]
        plans[1:2] = [replace(plan, climb=GROWN_CLIMB, anew=True) for plan in plans[1:2]]
    return raise_by_effort(generation, labels, plans, effort == "best", report)
