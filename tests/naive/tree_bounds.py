"""Twins of the bounds on ILoss: all groups and all groupings, one by one."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

from naive.mixed import ancestors, common, is_range
from naive.trees import group_loss


def record_loss(trees, weights, records, rows, own):
    """What one record of a group loses, weighted."""
    total = Fraction(0)
    for j, ((tree, values), weight) in enumerate(zip(trees, weights, strict=True)):
        cells = [records[row][j] for row in rows]
        cell = records[own][j]
        if cell is None:
            continue
        if is_range(tree):
            _, low, high = tree
            if None in cells:
                total += weight
            elif min(cells) != max(cells):
                total += weight * Fraction(max(cells) - min(cells) + 1, high - low + 1)
            continue
        node = common(tree, cells)
        if node != cell:
            below = sum(node in ancestors(tree, value) for value in values)
            total += weight * Fraction(below, len(values))
    return total


def least_of_record(trees, weights, records, k, own):
    """What a record loses at least in any group of k."""
    others = [row for row in range(len(records)) if row != own]
    return min(
        record_loss(trees, weights, records, (own, *some), own)
        for some in combinations(others, k - 1)
    )


def losses_of_groups(trees, weights, records, k):
    """The loss of every group of k to 2k - 1 records."""
    rows = range(len(records))
    return {
        group: group_loss(trees, weights, records, group)
        for size in range(k, min(2 * k, len(records) + 1))
        for group in combinations(rows, size)
    }


def least_loss(trees, weights, records, k):
    """The least ILoss of all groupings into groups of at least k records, however large."""

    @cache
    def least(rest):
        if not rest:
            return Fraction(0)
        first, others = rest[0], rest[1:]
        found = None
        for size in range(k, len(rest) + 1):
            if 0 < len(rest) - size < k:
                continue
            for some in combinations(others, size - 1):
                left = tuple(row for row in others if row not in some)
                cost = group_loss(trees, weights, records, (first, *some)) + least(left)
                found = cost if found is None else min(found, cost)
        return found

    return least(tuple(range(len(records))))
