"""Slow twins of what a file larger than memory needs: cuts one point at a time, plain moments."""

from __future__ import annotations

import math
from fractions import Fraction


def place(cuts, point, draws):
    """Return where a point goes: walk down the cuts, one comparison after the other.

    A cut is (point, columns, share, below, above); its draw, from 0 to 1, decides where all agree.
    """
    at = 0
    while cuts:
        border, columns, share, below, above = cuts[at]
        before = draws[at] < share
        for column in columns:
            if point[column] != border[column]:
                before = point[column] < border[column]
                break
        at = below if before else above
        if at < 0:
            return -1 - at
    return 0


def mean_and_deviation(values):
    """Return mean and standard deviation of exact numbers."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return float(mean), math.sqrt(sum((value - mean) ** 2 for value in exact) / len(exact))


def group_values(rows, places, groups):
    """Return each group's exact means, and whether all its released rows agree with each other.

    `rows` are pairs of an original and a released record; `groups` numbers the rows' groups.
    """
    members = {}
    for (before, after), group in zip(rows, groups, strict=True):
        members.setdefault(group, []).append((before, after))
    found = {}
    for group, pairs in members.items():
        means = [sum(Fraction(str(b[p])) for b, _ in pairs) / len(pairs) for p in places]
        agree = len({tuple(a[p] for p in places) for _, a in pairs}) == 1
        found[group] = (means, agree, len(pairs), [pairs[0][1][p] for p in places])
    return found
