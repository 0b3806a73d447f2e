"""New people who join groups that became too small: l different values or more at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.enforce.kinds import Kinds
from shoal.partition import rows_of_groups

AROUND = 64  # new people that a group chooses from


def joined_by_new(
    kinds: Kinds, groups: Integers, left: Integers, matrix: Floats, k: int
) -> Integers:
    """Return the groups after new people in `left` joined those of fewer than k.

    A group takes as many of the nearest as it lacks, and at least l of different values; the group
    whose nearest are nearest comes first. Groups that find none stay as they are.
    """
    groups = groups.copy()
    there = np.flatnonzero(groups >= 0)
    if not there.size:
        return groups
    small = [there[rows] for rows in rows_of_groups(_numbered(groups[there])) if rows.size < k]
    free = set(left.tolist())
    queue = [(rows, matrix[rows].mean(axis=0)) for rows in small]
    while queue and free:
        pool = np.array(sorted(free))
        offers = []
        for rows, center in queue:
            apart = ((matrix[pool] - center) ** 2).sum(axis=1)
            near = np.argsort(apart, kind="stable")[:AROUND]
            chosen = _chosen(kinds, pool[near].tolist(), max(kinds.l, k - rows.size))
            if chosen:
                cost = float(((matrix[chosen] - center) ** 2).sum()) / len(chosen)
                offers.append((cost, rows, center, chosen))
        queue = []
        for _, rows, center, chosen in sorted(offers, key=lambda one: one[0]):
            if free.issuperset(chosen):
                groups[chosen] = groups[rows[0]]
                free.difference_update(chosen)
            else:
                queue.append((rows, center))
    return groups


def _numbered(groups: Integers) -> Integers:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _chosen(kinds: Kinds, near: Sequence[int], count: int) -> list[int]:
    """Return the nearest that have l different values between them; none where there are none."""
    chosen: list[int] = []
    values: set[int] = set()
    for row in near:
        value = int(kinds.own[row])
        needed = kinds.l - len(values)
        if value in values and count - len(chosen) <= needed:
            continue  # the places that are left are for other values
        chosen.append(row)
        values.add(value)
        if len(chosen) == count:
            return chosen if len(values) >= kinds.l else []
    return []
