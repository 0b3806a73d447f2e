"""Cutting points into blocks, by full sorts; numbering groups; sums of groups."""

from __future__ import annotations

import numpy as np


def cut(points, size, unit=1):
    """Return the rows of each block, the lower halves first."""
    blocks, waiting = [], [np.arange(points.shape[0])]
    while waiting:
        rows = waiting.pop()
        if rows.size <= max(size, 2 * unit - 1):
            blocks.append(np.sort(rows))
            continue
        some = points[rows]
        widest = np.argsort(-some.var(axis=0), kind="stable")
        count = -(-rows.size // size)
        middle = rows.size * (count // 2) // count
        middle = max(unit, middle - middle % unit)
        across = some[:, widest[0]]
        order = np.argpartition(across, (middle - 1, middle))
        if across[order[middle - 1]] == across[order[middle]]:
            order = np.lexsort([some[:, j] for j in widest[::-1]])
        waiting += [rows[order[middle:]], rows[order[:middle]]]
    return blocks


def numbered(labels):
    """Return labels counted from 0 in the order in which they appear."""
    numbers = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def means(matrix, labels, weights):
    """Return the weighted mean of each group, added up record by record."""
    sums = [[0.0] * len(matrix[0]) for _ in range(max(labels) + 1)]
    masses = [0.0] * len(sums)
    for row, label, weight in zip(matrix, labels, weights, strict=True):
        masses[label] += weight
        for j, value in enumerate(row):
            sums[label][j] += value * weight
    return [[value / mass for value in row] for row, mass in zip(sums, masses, strict=True)]


def squares(matrix, labels, weights):
    """Return the squared distances of records to their group's mean, by column."""
    centers, total = means(matrix, labels, weights), [0.0] * len(matrix[0])
    for row, label, weight in zip(matrix, labels, weights, strict=True):
        for j, value in enumerate(row):
            total[j] += (value - centers[label][j]) ** 2 * weight
    return total
