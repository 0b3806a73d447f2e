"""A search on trees from start to end: perturbations in rounds, then shifts and swaps.

What comes out depends on the seed, the number of runs and the number of iterations, never on
threads or the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, interrupt
from shoal.kernels.rules import NONE, Rules, pointers
from shoal.measures.loss import percent
from shoal.mixed.build import build
from shoal.partition import SearchLog, by_first_row
from shoal.progress import Progress, Reporter
from shoal.search.log import thinned
from shoal.search.parameters import Search
from shoal.search.trees import state as states
from shoal.search.trees.advance import advance
from shoal.search.trees.layout import (
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    BY_REGROUP,
    BY_REGROUPING,
    BY_SHIFTS,
    BY_SWAPS,
    CURRENT,
    DISSOLVED,
    IMPROVED,
    ITERATION,
    LABEL,
    LIVING,
    LOOKED,
    LOOKING,
    LOOKS,
    MAY_DISSOLVE,
    MAY_REGROUP,
    MAY_SHIFT,
    MAY_SWAP,
    MOST,
    REGROUPED,
    RULES,
    SAMPLES,
    SHIFTS,
    SHIFTS_TRIED,
    STOP,
    SWAPS,
    SWAPS_TRIED,
    WAITING,
)
from shoal.search.trees.start import scaled, small_groups, telling_first
from shoal.search.trees.state import State
from shoal.search.watch import NEVER, Watch
from shoal.table.code import Coded

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ITERATIONS = 20_000
TIMES_K = 4  # larger groups are cut up, which never adds to the loss
LOOKS_A_CALL = 2_000_000  # of a record at a group in 8 columns: about a tenth of a second
QUICK, CLOSING = 10**7, 10**9  # looks: so few are made after an interrupt too; no more at all
NOTHING = np.zeros(1)  # no trace
SHARE = 0.6  # of a time limit: then shifts and swaps must have their turn


def search_trees(
    coded: Coded,
    k: int,
    start: Integers,
    options: Search,
    seed: int,
    report: Reporter,
    *,
    threads: int | None = None,
    weights: Mapping[str, float] | None = None,
    rules: Rules = NONE,
) -> tuple[Integers, SearchLog]:
    """Return the grouping of least ILoss found, and how. Never more loss than the start had.

    Requires 2 <= k and 2k records; a start has groups 0, 1, ... of at least k records, and keeps
    the `rules`, which no move breaks.
    """
    return _Searcher(coded, k, start, options, seed, report, threads, weights, rules).run()


class _Searcher:
    def __init__(
        self,
        coded: Coded,
        k: int,
        start: Integers,
        options: Search,
        seed: int,
        report: Reporter,
        threads: int | None,
        weights: Mapping[str, float] | None,
        rules: Rules,
    ) -> None:
        self.asked, self.ruled = rules, bool(rules.any())
        self.rules: list[Rules] = []  # each run has its own
        self.coded, self.k, self.options = coded, k, options
        self.around = min(4 if options.neighbors is None else options.neighbors, coded.rows // k)
        self.forest, records = build(telling_first(coded), "loss", scaled(coded, weights))
        self.codes = records.codes[records.which]
        self.rows, width = self.codes.shape
        self.total = float(self.rows * width)
        self.looks = self.rows * (self.rows // k) * max(1, width // 8)
        self.a_call = max(1, LOOKS_A_CALL // max(1, width // 8))
        self.watch = Watch(options, report, ITERATIONS)
        self.threads = threads
        self.rngs = [np.random.default_rng([seed, run]) for run in range(options.runs)]
        self.most = TIMES_K * k
        if self.ruled:  # a part of a group that keeps the rules may break them
            self.start, self.most = start, max(self.most, int(np.bincount(start).max()))
        else:
            self.start = small_groups(coded, start, k, self.most)
        self.whole = False  # the local optimum was reached
        self.looked = 0
        self.split, self.by_split = 0, 0.0  # groups that were split off, and what that gained

    def run(self) -> tuple[Integers, SearchLog]:
        runs = [self._make(rng) for rng in self.rngs]
        self._measure(runs[0], self.start)  # and compile
        with self.watch.side_by_side(runs, self.threads) as everywhere:
            self._search(runs, everywhere)
        return self._finish(runs)

    def _make(self, rng: np.random.Generator) -> State:
        options = self.options
        seed = int(rng.integers(1, 2**63))
        s = states.make(self.forest, self.codes, self.k, self.most, self.around, seed)
        self.rules.append(own := self.asked.copy())  # there is room to work in it
        s.counts[BREACH], s.counts[RULES] = pointers(own)
        s.counts[MAY_SHIFT] = "shift" in options.moves
        s.counts[MAY_SWAP] = "swap" in options.moves
        s.counts[MAY_DISSOLVE] = "dissolve" in options.perturbations
        s.counts[MAY_REGROUP] = "regroup" in options.perturbations
        s.counts[SAMPLES] = min(options.samples, self.rows)
        return s

    def _measure(self, s: State, labels: Integers) -> None:
        """Take over a grouping and what it costs; the groups that lose most are queued first."""
        states.load(s, labels)
        advance(s, NOTHING, int(labels.max()) + 1)
        states.line_up(s)

    def _search(self, runs: list[State], everywhere: Callable[[Any], Any]) -> None:
        """Perturb round by round, then shift and swap to a local optimum."""
        everywhere(lambda s: self._measure(s, self.start))
        self.loss_start = self._percent(runs[0].sums[CURRENT])
        self.watch.note(0, np.array([self.loss_start]))
        index = {id(s): i for i, s in enumerate(runs)}
        patience = self.options.stop.patience or NEVER
        looks = 8 * (self.rows // self.k) + ((self.around + 1) * self.k) ** 2  # an iteration's
        size = max(1, min(1000, patience, self.a_call // looks))
        limit = self.options.stop.seconds
        target = self.options.stop.target or 0.0
        while not self.watch.told_to_stop(self._look(runs)):
            if limit is not None and self.watch.seconds > SHARE * limit and self.looks > QUICK:
                self.watch.stopped_by = "time limit"
                break
            since, stop = self.watch.done, min(self.watch.limit, self.watch.done + size)
            trace = np.full((len(runs), stop - since), np.inf)

            def work(s: State, stop: int = stop, trace: Floats = trace) -> None:
                s.counts[STOP] = stop
                advance(s, trace[index[id(s)]], 0)

            everywhere(work)
            self.watch.note(since + 1, trace.min(axis=0) * 100.0 / self.total)
            self.watch.done = max(int(s.counts[ITERATION]) for s in runs)
            if self.watch.lowest <= target:
                self.watch.stopped_by = "nothing to lose" if target == 0.0 else "target"
            elif self.watch.done < stop:
                self.watch.stopped_by = "nothing to change"
            elif self.watch.done - max(int(s.counts[IMPROVED]) for s in runs) >= patience:
                self.watch.stopped_by = "patience"
            if self.watch.stopped_by:
                break
        self._close(runs, everywhere)

    def _close(self, runs: list[State], everywhere: Callable[[Any], Any]) -> None:
        """Shift and swap until nothing gains, as far as the clock and the user allow.

        Groups of 2k or more are split before, which adds no loss, and none are made.
        """
        hurried = self.watch.stopped_by in ("interrupt", "callback") and self.looks > QUICK
        limit, looks = self.options.stop.seconds, self.options.looks
        most = CLOSING * self.a_call // LOOKS_A_CALL if looks is None else looks
        for s in runs:
            s.counts[LOOKING], s.counts[LOOKED] = 1, 0
            s.counts[LOOKS] = 0  # until the groups are measured
            ended = parts = by_first_row(s.records[:, LABEL])
            if not self.ruled:
                s.counts[MOST] = 2 * self.k - 1
                parts = small_groups(self.coded, ended, self.k, 2 * self.k - 1)
            self.split += int(parts.max() - ended.max())
            before = float(s.sums[CURRENT])
            self._measure(s, parts)
            self.by_split += before - float(s.sums[CURRENT])

        def look(s: State) -> bool:
            s.counts[LOOKS] = self.looked
            advance(s, NOTHING, 0)
            return bool(s.counts[WAITING] == 0)

        while not (self.whole or hurried) and self.looked < most:
            self.looked = min(most, self.looked + self.a_call)  # of all runs, so that it repeats
            self.whole = all(everywhere(look))
            late = limit is not None and self.watch.seconds >= limit
            enough = self.watch.report.look(self._look(runs), last=False)
            hurried = (late or enough or interrupt.finish) and self.looks > QUICK

    def _percent(self, loss: float) -> float:
        return percent(float(loss), self.total)

    def _look(self, runs: list[State]) -> Progress:
        best = min(runs, key=lambda s: float(s.sums[CURRENT]))
        loss = self._percent(best.sums[CURRENT])
        return self.watch.look(
            loss,
            loss,
            groups=int(best.counts[LIVING]),
            tried=sum(int(s.counts[SHIFTS_TRIED] + s.counts[SWAPS_TRIED]) for s in runs),
            applied=sum(int(s.counts[SHIFTS] + s.counts[SWAPS]) for s in runs),
        )

    def _finish(self, runs: list[State]) -> tuple[Integers, SearchLog]:
        best = min(runs, key=lambda s: float(s.sums[CURRENT]))
        labels = by_first_row(best.records[:, LABEL])
        best.counts[LOOKS] = 0
        self._measure(best, labels)  # the sum without what rounding did on the way
        end = self._percent(best.sums[CURRENT])
        watch = self.watch
        log = SearchLog(
            iterations=watch.done,
            runs=len(runs),
            schedule=max(1, watch.done),
            stopped_by=watch.stopped_by,
            seconds=watch.seconds,
            loss_start=self.loss_start,
            loss_first_optimum=end,
            loss_end=end,
            curve=thinned(watch.curve, watch.done, end),
            gains={
                **_gains(runs, self.total),
                "split": {"applied": self.split, "gain": self._percent(self.by_split)},
            },
            pairs_examined=sum(int(s.counts[SHIFTS_TRIED]) for s in runs),
            pairs_by_pass=[],
            complete=self.whole,
            looks=self.options.looks if self.whole else self.looked,
        )
        return labels, log


def _gains(runs: list[State], total: float) -> dict[str, dict[str, float]]:
    """Sum up over all runs how often each part was used and what it gained, in percent."""
    counts = np.sum([s.counts for s in runs], axis=0)
    sums = np.sum([s.sums for s in runs], axis=0)
    found: dict[str, dict[str, float]] = {}
    for name, applied, by in (("shift", SHIFTS, BY_SHIFTS), ("swap", SWAPS, BY_SWAPS)):
        found[name] = {"applied": int(counts[applied]), "gain": percent(float(sums[by]), total)}
    for name, tried, improved, by in (
        ("dissolve", DISSOLVED, BY_DISSOLVING, BY_DISSOLVE),
        ("regroup", REGROUPED, BY_REGROUPING, BY_REGROUP),
    ):
        gain = percent(float(sums[by]), total)
        found[name] = {
            "applied": int(counts[tried]), "improved": int(counts[improved]), "gain": gain,
        }  # fmt: skip
    return found


def check(options: Search) -> None:
    """Refuse what only searches on numbers have."""
    usual = Search()
    for name in ("local", "share", "acceptance", "restarts"):
        if getattr(options, name) != getattr(usual, name):
            raise RequestError(f"{name} is for searches on numbers; a search on trees has none")
    if options.neighbors == 0:
        raise RequestError("neighbors must be at least 1 in a search on trees")
    if "distill" in options.perturbations or "split" in options.moves:
        raise RequestError("a search on trees has shift and swap, dissolve and regroup")
