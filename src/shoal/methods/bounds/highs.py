"""Master and set-partitioning problems in HiGHS, on one thread, deterministic.

HiGHS comes with the extra `optimal`: whoever starts a programme has checked that it is there.
Seconds are asked for only where a time limit was given; otherwise nodes limit an integer programme.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.cuts import NO_CUTS, NOBODY, Cuts
from shoal.methods.bounds.losses import Losses

EXACTLY = 1e-9  # costs are scaled to about 1 a record
# without a number of threads: one that differs from what another user of HiGHS in this process has
# said is an error, and nothing here is parallel
OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "parallel": "off",
    "simplex_max_concurrency": 1,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
    "mip_feasibility_tolerance": 1e-9,
}
A_TIME = 2_000  # columns that are added at once


def _solver(rows: int, **options: Any) -> Any:
    """Return a solver in which every record is to be covered once, with no columns yet."""
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in (OPTIONS | options).items():
        solver.setOptionValue(name, value)
    ones, nothing = np.ones(rows), np.zeros(0, dtype=np.int32)
    solver.addRows(rows, ones, ones, 0, np.zeros(rows, np.int32), nothing, np.zeros(0))
    return solver


def _add(
    solver: Any, costs: Floats, most: float, members: Integers, coefficients: Integers | None = None
) -> None:
    """Add columns that may be taken up to `most` times, (columns, width) with NOBODY beyond.

    coefficients (columns, cuts) in the cuts, whose rows follow those of the records.
    """
    count, rows = costs.size, solver.getNumRow()
    values = (members != NOBODY).astype(np.int64)
    if coefficients is not None and coefficients.size:
        numbers = np.broadcast_to(np.arange(rows - coefficients.shape[1], rows), coefficients.shape)
        members, values = np.hstack([members, numbers]), np.hstack([values, coefficients])
    sizes = (values != 0).sum(axis=1)
    indices = members[values != 0]
    solver.addCols(
        count, costs, np.zeros(count), np.full(count, most), indices.size,
        (np.cumsum(sizes) - sizes).astype(np.int32), indices.astype(np.int32),
        values[values != 0].astype(np.float64),
    )  # fmt: skip


def _add_cut(solver: Any, coefficients: Integers, most: int, start: int = 0) -> None:
    """Add a cut of which columns have something; they are numbered from `start` on."""
    which = np.flatnonzero(coefficients)
    numbers, values = (which + start).astype(np.int32), coefficients[which].astype(np.float64)
    solver.addRow(-float("inf"), float(most), which.size, numbers, values)


@dataclass(frozen=True)
class Solved:
    """The solution of a linear programme: what it costs, duals of rows and cuts, the columns."""

    cost: float
    duals: Floats
    prices: Floats
    values: Floats
    overdrawn: float


class Master:
    """The linear programme over some columns: every record once, no cut more than it allows.

    A record may be overdrawn at a price, so that its dual is at most that: without a limit the
    duals of the first rounds are far from all sense.
    """

    def __init__(self, rows: int, ceilings: Floats) -> None:
        import highspy

        self.rows, self.cuts = rows, NO_CUTS
        self.solver = _solver(rows, presolve="off")
        self.good = highspy.HighsModelStatus.kOptimal
        self.unsure = highspy.HighsModelStatus.kUnknown
        self.every = np.arange(rows, dtype=np.int32)
        _add(self.solver, ceilings, np.inf, np.arange(rows)[:, None])
        self.columns = 0

    def add(self, columns: Columns) -> None:
        """Add the columns that are new since the last time."""
        while self.columns < len(columns):
            self._add_some(columns, self.columns, self.columns + A_TIME)

    def _add_some(self, columns: Columns, start: int, stop: int) -> None:
        members, costs = columns.members[start:stop], columns.costs[start:stop]
        coefficients = np.zeros((members.shape[0], len(self.cuts)), dtype=np.int64)
        for i in range(len(self.cuts)):
            coefficients[:, i] = self.cuts.coefficients(i, members, self.rows)
        _add(self.solver, costs, np.inf, members, coefficients)
        self.columns += members.shape[0]

    def set_ceilings(self, ceilings: Floats) -> None:
        """Change what it costs to overdraw a record."""
        self.solver.changeColsCost(self.rows, self.every, ceilings)

    def cut(self, columns: Columns, cuts: Cuts) -> None:
        """Add cuts to the programme."""
        for i, most in enumerate(cuts.limits):
            coefficients = cuts.coefficients(i, columns.members[: self.columns], self.rows)
            _add_cut(self.solver, coefficients, most, self.rows)
        self.cuts = self.cuts.extended(cuts)

    def solve(self, seconds: float | None = None) -> Solved | None:
        """Solve; None where the time was not enough."""
        if seconds is not None:
            self.solver.setOptionValue("time_limit", self.solver.getRunTime() + max(seconds, 0.1))
        self.solver.run()
        if self.solver.getModelStatus() == self.unsure:  # stuck at a basis: begin without one
            self.solver.clearSolver()
            self.solver.run()
        if self.solver.getModelStatus() != self.good:
            return None
        solution = self.solver.getSolution()
        duals, values = np.array(solution.row_dual), np.array(solution.col_value)
        return Solved(
            float(self.solver.getInfo().objective_function_value),
            duals[: self.rows],
            np.minimum(duals[self.rows :], 0.0),
            values[self.rows :],
            float(values[: self.rows].sum()),
        )


@dataclass(frozen=True)
class Chosen:
    """The best choice of columns that was found, if any, and whether none is better."""

    which: Integers | None
    bound: float
    proven: bool


class Groups(Protocol):
    """Groups to choose from, with what each loses."""

    @property
    def members(self) -> Integers:
        """(groups, width) rows in ascending order, then NOBODY."""

    @property
    def costs(self) -> Floats:
        """(groups)"""


def choose(
    columns: Groups,
    which: Integers,
    rows: int,
    start: Integers | None,
    *,
    cuts: Cuts,
    nodes: int,
    seconds: float | None = None,
) -> Chosen:
    """Choose columns that cover every record once at the least cost: an integer programme.

    `start` are numbers of columns that do, which must be among `which` (ascending). There are
    `nodes` branches at the most.
    """
    import highspy

    solver = _solver(rows, mip_max_nodes=nodes, mip_rel_gap=0.0, mip_abs_gap=EXACTLY)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(seconds, 0.1))
    members, count = columns.members[which], which.size
    _add(solver, columns.costs[which], 1.0, members)
    for i, most in enumerate(cuts.limits):
        coefficients = cuts.coefficients(i, members, rows)
        if coefficients.sum() > most:
            _add_cut(solver, coefficients, most)
    whole = np.full(count, highspy.HighsVarType.kInteger)
    solver.changeColsIntegrality(count, np.arange(count, dtype=np.int32), whole)
    if start is not None:
        places = np.searchsorted(which, start)
        solution = highspy.HighsSolution()
        values = np.zeros(count)
        values[places] = 1.0
        solution.col_value = values.tolist()
        solver.setSolution(solution)
    solver.run()
    info, status = solver.getInfo(), solver.getModelStatus()
    proven = status == highspy.HighsModelStatus.kOptimal
    values = np.array(solver.getSolution().col_value)
    best = None
    if (
        values.size == count
        and info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    ):
        picked = which[values > 0.5]
        covered = columns.members[picked]
        if np.array_equal(np.sort(covered[covered != NOBODY]), np.arange(rows)):
            best = picked
    ended = highspy.HighsModelStatus
    sound = best is not None and status in (
        ended.kOptimal, ended.kTimeLimit, ended.kSolutionLimit, ended.kInterrupt
    )  # fmt: skip
    return Chosen(best, float(info.mip_dual_bound) if sound else -np.inf, proven and sound)


class Columns:
    """Distinct groups of at most `width` records, in the order in which they came.

    `members` has a group's rows in ascending order, then NOBODY.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._members = np.full((1024, width), NOBODY, dtype=np.int64)
        self._costs = np.zeros(1024)
        self._places: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def members(self) -> Integers:
        """(columns, width)"""
        return self._members[: len(self)]

    @property
    def costs(self) -> Floats:
        """(columns) what each loses."""
        return self._costs[: len(self)]

    @property
    def sizes(self) -> Integers:
        """(columns) records of each."""
        sizes: Integers = (self.members != NOBODY).sum(axis=1)
        return sizes

    def add(self, groups: Integers, losses: Losses) -> int:
        """Add groups of one size, (groups, size), those that are new; return how many were."""
        if groups.size == 0:
            return 0
        groups = np.sort(groups, axis=1)
        before, size = len(self), groups.shape[1]
        for group in groups:
            at = len(self._places)
            if self._places.setdefault(group.tobytes(), at) == at:
                if at == self._costs.size:
                    self._members = np.concatenate([self._members, np.full_like(self._members, -1)])
                    self._costs = np.concatenate([self._costs, np.zeros_like(self._costs)])
                self._members[at, :size] = group
        new = self._members[before : len(self), :size]
        self._costs[before : len(self)] = losses.of_groups(new)
        return len(self) - before

    def add_grouping(self, labels: Integers, losses: Losses) -> int:
        """Add the groups of a grouping that are no larger than `width`."""
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        ends = np.cumsum(sizes)
        added = 0
        for size in np.unique(sizes[sizes <= self.width]):
            starts = (ends - sizes)[sizes == size]
            added += self.add(order[starts[:, None] + np.arange(size)], losses)
        return added

    def place(self, group: Integers) -> int:
        """Return the number of a column; its rows must be in ascending order."""
        return self._places[group.tobytes()]

    def keep(self, which: Iterable[int] | Integers) -> None:
        """Forget all columns but some."""
        chosen = np.asarray(which, dtype=np.int64)
        members, costs = self.members[chosen], self.costs[chosen]
        self._members = np.full((max(1024, chosen.size), self.width), NOBODY, dtype=np.int64)
        self._costs = np.zeros(self._members.shape[0])
        self._members[: chosen.size], self._costs[: chosen.size] = members, costs
        sizes = (members != NOBODY).sum(axis=1)
        self._places = {
            group[:size].tobytes(): at
            for at, (group, size) in enumerate(zip(members, sizes, strict=True))
        }

    def reduced(self, duals: Floats) -> Floats:
        """Return what each costs beyond the duals of its records."""
        padded = np.append(duals, 0.0)  # NOBODY is the last one
        costs: Floats = self.costs - padded[self.members].sum(axis=1)
        return costs
