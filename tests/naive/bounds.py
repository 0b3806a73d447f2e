"""Twins of the bounds: all groups and all groupings, one by one."""

from __future__ import annotations

from functools import cache
from itertools import combinations


def squared(matrix):
    """All squared distances, as lists of lists."""
    return [[sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in matrix] for x in matrix]


def group_sse(gaps, group):
    """SSE of a group: the sum over its pairs by its size."""
    return sum(gaps[i][j] for i, j in combinations(group, 2)) / len(group)


def least_sse(matrix, k):
    """The least SSE of all groupings into groups of at least k records."""
    gaps = squared(matrix)

    @cache
    def least(rest):
        if not rest:
            return 0.0
        first, others = rest[0], rest[1:]
        found = float("inf")
        for size in range(k, min(2 * k, len(rest) + 1)):
            if 0 < len(rest) - size < k:
                continue
            for some in combinations(others, size - 1):
                left = tuple(row for row in others if row not in some)
                found = min(found, group_sse(gaps, (first, *some)) + least(left))
        return found

    return least(tuple(range(len(matrix))))


def reduced_costs(gaps, k, duals, cuts=(), prices=()):
    """What every group of k to 2k - 1 records costs beyond its duals, with the prices of cuts."""
    rows = range(len(gaps))
    return {
        group: group_sse(gaps, group)
        - sum(duals[i] for i in group)
        + sum(p for cut, p in zip(cuts, prices, strict=True) if len({*cut} & {*group}) >= 2)
        for size in range(k, min(2 * k, len(gaps) + 1))
        for group in combinations(rows, size)
    }


def broken_triples(groups, values):
    """Triples of records that a fractional choice of groups breaks, and by how much."""
    rows = sorted({row for group in groups for row in group})
    found = {}
    for triple in combinations(rows, 3):
        taken = sum(v for g, v in zip(groups, values, strict=True) if len({*g} & {*triple}) >= 2)
        if taken > 1:
            found[triple] = taken
    return found
