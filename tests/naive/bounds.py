"""Twins of the bounds: all groups and all groupings, one by one."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations


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


def has_of_cut(cut, group):
    """What a group has of a cut, {record: share}: the sum of its records' shares, rounded down."""
    return int(sum(share for row, share in cut.items() if row in group))


def reduced_costs(gaps, k, duals, cuts=(), prices=()):
    """What every group of k to 2k - 1 records costs beyond its duals, with the prices of cuts."""
    rows = range(len(gaps))
    return {
        group: group_sse(gaps, group)
        - sum(duals[i] for i in group)
        + sum(p * has_of_cut(cut, group) for cut, p in zip(cuts, prices, strict=True))
        for size in range(k, min(2 * k, len(gaps) + 1))
        for group in combinations(rows, size)
    }


def most_broken(groups, values, parts, shares):
    """By how much a fractional choice of groups breaks the cut of such shares it breaks most."""
    rows = sorted({row for group in groups for row in group})
    excess = []
    for some in permutations(rows, len(shares)):
        own = dict(zip(some, shares, strict=True))
        counts = [sum(own.get(row, 0) for row in group) // parts for group in groups]
        has = sum(v * count for v, count in zip(values, counts, strict=True))
        excess.append(has - sum(shares) // parts)
    return max(excess)


def broken_triples(groups, values):
    """Triples of records that a fractional choice of groups breaks, and by how much."""
    rows = sorted({row for group in groups for row in group})
    found = {}
    for triple in combinations(rows, 3):
        taken = sum(v for g, v in zip(groups, values, strict=True) if len({*g} & {*triple}) >= 2)
        if taken > 1:
            found[triple] = taken
    return found


def least_by_record_prices(gaps, k, prices):
    """What prices of records prove: pairs pay them, or less where they are nearer, by 2k."""
    rows = range(len(gaps))
    total = 2 * (k - 1) * sum(prices)
    total += sum(min(0, gaps[i][j] - prices[i] - prices[j]) for i in rows for j in rows if i != j)
    return total / (2 * k)


def is_psd(matrix):
    """Whether a symmetric matrix of fractions is positive semidefinite: elimination, exactly."""
    left = [list(row) for row in matrix]
    for i in range(len(left)):
        if left[i][i] < 0 or (
            left[i][i] == 0 and any(left[i][j] != 0 for j in range(i, len(left)))
        ):
            return False
        for j in range(i + 1, len(left)):
            factor = left[j][i] / left[i][i] if left[i][i] else 0
            left[j] = [a - factor * b for a, b in zip(left[j], left[i], strict=True)]
    return True


def pair_prices_prove(costs, k, prices, least):
    """Whether prices of pairs prove that no grouping costs less than `least`: in fractions.

    costs are squared distances by 2k. What is missing to `least` without the eigenvalue is what
    the lowest one may be, times n - k.
    """
    rows = range(len(costs))
    costs = [[Fraction(cost) for cost in row] for row in costs]
    prices = [[(Fraction(prices[i][j]) + Fraction(prices[j][i])) / 2 for j in rows] for i in rows]
    slack = [[costs[i][j] - prices[i][j] for j in rows] for i in rows]
    n = len(costs)
    total = Fraction(k, n) * sum(map(sum, slack)) + sum(prices[i][i] for i in rows)
    total += sum(min(0, prices[i][j]) for i in rows for j in rows if i != j)
    room = (total - Fraction(least)) / (n - k)
    if room < 0:
        return False
    means = [sum(row) / n for row in slack]
    mean = sum(means) / n
    return is_psd([
        [slack[i][j] - means[i] - means[j] + mean + (room if i == j else 0) for j in rows]
        for i in rows
    ])  # fmt: skip


def shares_of_pairs(labels, k):
    """The shares in which two records are together in all subsets of k of the groups."""
    sizes = {label: labels.count(label) for label in labels}
    return [
        [
            1.0 if i == j else (k - 1) / (sizes[one] - 1) if one == other else 0.0
            for j, other in enumerate(labels)
        ]
        for i, one in enumerate(labels)
    ]
