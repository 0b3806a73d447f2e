"""`choose`: which records to leave out, and the groups of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.methods.problem import Nodes, Points
from shoal.methods.suppress.removals import (
    LEAST,
    NOBODY,
    OUT,
    Change,
    Grouping,
    Losses,
    independent,
    removals,
)
from shoal.progress import Reporter

FEW = 12  # records of which all sets are tried: 3 ** FEW pairs of sets
ROUNDING = 1e-9  # of a share of the records
TURNS = 4  # in which the budget is spent
EXCHANGES = 3  # at most, after every start
ROUNDS = {"quick": 5, "normal": 10, "best": 40}  # how often some come back, by effort
FULL = 5_000  # records up to which all of this is done: of more, groups take minutes
BACK = 0.4  # of the records that are left out, where some come back


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """Records of which at most `budget` may be left out, in groups of at least k within strata.

    `matrix` says which records are near each other. `only_k` tells that k is all that is asked,
    `thorough` that there is time for several starts and rounds.
    """

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


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The rows that are left out and those that are not, in order, with the groups of these."""

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


def returns(groups: Grouping) -> list[Change]:
    """Return for every record that is left out the return that costs least, the least first."""
    gone = groups.left_out
    if not gone.size:
        return []
    nowhere = np.full(gone.size, -1, dtype=np.int64)
    near = groups.near(groups.matrix[gone], groups.strata[gone], nowhere)
    tried = [
        (int(row), int(group))
        for row, around in zip(gone, near, strict=True)
        for group in around
        if group >= 0
    ]
    wider = [np.append(groups.members[group], row) for row, group in tried]
    gains = groups.losses[[group for _, group in tried]] - groups.exact.of(wider)
    best: dict[int, Change] = {}
    for (row, group), gain, rows in zip(tried, gains.tolist(), wider, strict=True):
        if row not in best or gain > best[row].gain:
            best[row] = Change(gain, NOBODY, np.array([row]), {group: rows})
    return sorted(best.values(), key=lambda one: -one.gain)


def exchanges(groups: Grouping) -> list[Change]:
    """Return returns and removals by pairs that gain, none of which concerns a group of another."""
    back = returns(groups)
    leaving = removals(groups, 1, len(back))
    pairs: list[Change] = []
    touched: set[int] = set()
    for one in back:
        for other in leaving:
            if one.gain + other.gain <= LEAST * groups.loss:
                break
            both = {*one.members, *other.members}
            if touched.isdisjoint(both) and len(both) == len(one.members) + len(other.members):
                pairs += [one, other]
                touched |= both
                break
    return pairs


def some_back(groups: Grouping, share: float, random: np.random.Generator) -> Integers | None:
    """Return the labels after a share of the records came back that are left out; None: nobody."""
    back = returns(groups)
    if not back:
        return None
    labels = groups.labels.copy()
    for at in random.permutation(len(back))[: max(1, round(share * len(back)))]:
        (group,) = back[at].members
        labels[back[at].back] = group
    return labels


def least(losses: Losses, k: int, budget: int) -> Integers:
    """Return the labels of least loss, -1 for records that are left out: at most `budget`.

    By dynamic programming over sets of records: the first record of a set that is not left out is
    in one of its groups of k to 2k - 1, and the others are a smaller set. (A larger group is never
    better than two parts of it.)
    """
    rows = losses.encoding.rows
    groups, costs = _groups(losses, k)
    size = 1 << rows
    best: Floats = np.full(size, np.inf)
    choice: Integers = np.full(size, -1, dtype=np.int64)
    best[0] = 0.0
    sets = np.arange(size)
    lowest = sets & -sets
    for first in range(rows - 1, -1, -1):  # sets whose first record this is need only later ones
        own = np.flatnonzero(lowest == 1 << first)
        for at in np.flatnonzero((groups & -groups) == 1 << first):
            fits = own[(own & groups[at]) == groups[at]]
            total = best[fits ^ groups[at]] + costs[at]
            better = total < best[fits]
            best[fits[better]] = total[better]
            choice[fits[better]] = at
    many = rows - _bits(sets, rows).sum(axis=1)
    best[(many > budget) | (many == rows)] = np.inf
    return _labels(int(best.argmin()), rows, groups, choice)


def _bits(sets: Integers, rows: int) -> Flags:
    """Return which records are in each set."""
    return (sets[:, None] >> np.arange(rows) & 1).astype(bool)


def _groups(losses: Losses, k: int) -> tuple[Integers, Floats]:
    """Return all groups of k to 2k - 1 records, as sets, and what they lose."""
    rows = losses.encoding.rows
    members = [
        np.array(group)
        for size in range(k, min(2 * k, rows + 1))
        for group in combinations(range(rows), size)
    ]
    return np.array([int((1 << group).sum()) for group in members]), losses.of(members)


def _labels(kept: int, rows: int, groups: Integers, choice: Integers) -> Integers:
    """Return the labels of the best groups of a set."""
    labels = np.full(rows, -1, dtype=np.int64)
    made = 0
    while kept:
        own = int(groups[choice[kept]])
        labels[np.flatnonzero(_bits(np.array([own]), rows)[0])] = made
        made, kept = made + 1, kept ^ own
    return labels
