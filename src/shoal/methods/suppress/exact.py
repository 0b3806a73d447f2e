"""Enumeration: of a dozen records, the set to leave out and the groups that lose least."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.methods.suppress.losses import Losses

FEW = 12  # records of which all sets are tried: 3 ** FEW pairs of sets


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
