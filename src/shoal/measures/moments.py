"""Means, variances and correlations, before and after."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def mean(values: Floats) -> float:
    """Return the mean; the sum loses nothing, whatever the order of the values."""
    return math.fsum(values) / values.size


def variance(values: Floats) -> float:
    """Return the variance with divisor n - 1; 0 for a single value."""
    if values.size < 2:
        return 0.0
    center = mean(values)
    return math.fsum((values - center) ** 2) / (values.size - 1)


def correlations(matrix: Floats) -> list[list[float | None]]:
    """Return Pearson's correlation of every pair of columns; None where a column is constant."""
    centered = matrix - matrix.mean(axis=0)
    norms = np.sqrt((centered * centered).sum(axis=0))
    width = matrix.shape[1]
    result: list[list[float | None]] = [[None] * width for _ in range(width)]
    for i in range(width):
        for j in range(width):
            if norms[i] > 0 and norms[j] > 0:
                product = float((centered[:, i] * centered[:, j]).sum() / (norms[i] * norms[j]))
                result[i][j] = 1.0 if i == j else max(-1.0, min(1.0, product))
    return result
