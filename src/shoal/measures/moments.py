"""Correlations and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Floats


def correlation(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation over the complete records; None where a column is constant."""
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = x[there], y[there]
    if x.size < 2 or x.min() == x.max() or y.min() == y.max():
        return None
    x, y = x - x.mean(), y - y.mean()
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    value = float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))
    return max(-1.0, min(1.0, value))


def correlation_matrix(columns: Sequence[Floats]) -> Floats:
    """Return the correlations of all pairs, not-a-number where one is constant.

    Complete columns all at once, those with missing cells pair by pair.
    """
    correlations = np.full((len(columns), len(columns)), np.nan)
    whole = [i for i, column in enumerate(columns) if not np.isnan(column).any()]
    varied = [i for i in whole if columns[i].size > 1 and columns[i].min() < columns[i].max()]
    if varied:
        matrix = np.stack([columns[i] - columns[i].mean() for i in varied])
        matrix /= np.abs(matrix).max(axis=1, keepdims=True)
        matrix /= np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
        correlations[np.ix_(varied, varied)] = np.clip(matrix @ matrix.T, -1.0, 1.0)
    complete = set(whole)
    for i, j in combinations(range(len(columns)), 2):
        if i not in complete or j not in complete:
            value = correlation(columns[i], columns[j])
            if value is not None:
                correlations[i, j] = correlations[j, i] = value
    return correlations


def mean_ranks(values: Floats) -> Floats:
    """Return ranks as shares of all values that are there, equal ones their mean rank."""
    ranks = np.full(values.size, np.nan)
    there = ~np.isnan(values)
    _, back, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks[there] = ((2 * last - counts + 1) / 2.0)[back.reshape(-1)] / max(int(there.sum()), 1)
    return ranks
