"""Diving heuristic: a partition from the fractional solution of the linear programme.

The groups that the programme takes for the most part are taken; the programme of the records that
are left is solved, and so on, until few are left: their best grouping is found.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.cuts import NOBODY
from shoal.methods.bounds.effort import Plan
from shoal.methods.bounds.generation import Generation, Remaining
from shoal.methods.bounds.integer import solve_part
from shoal.methods.bounds.losses import cost_of
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.heuristics.fixed_size import mdav
from shoal.progress import Reporter

FEW = 120  # records that are left to the integer programme
ROUNDS = 8  # of a programme on the way


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
