"""Information loss: the share of the variation that grouping takes away."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.by_group import add_squares, add_up

ONE = Threads(1)
ROUNDED = 1e-11  # what rounding may have done to a sum, as a share


def group_means(
    matrix: Floats, labels: Integers, weights: Floats | None = None, threads: Threads = ONE
) -> Floats:
    """Return the mean of each group, one row a group; weights (n) above 0 say how much rows count.

    Weights of 1 give the same to the last bit as none.
    """
    sizes = np.bincount(labels, weights=weights)
    huge = max(float(matrix.max()), -float(matrix.min())) > 1e290  # sums would not fit
    scaled = np.ascontiguousarray(np.ldexp(matrix, -60) if huge else matrix)
    sums, own = np.zeros((sizes.size, matrix.shape[1])), _counted(weights)
    _each(lambda j: add_up(scaled, j, labels, own, sums), matrix.shape[1], threads)
    sums /= sizes[:, None]
    return np.ldexp(sums, 60) if huge else sums


def squared_error(
    matrix: Floats, labels: Integers, weights: Floats | None = None, threads: Threads = ONE
) -> Floats:
    """Return SSE by column: the squared distances of the records to their group's mean."""
    means = group_means(matrix, labels, weights, threads)
    return _squares_about(means, matrix, labels, weights, threads)


def _squares_about(
    means: Floats, matrix: Floats, labels: Integers, weights: Floats | None, threads: Threads
) -> Floats:
    """Return the squared distances of the records to the mean that their label names, by column."""
    if matrix.shape[1] == 1:  # one long sum is more exact in pairs
        return squares(matrix - means[labels], weights)
    found, own, matrix = np.empty(matrix.shape[1]), _counted(weights), np.ascontiguousarray(matrix)
    _each(lambda j: add_squares(matrix, j, labels, own, means, found), found.size, threads)
    return found


def _counted(weights: Floats | None) -> Floats:
    """Return weights as a kernel takes them: none where all records count once."""
    return np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)


def _each(work: Callable[[int], None], columns: int, threads: Threads) -> None:
    """Do some work for all columns."""
    for _ in threads.map(work, range(columns)):
        pass


def squares(differences: Floats, weights: Floats | None = None) -> Floats:
    """Return the sum of squares of each column, each row counted by its weight."""
    squared = differences * differences
    total: Floats = (squared if weights is None else squared * weights[:, None]).sum(axis=0)
    return total


def total_squares(matrix: Floats, weights: Floats | None = None, threads: Threads = ONE) -> float:
    """Return SST: the squared distances of the records to the mean of all."""
    one_group = np.zeros(matrix.shape[0], dtype=np.int64)
    if weights is None:
        mean = matrix.mean(axis=0)[None, :]
    else:
        mean = group_means(matrix, one_group, weights, threads)
    return float(_squares_about(mean, matrix, one_group, weights, threads).sum())


def is_nothing(error: float, matrix: Floats) -> bool:
    """Tell whether a sum of squares is no more than rounding may have made of nothing."""
    grain = 8.0 * float(np.finfo(float).eps) * float(np.abs(matrix).max(initial=0.0))
    return error <= matrix.size * grain * grain


def percent(error: float, total: float) -> float:
    """Return 100 * error / total, and 0 where there is nothing to lose."""
    return 100.0 * error / total if total > 0 else 0.0


def information_loss(
    matrix: Floats, labels: Integers, weights: Floats | None = None, threads: Threads = ONE
) -> float:
    """Return IL = 100 * SSE / SST; 0 when all records are equal."""
    error = float(squared_error(matrix, labels, weights, threads).sum())
    return percent(error, total_squares(matrix, weights, threads))
