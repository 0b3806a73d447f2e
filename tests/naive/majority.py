"""Majorities of groups and what rounding adds to a loss, the slow way."""

from __future__ import annotations

from fractions import Fraction


def majority(values, weights=None):
    """Return the value with more weight; of two with the same, the lesser."""
    weights = [1] * len(values) if weights is None else weights
    found = {}
    for value, weight in zip(values, weights, strict=True):
        found[value] = found.get(value, 0) + weight
    return min(found, key=lambda value: (-found[value], value))


def rounding_share(before, after, labels):
    """Return 100 (SSE about what is released - SSE about the groups' means) / SST."""
    before, after = [Fraction(x) for x in before], [Fraction(x) for x in after]
    mean = sum(before) / len(before)
    total = sum((x - mean) ** 2 for x in before)
    within = Fraction(0)
    for label in set(labels):
        mine = [x for x, own in zip(before, labels, strict=True) if own == label]
        within += sum((x - sum(mine) / len(mine)) ** 2 for x in mine)
    error = sum((x - y) ** 2 for x, y in zip(before, after, strict=True))
    return float(100 * (error - within) / total)
