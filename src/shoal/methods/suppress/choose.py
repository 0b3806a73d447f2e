"""`choose`: which records to leave out, and the groups of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.problem import Nodes, Points
from shoal.methods.suppress.exact import FEW, least
from shoal.methods.suppress.exchanges import exchanges, some_back
from shoal.methods.suppress.grouping import OUT, Grouping
from shoal.methods.suppress.losses import Losses
from shoal.methods.suppress.removals import independent, removals
from shoal.progress import Reporter

ROUNDING = 1e-9  # of a share of the records
TURNS = 4  # in which the budget is spent
EXCHANGES = 3  # at most, after every start
ROUNDS = {"quick": 5, "normal": 10, "best": 40}  # how often some come back, by effort
FULL = 5_000  # records up to which all of this is done: of more, groups take minutes
BACK = 0.4  # of the records that are left out, where some come back


@dataclass(frozen=True, eq=False)
class Task:
    """Records of which at most `budget` may be left out, in groups of at least k within strata.

    `matrix` says which records are near each other. `only_k` tells that k is all that is asked,
    `thorough` that there is time for several starts and rounds.
    """

    __repr__ = in_shape

    encoding: Points | Nodes
    matrix: Floats
    k: int
    budget: int
    strata: Integers | None = None
    only_k: bool = True
    thorough: bool = True
    effort: str = "normal"
    seed: int = 0

    @property
    def is_large(self) -> bool:
        """Whether groups take so long that there is one start, one turn and one exchange."""
        return self.thorough and self.encoding.rows > FULL


@dataclass(frozen=True)
class Regroup:
    """Two ways to group some rows: anew, and from labels that they have, without more loss."""

    anew: Callable[[Integers], Integers]
    onward: Callable[[Integers, Integers], Integers]


@dataclass(frozen=True, eq=False)
class Choice:
    """The rows that are left out and those that are not, in order, with the groups of these."""

    __repr__ = in_shape

    left_out: Integers
    kept: Integers
    labels: Integers


def allowed(share: float, rows: int) -> int:
    """Return how many of so many records a share is, rounded down."""
    return int(share * rows + ROUNDING)


def choose(task: Task, regroup: Regroup, report: Reporter) -> Choice:
    """Return the at most `budget` records without which the others lose least.

    Up to FEW records are solved exactly where k is all that is asked. Of more, records leave in
    turns, those first that the most is gained by, and the others go on to a local optimum; other
    starts are those farthest from the mean, and those that lose most in their groups. From the
    best of the three on, some come back and others leave, and what loses less is kept. Beyond FULL
    records there is one start, and all leave in one turn: that takes three to five times as long
    as to group them once.
    """
    losses, rows = Losses(task.encoding), task.encoding.rows
    if rows <= FEW and task.strata is None and task.only_k:
        return _choice(least(losses, task.k, task.budget))
    search = _Search(task, losses, regroup, report)
    best = min((search.optimum(labels) for labels in search.starts()), key=lambda one: one.loss)
    rounds = ROUNDS[task.effort] * FULL // max(rows, FULL) if task.thorough else 0
    random = np.random.default_rng(task.seed)
    for turn in range(rounds):
        report("suppressing", turn, rounds)
        labels = some_back(best, BACK, random)
        if labels is None:
            break
        other = search.optimum(labels)
        best = min(best, other, key=lambda one: one.loss)
    report("suppressing", rounds, rounds)
    return _choice(best.labels)


class _Search:
    """Turns of leaving out and grouping anew."""

    def __init__(self, task: Task, losses: Losses, regroup: Regroup, report: Reporter) -> None:
        self.task, self.losses, self.regroup, self.report = task, losses, regroup, report

    def starts(self) -> list[Integers]:
        """Return first groups: of all records, and without those that a simple rule leaves out."""
        task, matrix = self.task, self.task.matrix
        every = np.arange(task.encoding.rows)
        whole = self.regroup.anew(every)
        if not task.thorough or task.is_large:
            return [whole]
        groups = self._grouping(whole)
        apart = matrix - matrix.mean(axis=0)
        lost = np.zeros(every.size)
        for rows, own, without in zip(
            groups.members, groups.losses, self.losses.without(groups.members), strict=True
        ):
            lost[rows] = own - without
        starts = [whole]
        for score in ((apart * apart).sum(axis=1), lost):
            out = self._most(score)
            labels = np.full(every.size, OUT, dtype=np.int64)
            kept = np.setdiff1d(every, out)
            labels[kept] = self.regroup.anew(kept)
            starts.append(labels)
        return starts

    def _most(self, score: Floats) -> Integers:
        """Return the records of the highest scores, as far as every stratum keeps k of its own."""
        strata, k = self.task.strata, self.task.k
        order = np.argsort(-score, kind="stable")
        if strata is None:
            return order[: min(self.task.budget, max(0, order.size - k))]
        left = np.bincount(strata)
        out: list[int] = []
        for row in order:
            if len(out) < self.task.budget and left[strata[row]] > k:
                left[strata[row]] -= 1
                out.append(int(row))
        return np.array(out, dtype=np.int64)

    def optimum(self, labels: Integers) -> Grouping:
        """Return groups from which neither leaving nor an exchange gains."""
        groups, task = self._grouping(labels), self.task
        turn = task.budget if task.is_large else -(-task.budget // TURNS)
        while (spare := task.budget - int(groups.left_out.size)) > 0:
            self.report.stop.check()
            want = min(turn, spare)
            changes = independent(removals(groups, spare, want), want, spare)
            if not changes:
                break
            groups.apply(changes)
            self._onward(groups)
        for _ in range(1 if task.is_large else EXCHANGES):
            self.report.stop.check()
            before, known = groups.loss, groups.labels.copy()
            changes = exchanges(groups)
            if not changes:
                break
            groups.apply(changes)
            self._onward(groups)
            if groups.loss >= before:
                groups.regroup(np.arange(known.size), known)
                break
        return groups

    def _grouping(self, labels: Integers) -> Grouping:
        return Grouping(self.losses, self.task.matrix, self.task.k, labels, self.task.strata)

    def _onward(self, groups: Grouping) -> None:
        """Group the records anew that are not left out, from the groups that they have."""
        kept = groups.kept
        groups.regroup(kept, self.regroup.onward(kept, groups.kept_labels))


def _choice(labels: Integers) -> Choice:
    """Return the choice that labels say."""
    kept = np.flatnonzero(labels != OUT)
    return Choice(np.flatnonzero(labels == OUT), kept, labels[kept])
