"""Running sums in double-double precision, so that centroids do not drift."""

from __future__ import annotations

from shoal.kernels.arrays import Floats
from shoal.kernels.jit import inlined, jit, part


@part
def two_sum(high: float, low: float, value: float) -> tuple[float, float]:
    """Return the sum of a number in two parts and a plain one, in two parts (Knuth)."""
    total = high + value
    part = total - high
    rest = low + ((high - (total - part)) + (value - part))
    high = total + rest
    return high, rest - (high - total)


@inlined
def add(totals: Floats, j: int, value: float) -> None:
    """Add a value to sum number j. totals IN/OUT (2, d); the error is about 1e-32 of the sum."""
    totals[0, j], totals[1, j] = two_sum(totals[0, j], totals[1, j], value)


@jit
def add_points(totals: Floats, matrix: Floats) -> None:
    """Add the rows of a matrix to a sum. totals IN/OUT (2, d), matrix IN (n, d)."""
    for row in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            add(totals, j, matrix[row, j])
