"""`best` on hierarchies: rounds of searches whose groups are recombined.

A round is some runs of the search on generalization loss, one from the best grouping so far, the
others from where the first began, with a seed of their own. Connected blocks of what they found
take the cheaper side; then the groups of many runs are a pool from which integer programmes
choose, block by block. A round's result depends on the seed and on the rounds before it, never on
threads; with a time limit on the clock, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import percent
from shoal.methods.bounds.cuts import NO_CUTS, NOBODY
from shoal.methods.bounds.generation import Remaining
from shoal.methods.bounds.highs import choose
from shoal.methods.ils.driver import Everywhere, Watch, drive
from shoal.methods.ils.hierarchies.search import search_runs
from shoal.methods.ils.parameters import Stop, Task
from shoal.methods.ils.recombine import GAIN, Grouping, blocks, recombined
from shoal.methods.matheuristic.on_trees import SEARCH, TreeTable
from shoal.partition import PROVEN, SearchLog, canonical_labels, rows_of_groups
from shoal.progress import Progress, Reporter
from shoal.table.encode_nodes import Coded

MOST = 3_000  # records of a block whose programme is solved
NODES = 20  # branches of one
ROUNDS = 12
STARTS = 4  # runs of a round
WORK = 900_000  # iterations of a run on a thousand records, times k and columns: about a second
BOUNDED = 5_000  # records up to which the neighbor bound is computed
ELITE = 12  # groupings whose groups are chosen from
PARTS = "search", "block", "programme"


def best_on_trees(
    coded: Coded, task: Task, report: Reporter, weights: Mapping[str, float] | None = None
) -> tuple[Integers, SearchLog, tuple[float, bool] | None]:
    """Return the best grouping found, how, and (the least ILoss rate, whether that is complete).

    Requires 2 <= k, 2k records and a start that keeps the rules, which no group breaks. Of tables
    with too many records no bound is known.
    """
    rounds = _Rounds(coded, task, report, weights)
    labels, log = drive(rounds)
    return labels, log, None if rounds.bound is None else (rounds.bound, False)


class _Rounds:
    """The rounds; their searches run side by side, not they themselves."""

    runs = range(1)
    threads = 1

    def __init__(
        self, coded: Coded, task: Task, report: Reporter, weights: Mapping[str, float] | None
    ) -> None:
        assert task.start is not None
        self.coded, self.task, self.report, self.weights = coded, task, report, weights
        self.start = task.start
        self.width = max(1, len(coded.columns))
        self.total = float(coded.rows * self.width)
        self.watch = Watch(task.options, report, ROUNDS)
        self.bound: float | None = None
        if coded.rows <= BOUNDED:
            table = TreeTable(coded, task.k)
            self.bound = table.rate(table.safe(table.companions(report.quiet())))
        self.elite: deque[Grouping] = deque(maxlen=ELITE)
        self.by_part = {name: {"applied": 0.0, "improved": 0.0, "gain": 0.0} for name in PARTS}

    @property
    def loss(self) -> float:
        """What the best grouping loses, in percent."""
        return percent(self.best.loss, self.total)

    def begin(self, _: Everywhere) -> None:
        """Search from the start, and recombine."""
        self._search(self.start, 0)
        self._note()

    def round(self, _: Everywhere) -> None:
        """Search again, and recombine, unless that is not needed."""
        if self._is_settled():
            return
        self.watch.done += 1
        self._search(self.best.labels, self.watch.done)
        self._note()

    def close(self, _: Everywhere) -> None:
        """Leave the groups as they are."""

    def _search(self, first: Integers, number: int) -> None:
        """Search from a grouping and from the start, side by side; recombine what is known."""
        seed = int(np.random.SeedSequence([self.task.seed, 5, number]).generate_state(1)[0])
        stop = Stop(iterations=self._iterations(), seconds=self.remaining())
        others = (self.start,) * (STARTS - 1)
        options = replace(SEARCH, stop=stop)
        task = replace(
            self.task, start=first, others=others, options=options, seed=seed, warm=number > 0
        )
        found, log = search_runs(self.coded, task, self.report.quiet(), self.weights)
        joined, *ended = found
        least = min(ended, key=lambda one: one.loss)
        if number == 0:
            self.start_loss, self.best = log.loss_start, least
        self._take("search", least)
        self._take("block", joined)
        self.elite.extend(ended)
        self._take("block", recombined([self.best, *self.elite])[0])
        self._take("programme", chosen(self.best, self.elite, self.remaining, self.task.threads))

    def _take(self, part: str, grouping: Grouping) -> None:
        """Update the best grouping."""
        figures, gain = self.by_part[part], self.best.loss - grouping.loss
        figures["applied"] += 1
        if gain > 0.0:
            figures["improved"] += 1
            figures["gain"] += percent(gain, self.total)
            self.best = grouping

    def _iterations(self) -> int:
        """Return how many iterations a run makes."""
        size = self.coded.rows / 1000
        work = WORK * (size if size < 1 else size**0.5)
        return max(100, round(work / (self.task.k * max(8, self.width))))

    def remaining(self) -> float | None:
        """Return the seconds that are left, None without a limit; none when asked to finish."""
        self.report.stop.check()
        if self.report.stop.finish:
            return 0.0
        given = self.watch.seconds_given
        return None if given is None else max(0.0, given - self.watch.seconds)

    def _note(self) -> None:
        self.watch.note(self.watch.done, np.array([self.loss]))

    def look(self) -> Progress:
        """Return what there is to see: the best grouping, and the steps made so far."""
        return self.watch.look(
            self.loss, self.loss, groups=int(self.best.labels.max()) + 1,
            tried=sum(int(part["applied"]) for part in self.by_part.values()),
            applied=sum(int(part["improved"]) for part in self.by_part.values()),
        )  # fmt: skip

    def _is_settled(self) -> bool:
        """Tell whether proof, target or patience make another round needless."""
        stop, watch = self.task.options.stop, self.watch
        waited = watch.done - (watch.curve[-1][0] if watch.curve else 0)
        if self.loss <= (self.bound or 0.0) * (1.0 + PROVEN):
            watch.stopped_by = "proof"
        elif stop.target is not None and self.loss <= stop.target:
            watch.stopped_by = "target"
        elif stop.patience is not None and waited >= stop.patience:
            watch.stopped_by = "patience"
        return bool(watch.stopped_by)

    def result(self) -> tuple[Integers, SearchLog]:
        """Return the best grouping, and how it was found."""
        log = self.watch.log(
            self.loss, self.start_loss, loss_first_optimum=self.watch.curve[0][1],
            gains=self.by_part, pairs_examined=0, pairs_by_pass=[],
        )  # fmt: skip
        return canonical_labels(self.best.labels), log


# Groups of several groupings, chosen anew: set partitioning, block by block.
#
# Every grouping that its groups can be put together to is looked at, so that what one search has
# found and what another has need not be whole blocks to go together. A block of all groupings is an
# integer programme of its own.


class Pool(NamedTuple):
    """The distinct groups of a block: `members` padded by NOBODY, what they lose, where it starts.

    `rows` are the block's, `start` the numbers of the groups that are taken so far.
    """

    rows: Integers
    members: Integers
    costs: Floats
    start: Integers


class Better(NamedTuple):
    """The groups of a block, as rows, that lose less than those so far, and what each loses."""

    groups: list[Integers]
    costs: Floats


def chosen(
    best: Grouping, groupings: Sequence[Grouping], remaining: Remaining, threads: int | None
) -> Grouping:
    """Return the best choice of groups in every block that is not too large, else the best's."""

    def solve(pool: Pool) -> Better | None:
        seconds = remaining()
        return None if seconds is not None and seconds <= 0.0 else _solve(pool, seconds)

    labels, shares = best.labels.copy(), best.shares.copy()
    for better in Threads(threads).map(solve, pools(best, groupings)):
        if better is None:
            continue
        for group, cost in zip(better.groups, better.costs, strict=True):
            labels[group], shares[group] = labels.max() + 1, cost / group.size
    return Grouping(np.unique(labels, return_inverse=True)[1].astype(np.int64), shares)


def pools(best: Grouping, groupings: Sequence[Grouping]) -> list[Pool]:
    """Return the pools of all blocks, of up to MOST records, in which groupings differ."""
    every = [best, *groupings]
    block = blocks([one.labels for one in every])
    sizes = np.bincount(block)
    found: dict[int, dict[bytes, tuple[Integers, float, bool]]] = {}
    for number, one in enumerate(every):
        losses = np.bincount(one.labels, one.shares)
        for group, loss in zip(rows_of_groups(one.labels), losses, strict=True):
            place = int(block[group[0]])
            if sizes[place] <= MOST:
                own = found.setdefault(place, {})
                own.setdefault(group.tobytes(), (group, float(loss), number == 0))
    several = [own for _, own in sorted(found.items()) if len(own) > 1]
    return [_pool(own) for own in several]


def _pool(own: dict[bytes, tuple[Integers, float, bool]]) -> Pool:
    groups = [group for group, _, _ in own.values()]
    rows = np.unique(np.concatenate(groups))
    members = np.full((len(groups), max(group.size for group in groups)), NOBODY, dtype=np.int64)
    for number, group in enumerate(groups):
        members[number, : group.size] = np.searchsorted(rows, group)
    costs = np.array([cost for _, cost, _ in own.values()])
    start = np.flatnonzero([taken for _, _, taken in own.values()])
    return Pool(rows, members, costs, start)


def _solve(pool: Pool, seconds: float | None) -> Better | None:
    """Choose among the groups of a block; None where nothing is gained."""
    if pool.start.size == pool.costs.size:  # all groupings have the same
        return None
    every = np.arange(pool.costs.size)
    found = choose(
        pool, every, pool.rows.size, pool.start, cuts=NO_CUTS, nodes=NODES, seconds=seconds
    )
    if found.which is None:
        return None
    if pool.costs[found.which].sum() > pool.costs[pool.start].sum() - GAIN:
        return None
    members = pool.members[found.which]
    groups = [pool.rows[group[group != NOBODY]] for group in members]
    return Better(groups, pool.costs[found.which])
