"""The records that are still without a group, and what a method may ask of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.distance import BLOCK
from shoal.kernels.nearest import farthest, nearest, slack, within
from shoal.kernels.totals import add_point, add_points, take_out

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


COORDINATE_ERROR = 1e-15  # of the largest coordinate: what standardizing and averaging may round


class Pool:
    """Records by row number; those in the pool stand in front, so a sweep reads them in one go.

    Memory is one copy of the matrix and four integers a record.
    """

    def __init__(self, matrix: Floats) -> None:
        self.points: Floats = np.ascontiguousarray(matrix.T, dtype=np.float64).copy()
        self.count: int = matrix.shape[0]
        self._rows: Integers = np.arange(self.count, dtype=np.int64)
        self._places: Integers = np.arange(self.count, dtype=np.int64)
        self._totals: Floats = np.zeros((2, matrix.shape[1]))
        self._block: Floats = np.empty(BLOCK)
        self._near: Integers = np.empty(self.count, dtype=np.int64)
        self._ties: Integers = np.empty(self.count, dtype=np.int64)
        self._error: float = COORDINATE_ERROR * float(np.abs(matrix).max())
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
        """Return the row farthest from a center; the lowest row wins a tie."""
        at = farthest(self.points, self._rows, self.count, center, self._error, self._block)
        return int(self._rows[at])

    def nearest(self, center: Floats, size: int) -> tuple[list[int], int]:
        """Return the rows nearest to a center, and the row farthest from it.

        The lowest rows win a tie for the last places. Requires a record in the pool.
        """
        if size == 0 or size >= self.count:
            return self.rows()[:size], self.farthest(center)
        distances = np.empty(size + 1)  # one more than asked for: is it as near as the last one?
        places = np.empty(size + 1, dtype=np.int64)
        far = nearest(
            self.points, self._rows, self.count, center, self._error, distances, places, self._block
        )
        last = distances[1:].max()
        tolerance = slack(last, self._error)
        if distances[0] > last + tolerance:
            return self._rows[places[1:]].tolist(), int(self._rows[far])
        limits = (last - tolerance, last + tolerance)
        sure, ties = within(
            self.points, self._rows, self.count, center, limits, self._near, self._ties, self._block
        )
        equal = np.sort(self._ties[:ties])[: size - sure]
        return [*self._near[:sure].tolist(), *equal.tolist()], int(self._rows[far])

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
