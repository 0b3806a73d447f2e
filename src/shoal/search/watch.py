"""What ends a search, and what is noted on the way: count, clock, callback, user; the curve."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import interrupt
from shoal.progress import Progress, Reporter
from shoal.search.parameters import Search

Floats = npt.NDArray[np.float64]

NEVER = 2**62


class Watch:
    """Watches over the rounds of a search; `done` counts the iterations that are over.

    `limit` is after how many the search ends, `usual` where nobody says; `curve` has the
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

        Until the end of the block a first interrupt only asks for the best so far.
        """
        self.began = time.perf_counter()
        with interrupt.searching():
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

    def look(
        self, current: float, best: float, *, groups: int, tried: int, applied: int
    ) -> Progress:
        """Return what there is to see: losses in percent, groups and moves of the best run."""
        known = self.limit if self.limit < NEVER else self.done + 1
        return Progress(
            "searching", self.done, known, self.seconds, current, best, groups, tried, applied
        )

    def told_to_stop(self, look: Progress, descending: bool = False) -> bool:
        """Report; tell whether the count, the clock, the callback or the user ends the search."""
        over = self.done >= self.limit and not descending
        enough = self.report.look(look, last=over)
        if over:
            self.stopped_by = "iterations"
        elif self.seconds_given is not None and look.seconds >= self.seconds_given:
            self.stopped_by = "time limit"
        elif enough:
            self.stopped_by = "callback"
        elif interrupt.finish:
            self.stopped_by = "interrupt"
        return bool(self.stopped_by)
