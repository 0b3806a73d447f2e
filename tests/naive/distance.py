"""The one distance of mixed records, pair by pair from its definition: no coordinates.

Trees and records are those of `naive.mixed`: {node: parent}, a number where the tree is a tuple,
None where a cell is missing.
"""

from __future__ import annotations

import math

from naive.mixed import common, is_range, leaves, root_of


def level(tree, node):
    """The share of all leaves that a node stands for; a leaf stands for itself and is at 0."""
    if node not in set(tree.values()):
        return 0.0
    return len(leaves(tree, node)) / len(leaves(tree, root_of(tree)))


def path(tree, one, other):
    """The length of the way from one node up to the common ancestor and down to the other."""
    if one == other:
        return 0.0
    top = level(tree, common(tree, [one, other]))
    return (top - level(tree, one)) + (top - level(tree, other))


def column_distances(tree, cells, m):
    """All squared distances in a column of inertia 1, plus m from present to missing cells."""
    there = [i for i, cell in enumerate(cells) if cell is not None]
    raw = {}
    for i in there:
        for j in there:
            a, b = cells[i], cells[j]
            raw[i, j] = float(a - b) ** 2 if is_range(tree) else path(tree, a, b)
    whole = math.fsum(raw.values()) / (2 * len(there) ** 2) if there else 0.0
    found = [[0.0] * len(cells) for _ in cells]
    for (i, j), apart in raw.items():
        found[i][j] = apart / whole if whole else 0.0
    for i in there:
        mean = math.fsum(found[i][j] for j in there) / len(there) - (1.0 if whole else 0.0)
        for j in range(len(cells)):
            if cells[j] is None:
                found[i][j] = found[j][i] = mean + m
    return found


def distances(trees, records, k, weights=None):
    """The squared distances of all pairs of records: weighted sums over columns, m² = k/2."""
    rows = range(len(records))
    total = [[0.0] * len(records) for _ in rows]
    for j, tree in enumerate(trees):
        part = column_distances(tree, [record[j] for record in records], k / 2)
        weight = 1.0 if weights is None else weights[j]
        for a in rows:
            for b in rows:
                total[a][b] += weight * part[a][b]
    return total


def pair_loss(apart, groups):
    """100 * SSE / SST from distances of pairs: a group of m has the error of all pairs / 2m."""

    def error(rows):
        return math.fsum(apart[a][b] for a in rows for b in rows) / (2 * len(rows))

    whole = error(range(len(apart)))
    return 100 * math.fsum(error(rows) for rows in groups) / whole if whole else 0.0


def medoid(apart, rows):
    """The row with the least sum of distances to the others; of equals the lowest."""
    sums = {row: math.fsum(apart[row][other] for other in rows) for row in sorted(rows)}
    return min(sums, key=lambda row: (round(sums[row] / len(rows), 9), row))
