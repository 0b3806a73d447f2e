"""Iterated local search on hierarchies: perturbations in rounds, then shifts and swaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.errors import RequestError
from shoal.kernels.arrays import Integers
from shoal.kernels.rules import pointers
from shoal.measures.loss import percent
from shoal.methods.ils.driver import Everywhere, drive
from shoal.methods.ils.hierarchies import state as states
from shoal.methods.ils.hierarchies.advance import advance
from shoal.methods.ils.hierarchies.layout import (
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
from shoal.methods.ils.hierarchies.start import by_falling_loss, scaled, small_groups
from shoal.methods.ils.hierarchies.state import State
from shoal.methods.ils.log import gains
from shoal.methods.ils.parameters import Search
from shoal.methods.ils.stopping import NEVER, Watch
from shoal.methods.ils.task import Task
from shoal.methods.kmember.build import build
from shoal.partition import SearchLog, canonical_labels
from shoal.progress import Progress, Reporter
from shoal.table.encode_nodes import Coded

ITERATIONS = 20_000
TIMES_K = 4  # larger groups are cut up, which never adds to the loss
LOOKS_A_CALL = 2_000_000  # of a record at a group in 8 columns: about a tenth of a second
QUICK, CLOSING = 10**7, 10**9  # looks: so few are made after an interrupt too; no more at all
NOTHING = np.zeros(1)  # no trace
SHARE = 0.6  # of a time limit: then shifts and swaps must have their turn
PARTS = {
    "shift": (SHIFTS, BY_SHIFTS),
    "swap": (SWAPS, BY_SWAPS),
    "dissolve": (DISSOLVED, BY_DISSOLVE, BY_DISSOLVING),
    "regroup": (REGROUPED, BY_REGROUP, BY_REGROUPING),
}


def search_trees(
    coded: Coded, task: Task, report: Reporter, weights: Mapping[str, float] | None = None
) -> tuple[Integers, SearchLog]:
    """Return the grouping of least ILoss found, and how. Never more loss than the start had.

    Requires 2 <= k, 2k records and a start that keeps the rules, which no move breaks. `weights`
    say how much columns count.
    """
    return drive(_Perturbations(coded, task, report, weights))


class _Perturbations:
    """Perturbations that are kept where they gain, then shifts and swaps to a local optimum."""

    def __init__(
        self, coded: Coded, task: Task, report: Reporter, weights: Mapping[str, float] | None
    ) -> None:
        assert task.start is not None
        self.task, self.ruled = task, bool(task.rules.any())
        self.coded, self.options, self.threads = coded, task.options, task.threads
        self.k = k = task.k
        near = self.options.neighbors
        self.around = min(4 if near is None else near, coded.rows // k)
        self.forest, records = build(by_falling_loss(coded), "loss", scaled(coded, weights))
        self.codes = records.codes[records.which]
        self.rows, width = self.codes.shape
        self.total = float(self.rows * width)
        self.looks = self.rows * (self.rows // k) * max(1, width // 8)
        self.a_call = max(1, LOOKS_A_CALL // max(1, width // 8))
        self.watch = Watch(self.options, report, ITERATIONS)
        self.most = TIMES_K * k
        if self.ruled:  # a part of a group that keeps the rules may break them
            self.start, self.most = task.start, max(self.most, int(np.bincount(task.start).max()))
        else:
            self.start = small_groups(coded, task.start, k, self.most)
        self.whole = False  # the local optimum was reached
        self.looked = 0
        self.split, self.by_split = 0, 0.0  # groups that were split off, and what that gained
        self.runs = range(self.options.runs)
        self.rules = [task.rules.copy() for _ in self.runs]  # with room to work in for each run
        self.states = [self._make(run) for run in self.runs]
        self._measure(self.states[0], self.start)  # and compile

    def _make(self, run: int) -> State:
        options = self.options
        seed = int(np.random.default_rng([self.task.seed, run]).integers(1, 2**63))
        s = states.make(self.forest, self.codes, self.k, self.most, self.around, seed)
        s.counts[BREACH], s.counts[RULES] = pointers(self.rules[run])
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

    def begin(self, everywhere: Everywhere) -> None:
        """Measure the start in all runs."""
        everywhere(lambda i: self._measure(self.states[i], self.start))
        self.loss_start = self._percent(self.states[0].sums[CURRENT])
        self.watch.note(0, np.array([self.loss_start]))

    def round(self, everywhere: Everywhere) -> None:
        """Perturb for some iterations, unless shifts and swaps need the time that is left."""
        stop_rules, watch = self.options.stop, self.watch
        patience, limit = stop_rules.patience or NEVER, stop_rules.seconds
        if limit is not None and watch.seconds > SHARE * limit and self.looks > QUICK:
            watch.stopped_by = "time limit"
            return
        looks = 8 * (self.rows // self.k) + ((self.around + 1) * self.k) ** 2  # an iteration's
        size = max(1, min(1000, patience, self.a_call // looks))
        since, stop = watch.done, min(watch.limit, watch.done + size)
        trace = np.full((len(self.runs), stop - since), np.inf)

        def work(i: int) -> None:
            self.states[i].counts[STOP] = stop
            advance(self.states[i], trace[i], 0)

        everywhere(work)
        watch.note(since + 1, trace.min(axis=0) * 100.0 / self.total)
        watch.done = max(int(s.counts[ITERATION]) for s in self.states)
        target = stop_rules.target or 0.0
        if watch.lowest <= target:
            watch.stopped_by = "nothing to lose" if target == 0.0 else "target"
        elif watch.done < stop:
            watch.stopped_by = "nothing to change"
        elif watch.done - max(int(s.counts[IMPROVED]) for s in self.states) >= patience:
            watch.stopped_by = "patience"

    def close(self, everywhere: Everywhere) -> None:
        """Shift and swap until nothing gains, as far as the clock and the user allow.

        Groups of 2k or more are split before, which adds no loss, and none are made.
        """
        hurried = self.watch.stopped_by in ("interrupt", "callback") and self.looks > QUICK
        limit, looks = self.options.stop.seconds, self.options.looks
        most = CLOSING * self.a_call // LOOKS_A_CALL if looks is None else looks
        for s in self.states:
            s.counts[LOOKING], s.counts[LOOKED] = 1, 0
            s.counts[LOOKS] = 0  # until the groups are measured
            ended = parts = canonical_labels(s.records[:, LABEL])
            if not self.ruled:
                s.counts[MOST] = 2 * self.k - 1
                parts = small_groups(self.coded, ended, self.k, 2 * self.k - 1)
            self.split += int(parts.max() - ended.max())
            before = float(s.sums[CURRENT])
            self._measure(s, parts)
            self.by_split += before - float(s.sums[CURRENT])

        def look(i: int) -> bool:
            s = self.states[i]
            s.counts[LOOKS] = self.looked
            advance(s, NOTHING, 0)
            return bool(s.counts[WAITING] == 0)

        report = self.watch.report
        while not (self.whole or hurried) and self.looked < most:
            self.looked = min(most, self.looked + self.a_call)  # of all runs, so that it repeats
            self.whole = all(everywhere(look))
            late = limit is not None and self.watch.seconds >= limit
            enough = report.look(self.look(), last=False)
            hurried = (late or enough or report.stop.finish) and self.looks > QUICK

    def _percent(self, loss: float) -> float:
        return percent(float(loss), self.total)

    def look(self) -> Progress:
        """Return what there is to see: loss and groups of the best run, moves of all."""
        best = min(self.states, key=lambda s: float(s.sums[CURRENT]))
        loss = self._percent(best.sums[CURRENT])
        return self.watch.look(
            loss,
            loss,
            groups=int(best.counts[LIVING]),
            tried=sum(int(s.counts[SHIFTS_TRIED] + s.counts[SWAPS_TRIED]) for s in self.states),
            applied=sum(int(s.counts[SHIFTS] + s.counts[SWAPS]) for s in self.states),
        )

    def result(self) -> tuple[Integers, SearchLog]:
        """Return the best grouping of all runs, and how it was found."""
        best = min(self.states, key=lambda s: float(s.sums[CURRENT]))
        labels = canonical_labels(best.records[:, LABEL])
        best.counts[LOOKS] = 0
        self._measure(best, labels)  # the sum without what rounding did on the way
        end = self._percent(best.sums[CURRENT])
        split = {"applied": self.split, "gain": self._percent(self.by_split)}
        log = self.watch.log(
            end,
            self.loss_start,
            loss_first_optimum=end,
            runs=len(self.runs),
            gains={**gains(self.states, self.total, PARTS), "split": split},
            pairs_examined=sum(int(s.counts[SHIFTS_TRIED]) for s in self.states),
            pairs_by_pass=[],
            complete=self.whole,
            looks=self.options.looks if self.whole else self.looked,
        )
        return labels, log


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
