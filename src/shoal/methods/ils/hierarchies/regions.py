"""Regions of a table: whole groups that are near each other, searched side by side.

A table is cut into regions along one of the orders of its records, and after some iterations along
another, so that groups that a border kept apart meet. What comes out depends on the seed, not on
who searches the regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import Rules, pointers
from shoal.methods.ils.driver import Watch
from shoal.methods.ils.hierarchies import state as states
from shoal.methods.ils.hierarchies.advance import advance
from shoal.methods.ils.hierarchies.layout import (
    BREACH,
    CURRENT,
    FOUND,
    ITERATION,
    KEYS,
    LABEL,
    LIVING,
    LOSS,
    MAY_DISSOLVE,
    MAY_REGROUP,
    MAY_RESPLIT,
    MAY_SHIFT,
    MAY_SWAP,
    PENALTY,
    RULES,
    SAMPLES,
    SIZE,
    STOP,
    TEMPERATURE,
)
from shoal.methods.ils.hierarchies.moves import NEIGHBORS, ORDERS, Near, near_of, order_records
from shoal.methods.ils.hierarchies.state import State
from shoal.methods.ils.parameters import Search, Task
from shoal.methods.ils.recombine import Grouping
from shoal.methods.topdown.bins import Trees, Work, make
from shoal.partition import canonical_labels

HEAT = 0.3  # the first temperature, in mean losses of a group: 0.2 to 0.4 lost least on adult
WARM = 0.1  # from a start that is good already, which a higher one would undo
HOT, COOLED = 0.1, 0.8  # shares of a cycle: until then the first temperature, from then on 0
CYCLE = 400  # iterations for each possible group: more of them gain little
FEW = 3  # iterations for each possible group: fewer of them are not annealed
MEASURED = 0.05  # the share of a time limit after which the number of iterations is estimated
LEAST = 50  # iterations at a temperature
RECORDS = 8_000  # of a region, about: smaller ones have less to choose from
EVERY = 1_500  # iterations of a region until the table is cut anew, on average
GOLDEN = (5**0.5 - 1) / 2  # its multiples are spread evenly over [0, 1)


class Region(NamedTuple):
    """The rows of a region, and the state of its search."""

    rows: Integers
    state: State
    near: Near
    work: Work
    rules: Rules  # that the state points at

    def advance(self, new: int = 0) -> None:
        """Go on with the search; the first `new` groups are measured before."""
        advance(self.state, self.near, self.work, new)

    def load(self, labels: Integers) -> None:
        """Take over a grouping of the region's rows, numbered from 0, and measure it."""
        states.load(self.state, labels)
        counts = self.state.counts
        stop, counts[STOP] = int(counts[STOP]), counts[ITERATION]  # it does not go on
        self.advance(int(labels.max()) + 1)
        counts[STOP] = stop
        states.line_up(self.state)


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """Records with the orders that they are cut along, and what their searches have in common."""

    trees: Trees
    codes: Integers
    task: Task
    most: int
    around: int
    orders: Integers
    masses: Integers

    @property
    def regions(self) -> int:
        """How many regions there are: one where rules speak of rows of the whole table."""
        return 1 if self.task.rules.any() else max(1, self.codes.shape[0] // RECORDS)

    def cut(self, labels: Integers, run: int, number: int) -> list[Region]:
        """Return the regions of a run's grouping, cut for the number-th time, loaded."""
        groups = int(labels.max()) + 1
        rows = labels.size
        order = self.orders[number % self.orders.shape[0]]
        place = np.empty(rows)
        place[order] = np.arange(rows)
        sizes = np.bincount(labels, minlength=groups)
        means = np.bincount(labels, weights=place, minlength=groups) / sizes
        in_turn = np.argsort(means, kind="stable")
        before = np.cumsum(sizes[in_turn]) - sizes[in_turn]
        of_group = np.empty(groups, dtype=np.int64)
        of_group[in_turn] = before * self.regions // rows
        region = of_group[labels]
        ends = np.cumsum(np.bincount(region, minlength=self.regions))[:-1]
        own = np.split(np.argsort(region, kind="stable"), ends)
        local = np.empty(rows, dtype=np.int64)
        for some in own:
            local[some] = np.arange(some.size)
        lines = [
            np.split(line[np.argsort(region[line], kind="stable")], ends) for line in self.orders
        ]
        made = []
        for one, some in enumerate(own):
            if some.size:
                orders = local[np.stack([line[one] for line in lines])]
                seed = np.random.default_rng([self.task.seed, run, number, one])
                made.append(self._region(some, orders, labels[some], int(seed.integers(1, 2**62))))
        return made

    def _region(self, rows: Integers, orders: Integers, labels: Integers, seed: int) -> Region:
        """Return a region with its groups."""
        options, k = self.task.options, self.task.k
        codes = np.ascontiguousarray(self.codes[rows])
        s = states.make(self.trees, codes, self.masses[rows], k, self.most, self.around, seed)
        rules = self.task.rules.copy()  # with room to work in
        s.counts[BREACH], s.counts[RULES] = pointers(rules)
        s.sums[PENALTY] = self.task.penalty
        for place, name in ((MAY_SHIFT, "shift"), (MAY_SWAP, "swap")):
            s.counts[place] = name in options.moves
        for place, name in (
            (MAY_DISSOLVE, "dissolve"), (MAY_REGROUP, "regroup"), (MAY_RESPLIT, "resplit"),
        ):  # fmt: skip
            s.counts[place] = name in options.perturbations
        s.counts[SAMPLES] = min(options.samples, rows.size)
        room = np.zeros((s.pool.shape[0], codes.shape[1]), dtype=np.int64)
        near = near_of(orders, s.groups.shape[0])
        region = Region(rows, s, near, make(self.trees, room, k, seed), rules)
        region.load(np.unique(labels, return_inverse=True)[1].astype(np.int64))
        return region

    def labels(self, regions: list[Region]) -> Integers:
        """Return the grouping of all regions together."""
        joined, count = np.empty(self.codes.shape[0], dtype=np.int64), 0
        for region in regions:
            own = np.unique(region.state.records[:, LABEL], return_inverse=True)[1]
            joined[region.rows] = own + count
            count += int(own.max()) + 1
        return joined


class Totals(NamedTuple):
    """What the counts and sums of several states add up to."""

    counts: Integers
    sums: Floats


class Run:
    """One search: the regions it is cut into now, and what those before them did."""

    def __init__(self, map_: Map, start: Integers, number: int, heat: float) -> None:
        self.map, self.number = map_, number
        self._past = Totals(np.zeros(FOUND, dtype=np.int64), np.zeros(KEYS))
        self.cuts, self.since = 0, 0  # how often it was cut, and in which iteration last
        self._cut(start)
        self._best, self._best_loss = start, self.loss
        self.temperature = heat * self._mean_loss  # at which this cycle of annealing begins

    @property
    def _mean_loss(self) -> float:
        """The mean loss of a group."""
        groups = sum(int(region.state.counts[LIVING]) for region in self.regions)
        return self.loss / max(1, groups)

    def _cut(self, labels: Integers) -> None:
        """Cut a grouping into regions, and deal out iterations to where most is lost."""
        self.regions = self.map.cut(labels, self.number, self.cuts)
        lost = np.array([region.state.sums[CURRENT] for region in self.regions])
        shares = np.cumsum(
            lost / lost.sum() if lost.sum() > 0 else np.full(lost.size, 1 / lost.size)
        )
        turns = np.arange(EVERY * self.map.regions) * GOLDEN % 1.0
        self.turns = np.minimum(np.searchsorted(shares, turns, side="right"), lost.size - 1)

    def _cut_anew(self, labels: Integers, done: int) -> None:
        """Cut a grouping into other regions after so many iterations."""
        self._past = self.totals
        self.cuts, self.since = self.cuts + 1, done
        self._cut(labels)

    def plan(self, done: int, wanted: int) -> int:
        """Say how far the regions are to go, and cut anew where it is time; return until where.

        How many iterations a region makes follows from their number alone, in whatever rounds.
        """
        if len(self.regions) == 1:
            self.regions[0].state.counts[STOP] = wanted
            return wanted
        if done - self.since >= self.turns.size:
            self._cut_anew(self.labels, done)
        stop = min(wanted, self.since + self.turns.size)
        stops = np.bincount(self.turns[: stop - self.since], minlength=len(self.regions))
        for region, own in zip(self.regions, stops, strict=True):
            region.state.counts[STOP] = own
        return stop

    def cool_to(self, share: float) -> None:
        """Set the temperature to a share of the first one of this cycle."""
        for region in self.regions:
            region.state.sums[TEMPERATURE] = share * self.temperature

    def keep_best(self) -> None:
        """Keep the grouping of now if it loses less than all before."""
        if self.loss < self._best_loss:
            self._best, self._best_loss = self.labels, self.loss

    def begin_cycle(self, done: int) -> None:
        """Begin another cycle of annealing with the best grouping, after so many iterations.

        All runs are cut anew at once, so that they go on making the same iterations.
        """
        if len(self.regions) > 1:
            self._cut_anew(self._best, done)
        else:
            self.return_to_best(done)
        self.temperature = WARM * self._mean_loss

    def return_to_best(self, done: int) -> None:
        """Take over the best grouping after so many iterations, unless it is that of now."""
        if self.loss <= self._best_loss:
            return
        if len(self.regions) == 1:
            only = self.regions[0]
            only.load(canonical_labels(self._best[only.rows]))
        else:
            self._cut_anew(self._best, done)

    @property
    def labels(self) -> Integers:
        """The grouping of all records."""
        return self.map.labels(self.regions)

    @property
    def grouping(self) -> Grouping:
        """The grouping of all records, and every record's share in what its group loses."""
        shares = np.empty(self.map.codes.shape[0])
        for region in self.regions:
            own = region.state.records[:, LABEL]
            lost = region.state.costs[own, self.map.codes.shape[1], LOSS]
            shares[region.rows] = lost / region.state.groups[own, SIZE]
        return Grouping(self.labels, shares)

    @property
    def loss(self) -> float:
        """What all groups lose."""
        return sum(float(region.state.sums[CURRENT]) for region in self.regions)

    @property
    def totals(self) -> Totals:
        """What was counted and gained in all regions so far."""
        states_ = [region.state for region in self.regions]
        return Totals(
            self._past.counts + sum(s.counts[:FOUND] for s in states_),
            self._past.sums + sum(s.sums[:KEYS] for s in states_),
        )


def orders_of(
    trees: Trees, codes: Integers, k: int, seed: int, threads: int | None,
    masses: Integers | None = None,
) -> Integers:  # fmt: skip
    """Return orders of records to look for neighbors along; one where all are neighbors."""
    rows = codes.shape[0]
    if rows <= NEIGHBORS:
        return np.arange(rows, dtype=np.int64)[np.newaxis]
    seeds = range(seed * ORDERS, (seed + 1) * ORDERS)
    order = partial(order_records, trees, codes, k, masses)
    return np.stack(list(Threads(threads).map(order, seeds)))


def round_size(groups: int, most: int) -> int:
    """Return how many iterations are made at a temperature, given the number of possible groups.

    It does not depend on the length of a cycle, so that what was limited by the clock can be
    repeated.
    """
    return max(1, min(most, max(LEAST, groups // 2)))


class Cooling:
    """How far a search is in a cycle of annealing.

    A cycle has as many iterations as the search is limited to, or is estimated to make within its
    time, but at most CYCLE for each possible group; or as the option `schedule` says. Later cycles
    begin with the best grouping so far. What comes out depends on the length of a cycle and on the
    number of iterations, never on the clock. A search that may end at any time (`patience`), one
    with a penalty, and one that is limited to less than FEW iterations for each possible group keep
    only what gains: their cycles are of length 1.
    """

    def __init__(
        self, watch: Watch, options: Search, groups: int, seconds: float | None, anneals: bool
    ) -> None:
        self.watch, self.seconds = watch, seconds
        self.longest = CYCLE * max(1, groups)
        self.length: int | None = None  # not known yet
        self._first = 0  # iteration of this cycle
        if not anneals or (options.schedule is None and options.stop.patience is not None):
            self.length = 1
        elif options.schedule is not None:
            self.length = options.schedule
        elif seconds is None:
            self.length = max(1, min(watch.limit, self.longest))
            if self.length < FEW * groups:
                self.length = 1

    @property
    def schedule(self) -> int:
        """The length of a cycle; where it is not known yet, one that is as hot until now."""
        return self.length or round(self.watch.done / HOT) + 2

    def estimate(self) -> None:
        """Estimate how many iterations are made within the time, once some were made."""
        done, spent = self.watch.done, self.watch.seconds
        if self.length is not None or self.seconds is None or spent < MEASURED * self.seconds:
            return
        if done > 0:
            planned = min(done * self.seconds / spent, self.watch.limit, self.longest)
            self.length = max(2, round(planned), round(done / HOT))

    def begin_anew(self) -> bool:
        """Begin another cycle if one has come to its end; tell whether it has."""
        if self.length in (None, 1) or self.watch.done - self._first < self.schedule:
            return False
        self._first = self.watch.done
        return True

    def share(self) -> float:
        """Return the share of the first temperature that is left: it falls linearly to 0."""
        if self.length is None:
            return 1.0
        if self.length == 1:
            return 0.0
        passed = (self.watch.done - self._first) / self.length
        return min(1.0, max(0.0, (COOLED - passed) / (COOLED - HOT)))
