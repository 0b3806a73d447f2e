"""Running sums with twice the precision, so that a centroid does not drift as records leave."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import inlined, jit

Floats = npt.NDArray[np.float64]


@inlined
def add(totals: Floats, j: int, value: float) -> None:
    """Add a value to sum number j, kept as a high and a low part.

    totals IN/OUT (2, d). Knuth's two-sum; the error is about 1e-32 of the sum.
    """
    high = totals[0, j]
    total = high + value
    part = total - high
    low = totals[1, j] + ((high - (total - part)) + (value - part))
    totals[0, j] = total + low
    totals[1, j] = low - (totals[0, j] - total)


@jit
def add_point(totals: Floats, point: Floats, sign: float) -> None:
    """Add (sign = 1) or subtract (sign = -1) a point. totals IN/OUT (2, d), point IN (d)."""
    for j in range(point.shape[0]):
        add(totals, j, sign * point[j])


@jit
def add_points(totals: Floats, matrix: Floats) -> None:
    """Add the rows of a matrix to a sum. totals IN/OUT (2, d), matrix IN (n, d)."""
    for row in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            add(totals, j, matrix[row, j])
