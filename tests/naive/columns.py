"""Twin of column-wise microaggregation: each column on its own, optimally."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def microaggregate_columns(matrix, k):
    """Every value as the mean of its group in the optimal grouping of its column, in groups of k.

    f[j] = min over i of f[i] + SSE of the sorted values i..j-1, with k to 2k - 1 of them, in
    fractions; where two cuts lose the same, the later one.
    """
    columns = [means_of_column(column, k) for column in np.asarray(matrix, float).T.tolist()]
    return np.array(columns).T


def means_of_column(column, k):
    """The means of the optimal groups of one column, value by value."""
    order = sorted(range(len(column)), key=lambda row: column[row])
    values = [Fraction(column[row]) for row in order]
    least, cut = {0: Fraction(0)}, {}
    for j in range(k, len(values) + 1):
        for i in range(j - k, max(j - 2 * k, -1), -1):
            if i in least:
                error = least[i] + squared_error(values[i:j])
                if j not in least or error < least[j]:
                    least[j], cut[j] = error, i
    means, j = [0.0] * len(values), len(values)
    while j:
        i = cut[j]
        for row in order[i:j]:
            means[row] = float(sum(values[i:j]) / (j - i))
        j = i
    return means


def squared_error(values):
    """The squared distances of numbers to their mean, added."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)
