"""Progress of a function, shown where it runs: a bar, an output of a notebook, or lines."""

from __future__ import annotations

import html
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from shoal.errors import RequestError
from shoal.progress import Callback, Progress, Reporter, StopToken, live_progress

Shown = bool | Callback  # what the argument `progress` of a function may be
AFTER, PAUSE = 1.0, 0.2  # seconds: shorter runs show nothing; the least between two looks


@contextmanager
def reporting(
    progress: Shown, callback: Callback | Reporter | None = None
) -> Iterator[Callback | Reporter | None]:
    """Yield what a run reports to: the callback, and what shows progress while the block lasts.

    True shows it in the notebook that runs this, else as the command line does: a bar on a
    terminal, a line every now and then where stderr is none.
    """
    if callable(progress):
        if callback is not None:
            raise RequestError("give a function as progress or as callback, not both")
        yield progress
        return
    if not isinstance(progress, bool):
        raise RequestError("progress must be True, False or a function that takes a Progress")
    if not progress or sys.stderr is None:
        yield callback
        return
    own = callback if isinstance(callback, Reporter) else Reporter(callback)
    with _showing(own.stop) as show:
        yield Reporter(_both(show, own.callback), own.stop)


def _both(show: Callback | None, callback: Callback | None) -> Callback:
    """Return a callback that shows progress, and answers as another does."""

    def report(progress: Progress) -> bool | None:
        if show is not None:
            show(progress)
        return None if callback is None else callback(progress)

    return report


@contextmanager
def _showing(stop: StopToken) -> Iterator[Callback | None]:
    """Yield what shows progress here: in a notebook, else on stderr."""
    display = _notebook_display()
    if display is None:
        with live_progress(stop) as reporter:
            yield reporter.callback
        return
    bar = NotebookBar(display)
    try:
        yield bar
    finally:
        bar.close()


def _notebook_display() -> Callable[..., Any] | None:
    """Return IPython's `display` where the kernel of a notebook runs this; None elsewhere."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not hasattr(shell, "kernel"):
        return None
    display: Callable[..., Any] = importlib.import_module("IPython.display").display
    return display


class NotebookBar:
    """Shows progress as one output of a cell that is updated, and emptied in the end.

    It takes no more than IPython's `display`. `clock` is for tests.
    """

    def __init__(
        self, display: Callable[..., Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.display, self.clock = display, clock
        self.start, self.last, self.stage = clock(), 0.0, ""
        self.handle: Any = None

    def __call__(self, progress: Progress) -> None:
        """Show a look, if it is time to; a new stage is always shown."""
        now = self.clock()
        is_new = progress.stage != self.stage
        if now - self.start < AFTER or (not is_new and now - self.last < PAUSE):
            return
        self.last, self.stage = now, progress.stage
        self._show(_bundle(progress, now - self.start))

    def _show(self, bundle: dict[str, str]) -> None:
        if self.handle is None:
            self.handle = self.display(bundle, raw=True, display_id=True)
        else:
            self.handle.update(bundle, raw=True)

    def close(self) -> None:
        """Empty the output, if there is one."""
        if self.handle is not None:
            self._show({"text/plain": "", "text/html": ""})


def _bundle(progress: Progress, seconds: float) -> dict[str, str]:
    """Return a look as plain text and as HTML; a search without a known end has no share."""
    text, share = progress.stage, ""
    if progress.best_loss is not None:
        text += f", loss {progress.best_loss:.4f} %"
    elif 0 < progress.done < progress.total:
        text += f", {100 * progress.done // progress.total} %"
        share = f' value="{progress.done}" max="{progress.total}"'
    text += f", {seconds:.0f} s"
    bar = f'<progress{share} style="width: 16em; vertical-align: middle"></progress>'
    return {"text/plain": text, "text/html": f"<div>{bar} {html.escape(text)}</div>"}
