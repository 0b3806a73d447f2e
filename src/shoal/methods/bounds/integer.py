"""From the linear programme to a partition: the integer programme over priced columns.

No grouping that costs less than the best one has a group whose reduced cost is as large as the gap
between that grouping and the bound. Where all others can be listed, the programme over them proves
which grouping is the best of all; otherwise it is a good way to find better ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.bounds.cuts import NOBODY
from shoal.methods.bounds.generation import Generation, Plan, Remaining
from shoal.methods.bounds.highs import Chosen, Columns, choose
from shoal.methods.bounds.losses import Losses
from shoal.partition import rows_of_groups
from shoal.progress import Reporter

FEW = 4  # columns a record that are chosen from first
PROVEN = 1e-9  # a share of the cost within which a bound of duals meets it
SAFE, SAFE_COST = 1e-8, 2e-6  # what HiGHS's tolerances may have done; records cost about 1


@dataclass(frozen=True, repr=False)
class IntegerSolution:
    """A grouping that is better than the given one, or None; no grouping costs less than `bound`.

    `proven`: none is better than the better one of the two.
    """

    labels: Integers | None
    bound: float
    proven: bool


def as_labels(columns: Columns, which: Integers, rows: int) -> Integers:
    """Return the grouping that some columns are."""
    labels = np.empty(rows, dtype=np.int64)
    for label, group in enumerate(columns.members[which]):
        labels[group[group != NOBODY]] = label
    return labels


def solve_integer(generation: Generation, labels: Integers, plan: Plan) -> IntegerSolution:
    """Look for a grouping that costs less than `labels`, whose cost the generation knows.

    First among few columns, which brings the cost near the bound; then, where all groups that could
    be in a better grouping can be listed, among those, else among more columns. Where only those
    can be listed whose reduced cost is below a part of the gap, that part is what can be proven.
    """
    g, best = generation, labels
    if g.bound >= g.upper * (1.0 - PROVEN):
        return IntegerSolution(None, g.bound, True)
    few = min(FEW * g.rows, plan.columns)
    best = _choose(g, best, _cheapest(g, few), plan)[0]
    gap = (g.upper - g.reached) * (1.0 + 1e-6)
    bound, proven = g.bound, False
    below, every = _listed(g, gap, plan)
    if every is not None:
        for groups in every:
            g.columns.add(groups, g.losses)
        best, chosen = _choose(g, best, np.flatnonzero(g.reduced_costs() < below), plan)
        others = g.upper if below >= gap else min(g.reached + below, g.upper)
        proven = chosen.proven and others >= g.upper
        least = min(g.upper if chosen.proven else min(chosen.bound, g.upper), others)
        bound = max(bound, least * (1.0 - SAFE) - SAFE_COST)
    elif plan.columns > few:
        best = _choose(g, best, _cheapest(g, plan.columns), plan)[0]
    return IntegerSolution(None if best is labels else best, bound, proven)


def _listed(g: Generation, gap: float, plan: Plan) -> tuple[float, list[Integers] | None]:
    """List all groups whose reduced cost is below the gap, or a part of it where they are too many.

    A grouping with a group that is not listed costs at least that part more than the bound: no
    reduced cost is below what the bound has taken off. Returns the limit, and the groups by size.
    """
    every, below = None, gap
    for part in plan.parts:
        below = part * gap
        every = g.pricer.every_group(g.duals, below, plan.limit, plan.listed, g.cuts, -g.prices)
        if every is not None or g.over():
            break
    return below, every


def _cheapest(g: Generation, count: int) -> Integers:
    """Return the columns that cost least beyond their duals."""
    return np.argsort(g.reduced_costs(), kind="stable")[:count]


def _choose(
    g: Generation, labels: Integers, which: Integers, plan: Plan
) -> tuple[Integers, Chosen]:
    """Choose among some columns and those of a grouping; return the better grouping."""
    g.columns.add_grouping(labels, g.losses)
    start = places(g.columns, labels)
    chosen = choose(
        g.columns, np.union1d(which, start), g.rows, start, cuts=g.cuts, nodes=plan.nodes,
        seconds=g.remaining(),
    )  # fmt: skip
    if chosen.which is not None:
        cost = float(g.columns.costs[chosen.which].sum())
        if cost < g.upper * (1.0 - PROVEN):
            g.upper = cost
            labels = as_labels(g.columns, chosen.which, g.rows)
    return labels, chosen


def places(columns: Columns, labels: Integers) -> Integers:
    """Return the columns that a grouping is made of, in ascending order."""
    numbers = [columns.place(group) for group in rows_of_groups(labels)]
    return np.sort(np.array(numbers, dtype=np.int64))


def solve_part(
    losses: Losses, k: int, labels: Integers, plan: Plan, remaining: Remaining = lambda: None
) -> IntegerSolution:
    """Look for a better grouping of a table, or of a part of one; prove it where that is cheap.

    labels (n) from 0, groups of k to 2k - 1 records. One thread: parts go side by side.
    """
    g = Generation.scaled(losses, k, labels, remaining=remaining, threads=1)
    if g is None:
        return IntegerSolution(None, 0.0, False)
    g.raise_bound(plan)
    solution = solve_integer(g, labels, plan)
    return IntegerSolution(solution.labels, solution.bound * g.unit, solution.proven)


def up_to(plans: Mapping[str, Plan], effort: str) -> list[Plan]:
    """Return the plans of all efforts up to one; they are in order, the least effort first."""
    return list(plans.values())[: list(plans).index(effort) + 1]


def raise_by_effort(
    generation: Generation, labels: Integers, plans: Sequence[Plan], proves: bool, report: Reporter
) -> bool:  # fmt: skip
    """Raise a generation's bound by one plan after the other, and by the integer programme.

    The plans are those of all efforts up to the one that is asked for. Each goes on from the one
    before, or begins anew, and the best bound counts: more effort never gives less. Tells whether
    the best grouping was proven, which is tried only where it `proves`.
    """
    stages, done = 1 + sum(plan.stages for plan in plans) + proves, 0

    def step(_: int) -> None:
        nonlocal done
        done += 1
        report("bounding", done, stages)

    first = len(generation.columns)
    for plan in plans:
        if plan.anew:
            generation.begin_anew(first)
        generation.raise_bound(plan, step)
    if not proves or generation.over():
        return False
    report("bounding", stages - 1, stages)
    own = replace(plans[-1], columns=4 * generation.rows)
    solution = solve_integer(generation, labels, own)
    generation.bound = max(solution.bound, generation.bound)
    return solution.proven
