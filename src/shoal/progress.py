"""What a long run tells whoever waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from shoal.errors import Canceled


@dataclass(frozen=True)
class Progress:
    """One look at a run: what it does, how far it is (of `total`), for how many seconds."""

    stage: str
    done: int
    total: int
    seconds: float


Callback = Callable[[Progress], bool | None]


class Reporter:
    """Hands Progress to a callback, at most twenty times a second; True from it cancels."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback
        self._start = time.perf_counter()
        self._last = -1.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report; the first and the last look of a stage are always handed on."""
        if self._callback is None:
            return
        seconds = time.perf_counter() - self._start
        if 0 < done < total and seconds - self._last < 0.05:
            return
        self._last = seconds
        if self._callback(Progress(stage, done, total, seconds)) is True:
            raise Canceled(f"stopped by the callback while {stage}; there is no result")
