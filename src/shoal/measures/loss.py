"""Information loss: the share of the variation that grouping takes away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ROUNDED = 1e-11  # what rounding may have done to a sum, as a share


def group_means(matrix: Floats, labels: Integers) -> Floats:
    """Return the mean of each group, one row a group."""
    sizes = np.bincount(labels)
    huge = bool(np.abs(matrix).max() > 1e290)  # sums of such numbers would not fit
    scaled = np.ldexp(matrix, -60) if huge else matrix
    sums = [np.bincount(labels, weights=column) for column in scaled.T]
    means: Floats = np.stack(sums, axis=1) / sizes[:, None]
    return np.ldexp(means, 60) if huge else means


def squared_error(matrix: Floats, labels: Integers) -> Floats:
    """Return SSE by column: the squared distances of the records to their group's mean."""
    return squares(matrix - group_means(matrix, labels)[labels])


def squares(differences: Floats) -> Floats:
    """Return the sum of squares of each column."""
    total: Floats = (differences * differences).sum(axis=0)
    return total


def is_nothing(error: float, matrix: Floats) -> bool:
    """Tell whether a sum of squares is no more than rounding may have made of nothing."""
    grain = 8.0 * float(np.finfo(float).eps) * float(np.abs(matrix).max(initial=0.0))
    return error <= matrix.size * grain * grain


def percent(error: float, total: float) -> float:
    """Return 100 * error / total, and 0 where there is nothing to lose."""
    return 100.0 * error / total if total > 0 else 0.0


def information_loss(matrix: Floats, labels: Integers) -> float:
    """Return IL = 100 * SSE / SST; 0 when all records are equal."""
    total = squares(matrix - matrix.mean(axis=0))
    return percent(float(squared_error(matrix, labels).sum()), float(total.sum()))
