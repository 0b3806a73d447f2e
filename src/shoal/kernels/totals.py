"""Running sums with twice the precision, so that a centroid does not drift as records leave."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import jit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@jit
def add_point(totals: Floats, points: Floats, at: int, sign: float) -> None:
    """Add (sign = 1) or subtract (sign = -1) a point to a sum kept as high and low part.

    totals IN/OUT (2, d), points IN (d, n). Knuth's two-sum; the error is about 1e-32 of the sum.
    """
    for j in range(points.shape[0]):
        value = sign * points[j, at]
        high = totals[0, j]
        total = high + value
        part = total - high
        low = totals[1, j] + ((high - (total - part)) + (value - part))
        totals[0, j] = total + low
        totals[1, j] = low - (totals[0, j] - total)


@jit
def add_points(totals: Floats, points: Floats, count: int) -> None:
    """Add the first count points to a sum. totals IN/OUT (2, d), points IN (d, n)."""
    for at in range(count):
        add_point(totals, points, at, 1.0)


@jit
def take_out(
    points: Floats, rows: Integers, places: Integers, leaving: Integers, count: int, totals: Floats
) -> None:
    """Take records out of the pool: each swaps places with the last one that is in.

    points IN/OUT (d, n), rows IN/OUT (n) row of each position, places IN/OUT (n) its inverse,
    leaving IN (m) rows, totals IN/OUT (2, d) the pool's sum; count records are in before.
    """
    end = count
    for i in range(leaving.shape[0]):
        end -= 1
        at = places[leaving[i]]
        add_point(totals, points, at, -1.0)
        for j in range(points.shape[0]):
            points[j, at], points[j, end] = points[j, end], points[j, at]
        rows[at], rows[end] = rows[end], rows[at]
        places[rows[at]] = at
        places[rows[end]] = end
