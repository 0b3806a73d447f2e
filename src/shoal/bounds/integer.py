"""From the linear programme to a grouping: the integer programme over the columns that matter.

No grouping that costs less than the best one has a group whose reduced cost is as large as the gap
between that grouping and the bound. Where all others can be listed, the programme over them proves
which grouping is the best of all; otherwise it is a good way to find better ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.bounds.columns import NOBODY, Columns
from shoal.bounds.generation import CLOSED, ROUNDED, Generation, Remaining
from shoal.bounds.highs import Chosen, choose, hits

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FEW = 4  # columns a record that are chosen from first
PROVEN = 1e-9  # a share of the cost within which a bound of duals meets it
SAFE, SAFE_COST = 1e-8, 2e-6  # what HiGHS's tolerances may have done; records cost about 1


@dataclass(frozen=True)
class Plan:
    """How much work goes into a table: counts, so that the same plan gives the same result."""

    climb: int = 25
    branches: int = 500
    rounds: int = 60
    limit: int = 100_000  # branches of a root in the end
    cuts: int = 10
    listed: int = 20_000  # groups that may be listed for a proof
    columns: int = 5_000  # groups for the integer programme where they cannot all be listed
    nodes: int = 100


@dataclass(frozen=True)
class Found:
    """A grouping that is better than the given one, or None; no grouping costs less than `bound`.

    `complete`: the bound is that of the linear programme or better; `proven`: none is better.
    """

    labels: Integers | None
    bound: float
    complete: bool
    proven: bool


def as_labels(columns: Columns, which: Integers, rows: int) -> Integers:
    """Return the grouping that some columns are."""
    labels = np.empty(rows, dtype=np.int64)
    for label, group in enumerate(columns.members[which]):
        labels[group[group != NOBODY]] = label
    return labels


def solve_integer(generation: Generation, labels: Integers, plan: Plan) -> Found:
    """Look for a grouping that costs less than `labels`, whose cost the generation knows.

    First among few columns, which brings the cost near the bound; then, where all groups that could
    be in a better grouping can be listed, among those, else among more columns.
    """
    g, best = generation, labels
    if g.bound >= g.upper * (1.0 - PROVEN):
        return Found(None, g.bound, True, True)
    few = min(FEW * g.rows, plan.columns)
    best = _choose(g, best, _cheapest(g, few), plan)[0]
    gap = (g.upper - g.reached) * (1.0 + 1e-6)
    every = g.pricer.every_group(g.duals, gap, plan.limit, plan.listed, g.cuts, -g.prices)
    bound, proven = g.bound, False
    if every is not None:
        for groups in every:
            g.columns.add(groups, g.gaps)
        best, chosen = _choose(g, best, np.flatnonzero(reduced_costs(g) < gap), plan)
        proven = chosen.proven
        least = g.upper if proven else min(chosen.bound, g.upper)
        bound = max(bound, least * (1.0 - SAFE) - SAFE_COST)
    elif plan.columns > few:
        best = _choose(g, best, _cheapest(g, plan.columns), plan)[0]
    return Found(None if best is labels else best, bound, g.complete, proven)


def _cheapest(g: Generation, count: int) -> Integers:
    """Return the columns that cost least beyond their duals."""
    return np.argsort(reduced_costs(g), kind="stable")[:count]


def _choose(
    g: Generation, labels: Integers, which: Integers, plan: Plan
) -> tuple[Integers, Chosen]:
    """Choose among some columns and those of a grouping; return the better grouping."""
    g.columns.add_grouping(labels, g.gaps)
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


def reduced_costs(g: Generation) -> Floats:
    """Return what every column costs beyond its duals, cuts included."""
    reduced = g.columns.reduced(g.duals)
    for cut, price in zip(g.cuts, g.prices, strict=True):
        if price < 0.0:
            reduced[hits(g.columns.members, cut, g.rows)] -= price
    return reduced


def places(columns: Columns, labels: Integers) -> Integers:
    """Return the columns that a grouping is made of, in ascending order."""
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(labels))[:-1])
    return np.sort(np.array([columns.place(group) for group in groups], dtype=np.int64))


def solve_part(
    gaps: Floats,
    k: int,
    labels: Integers,
    plan: Plan,
    remaining: Remaining = lambda: None,
    threads: int | None = 1,
    others: tuple[Integers, ...] = (),
    grown: bool = False,
) -> Found:
    """Look for a better grouping of a table, or of a part of one; prove it where that is cheap.

    labels (n) from 0, groups of k to 2k - 1 records; `others` are groupings whose groups are
    known, too; `grown` is for large groups, see `climb_grown`. Distances are scaled here.
    """
    unit = cost_of(gaps, labels) / labels.size
    if unit <= 0.0:
        return Found(None, 0.0, True, True)
    g = Generation(gaps / unit, k, labels, remaining=remaining, threads=threads)
    for one in others:
        g.columns.add_grouping(one, g.gaps)
    if grown:
        g.climb_grown(plan.climb, plan.branches)
    else:
        g.climb(plan.climb, plan.branches)
    if g.bound < g.upper * (1.0 - CLOSED):
        g.converge(plan.rounds, plan.branches, plan.limit, grown=grown)
        if g.bound < g.upper * (1.0 - CLOSED):
            g.cut(plan.cuts, plan.branches, plan.limit, grown=grown)
    found = solve_integer(g, labels, plan)
    return Found(found.labels, found.bound * unit, found.complete, found.proven)


def cost_of(gaps: Floats, labels: Integers) -> float:
    """Return SSE of a grouping, from the squared distances of its pairs."""
    order = np.argsort(labels, kind="stable")
    total = 0.0
    for rows in np.split(order, np.cumsum(np.bincount(labels))[:-1]):
        total += float(gaps[np.ix_(rows, rows)].sum()) / (2.0 * rows.size)
    return total * (1.0 + ROUNDED)
