"""What ends a search, and what is noted on the way: count, clock, callback, user; the curve."""

from __future__ import annotations

import time
from dataclasses import replace

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
        self.start()

    def start(self) -> None:
        """Start the clock."""
        self.began = time.perf_counter()

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

    def told_to_stop(self, look: Progress, descending: bool = False) -> bool:
        """Report; tell whether the count, the clock, the callback or the user ends the search."""
        over = self.done >= self.limit and not descending
        enough = self.looks_enough(look, last=over)
        if over:
            self.stopped_by = "iterations"
        elif self.seconds_given is not None and self.seconds >= self.seconds_given:
            self.stopped_by = "time limit"
        elif enough:
            self.stopped_by = "callback"
        elif interrupt.finish:
            self.stopped_by = "interrupt"
        return bool(self.stopped_by)

    def looks_enough(self, look: Progress, last: bool = False) -> bool:
        """Hand a look on, with count and clock; tell whether the callback has seen enough."""
        known = self.limit if self.limit < NEVER else self.done + 1
        shown = replace(look, done=self.done, total=known, seconds=self.seconds)
        return self.report.look(shown, last=last)
