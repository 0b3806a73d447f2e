"""Stopping criteria (iterations, time, callback, user), and the loss curve."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.methods.ils.parameters import Search
from shoal.partition import SearchLog
from shoal.progress import Progress, Reporter

NEVER = 2**62
CURVE_POINTS = 400


class Watch:
    """Stopping criteria of a search; `done` counts the finished iterations.

    `limit` is after how many the search ends, `usual` is the default; `curve` has the
    iterations in which the best loss (in percent) fell.
    """

    def __init__(self, options: Search, report: Reporter, usual: int) -> None:
        stop = options.stop
        unlimited = stop.seconds is not None or stop.target is not None
        usual_or_never = NEVER if unlimited else usual
        self.limit = usual_or_never if stop.iterations is None else stop.iterations
        self.seconds_given = stop.seconds
        self.report = report
        self.curve: list[tuple[int, float]] = []
        self.lowest = np.inf
        self.done = 0
        self.stopped_by = ""
        self.began = time.perf_counter()

    @contextmanager
    def side_by_side(
        self, runs: Sequence[Any], threads: int | None
    ) -> Iterator[Callable[[Callable[[Any], Any]], list[Any]]]:
        """Start the clock; yield what does some work for all runs, on as many threads.

        Until the end of the block a first request to stop only asks for the best so far.
        """
        self.began = time.perf_counter()
        with self.report.stop.searching():
            if threads == 1:  # a thread takes longer to start than a block to search
                yield lambda work: [work(run) for run in runs]
                return
            with ThreadPoolExecutor(min(len(runs), threads or os.cpu_count() or 1)) as pool:
                yield lambda work: list(pool.map(work, runs))

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    def note(self, since: int, losses: Floats) -> None:
        """Add the iterations in which the best of all runs fell. losses (iterations) in percent."""
        best = np.minimum.accumulate(np.minimum(losses, self.lowest))
        before = np.concatenate(([self.lowest], best[:-1]))
        for i in np.flatnonzero(best < before):
            self.curve.append((since + int(i), float(best[i])))
        self.lowest = float(best[-1])

    def log(self, end: float, start: float, **figures: Any) -> SearchLog:
        """Return the search log, from a loss of `start` to `end` percent."""
        curve = thinned(self.curve, self.done, end)
        fields = {"seconds": self.seconds, "runs": 1, "schedule": max(1, self.done), **figures}
        return SearchLog(
            iterations=self.done, stopped_by=self.stopped_by, loss_start=start, loss_end=end,
            curve=curve, **fields,
        )  # fmt: skip

    def look(
        self, current: float, best: float | None, *, groups: int, tried: int, applied: int
    ) -> Progress:
        """Return the progress: losses in percent, groups and moves of the best run."""
        known = self.limit if self.limit < NEVER else self.done + 1
        return Progress(
            "searching", self.done, known, self.seconds, current, best, groups, tried, applied
        )

    def is_stopped(self, look: Progress, descending: bool = False) -> bool:
        """Report; tell whether the count, the clock, the callback or the user ends the search."""
        over = self.done >= self.limit and not descending
        enough = self.report.look(look, last=over)
        if over:
            self.stopped_by = "iterations"
        elif self.seconds_given is not None and look.seconds >= self.seconds_given:
            self.stopped_by = "time limit"
        elif enough:
            self.stopped_by = "callback"
        elif self.report.stop.finish:
            self.stopped_by = "interrupt"
        return bool(self.stopped_by)


def thinned(curve: list[tuple[int, float]], last: int, end: float) -> list[tuple[int, float]]:
    """Return at most CURVE_POINTS of a curve's points, its first and its end among them."""
    if len(curve) > CURVE_POINTS - 1:
        keep = np.unique(np.linspace(0, len(curve) - 1, CURVE_POINTS - 1).astype(int))
        curve = [curve[i] for i in keep]
    return [*curve, (last, end)]
