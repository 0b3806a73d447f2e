"""How a search is driven: its start, its loop, what stops it, and the curve of its loss."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.ils import state as states
from shoal.methods.ils.advance import advance
from shoal.methods.ils.parameters import Search
from shoal.methods.ils.state import (
    AGAIN,
    BEST,
    DUE,
    EVERY,
    FEWEST,
    FIRST,
    LABEL,
    LAST,
    MAY_DISSOLVE,
    MAY_DISTILL,
    MAY_SHIFT,
    MAY_SPLIT,
    MAY_SWAP,
    PATIENCE,
    RETURN_TO_BEST,
    RULE,
    SAMPLES,
    State,
)
from shoal.partition import SearchLog, canonical_labels
from shoal.progress import Progress, Reporter, StopToken

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


# Driver of iterated local search: rounds, parallel runs, stopping and log.
#
# What comes out depends on the seed, the number of runs and the number of iterations, never on
# threads: all runs make the same iterations in a round, and a round is never left half done.
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


PAIRS_A_CALL = 2_000_000  # a fraction of a second
DESCENT = Search(neighbors=0)  # all pairs: a block has few


def descend(
    matrix: Floats, k: int, start: Integers, seed: int, stop: StopToken,
    weights: Floats | None = None,
) -> Integers:  # fmt: skip
    """Return the local optimum that a search by `DESCENT` comes to first, from groups of k.

    Requires 2 <= k and 2k rows. Where a search is asked to finish, the groups as they are then.
    """
    rows = matrix.shape[0]
    nobody, most = np.zeros((rows, 0), dtype=np.int64), 4 * k
    s = states.make(matrix, nobody, k, most, 1, _first_draw(seed), weights=weights)
    set_choices(s, DESCENT, k)
    trace = np.zeros(1)
    with stop.searching():
        states.load(s, small_groups(matrix, start, k))
        while True:
            stop.check()
            if stop.finish:
                return canonical_labels(s.records[:, LABEL])
            if advance(s, trace, PAIRS_A_CALL):
                return canonical_labels(s.records[:, BEST])


@lru_cache(maxsize=16)
def _first_draw(seed: int) -> int:
    """Return the first number that the first run of a search draws."""
    return int(np.random.default_rng([seed, 0]).integers(1, 2**63))


def set_choices(s: State, options: Search, k: int) -> None:
    """Write down what is asked of a search, where a kernel reads it. s IN/OUT."""
    rows, choices = s.points.shape[0], s.choices
    most, least = rows // k, -(-rows // (2 * k - 1))
    choices[FEWEST] = most - int((most - least) * options.share)
    choices[EVERY] = s.neighbors.shape[1] == 0
    choices[AGAIN] = options.local != "changed"
    choices[DUE] = options.local == "due"
    choices[MAY_SHIFT], choices[MAY_SWAP] = ("shift" in options.moves, "swap" in options.moves)
    choices[MAY_SPLIT] = "split" in options.moves
    choices[MAY_DISSOLVE] = "dissolve" in options.perturbations
    choices[MAY_DISTILL] = "distill" in options.perturbations
    choices[SAMPLES] = options.samples
    choices[RULE] = options.acceptance.code
    choices[RETURN_TO_BEST] = options.acceptance.returns_to_best
    choices[PATIENCE] = options.stop.patience or NEVER
    s.levels[FIRST], s.levels[LAST] = options.acceptance.numbers


def random_start(rows: int, k: int, rng: np.random.Generator) -> Integers:
    """Return a random grouping: groups of k, the left-over records in as many of them."""
    groups = rows // k
    labels = np.empty(rows, dtype=np.int64)
    order = rng.permutation(rows)
    labels[order[: groups * k]] = np.arange(groups * k) // k
    labels[order[groups * k :]] = rng.permutation(groups)[np.arange(rows - groups * k) % groups]
    return labels


def small_groups(matrix: Floats, labels: Integers, k: int) -> Integers:
    """Return the grouping with all groups of more than 4k cut up, which never adds to the loss."""
    return split_groups(matrix, labels, k, 4 * k)


def split_groups(matrix: Floats, labels: Integers, k: int, most: int | None = None) -> Integers:
    """Return the grouping with all groups of more than `most` (None: 2k - 1) records cut up."""
    labels = labels.copy()
    sizes = np.bincount(labels)
    made = sizes.size
    for group in np.flatnonzero(sizes > (2 * k - 1 if most is None else most)):
        rows = np.flatnonzero(labels == group)
        parts = mdav(np.ascontiguousarray(matrix[rows]), k, Reporter(None))
        labels[rows[parts > 0]] = made + parts[parts > 0] - 1
        made += int(parts.max())
    return labels
