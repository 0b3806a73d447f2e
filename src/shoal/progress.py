"""Progress reports of long runs, and the stop token."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import Canceled

if TYPE_CHECKING:
    from rich.progress import TaskID

LOG = logging.getLogger(__name__)
PATIENCE = 1.0  # seconds: shorter runs show no progress


@dataclass(frozen=True)
class Progress:
    """Progress of a run: stage, `done` of `total`, and seconds.

    While a search goes on, `done` counts its iterations, losses are in percent and belong to the
    best run, and `total` is only one ahead where no number of iterations was set. `best_loss` is
    None as long as a search has nothing but random groups, on the way to its first local optimum.
    """

    stage: str
    done: int
    total: int
    seconds: float
    current_loss: float | None = None
    best_loss: float | None = None
    groups: int | None = None
    moves_tried: int | None = None
    moves_applied: int | None = None


Callback = Callable[[Progress], bool | None]


class StopToken:
    """Stop token: whether a run is asked to stop; created by the caller and passed along.

    While a search is `anytime`, the first request only asks it to `finish` with its best so far;
    any other sets `canceled`. An interrupt that comes while compiled code calls back into Python is
    lost there, so long loops `check` the token. Once the release is `written` there is nothing to
    take back. A copy in another process is a token of its own.
    """

    def __init__(self) -> None:
        self.finish = self.canceled = self.written = False
        self._searches, self._lock = 0, threading.Lock()

    def __reduce__(self) -> Any:
        return StopToken, ()

    @property
    def anytime(self) -> bool:
        """Whether a search is under way that has a best to finish with."""
        return self._searches > 0

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Be anytime until the end of the block; blocks may overlap, in several threads."""
        with self._lock:
            self._searches += 1
        try:
            yield
        finally:
            with self._lock:
                self._searches -= 1

    def check(self) -> None:
        """Raise KeyboardInterrupt if the run is canceled."""
        if self.canceled:
            raise KeyboardInterrupt


INTERRUPT = StopToken()  # of this process: the command line lets signals set it


class Reporter:
    """Hands Progress to a callback, at most twenty times a second; True from it cancels.

    It carries the stop token of its run. That of a whole run, which `of` makes, logs its stages.
    """

    is_quiet = False
    log: logging.Logger | None = None

    def __init__(self, callback: Callback | None, stop: StopToken | None = None) -> None:
        self.callback = callback
        self.stop = stop or StopToken()
        self._start = time.perf_counter()
        self._last, self._stage, self._begun = -1.0, "", self._start

    @classmethod
    def of(cls, given: Callback | Reporter | None) -> Reporter:
        """Return a reporter whose clock starts now; a given one passes its token on."""
        made = cls(given.callback, given.stop) if isinstance(given, Reporter) else cls(given)
        made.is_quiet = isinstance(given, Reporter) and given.is_quiet
        made.log = None if made.is_quiet else LOG
        return made

    def quiet(self) -> Reporter:
        """Return a reporter that says nothing, with the same stop token."""
        made = Reporter(None, self.stop)
        made.is_quiet = True
        return made

    def _log(self, stage: str) -> None:
        """Log that a stage begins, and how long the one before took."""
        now = time.perf_counter()
        if self.log is not None:
            if self._stage:
                self.log.debug("%s took %.3f s", self._stage, now - self._begun)
            self.log.info("%s", stage)
        self._stage, self._begun = stage, now

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report; the first and the last look of a stage are always handed on."""
        self.stop.check()
        if stage != self._stage:
            self._log(stage)
        if self.callback is None:
            return
        seconds = time.perf_counter() - self._start
        if 0 < done < total and seconds - self._last < 0.05:
            return
        self._last = seconds
        if self.callback(Progress(stage, done, total, seconds)) is True:
            raise Canceled(f"stopped by the callback while {stage}; there is no result")

    def look(self, progress: Progress, last: bool) -> bool:
        """Report the progress of a search; tell whether the callback asks it to finish."""
        self.stop.check()
        if progress.stage != self._stage:
            self._log(progress.stage)
        now = time.perf_counter() - self._start
        if self.callback is None or (progress.done > 0 and not last and now - self._last < 0.05):
            return False
        self._last = now
        return self.callback(progress) is True


class StageLines:
    """Tells in lines which stage a run is in, how far it is, and how long the rest may take.

    A stage has a line when it begins for the first time, or when the run has taken `patience`
    seconds: a short run has none. One that lasts is told again after `pause` seconds, then after
    twice the time each time. `clock` is for tests.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        pause: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        patience: float = 0.0,
    ) -> None:
        self.write, self.pause, self.clock, self.patience = write, pause, clock, patience
        self.start = self.begun = self.last = clock()
        self.stage, self.wait = "", pause
        self.told: set[str] = set()

    def __call__(self, progress: Progress) -> None:
        """Tell the stage, if it is new or it is time to."""
        now = self.clock()
        if progress.stage != self.stage:
            self.stage, self.begun, self.wait = progress.stage, now, self.pause
        if self.stage not in self.told and progress.seconds >= self.patience:
            self.told.add(self.stage)
            self.last = now
            self.write(f"{self.stage}\n")
        if now - self.last < self.wait:
            return
        self.last, self.wait = now, 2 * self.wait
        self.write(f"{self.stage}{self._so_far(progress, now)}, {now - self.start:.0f} s\n")

    def _so_far(self, progress: Progress, now: float) -> str:
        """Return how far the stage is and what is left of it, where that can be told."""
        if progress.best_loss is not None:
            return f": loss {progress.best_loss:.4f} %"
        if not 0 < progress.done < progress.total:
            return ""
        left = (now - self.begun) * (progress.total - progress.done) / progress.done
        return f": {100 * progress.done // progress.total} %, about {left:.0f} s left"


class JsonLines:
    """Tells progress in lines of JSON: each stage when it begins, then at most twice a second."""

    def __init__(
        self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.write, self.clock = write, clock
        self.stage, self.last = "", clock()

    def __call__(self, progress: Progress) -> None:
        """Write what is known, if the stage is new or over, or it is time to."""
        now = self.clock()
        is_over = progress.done >= progress.total
        if progress.stage == self.stage and not is_over and now - self.last < 0.5:
            return
        self.stage, self.last = progress.stage, now
        known = {name: one for name, one in asdict(progress).items() if one is not None}
        known["seconds"] = round(progress.seconds, 3)
        self.write(json.dumps({"event": "progress", **known}) + "\n")


@contextmanager
def live_progress(stop: StopToken, how: str = "auto", color: bool = True) -> Iterator[Reporter]:
    """Yield a reporter that shows progress on stderr as lines, as json, or not at all (none).

    By itself (auto) it draws a bar after a second; where stderr is no terminal it writes lines.
    """
    write = sys.stderr.write
    moves = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    if how != "auto" or not moves:
        shown: dict[str, Callback] = {
            "lines": StageLines(write),
            "json": JsonLines(write),
            "auto": StageLines(write, patience=PATIENCE),
        }
        yield Reporter(shown.get(how), stop)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, color_system="auto" if color else None),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def show(progress: Progress) -> None:
        if progress.seconds < PATIENCE:
            return
        if progress.stage not in tasks:
            bar.start()
            tasks[progress.stage] = bar.add_task(progress.stage, total=progress.total)
        text = progress.stage
        if progress.best_loss is not None:
            text = f"{progress.stage}, loss {progress.best_loss:.4f} %"
        bar.update(
            tasks[progress.stage], completed=progress.done, total=progress.total, description=text
        )

    try:
        yield Reporter(show, stop)
    finally:
        bar.stop()
