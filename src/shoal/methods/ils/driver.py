"""Driver of iterated local search: rounds, parallel runs, stopping and log.

What comes out depends on the seed, the number of runs and the number of iterations, never on
threads: all runs make the same iterations in a round, and a round is never left half done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from shoal.kernels.arrays import Integers
from shoal.methods.ils.stopping import Watch
from shoal.partition import SearchLog
from shoal.progress import Progress

Everywhere = Callable[[Callable[[Any], Any]], list[Any]]  # does some work for all runs


class Iterated(Protocol):
    """Protocol of a search in rounds."""

    watch: Watch

    @property
    def runs(self) -> Sequence[Any]:
        """The parallel runs, one a thread."""

    @property
    def threads(self) -> int | None:
        """The number of threads; None: as many as there are processors."""

    def begin(self, everywhere: Everywhere) -> None:
        """Reach the grouping that the first round starts from."""

    def look(self) -> Progress:
        """Return the progress between two rounds."""

    def round(self, everywhere: Everywhere) -> None:
        """Make some iterations in every run; say in `watch.stopped_by` if no more are needed."""

    def close(self, everywhere: Everywhere) -> None:
        """End with what is done after the last round, before the user's stop counts no more."""

    def result(self) -> tuple[Integers, SearchLog]:
        """Return the incumbent, and how it was found."""


def drive(search: Iterated) -> tuple[Integers, SearchLog]:
    """Run rounds until iterations, time, callback, user or the search itself stop it."""
    watch = search.watch
    with watch.side_by_side(search.runs, search.threads) as everywhere:
        search.begin(everywhere)
        while not (watch.stopped_by or watch.is_stopped(search.look())):
            search.round(everywhere)
        search.close(everywhere)
    return search.result()
