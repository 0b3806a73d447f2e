"""`best`: rounds of searches, programmes, dives and neighborhoods within a budget.

It begins with searches from random starts. Their groups are the first columns of the linear
programme of all records, which prices more of them, gives the bound, and is dived into; cuts
follow, and where groups are small the integer programme. From then on rounds alternate between
neighborhoods that are freed and solved, and new searches and dives. Where groups are large or
records many, regions have programmes of their own that are dived into, side by side; the programme
of all records, if they are not too many, is then solved for the bound's sake. A round's result
depends on the seed and on the rounds before it, never on threads; with a time limit on the clock,
too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import is_nothing, percent, squared_error, total_squares
from shoal.methods.bounds.generation import Generation, Plan
from shoal.methods.bounds.integer import solve_integer
from shoal.methods.bounds.large_groups import least_by_pairs
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.ils.driver import Everywhere, drive
from shoal.methods.ils.parameters import Search, Stop, Task
from shoal.methods.ils.search import warm_up as warm_up_search
from shoal.methods.matheuristic.steps import AFFORDABLE, USUAL, Sizes, Steps
from shoal.partition import PROVEN, SearchLog, canonical_labels
from shoal.progress import Progress, Reporter

PAIRS_AFTER = 2  # the round after which large groups are bounded by pairs of records
Step = Callable[[int], None]


def best(
    matrix: Floats, task: Task, report: Reporter, sizes: Sizes = USUAL
) -> tuple[Integers, SearchLog, tuple[float, bool]]:
    """Return the best grouping found, how, and (the least SSE of any grouping, whether complete).

    Requires 2 <= k and 2k rows. Never more loss than the start had.
    """
    warm_up(matrix.shape[1])
    rounds = _Rounds(matrix, task, report, sizes)
    labels, log = drive(rounds)
    return labels, log, (min(rounds.bound, rounds.cost), rounds.complete or rounds.proven)


def warm_up(width: int) -> None:
    """Compile (or load) the kernels, so that a time limit counts the work alone."""
    warm_up_search(width)
    tiny = np.arange(8.0)[:, None].repeat(width, axis=1)
    generation = Generation(Gaps(squared_gaps(tiny)), 2, mdav(tiny, 2, Reporter(None)), threads=1)
    for grown in (False, True):
        generation.climb(1, 1, grown)
    least_by_pairs(squared_gaps(tiny), 2)


class _Rounds(Steps):
    """The rounds of `best`; their searches run side by side, not they themselves."""

    runs = range(1)

    def begin(self, _: Everywhere) -> None:
        """Search from random starts."""
        self.search_from_starts(0)
        self._note()

    def round(self, _: Everywhere) -> None:
        """Run the next step of the round, unless it is not needed."""
        if self._is_settled():
            return
        number = self.watch.done
        if not self.grown and self.rows <= self.sizes.handy:
            first: list[Step] = [self.programme, self.cut, self.integer]
            cycle: list[Step] = [self.neighborhoods, self.neighborhoods, self.again]
        else:
            first = [self.neighborhoods, self.regions, self.regions]
            affordable = self.rows * self.k**2 <= AFFORDABLE
            if not self.grown and self.rows <= self.sizes.whole and affordable:
                first.append(self.bound_alone)
            cycle = [self.neighborhoods, self.regions, self.regions, self.search_from_starts]
        if self.rows <= self.nearby:  # one neighborhood is the whole table
            cycle = [self.again]
        if number < len(first):
            first[number](number)
        else:
            cycle[(number - len(first)) % len(cycle)](number)
        if self.grown and number == PAIRS_AFTER:
            self.bound_by_pairs()
        self.watch.done += 1
        self._note()

    def close(self, _: Everywhere) -> None:
        """Leave the groups as they are."""

    def _note(self) -> None:
        self.watch.note(self.watch.done, np.array([percent(self.cost, self.total)]))

    def look(self) -> Progress:
        """Return what there is to see: the incumbent, and the steps made so far."""
        assert self.labels is not None
        loss = percent(self.cost, self.total)
        return self.watch.look(
            loss, loss, groups=int(self.labels.max()) + 1,
            tried=sum(int(part["applied"]) for part in self.by_part.values()),
            applied=sum(int(part["improved"]) for part in self.by_part.values()),
        )  # fmt: skip

    def _is_settled(self) -> bool:
        """Tell whether proof, target, bound or patience make another round needless."""
        loss, stop, watch = percent(self.cost, self.total), self.options.stop, self.watch
        waited = watch.done - (watch.curve[-1][0] if watch.curve else 0)
        if self.proven:
            watch.stopped_by = "proof"
        elif stop.target is not None and loss <= stop.target:
            watch.stopped_by = "target"
        elif stop.target is not None and percent(self.bound, self.total) > stop.target:
            watch.stopped_by = "a target that no grouping reaches"
        elif stop.patience is not None and waited >= stop.patience:
            watch.stopped_by = "patience"
        return bool(watch.stopped_by)

    def result(self) -> tuple[Integers, SearchLog]:
        """Return the incumbent, and how it was found."""
        assert self.labels is not None
        labels = canonical_labels(self.labels)
        end = percent(self.cost_of(labels), self.total)
        log = self.watch.log(
            end,
            percent(self.start_cost, self.total),
            loss_first_optimum=self.watch.curve[0][1],
            gains=self.by_part,
            pairs_examined=0,
            pairs_by_pass=[],
        )
        return labels, log


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
