"""What a long run tells whoever waits for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import Canceled, interrupt

if TYPE_CHECKING:
    from rich.progress import TaskID


@dataclass(frozen=True)
class Progress:
    """One look at a run: what it does, how far it is (of `total`), for how many seconds.

    While a search goes on, `done` counts its iterations, losses are in percent and belong to the
    best run, and `total` is only one ahead where no number of iterations was set.
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


class Reporter:
    """Hands Progress to a callback, at most twenty times a second; True from it cancels."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback
        self._start = time.perf_counter()
        self._last = -1.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report; the first and the last look of a stage are always handed on."""
        interrupt.check()
        if self._callback is None:
            return
        seconds = time.perf_counter() - self._start
        if 0 < done < total and seconds - self._last < 0.05:
            return
        self._last = seconds
        if self._callback(Progress(stage, done, total, seconds)) is True:
            raise Canceled(f"stopped by the callback while {stage}; there is no result")

    def look(self, progress: Progress, last: bool) -> bool:
        """Hand on a look at a search; tell whether the callback wants it to end with its best."""
        interrupt.check()
        now = time.perf_counter() - self._start
        if self._callback is None or (progress.done > 0 and not last and now - self._last < 0.05):
            return False
        self._last = now
        return self._callback(progress) is True


@contextmanager
def live_progress() -> Iterator[Callback | None]:
    """Yield a callback that draws a bar on stderr after a second; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
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
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def show(progress: Progress) -> None:
        if progress.seconds < 1.0:
            return
        if progress.stage not in tasks:
            bar.start()
            tasks[progress.stage] = bar.add_task(progress.stage, total=progress.total)
        told = progress.stage
        if progress.best_loss is not None:
            told = f"{progress.stage}, loss {progress.best_loss:.4f} %"
        bar.update(
            tasks[progress.stage], completed=progress.done, total=progress.total, description=told
        )

    try:
        yield show
    finally:
        bar.stop()
