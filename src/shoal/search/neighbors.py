"""The nearest records of every record: where a search looks for partners."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels import tree as trees
from shoal.kernels.jit import jit
from shoal.kernels.nearest import nearest, rounding
from shoal.kernels.tree import Pool
from shoal.progress import Reporter

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

RECORDS_A_CALL = 10_000


def nearest_records(matrix: Floats, count: int, report: Reporter) -> Integers:
    """Return the rows nearest to each row, in no order. O(n log n) on usual data."""
    rows = matrix.shape[0]
    count = min(count, rows - 1)
    pool = trees.make(matrix, max(count, 1), rounding(matrix))
    found = np.empty((rows, count), dtype=np.int64)
    for start in range(0, rows, RECORDS_A_CALL):
        report("finding neighbors", start, rows)
        _list_nearest(pool, np.ascontiguousarray(matrix), found, start, start + RECORDS_A_CALL)
    return found


@jit
def _list_nearest(pool: Pool, matrix: Floats, found: Integers, start: int, stop: int) -> None:
    """Fill the rows start:stop of found. pool IN (work space OUT), matrix IN, found OUT (n, m)."""
    center = pool.center
    for row in range(start, min(stop, matrix.shape[0])):
        for j in range(matrix.shape[1]):
            center[j] = matrix[row, j]
        nearest(pool, center, row, found.shape[1])
        for i in range(found.shape[1]):
            found[row, i] = pool.found[i]
