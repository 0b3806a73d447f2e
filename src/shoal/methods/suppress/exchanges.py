"""Exchanges: records that were left out come back, and others leave for them."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.suppress.grouping import Change, Grouping
from shoal.methods.suppress.removals import LEAST, NOBODY, removals


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
