"""Sums over groups of records, a column at a time: columns are done side by side."""

from __future__ import annotations

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit


@jit
def add_up(matrix: Floats, j: int, labels: Integers, weights: Floats, sums: Floats) -> None:
    """Add the numbers of column j to the sums of their groups, one record after the other.

    matrix IN (n, d), labels IN (n), weights IN (n, or 0: all count once), sums IN/OUT (groups, d).
    """
    for row in range(labels.shape[0]):
        value = matrix[row, j]
        if weights.shape[0] > 0:
            value *= weights[row]
        sums[labels[row], j] += value


@jit
def add_squares(
    matrix: Floats, j: int, labels: Integers, weights: Floats, means: Floats, found: Floats
) -> None:
    """Add up the squared differences of column j from the means of the groups.

    matrix IN (n, d), labels IN (n), weights IN (n, or 0: all count once), means IN (groups, d),
    found OUT (d).
    """
    total = 0.0
    for row in range(labels.shape[0]):
        apart = matrix[row, j] - means[labels[row], j]
        apart *= apart
        if weights.shape[0] > 0:
            apart *= weights[row]
        total += apart
    found[j] = total
