"""`exact`: the optimal partition of a small table, with a proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import is_nothing, percent, squared_error, total_squares
from shoal.methods.bounds.effort import Plan
from shoal.methods.bounds.generation import Generation
from shoal.methods.bounds.integer import solve_integer
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.ils.parameters import Search, Stop
from shoal.methods.ils.task import Task
from shoal.methods.matheuristic.run import best
from shoal.partition import PROVEN
from shoal.progress import Reporter

MOST, MOST_K = 2_000, 6  # records
BRANCHES = 300_000  # of a root
ROOMS = 50_000, 400_000  # groups that are listed: the first room first
NODES = 2_000_000
ROUNDS = 4  # of `best`, for a grouping to beat


def exact(
    matrix: Floats,
    k: int,
    seed: int,
    report: Reporter,
    threads: int | None = None,
    rooms: Sequence[int] = ROOMS,
    rounds: int = ROUNDS,
) -> tuple[Integers, float]:
    """Return the grouping of least SSE, and a sum that none falls short of, by less than a hair.

    Requires 2 <= k and 2k rows. Where the groups that might be in a better grouping are too many to
    be listed, in the last of the `rooms`, that is said: nothing is returned that is not proven.
    `rounds` of `best` find a grouping to beat.
    """
    rows = matrix.shape[0]
    total = total_squares(matrix)
    if total > 0.0 and (rows > MOST or k > MOST_K):
        raise RequestError(
            f"exact is for tables of up to {MOST:,} records and k up to {MOST_K}, here are "
            f"{rows:,} and k = {k}; best comes near, and says how near"
        )
    stages = len(rooms) + 2
    report("proving", 0, stages)
    task = Task(k, None, Search(stop=Stop(iterations=rounds)), seed, threads)
    labels, _, (bound, _) = best(matrix, task, report.quiet())
    cost = float(squared_error(matrix, labels).sum())
    report("proving", 1, stages)
    if report.stop.finish:  # there is nothing halfway to a proof
        raise KeyboardInterrupt
    if bound >= cost * (1.0 - PROVEN) or is_nothing(cost, matrix):
        return labels, cost * (1.0 - PROVEN / 2)
    generation = Generation.scaled(
        Gaps(squared_gaps(matrix)), k, labels, remaining=report.stop.check, threads=threads
    )
    if generation is None:
        raise RequestError("exact cannot weigh numbers that far apart; best takes them")
    plan = Plan(branches=2_000, rounds=200, limit=BRANCHES, cuts=30, columns=8 * rows, nodes=NODES)
    generation.raise_bound(plan)
    for stage, room in enumerate(rooms):
        report("proving", 2 + stage, stages)
        solution = solve_integer(generation, labels, replace(plan, listed=room))
        labels = labels if solution.labels is None else solution.labels
        if solution.proven:
            return labels, float(squared_error(matrix, labels).sum()) * (1.0 - PROVEN / 2)
    cost = float(squared_error(matrix, labels).sum())
    gap = percent(cost - generation.least, generation.least)
    raise RequestError(
        f"exact could not prove which grouping is the best: the one it found is at most {gap:.3g} "
        "% above the optimum; best returns such a grouping, with that figure"
    )
