"""Iterated local search on distances: the first local optimum, then perturbations or restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import pointers
from shoal.measures.loss import percent, squared_error, total_squares
from shoal.methods.ils import state as states
from shoal.methods.ils.advance import advance
from shoal.methods.ils.driver import (
    NEVER,
    PAIRS_A_CALL,
    Everywhere,
    Watch,
    drive,
    random_start,
    set_choices,
    small_groups,
)
from shoal.methods.ils.neighbors import neighbors
from shoal.methods.ils.pairwise import settle
from shoal.methods.ils.parameters import Late, Task
from shoal.methods.ils.state import (
    AGAIN,
    ALIVE,
    BEST,
    BEST_SUM,
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    BY_DISTILL,
    BY_DISTILLING,
    BY_SHIFTS,
    BY_SWAPS,
    CURRENT,
    DISSOLVED,
    DISTILLED,
    EVERY,
    GROWS,
    IMPROVED,
    ITERATION,
    LABEL,
    LARGEST,
    MEMBERS,
    MOST,
    PAIRS,
    PAIRWISE,
    RULES,
    SHIFTS,
    SHIFTS_TRIED,
    SINCE,
    STOP,
    SWAPS,
    SWAPS_TRIED,
    TARGET,
    TOTAL,
    State,
    gains,
    pairs_by_pass,
)
from shoal.partition import SearchLog, canonical_labels
from shoal.progress import Progress, Reporter

ROOM = 10**8  # places for the members of all groups
ITERATIONS, RESTARTS = 5_000, 100
LARGE_GROUP = 64  # larger ones, made by merging, are left as they are
PARTS = {
    "shift": (SHIFTS, BY_SHIFTS),
    "swap": (SWAPS, BY_SWAPS),
    "dissolve": (DISSOLVED, BY_DISSOLVE, BY_DISSOLVING),
    "distill": (DISTILLED, BY_DISTILL, BY_DISTILLING),
}


@dataclass(frozen=True)
class Sizes:
    """How much a search does at once.

    pairs: that are compared in a call of the kernel; closing: groups up to which the result is
    compared pair by pair, in about two seconds; quick: the same after a descent that was cut short,
    in a fraction of a second.
    """

    pairs: int = PAIRS_A_CALL
    closing: int = 10_000
    quick: int = 1_000


USUAL = Sizes()
NOT_CLOSING = Sizes(closing=0, quick=0)


def search(
    matrix: Floats,
    task: Task,
    report: Reporter,
    *,
    weights: Floats | None = None,
    sizes: Sizes = USUAL,
) -> tuple[Integers, SearchLog]:
    """Return the best grouping and the search log; never more loss than the start.

    Requires 2 <= k and 2k rows. With rules the start must be given and keep them, and no group of
    the result breaks one: it is the first local optimum, nothing is perturbed. All groups of the
    result are compared once more, where the sizes say that they are not too many. `weights` (n),
    above 0, say how many a record stands for; a group has k records whatever they weigh.
    """
    options = task.options
    if "regroup" in options.perturbations:
        raise RequestError("regroup is for searches on trees; say dissolve or distill")
    if task.rules.any():  # neither a random start nor what was perturbed keeps a rule
        stop = replace(options.stop, iterations=0)
        task = replace(task, options=replace(options, restarts=False, stop=stop))
    kind = _Restarts if task.options.restarts else _Perturbations
    return drive(kind(matrix, task, report, weights, sizes))


class _Perturbations:
    """Perturbations of the first local optimum, each followed by a descent."""

    usual = ITERATIONS

    def __init__(
        self, matrix: Floats, task: Task, report: Reporter, weights: Floats | None, sizes: Sizes
    ) -> None:
        self.matrix, self.task, self.weights, self.sizes = matrix, task, weights, sizes
        self.k, self.options, self.threads = task.k, task.options, task.threads
        self.rows = matrix.shape[0]
        self.total = total_squares(matrix, weights)
        self.watch = Watch(self.options, report, self.usual)
        limit = self.watch.limit
        self.schedule = self.options.schedule or (limit if 0 < limit < NEVER else self.usual)
        self.start, self.most, self.largest = task.start, 4 * self.k, 0
        weigh_alike = weights is None or bool((weights == 1.0).all())
        self.pairwise = self.options.visits == "pairs" and weigh_alike  # the thesis has no weights
        room = enough_for(task.start, self.k) if self.pairwise and task.start is not None else 0
        if room > 0:
            self.most = room
        elif task.start is not None and task.rules.any():
            self.largest = int(np.bincount(task.start).max())
            self.most = max(self.most, min(self.largest, LARGE_GROUP))
        elif task.start is not None:
            self.start = small_groups(matrix, task.start, self.k)
        self.cut = False  # in the middle of the first descent
        self.found = task.start is not None  # groups that are not merely random
        count = self.options.runs
        self.rngs = [np.random.default_rng([task.seed, run]) for run in range(count)]
        self.rules = [task.rules.copy() for _ in range(count)]  # with room to work in for each run
        near = self._near()
        self.states = [self._make(near, run) for run in range(count)]
        self.runs = range(count)
        warm_up(matrix.shape[1], self.pairwise)

    def _near(self) -> Integers:
        """Return the nearest neighbors of each record: candidate partners of moves."""
        wanted = 0 if self.options.visits == "pairs" else self.options.neighbors
        if wanted is None:  # measured: more of them cost more than they find
            wanted = max(4, 4 * self.k // 5)
        if wanted > 0 and self.options.local == "changed":
            return neighbors(self.matrix, wanted, self.watch.report)
        return np.zeros((self.rows, 0), dtype=np.int64)

    def _make(self, near: Integers, run: int) -> State:
        options, k, rng = self.options, self.k, self.rngs[run]
        length = options.acceptance.length if isinstance(options.acceptance, Late) else 1
        seed = int(rng.integers(1, 2**63))
        s = states.make(self.matrix, near, k, self.most, length, seed, self.largest, self.weights)
        s.choices[BREACH], s.choices[RULES] = pointers(self.rules[run])
        set_choices(s, options, k)
        s.choices[TOTAL] = self.schedule
        s.choices[PAIRWISE] = s.choices[GROWS] = self.pairwise
        if self.pairwise and options.local == "due":
            s = s._replace(due=waiting_places(s))
        target = options.stop.target
        s.levels[TARGET] = 0.0 if target is None else target / 100.0 * self.total
        states.load(s, random_start(self.rows, k, rng) if self.start is None else self.start)
        return s

    def begin(self, everywhere: Everywhere) -> None:
        """Descend to the first local optimum in all runs."""
        self.loss_start = self._percent(self._least())
        trace = np.zeros((len(self.runs), 1))
        there = False
        while not there:
            if self.watch.is_stopped(self.look(), descending=True):
                self.cut = True  # what there is is better than the start
                for s in self.states:
                    s.records[:, BEST], s.sums[BEST_SUM] = s.records[:, LABEL], s.sums[CURRENT]
                return
            there = all(everywhere(lambda i: self._step(i, trace[i])))
        self._note(0, trace)
        self.found = True
        for s in self.states:
            s.history[:] = s.sums[BEST_SUM]

    def round(self, everywhere: Everywhere) -> None:
        """Perturb and descend for some iterations."""
        size = max(1, min(1000, 20_000 // (self.k * self.k)))
        since, stop = self.watch.done, min(self.watch.limit, self.watch.done + size)
        trace = np.full((len(self.runs), size + 1), np.inf)

        def work(i: int) -> None:
            s = self.states[i]
            s.choices[SINCE], s.choices[STOP] = since, stop
            if s.counts[ITERATION] >= since:  # else it has ended before the others
                self._descend(i, trace[i])

        everywhere(work)
        self._note(since, trace)
        self.watch.done = max(int(s.counts[ITERATION]) for s in self.states)
        self.watch.stopped_by = self._reached(stop)

    def _step(self, run: int, trace: Floats) -> bool:
        """Go on with a run for a while; tell whether it has ended."""
        if self.pairwise:
            self.states[run] = widened(self.states[run])
            if not settle(self.states[run], self.sizes.pairs):
                return False
        return advance(self.states[run], trace, self.sizes.pairs)

    def _descend(self, run: int, trace: Floats) -> None:
        while not self._step(run, trace):
            self.watch.report.stop.check()

    def _reached(self, stop: int) -> str:
        """Return in words what ended the search before the round was over, if anything did."""
        if self._least() <= self.states[0].levels[TARGET]:
            return self._at_target()
        if self.watch.done >= stop:
            return ""
        patience = self.options.stop.patience
        waited = max(int(s.counts[ITERATION] - s.counts[IMPROVED]) for s in self.states)
        return "patience" if patience is not None and waited >= patience else "nothing to change"

    def _at_target(self) -> str:
        return "nothing to lose" if self.options.stop.target is None else "target"

    def close(self, everywhere: Everywhere) -> None:
        """Leave the groups as they are."""

    def _note(self, since: int, trace: Floats) -> None:
        """Add the best loss of all runs after each iteration. trace (runs, iterations) IN."""
        lost = [self._percent(float(error)) for error in trace.min(axis=0)]
        self.watch.note(since, np.array(lost))

    def _least(self) -> float:
        return min(float(s.sums[BEST_SUM]) for s in self.states)

    def _percent(self, error: float) -> float:
        return percent(float(error), self.total)

    def look(self) -> Progress:
        """Return the progress: losses and groups of the best run, moves of all.

        On the way from random groups to the first local optimum there is no best yet.
        """
        best = min(self.states, key=lambda s: float(s.sums[BEST_SUM]))
        return self.watch.look(
            self._percent(best.sums[CURRENT]),
            self._percent(best.sums[BEST_SUM]) if self.found else None,
            groups=int(best.counts[ALIVE]),
            tried=sum(int(s.counts[SHIFTS_TRIED] + s.counts[SWAPS_TRIED]) for s in self.states),
            applied=sum(int(s.counts[SHIFTS] + s.counts[SWAPS]) for s in self.states),
        )

    def result(self) -> tuple[Integers, SearchLog]:
        """Compare all groups of every run once more, pair by pair, and take the best grouping.

        After a descent that was cut short that would be a descent again, past any limit: then only
        where it is a matter of a moment. Where pairs are visited one by one it would be a search of
        another kind.
        """
        figures = {
            "runs": len(self.runs), "schedule": self.schedule, "seconds": self.watch.seconds,
            "gains": gains(self.states, self.total, PARTS),
            "pairs_examined": sum(int(s.counts[PAIRS]) for s in self.states),
            "pairs_by_pass": pairs_by_pass(self.states),
        }  # fmt: skip
        for run, s in enumerate(self.states if not self.pairwise else []):
            labels = canonical_labels(s.records[:, BEST])
            if labels.max() < (self.sizes.quick if self.cut else self.sizes.closing):
                s.choices[STOP], s.choices[SINCE] = 0, 0
                s.choices[EVERY], s.choices[AGAIN] = 1, 0
                s.counts[ITERATION] = 0
                states.load(s, labels)
                self._descend(run, np.zeros(1))
        best = min(self.states, key=lambda s: float(s.sums[BEST_SUM]))
        labels = canonical_labels(best.records[:, BEST])
        end = self._percent(squared_error(self.matrix, labels, self.weights).sum())
        first = self.watch.curve[0][1] if self.watch.curve else self.loss_start
        return labels, self.watch.log(end, self.loss_start, loss_first_optimum=first, **figures)


class _Restarts(_Perturbations):
    """Descents from one random start after the other."""

    usual = RESTARTS

    def begin(self, everywhere: Everywhere) -> None:
        """Descend to the first local optimum in all runs, which counts as a restart."""
        super().begin(everywhere)
        self.best = [s.records[:, BEST].copy() for s in self.states]
        self.least = [float(s.sums[BEST_SUM]) for s in self.states]
        self.waited = 0
        if not self.cut:
            self.watch.done = 1
            self._restore()

    def round(self, everywhere: Everywhere) -> None:
        """Descend from a new random start in every run."""

        def work(i: int) -> None:
            states.load(self.states[i], random_start(self.rows, self.k, self.rngs[i]))
            self._descend(i, np.zeros(1))
            s = self.states[i]
            if s.sums[BEST_SUM] < self.least[i] * (1.0 - 1e-11):
                self.least[i], self.best[i] = float(s.sums[BEST_SUM]), s.records[:, BEST].copy()

        before = min(self.least)
        everywhere(work)
        self.waited = 0 if min(self.least) < before else self.waited + 1
        self.watch.done += 1
        self._note(self.watch.done, np.array([[min(self.least)]]))
        self._restore()

    def _restore(self) -> None:
        """Restore the incumbent of each run; tell whether it is good enough."""
        for s, best, least in zip(self.states, self.best, self.least, strict=True):
            s.records[:, BEST], s.sums[BEST_SUM] = best, least
        patience = self.options.stop.patience
        if patience is not None and self.waited >= patience:
            self.watch.stopped_by = "patience"
        if min(self.least) <= self.states[0].levels[TARGET]:
            self.watch.stopped_by = self._at_target()


def warm_up(width: int, pairwise: bool = False) -> None:
    """Compile (or load) the kernels, so that a time limit counts the search alone."""
    tiny = states.make(np.zeros((4, width)), np.zeros((4, 0), dtype=np.int64), 2, 5, 1, 1)
    states.load(tiny, np.array([0, 0, 1, 1], dtype=np.int64))
    if pairwise:
        settle(tiny, 1)
    advance(tiny, np.zeros(1), 1)


def enough_for(start: Integers, k: int) -> int:
    """Return for how many members each group has room at first; 0 where memory is too small."""
    most = max(4 * k, 2 * int(np.bincount(start).max()))
    return most if _places(start.size // k + 1, most) <= ROOM else 0


def widened(s: State) -> State:
    """Return the state with twice the room in every group where one has come to half of it.

    Where that would take too much memory, sizes are limited from here on. s IN/OUT.
    """
    most = int(s.choices[MOST])
    if 2 * s.counts[LARGEST] <= most or s.choices[GROWS] == 0:
        return s
    rows = s.groups.shape[0]
    if _places(rows, 2 * most) > ROOM:
        s.choices[GROWS] = 0
        return s
    groups = np.zeros((rows, MEMBERS + 4 * most + 1), dtype=np.int64)
    groups[:, : s.groups.shape[1]] = s.groups
    s.choices[MOST] = 2 * most
    return s._replace(groups=groups, apart=np.zeros((2, 2 * most + 1)))


def waiting_places(s: State) -> Integers:
    """Return room for the places that wait in a pass: those of a part of all pairs."""
    groups = s.groups.shape[0]
    return np.zeros(min(groups * groups // 8, 10**6) + groups, dtype=np.int64)


def _places(groups: int, most: int) -> int:
    return groups * 2 * most
