"""Prices of records: what is lost with and without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.suppress.grouping import Change, Grouping

NOBODY: Integers = np.zeros(0, dtype=np.int64)
TIMES = 3  # groups of k that are looked at, for one that may be given up
MEMBERS = 2  # records of such a group that are tried
LEAST = 1e-9  # a share of the loss: less gain is rounding


@dataclass(frozen=True, eq=False)
class _Plan:
    """Records that may leave, and the new members of the groups that this concerns."""

    __repr__ = in_shape

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
