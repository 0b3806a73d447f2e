"""Prices of records: what is lost with and without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.generalization import cell_losses
from shoal.measures.loss import group_means
from shoal.methods.problem import Nodes, Points
from shoal.partition import canonical_labels, rows_of_groups

CELLS = 4_000_000  # cells that are judged at once
OUT = -1  # the label of a record that is left out
AROUND = 3  # groups that are looked at around a record
AT_ONCE = 20_000_000  # distances that are held
NOBODY: Integers = np.zeros(0, dtype=np.int64)
TIMES = 3  # groups of k that are looked at, for one that may be given up
MEMBERS = 2  # records of such a group that are tried
LEAST = 1e-9  # a share of the loss: less gain is rounding


@dataclass(frozen=True, eq=False, repr=False)
class _Plan:
    """Records that may leave, and the new members of the groups that this concerns."""

    out: Integers
    members: dict[int, Integers]


def removals(groups: Grouping, budget: int, want: int) -> list[Change]:
    """Return changes that leave out some of at most `budget` records, most gain a record first.

    A record of a group of more than k leaves it as it is. One of k records needs the others to go
    to groups near by, or a record of such a group to come; or all of them leave. Only changes that
    gain are returned: `want` says how many records shall leave, so that no more are priced.
    """
    without = groups.exact.without(groups.members)
    changes = _single(groups, without)
    tight = _tight(groups, without, TIMES * want)
    changes += _judged(groups, _repairs(groups, without, tight))
    changes += _whole(groups, budget)
    worth = LEAST * groups.loss
    good = [one for one in changes if one.gain > worth and one.records <= budget]
    return sorted(good, key=lambda one: -one.gain / one.records)


def independent(changes: Sequence[Change], want: int, most: int) -> list[Change]:
    """Return the first changes without a common group that leave out `want` records, or `most`."""
    taken: list[Change] = []
    touched: set[int] = set()
    records = 0
    for change in changes:
        if records >= want:
            break
        if records + change.records <= most and touched.isdisjoint(change.members):
            taken.append(change)
            touched.update(change.members)
            records += change.records
    return taken


def _single(groups: Grouping, without: Sequence[Floats]) -> list[Change]:
    """Return the best record to leave each group of more than k."""
    changes = []
    for group, rows in enumerate(groups.members):
        if rows.size <= groups.k:
            continue
        gains = groups.losses[group] - without[group]
        at = int(gains.argmax())
        rest = {group: np.delete(rows, at)}
        changes.append(Change(float(gains[at]), rows[at : at + 1], NOBODY, rest))
    return changes


def _whole(groups: Grouping, budget: int) -> list[Change]:
    """Return the groups that can leave as a whole: of strata that have others."""
    own = np.array([groups.stratum(group) for group in range(len(groups.members))])
    several = np.bincount(own)[own] > 1
    changes = []
    for group in np.flatnonzero(several):
        rows = groups.members[group]
        if rows.size <= budget:
            gain = float(groups.losses[group])
            changes.append(Change(gain, rows, NOBODY, {int(group): NOBODY}))
    return changes


def _tight(groups: Grouping, without: Sequence[Floats], many: int) -> list[int]:
    """Return the groups of k records that a record may gain most by leaving."""
    tight = [group for group, rows in enumerate(groups.members) if rows.size == groups.k]
    gains = [groups.losses[group] - without[group].min() for group in tight]
    best = np.argsort(-np.array(gains), kind="stable")[:many]
    return [tight[i] for i in best]


def _repairs(groups: Grouping, without: Sequence[Floats], tight: Sequence[int]) -> list[_Plan]:
    """Return the ways in which one record can leave a group of k."""
    chosen = [
        (group, int(at))
        for group in tight
        for at in np.argsort(without[group], kind="stable")[:MEMBERS]
    ]
    if not chosen:
        return []
    rests = [np.delete(groups.members[group], at) for group, at in chosen]
    places = np.stack([groups.matrix[rest].mean(axis=0) for rest in rests])
    strata = np.array([groups.stratum(group) for group, _ in chosen])
    near = groups.near(places, strata, np.array([group for group, _ in chosen]))
    plans = []
    for (group, at), rest, around in zip(chosen, rests, near, strict=True):
        out = groups.members[group][at : at + 1]
        others = [int(one) for one in around if one >= 0]
        if not others:
            continue
        plans += [_Plan(out, {group: NOBODY, other: np.append(groups.members[other], rest)})
                  for other in others]  # fmt: skip
        plans.append(_scattered(groups, group, out, rest, others))
        plans += _borrowed(groups, group, out, rest, others)
    return plans


def _scattered(
    groups: Grouping, group: int, out: Integers, rest: Integers, others: Sequence[int]
) -> _Plan:
    """Return the plan by which each of the others goes to the nearest of some groups."""
    apart = groups.matrix[rest][:, None, :] - groups.centers[list(others)][None, :, :]
    to = (apart * apart).sum(axis=2).argmin(axis=1)
    members = {group: NOBODY}
    for at in np.unique(to):
        other = others[int(at)]
        members[other] = np.append(groups.members[other], rest[to == at])
    return _Plan(out, members)


def _borrowed(
    groups: Grouping, group: int, out: Integers, rest: Integers, others: Sequence[int]
) -> list[_Plan]:
    """Return the plans by which the nearest record of a larger group comes instead."""
    center = groups.matrix[rest].mean(axis=0)
    plans = []
    for other in others:
        rows = groups.members[other]
        if rows.size > groups.k:
            apart = groups.matrix[rows] - center
            at = int((apart * apart).sum(axis=1).argmin())
            members = {group: np.append(rest, rows[at]), other: np.delete(rows, at)}
            plans.append(_Plan(out, members))
    return plans


def _judged(groups: Grouping, plans: Sequence[_Plan]) -> list[Change]:
    """Return the plans with what they gain, exactly."""
    every = [rows for plan in plans for rows in plan.members.values() if rows.size]
    after = iter(groups.exact.of(every).tolist() if every else ())
    changes = []
    for plan in plans:
        gain = 0.0
        for group, rows in plan.members.items():
            gain += float(groups.losses[group]) - (next(after) if rows.size else 0.0)
        changes.append(Change(gain, plan.out, NOBODY, plan.members))
    return changes


@dataclass(frozen=True, repr=False)
class Change:
    """A change of some groups: records that leave the release or come back, and who is where.

    `gain` is how much less the others lose with it. `members` has the new rows of each group that
    changes: none where it is given up.
    """

    gain: float
    out: Integers
    back: Integers
    members: Mapping[int, Integers]

    @property
    def records(self) -> int:
        """How many more records are left out."""
        return int(self.out.size - self.back.size)


class Grouping:
    """Records in groups of at least k within strata, and those that are left out.

    `matrix` says which groups are near each other; what they lose is exact.
    """

    def __init__(
        self, losses: Losses, matrix: Floats, k: int, labels: Integers, strata: Integers | None
    ) -> None:
        self.exact, self.matrix, self.k = losses, matrix, k
        self.strata = np.zeros(labels.size, dtype=np.int64) if strata is None else strata
        self.regroup(np.arange(labels.size), labels)

    def regroup(self, rows: Integers, labels: Integers) -> None:
        """Take other groups of the records that are not left out; a label of OUT leaves one out."""
        self.labels: Integers = np.full(self.strata.size, OUT, dtype=np.int64)
        inside = labels != OUT
        some, own = rows[inside], canonical_labels(labels[inside])
        self.labels[some] = own
        self.members = [some[group] for group in rows_of_groups(own)]
        self.losses = self.exact.of(self.members)
        self.centers = group_means(self.matrix[some], own)

    @property
    def kept(self) -> Integers:
        """The rows that are released, in order."""
        return np.flatnonzero(self.labels != OUT)

    @property
    def left_out(self) -> Integers:
        """The rows that are left out, in order."""
        return np.flatnonzero(self.labels == OUT)

    @property
    def kept_labels(self) -> Integers:
        """The groups of the rows that are released."""
        return canonical_labels(self.labels[self.kept])

    @property
    def loss(self) -> float:
        """What the records lose that are not left out."""
        return float(self.losses.sum())

    def stratum(self, group: int) -> int:
        """Return the stratum of a group."""
        return int(self.strata[self.members[group][0]])

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out changes, none of which concerns a group of another."""
        for change in changes:
            self.labels[change.out] = OUT
            for group, rows in change.members.items():
                self.members[group] = rows
                self.labels[rows] = group
        self.regroup(self.kept, self.labels[self.kept])

    def near(self, points: Floats, strata: Integers, skip: Integers) -> Integers:
        """Return the groups of the same stratum that are nearest to each point, -1 for none.

        `skip` names a group for each point that is not looked at; -1: none.
        """
        own = self.strata[[group[0] for group in self.members]]
        squares = (self.centers * self.centers).sum(axis=1)
        most = min(AROUND, len(self.members))
        found = np.full((len(points), most), -1, dtype=np.int64)
        step = max(1, AT_ONCE // len(self.members))
        for first in range(0, len(points), step):
            some = slice(first, first + step)
            apart = squares - 2.0 * (points[some] @ self.centers.T)
            apart[strata[some, None] != own] = np.inf
            named = np.flatnonzero(skip[some] >= 0)
            apart[named, skip[some][named]] = np.inf
            nearest = np.argpartition(apart, most - 1, axis=1)[:, :most]
            far = np.isinf(np.take_along_axis(apart, nearest, axis=1))
            found[some] = np.where(far, -1, nearest)
        return found


class Losses:
    """What groups lose by survey weights: SSE of points, ILoss of nodes by column weights."""

    def __init__(self, encoding: Points | Nodes) -> None:
        self.encoding = encoding
        if isinstance(encoding, Points):
            self.width = encoding.matrix.shape[1]
        else:
            own = encoding.column_weights or {}
            self.column_weights = [own.get(name, 1.0) for name in encoding.coded.names]
            self.width = len(self.column_weights)

    def of(self, groups: Sequence[Integers]) -> Floats:
        """Return what each of some groups of rows loses; a row may be in several."""
        found = np.zeros(len(groups))
        sizes = np.array([group.size for group in groups], dtype=np.int64)
        ends = np.cumsum(sizes)
        most, first = max(1, CELLS // max(self.width, 1)), 0
        while first < len(groups):
            before = ends[first] - sizes[first]
            last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
            rows = np.concatenate([groups[i] for i in range(first, last)])
            labels = np.repeat(np.arange(last - first), sizes[first:last])
            found[first:last] = self._of_labels(rows, labels)
            first = last
        return found

    def _of_labels(self, rows: Integers, labels: Integers) -> Floats:
        """Return what the groups of some rows lose."""
        count = int(labels[-1]) + 1
        encoding = self.encoding
        if isinstance(encoding, Points):
            points = encoding.matrix[rows]
            own = None if encoding.weights is None else encoding.weights[rows]
            apart = points - group_means(points, labels, own)[labels]
            squared = (apart * apart).sum(axis=1)
            lost = squared if own is None else squared * own
            return np.bincount(labels, lost, minlength=count).astype(np.float64)
        some = encoding.coded.take(rows)
        total = np.zeros(count)
        for column, weight in zip(some.columns, self.column_weights, strict=True):
            lost = cell_losses(column, labels)
            lost = lost if encoding.weights is None else lost * encoding.weights[rows]
            total += weight * np.bincount(labels, lost, minlength=count)
        return total

    def without(self, groups: Sequence[Integers]) -> list[Floats]:
        """Return what each group loses without each of its members in turn.

        Of n points that is SSE - n / (n - 1) of the member's squared distance to the mean; by
        survey weights w, which sum up to W, w W / (W - w) of it (Späth 1980, Cluster Analysis
        Algorithms: the exchange method).
        """
        if isinstance(self.encoding, Points):
            return [self._without_points(self.encoding, group) for group in groups]
        rest = [own for group in groups for own in _each_left_out(group)]
        every = self.of(rest) if rest else np.zeros(0)
        return np.split(every, np.cumsum([group.size for group in groups])[:-1])

    def _without_points(self, points: Points, group: Integers) -> Floats:
        """Return what a group of points loses without each."""
        matrix = points.matrix[group]
        own = np.ones(group.size) if points.weights is None else points.weights[group]
        whole = own.sum()
        apart = matrix - own @ matrix / whole
        squared = own * (apart * apart).sum(axis=1)
        others = np.maximum(whole - own, np.finfo(float).tiny)
        left: Floats = squared.sum() - squared * whole / others
        return np.maximum(0.0, left)


def _each_left_out(group: Integers) -> Iterator[Integers]:
    """Yield a group without each of its members."""
    others = np.arange(group.size - 1)
    yield from group[others + (others >= np.arange(group.size)[:, None])]
