"""A search from start to end: rounds of iterations, side by side runs, and what to tell of it.

What comes out depends on the seed, the number of runs and the number of iterations, never on
threads or the clock: all runs make the same iterations in a round, and a round is never left half
done once the first local optimum is reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, interrupt
from shoal.kernels.rules import NONE, Rules, pointers
from shoal.measures.loss import percent, squared_error, total_squares
from shoal.partition import SearchLog, by_first_row
from shoal.progress import Reporter
from shoal.search import state as states
from shoal.search.advance import advance
from shoal.search.layout import (
    AGAIN,
    ALIVE,
    BEST,
    BEST_SUM,
    BREACH,
    CURRENT,
    EVERY,
    FEWEST,
    FIRST,
    IMPROVED,
    ITERATION,
    LABEL,
    LAST,
    MAY_DISSOLVE,
    MAY_DISTILL,
    MAY_SHIFT,
    MAY_SPLIT,
    MAY_SWAP,
    PAIRS,
    PATIENCE,
    RETURN_TO_BEST,
    RULE,
    RULES,
    SAMPLES,
    SHIFTS,
    SHIFTS_TRIED,
    SINCE,
    STOP,
    SWAPS,
    SWAPS_TRIED,
    TARGET,
    TOTAL,
)
from shoal.search.log import gains, pairs_by_pass, thinned
from shoal.search.neighbors import neighbors
from shoal.search.parameters import Late, Search
from shoal.search.start import random_start, small_groups
from shoal.search.state import State
from shoal.search.watch import NEVER, Watch

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

PAIRS_A_CALL = 2_000_000  # a fraction of a second
ITERATIONS, RESTARTS = 5_000, 100
LARGE_GROUP = 64  # larger ones, made by merging, are left as they are
QUICK_GROUPS = 1_000  # up to here a descent takes a fraction of a second
CLOSING_GROUPS = 10_000  # up to here the result is compared pair by pair: about two seconds


def search(
    matrix: Floats,
    k: int,
    start: Integers | None,
    options: Search,
    seed: int,
    report: Reporter,
    threads: int | None = None,
    rules: Rules = NONE,
    closing: bool = True,
    weights: Floats | None = None,
) -> tuple[Integers, SearchLog]:
    """Return the best grouping found, and how. Never more loss than the start had.

    Requires 2 <= k and 2k rows; a start has groups 0, 1, ... of at least k records, None: random.
    With `rules` the start must be given and keep them, and no group of the result breaks one: it is
    the first local optimum, nothing is perturbed. `closing` compares all groups of the result once
    more, where they are not too many. `weights` (n), above 0, say how many a record stands for; a
    group has k records whatever they weigh.
    """
    if "regroup" in options.perturbations:
        raise RequestError("regroup is for searches on trees; say dissolve or distill")
    return _Searcher(
        matrix, k, start, options, seed, report, threads, rules, closing, weights
    ).run()


class _Searcher:
    def __init__(
        self,
        matrix: Floats,
        k: int,
        start: Integers | None,
        options: Search,
        seed: int,
        report: Reporter,
        threads: int | None,
        rules: Rules,
        closing: bool,
        weights: Floats | None,
    ) -> None:
        self.closing, self.weights = closing, weights
        self.ruled = bool(rules.any())
        if self.ruled:  # neither a random start nor what was perturbed keeps a rule
            stop = replace(options.stop, iterations=0)
            options = replace(options, restarts=False, stop=stop)
        self.matrix, self.k, self.options, self.report = matrix, k, options, report
        self.asked, self.rules = rules, list[Rules]()  # each run has its own
        self.rows = matrix.shape[0]
        self.total = total_squares(matrix, weights)
        usual = RESTARTS if options.restarts else ITERATIONS
        self.watch = Watch(options, report, usual)
        limit = self.watch.limit
        self.schedule = options.schedule or (limit if 0 < limit < NEVER else usual)
        self.threads = threads
        self.rngs = [np.random.default_rng([seed, run]) for run in range(options.runs)]
        self.start, self.most, self.largest = start, 4 * k, 0
        if start is not None and self.ruled:
            self.largest = int(np.bincount(start).max())
            self.most = max(self.most, min(self.largest, LARGE_GROUP))
        elif start is not None:
            self.start = small_groups(matrix, start, k)
        self.cut = False  # in the middle of the first descent

    def run(self) -> tuple[Integers, SearchLog]:
        wanted = self.options.neighbors
        if wanted is None:  # measured: more of them cost more than they find
            wanted = max(4, 4 * self.k // 5)
        near = np.zeros((self.rows, 0), dtype=np.int64)
        if wanted > 0 and self.options.local == "changed":
            near = neighbors(self.matrix, wanted, self.report)
        runs = [self._make(near, rng) for rng in self.rngs]
        warm_up(self.matrix.shape[1])
        with self.watch.side_by_side(runs, self.threads) as everywhere:
            self._search(runs, everywhere)
        return self._finish(runs)

    def _make(self, near: Integers, rng: np.random.Generator) -> State:
        options, k = self.options, self.k
        length = options.acceptance.length if isinstance(options.acceptance, Late) else 1
        seed = int(rng.integers(1, 2**63))
        s = states.make(self.matrix, near, k, self.most, length, seed, self.largest, self.weights)
        self.rules.append(own := self.asked.copy())  # there is room to work in it
        s.choices[BREACH], s.choices[RULES] = pointers(own)
        most, least = self.rows // k, -(-self.rows // (2 * k - 1))
        choices = s.choices
        choices[FEWEST] = most - int((most - least) * options.share)
        choices[EVERY] = near.shape[1] == 0
        choices[AGAIN] = options.local == "all"
        choices[MAY_SHIFT], choices[MAY_SWAP] = ("shift" in options.moves, "swap" in options.moves)
        choices[MAY_SPLIT] = "split" in options.moves
        choices[MAY_DISSOLVE] = "dissolve" in options.perturbations
        choices[MAY_DISTILL] = "distill" in options.perturbations
        choices[SAMPLES] = options.samples
        choices[RULE] = options.acceptance.code
        choices[RETURN_TO_BEST] = options.acceptance.returns_to_best
        choices[TOTAL], choices[PATIENCE] = self.schedule, options.stop.patience or NEVER
        s.levels[FIRST], s.levels[LAST] = options.acceptance.numbers
        target = options.stop.target
        s.levels[TARGET] = 0.0 if target is None else target / 100.0 * self.total
        states.load(s, random_start(self.rows, k, rng) if self.start is None else self.start)
        return s

    def _search(self, runs: list[State], everywhere: Callable[[Any], Any]) -> None:
        """Reach the first optimum in all runs, then go round by round."""
        self.loss_start = self._percent(min(s.sums[BEST_SUM] for s in runs))
        trace = np.zeros((len(runs), 1))
        states_at = {id(s): i for i, s in enumerate(runs)}
        there = False
        while not there:
            if self._told_to_stop(runs, descending=True):
                self.cut = True  # what there is is better than the start
                for s in runs:
                    s.records[:, BEST], s.sums[BEST_SUM] = s.records[:, LABEL], s.sums[CURRENT]
                return
            there = all(everywhere(lambda s: advance(s, trace[states_at[id(s)]], PAIRS_A_CALL)))
        self._note(0, trace)
        for s in runs:
            s.history[:] = s.sums[BEST_SUM]
        if self.options.restarts:
            self._restart(runs, everywhere)
            return
        size = max(1, min(1000, 20_000 // (self.k * self.k)))
        while not self._told_to_stop(runs):
            stop = min(self.watch.limit, self.watch.done + size)
            trace = np.full((len(runs), size + 1), np.inf)
            for s in runs:
                s.choices[SINCE], s.choices[STOP] = self.watch.done, stop

            def work(s: State, trace: Floats = trace) -> None:
                if s.counts[ITERATION] < s.choices[SINCE]:
                    return  # it has ended before the others
                while not advance(s, trace[states_at[id(s)]], PAIRS_A_CALL):
                    interrupt.check()

            everywhere(work)
            self._note(self.watch.done, trace)
            self.watch.done = max(int(s.counts[ITERATION]) for s in runs)
            self.watch.stopped_by = self._reached(runs, stop)
            if self.watch.stopped_by:
                return

    def _reached(self, runs: list[State], stop: int) -> str:
        """Say what ended the search before the round was over, if anything did."""
        limits = self.options.stop
        if min(s.sums[BEST_SUM] for s in runs) <= runs[0].levels[TARGET]:
            return "nothing to lose" if limits.target is None else "target"
        if self.watch.done >= stop:
            return ""
        waited = max(int(s.counts[ITERATION] - s.counts[IMPROVED]) for s in runs)
        patient = limits.patience is not None and waited >= limits.patience
        return "patience" if patient else "nothing to change"

    def _restart(self, runs: list[State], everywhere: Callable[[Any], Any]) -> None:
        """Search from one random start after the other."""
        best = [s.records[:, BEST].copy() for s in runs]
        least = [float(s.sums[BEST_SUM]) for s in runs]
        nothing = np.zeros(1)
        index = {id(s): i for i, s in enumerate(runs)}

        def work(s: State) -> None:
            i = index[id(s)]
            states.load(s, random_start(self.rows, self.k, self.rngs[i]))
            while not advance(s, nothing, PAIRS_A_CALL):
                interrupt.check()
            if s.sums[BEST_SUM] < least[i] * (1.0 - 1e-11):
                least[i], best[i] = float(s.sums[BEST_SUM]), s.records[:, BEST].copy()

        waited = 0
        self.watch.done = 1
        while True:
            for i, s in enumerate(runs):  # what was found last may not be the best
                s.records[:, BEST], s.sums[BEST_SUM] = best[i], least[i]
            if self.options.stop.patience is not None and waited >= self.options.stop.patience:
                self.watch.stopped_by = "patience"
            if min(least) <= runs[0].levels[TARGET]:
                target = self.options.stop.target
                self.watch.stopped_by = "nothing to lose" if target is None else "target"
            if self.watch.stopped_by or self._told_to_stop(runs):
                return
            before = min(least)
            everywhere(work)
            waited = 0 if min(least) < before else waited + 1
            self.watch.done += 1
            self._note(self.watch.done, np.array([[min(least)]]))

    def _note(self, since: int, trace: Floats) -> None:
        """Add what the best of all runs lost after each iteration. trace (runs, iterations) IN."""
        lost = [self._percent(float(error)) for error in trace.min(axis=0)]
        self.watch.note(since, np.array(lost))

    def _percent(self, error: float) -> float:
        return percent(float(error), self.total)

    def _told_to_stop(self, runs: list[State], descending: bool = False) -> bool:
        """Report; tell whether the count, the clock, the callback or the user ends the search."""
        best = min(runs, key=lambda s: float(s.sums[BEST_SUM]))
        look = self.watch.look(
            self._percent(best.sums[CURRENT]),
            self._percent(best.sums[BEST_SUM]),
            groups=int(best.counts[ALIVE]),
            tried=sum(int(s.counts[SHIFTS_TRIED] + s.counts[SWAPS_TRIED]) for s in runs),
            applied=sum(int(s.counts[SHIFTS] + s.counts[SWAPS]) for s in runs),
        )
        return self.watch.told_to_stop(look, descending)

    def _finish(self, runs: list[State]) -> tuple[Integers, SearchLog]:
        """Compare all groups of every run once more, pair by pair, and take the best grouping.

        After a descent that was cut short that would be a descent again, past any limit: then only
        where it is a matter of a moment.
        """
        seconds = self.watch.seconds
        gained, examined = gains(runs, self.total), sum(int(s.counts[PAIRS]) for s in runs)
        by_pass = pairs_by_pass(runs)
        nothing = np.zeros(1)
        for s in runs if self.closing else ():
            labels = by_first_row(s.records[:, BEST])
            if labels.max() < (QUICK_GROUPS if self.cut else CLOSING_GROUPS):
                s.choices[STOP], s.choices[SINCE] = 0, 0
                s.choices[EVERY], s.choices[AGAIN] = 1, 0
                s.counts[ITERATION] = 0
                states.load(s, labels)
                while not advance(s, nothing, PAIRS_A_CALL):
                    interrupt.check()
        best = min(runs, key=lambda s: float(s.sums[BEST_SUM]))
        labels = by_first_row(best.records[:, BEST])
        end = self._percent(squared_error(self.matrix, labels, self.weights).sum())
        log = SearchLog(
            iterations=self.watch.done,
            runs=len(runs),
            schedule=self.schedule,
            stopped_by=self.watch.stopped_by,
            seconds=seconds,
            loss_start=self.loss_start,
            loss_first_optimum=self.watch.curve[0][1] if self.watch.curve else self.loss_start,
            loss_end=end,
            curve=thinned(self.watch.curve, self.watch.done, end),
            gains=gained,
            pairs_examined=examined,
            pairs_by_pass=by_pass,
        )
        return labels, log


def warm_up(width: int) -> None:
    """Compile (or load) the kernels, so that a time limit counts the search alone."""
    tiny = states.make(np.zeros((4, width)), np.zeros((4, 0), dtype=np.int64), 2, 5, 1, 1)
    states.load(tiny, np.array([0, 0, 1, 1], dtype=np.int64))
    advance(tiny, np.zeros(1), 1)
