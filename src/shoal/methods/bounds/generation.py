"""Column generation: subgradient ascent, pricing and cuts; a valid bound at any time.

First the duals climb by themselves (subgradients of the Lagrangian dual, each record's step in
proportion to what it costs in the best grouping), which takes no linear programme and brings most
of the columns that matter. Then the programme is solved and priced in turn, its duals drawn
towards the best ones so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import ROUNDED
from shoal.methods.bounds.cuts import NO_CUTS, NOBODY, Cuts, violated_triples
from shoal.methods.bounds.highs import Columns, Master, Solved
from shoal.methods.bounds.losses import Losses, cost_of
from shoal.methods.bounds.threads import Priced
from shoal.methods.bounds.wide_cuts import violated_wide_cuts

CLOSED = 1e-5  # gap between programme and bound, as a share, that counts as none
TRIPLE = 3  # records of the cuts that are always searched
Remaining = Callable[[], float | None]
TOLERANCE = 1e-9  # reduced costs count from here on; records cost about 1
WIDTH = 0.5  # how far above the best duals the programme's may lie, in units of their scale
CUT_ROUNDS = 40  # of the programme after new cuts
CROWDED = 12  # columns a record, from which on the dear ones are forgotten


class Generation:
    """The linear programme of a table, in the making.

    `losses` are those of groups, scaled so that a record costs about 1 in `labels`, the best
    grouping so far, whose cost is `upper`. `bound` never exceeds the cost of any grouping; `least`
    is the same before scaling by `unit`.
    """

    def __init__(
        self,
        losses: Losses,
        k: int,
        labels: Integers,
        *,
        remaining: Remaining = lambda: None,
        threads: int | None = None,
    ) -> None:
        self.rows, self.k, self.losses = losses.rows, k, losses
        self.remaining, self.threads = remaining, threads
        self.pricer = losses.pricing(k, threads, self.over)
        self.columns = Columns(2 * k - 1)
        self.columns.add_grouping(labels, losses)
        self.shares = losses.of_records(labels)
        self.scale = self.shares + 0.2 * float(np.median(self.shares)) + 1e-9
        self.upper = float(self.shares.sum())
        self.duals, self.cuts, self.prices = self.shares.copy(), NO_CUTS, np.zeros(0)
        self.bound = self.pricer.floor * (1.0 - ROUNDED)
        self.reached = -np.inf  # by the duals
        self.complete = False
        self.master: Master | None = None
        self.solved: Solved | None = None
        self.width, self.separations = WIDTH, 0
        self.unit = 1.0

    @classmethod
    def scaled(
        cls,
        losses: Losses,
        k: int,
        labels: Integers,
        *,
        others: Iterable[Integers] = (),
        remaining: Remaining = lambda: None,
        threads: int | None = None,
    ) -> Generation | None:
        """Return the programme of losses as they are.

        labels (n) from 0: the best grouping so far, with groups of k to 2k - 1 records; the groups
        of `others` are columns, too. None where that grouping costs nothing, or where the losses
        are no numbers that a programme can weigh.
        """
        unit = cost_of(losses, labels) / labels.size
        own = losses.scaled(unit) if 0.0 < unit < np.inf else None
        if own is None:
            return None
        made = cls(own, k, labels, remaining=remaining, threads=threads)
        made.unit = unit
        for one in others:
            made.columns.add_grouping(one, own)
        return made

    @property
    def least(self) -> float:
        """What no grouping costs less than, in the units of the losses as they were."""
        return self.bound * self.unit

    def raise_bound(self, plan: Plan, on_stage: Callable[[int], None] = lambda _: None) -> None:
        """Let the duals climb (stage 1), solve the programme (2), cut it (3).

        It ends where the bound meets the grouping.
        """
        if plan.climb:
            on_stage(1)
            self.climb(plan.climb, plan.branches, plan.grown)
        then = (2, plan.rounds, self.converge), (3, plan.cuts, self.cut)
        for stage, rounds, step in then:
            if self.bound >= self.upper * (1.0 - CLOSED):
                self.complete = True
                return
            if rounds:
                on_stage(stage)
                step(plan)

    def begin_anew(self, columns: int) -> None:
        """Keep the first columns and what was proven, and nothing else."""
        self.columns.keep(np.arange(columns))
        self.duals, self.cuts, self.prices = self.shares.copy(), NO_CUTS, np.zeros(0)
        self.reached, self.width = -np.inf, WIDTH
        self.master, self.solved = None, None

    def inside(self, rows: Integers, labels: Integers) -> Generation:
        """Return the programme of some of the records, which begins with what is known of them.

        rows (m) ascending; labels (m) is any grouping of those.
        """
        losses = self.losses.take(rows)
        part = Generation(losses, self.k, labels, remaining=self.remaining, threads=self.threads)
        number = np.full(self.rows + 1, NOBODY)  # NOBODY is the last one
        number[rows] = np.arange(rows.size)
        members = number[self.columns.members]
        whole = (members != NOBODY).sum(axis=1) == self.columns.sizes
        for size in self.pricer.sizes:
            some = members[whole & (self.columns.sizes == size)]
            part.columns.add(np.ascontiguousarray(some[:, :size]), losses)
        part.cuts, which = self.cuts.inside(number)
        part.prices = self.prices[which]
        part.duals, part.scale, part.unit = self.duals[rows], self.scale[rows], self.unit
        return part

    def over(self) -> bool:
        """Tell whether the time is up."""
        left = self.remaining()
        return left is not None and left <= 0.0

    def prove(self, most: int) -> None:
        """Take in what the duals and prices prove as they are, with so many branches a root."""
        self._price(self.duals, self.prices, most)

    def _price(self, duals: Floats, prices: Floats, most: int) -> Priced:
        """Price, take in the columns and what the duals prove; return the columns."""
        priced = self.pricer.price(duals, most, TOLERANCE, self.cuts, -prices)
        for groups in priced.new():
            self.columns.add(groups, self.losses)
        paid = prices * self.cuts.limits
        safe = ROUNDED * float(np.abs(duals).sum() + np.abs(paid).sum())
        safe += TOLERANCE * (self.rows // self.k)
        proven = float(duals.sum() + paid.sum()) + priced.missing - safe
        if proven > self.reached:
            self.reached = proven
            self.duals, self.prices = duals, prices
        self.bound = max(self.bound, proven)
        return priced

    def climb(self, steps: int, most: int, grown: bool = False) -> None:
        """Let the duals climb for some steps, pricing with at most so many branches a root.

        `grown`: by groups that are grown, not proven to be the cheapest; priced is at the end.
        """
        if grown:
            best = self._climb(steps, self._by_growing)
            self._price(best, self.prices, most)
        else:
            self._climb(steps, lambda here: self._by_pricing(here, most))

    def _climb(self, steps: int, look: Callable[[Floats], tuple[float, Floats]]) -> Floats:
        """Follow the slope of a bound for some steps; return the best duals."""
        here, step_size, waited = self.duals, 1.0, 0
        best, best_at = -np.inf, here
        for _ in range(steps):
            if self.over():
                break
            value, slope = look(here)
            waited = waited + 1 if value <= best * (1.0 + 1e-4) else 0
            if value > best:
                best, best_at = value, here
            steep = float(slope @ (self.scale * slope))
            if steep <= 1e-12 or value >= self.upper * (1.0 - CLOSED):
                break
            if waited > 4:
                step_size, waited, here = step_size * 0.7, 0, best_at
            here = here + step_size * (self.upper - value) / steep * self.scale * slope
        return best_at

    def _by_pricing(self, here: Floats, most: int) -> tuple[float, Floats]:
        """Return the bound by the best groups of the roots that have any, and its slope."""
        priced = self._price(here, self.prices, most)
        reduced = priced.reduced.min(axis=0)
        which = np.argsort(reduced, kind="stable")[: self.rows // self.k]
        slope, sizes = np.ones(self.rows), priced.reduced.argmin(axis=0)
        for root in which[reduced[which] < 0.0]:
            slope[priced.groups[sizes[root]][root]] -= 1.0
        paid = float((self.prices * self.cuts.limits).sum())
        return float(here.sum() + paid + reduced[which].sum()), slope

    def _by_growing(self, here: Floats) -> tuple[float, Floats]:
        """Return the bound by the group grown around every record, and its slope.

        It is the sum of all duals and of every record's share in its group's reduced cost.
        """
        groups, reduced = self.pricer.grow(here)
        self._take_in(groups, reduced)
        there = groups != NOBODY
        sizes = there.sum(axis=1)
        weights = np.broadcast_to(1.0 / sizes[:, None], groups.shape)[there]
        slope = np.ones(self.rows)
        slope -= np.bincount(groups[there], weights, minlength=self.rows)
        return float(here.sum() + (reduced / sizes).sum()), slope

    def _take_in(self, groups: Integers, reduced: Floats) -> None:
        """Add grown groups, (n, 2k - 1) padded, that cost less than their duals."""
        sizes = (groups != NOBODY).sum(axis=1)
        for size in np.unique(sizes):
            some = groups[(sizes == size) & (reduced < 0.0)]
            self.columns.add(some[:, :size], self.losses)

    def converge(self, plan: Plan, draw: float = 0.4) -> bool:
        """Solve and price in turn until the bound meets the programme; tell whether it did."""
        most = plan.branches
        if self.master is None or len(self.columns) > 2 * CROWDED * self.rows:
            self._begin()
        master = self.master
        assert master is not None
        for _ in range(plan.rounds):
            if self.over():
                return False
            master.add(self.columns)
            solved = master.solve(self.remaining())
            if solved is None:
                return False
            self.solved = solved
            gap = (solved.cost - self.reached) / max(abs(solved.cost), 1e-9)
            if gap <= plan.closed:
                if solved.overdrawn <= 1e-7:
                    self.complete = True
                    return True
                self.width *= 16.0
                self._set_ceilings()
                continue
            if gap < 0.01 and solved.overdrawn > 1e-7:
                self.width *= 4.0
            draw = draw * 0.7 if gap < 0.002 else draw
            before, reached = len(self.columns), self.reached
            duals = draw * self.duals + (1.0 - draw) * solved.duals
            padded = np.zeros(solved.prices.size)
            padded[: self.prices.size] = self.prices
            prices = draw * padded + (1.0 - draw) * solved.prices
            if plan.grown:
                self._take_in(*self.pricer.grow(duals))
                if len(self.columns) - before > self.rows // 20:
                    continue
            priced = self._price(duals, prices, most)
            added = len(self.columns) - before
            if solved.overdrawn > 1e-7 and (self.reached > reached or gap < 0.01):
                self._set_ceilings()
            if priced.cut_short and (added < 0.02 * self.rows or gap < 0.01):
                if most >= plan.limit and added == 0 and self.reached == reached:
                    return False
                most = min(most * 8, plan.limit)
            if not priced.cut_short and added == 0:
                draw *= 0.5
        return False

    def _begin(self) -> None:
        self._forget(CROWDED // 2 * self.rows)
        self.solved = None  # its columns had other numbers
        self.master = Master(self.rows, self._ceilings())
        self.master.add(self.columns)
        if len(self.cuts):
            self.master.cut(self.columns, self.cuts)

    def _forget(self, most: int) -> None:
        """Keep only the columns that cost least beyond their duals."""
        if len(self.columns) > most:
            which = np.argsort(self.reduced_costs(), kind="stable")[:most]
            self.columns.keep(np.sort(which))

    def reduced_costs(self) -> Floats:
        """Return what every column costs beyond its duals, cuts included."""
        reduced = self.columns.reduced(self.duals)
        for i in np.flatnonzero(self.prices < 0.0):
            reduced -= self.prices[i] * self.cuts.coefficients(
                int(i), self.columns.members, self.rows
            )
        return reduced

    def _ceilings(self) -> Floats:
        return self.duals + self.width * self.scale

    def _set_ceilings(self) -> None:
        assert self.master is not None
        self.master.set_ceilings(self._ceilings())

    def _violated(self, values: Floats, width: int) -> Cuts:
        """Return cuts of so many records at most that the columns' values violate."""
        members, most = self.columns.members[: values.size], 100 + self.rows // 4
        triples = violated_triples(members, values, most)
        if width <= TRIPLE:
            return triples
        self.separations += 1
        wide = violated_wide_cuts(
            members, values, self.rows, most=most, width=width, seed=self.separations
        )
        return triples.extended(wide)

    def cut(self, plan: Plan) -> None:
        """Add cuts that the programme's solution violates, and converge again."""
        again = replace(plan, rounds=CUT_ROUNDS)
        for _ in range(plan.cuts):
            if self.solved is None or self.master is None or self.over():
                return
            before, self.width = self.bound, WIDTH
            new = self._violated(self.solved.values, plan.cut_width)
            if len(new) == 0:
                return
            self.cuts = self.cuts.extended(new)
            self.prices = np.append(self.prices, np.zeros(len(new)))
            if len(self.columns) > CROWDED * self.rows:
                self._begin()
            else:
                self.master.cut(self.columns, new)
                self._set_ceilings()
            done = self.converge(again, draw=0.3)
            if not done or self.bound < before * (1.0 + 1e-6):
                return


@dataclass(frozen=True)
class Plan:
    """How much work goes into a table: counts, so that the same plan gives the same result.

    `grown` is for groups so large that pricing is cut short nearly everywhere; `anew` begins as
    if nothing was done before.
    """

    climb: int = 25
    branches: int = 500  # of a root at first
    rounds: int = 60
    limit: int = 100_000  # branches of a root in the end
    cuts: int = 10
    cut_width: int = TRIPLE  # records of a cut, at most
    listed: int = 20_000  # groups that may be listed for a proof
    columns: int = 5_000  # groups for the integer programme where they cannot all be listed
    nodes: int = 100
    parts: tuple[float, ...] = (1.0,)  # of the gap, tried in turn until its groups can be listed
    grown: bool = False
    anew: bool = False
    closed: float = CLOSED

    @property
    def stages(self) -> int:
        """How many of climbing, solving and cutting it has."""
        return sum(count > 0 for count in (self.climb, self.rounds, self.cuts))
