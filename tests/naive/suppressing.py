"""Brute force: the least loss of any groups of all records but a few."""

from __future__ import annotations

from itertools import combinations


def squared(points):
    """The squared distances of points to their mean."""
    size, width = len(points), len(points[0])
    means = [sum(point[j] for point in points) / size for j in range(width)]
    return sum((point[j] - means[j]) ** 2 for point in points for j in range(width))


def best_groups(rows, k, loss):
    """The least loss of any groups of at least k rows that hold all of them; None: there are none.

    The first row is in some group; the others are grouped in the same way.
    """
    if not rows:
        return 0.0
    first, rest = rows[0], rows[1:]
    best = None
    for size in range(k - 1, min(2 * k - 1, len(rest) + 1)):
        for others in combinations(rest, size):
            left = tuple(row for row in rest if row not in others)
            more = best_groups(left, k, loss)
            if more is not None and (best is None or loss((first, *others)) + more < best):
                best = loss((first, *others)) + more
    return best


def best_without(count, k, budget, loss):
    """The least loss where at most `budget` of so many rows are left out, not all of them."""
    losses = [
        best_groups(tuple(row for row in range(count) if row not in out), k, loss)
        for many in range(min(budget, count - 1) + 1)
        for out in combinations(range(count), many)
    ]
    return min(one for one in losses if one is not None)


def smallest_class(columns):
    """How many records have the rarest combination of released cells, a star being a value."""
    counts = {}
    for cells in zip(*columns.values(), strict=True):
        counts[cells] = counts.get(cells, 0) + 1
    return min(counts.values())
