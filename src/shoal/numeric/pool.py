"""The records that are still without a group, and what a method may ask of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.distance import BLOCK
from shoal.kernels.nearest import farthest, nearest_and_farthest
from shoal.kernels.totals import add_point, add_points, take_out

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Pool:
    """Records by row number; those in the pool stand in front, so a sweep reads them in one go.

    Memory is one copy of the matrix and two integers a record.
    """

    def __init__(self, matrix: Floats) -> None:
        self.points: Floats = np.ascontiguousarray(matrix.T, dtype=np.float64).copy()
        self.count: int = matrix.shape[0]
        self._rows: Integers = np.arange(self.count, dtype=np.int64)
        self._places: Integers = np.arange(self.count, dtype=np.int64)
        self._totals: Floats = np.zeros((2, matrix.shape[1]))
        self._block: Floats = np.empty(BLOCK)
        add_points(self._totals, self.points, self.count)

    def centroid(self) -> Floats:
        """Return the mean of the records in the pool."""
        center: Floats = self._totals[0] / self.count
        return center

    def point(self, row: int) -> Floats:
        """Return a record's coordinates, in the pool or not."""
        return self.points[:, self._places[row]].copy()

    def rows(self) -> list[int]:
        """Return the rows in the pool, lowest first."""
        return sorted(self._rows[: self.count].tolist())

    def farthest(self, center: Floats) -> int:
        """Return the row farthest from a center."""
        at = farthest(self.points, self._rows, self.count, center, self._block)
        return int(self._rows[at])

    def nearest(self, center: Floats, size: int) -> tuple[list[int], int]:
        """Return the rows nearest to a center, and the row farthest from it."""
        distances = np.empty(size)
        places = np.empty(size, dtype=np.int64)
        far = nearest_and_farthest(
            self.points, self._rows, self.count, center, distances, places, self._block
        )
        return self._rows[places].tolist(), int(self._rows[far])

    def take(self, rows: list[int]) -> None:
        """Take records out of the pool."""
        leaving = np.array(rows, dtype=np.int64)
        take_out(self.points, self._rows, self._places, leaving, self.count, self._totals)
        self.count -= len(rows)

    def holds(self, row: int) -> bool:
        """Tell whether a record is still in the pool."""
        return bool(self._places[row] < self.count)

    def add_to(self, totals: Floats, row: int) -> None:
        """Add a record's coordinates to a sum of two parts (see `kernels.totals`)."""
        add_point(totals, self.points, self._places[row], 1.0)
