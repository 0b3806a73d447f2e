"""Classic MDAV as most software has it: NumPy, whole-array steps. Something to measure against."""

from __future__ import annotations

import numpy as np


def mdav(matrix, k):
    """Return one label a row."""
    rest = np.arange(len(matrix))
    labels = np.empty(len(matrix), dtype=np.int64)
    group = 0

    def take(rest, center):
        nonlocal group
        distances = ((matrix[rest] - center) ** 2).sum(axis=1)
        nearest = np.argpartition(distances, k - 1)[:k]
        labels[rest[nearest]] = group
        group += 1
        return np.delete(rest, nearest)

    def farthest(rest, center):
        return matrix[rest[((matrix[rest] - center) ** 2).sum(axis=1).argmax()]]

    while len(rest) >= 3 * k:
        first = farthest(rest, matrix[rest].mean(axis=0))
        second = farthest(rest, first)
        rest = take(rest, first)
        rest = take(rest, second)
    if len(rest) >= 2 * k:
        rest = take(rest, farthest(rest, matrix[rest].mean(axis=0)))
    labels[rest] = group
    return labels
