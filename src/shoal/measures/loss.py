"""Information loss: the share of the variation that grouping takes away."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers

ROUNDED = 1e-11  # what rounding may have done to a sum, as a share


def group_means(matrix: Floats, labels: Integers, weights: Floats | None = None) -> Floats:
    """Return the mean of each group, one row a group; weights (n) above 0 say how much rows count.

    Weights of 1 give the same to the last bit as none.
    """
    sizes = np.bincount(labels, weights=weights)
    huge = bool(np.abs(matrix).max() > 1e290)  # sums of such numbers would not fit
    scaled = np.ldexp(matrix, -60) if huge else matrix
    scaled = scaled if weights is None else scaled * weights[:, None]
    sums = [np.bincount(labels, weights=column) for column in scaled.T]
    means: Floats = np.stack(sums, axis=1) / sizes[:, None]
    return np.ldexp(means, 60) if huge else means


def squared_error(matrix: Floats, labels: Integers, weights: Floats | None = None) -> Floats:
    """Return SSE by column: the squared distances of the records to their group's mean."""
    return squares(matrix - group_means(matrix, labels, weights)[labels], weights)


def squares(differences: Floats, weights: Floats | None = None) -> Floats:
    """Return the sum of squares of each column, each row counted by its weight."""
    squared = differences * differences
    total: Floats = (squared if weights is None else squared * weights[:, None]).sum(axis=0)
    return total


def total_squares(matrix: Floats, weights: Floats | None = None) -> float:
    """Return SST: the squared distances of the records to the mean of all."""
    one_group = np.zeros(matrix.shape[0], dtype=np.int64)
    mean = matrix.mean(axis=0) if weights is None else group_means(matrix, one_group, weights)[0]
    return float(squares(matrix - mean, weights).sum())


def is_nothing(error: float, matrix: Floats) -> bool:
    """Tell whether a sum of squares is no more than rounding may have made of nothing."""
    grain = 8.0 * float(np.finfo(float).eps) * float(np.abs(matrix).max(initial=0.0))
    return error <= matrix.size * grain * grain


def percent(error: float, total: float) -> float:
    """Return 100 * error / total, and 0 where there is nothing to lose."""
    return 100.0 * error / total if total > 0 else 0.0


def information_loss(matrix: Floats, labels: Integers, weights: Floats | None = None) -> float:
    """Return IL = 100 * SSE / SST; 0 when all records are equal."""
    error = float(squared_error(matrix, labels, weights).sum())
    return percent(error, total_squares(matrix, weights))
