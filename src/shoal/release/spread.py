"""Where the groups of a release lie in two of its columns: counts, never records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, shown
from shoal.table.roles import Column
from shoal.table.table import Table, as_floats, missing_cells, some_rows

MOST = 1_500  # groups that are drawn one by one; of more, the cells of a grid
CELLS = 40  # a side


def spread(released: Table, x: str, y: str) -> dict[str, Any]:
    """Return the places that the released cells of two columns share, and how many records each.

    Where they are too many, the middle of cells of a grid.
    """
    if x == y:
        raise RequestError("name two different columns")
    columns = [released[name] for name in (x, y)]
    for column in columns:
        if not column.has_places:
            raise RequestError(f"{shown(column.name)} holds no numbers in the release")
        if not column.protected:
            raise RequestError(
                f"{shown(column.name)} is released as it is: a chart of it would show records"
            )
    there = ~(missing_cells(columns[0]) | missing_cells(columns[1]))
    places = np.stack([_numbers(column, there) for column in columns], axis=1)
    if not places.size:
        raise RequestError("no record has both values")
    where, counts = np.unique(places, axis=0, return_counts=True)
    binned = where.shape[0] > MOST
    if binned:
        where, counts = _gridded(where, counts)
    points = [
        {"x": float(a), "y": float(b), "records": int(n)}
        for (a, b), n in zip(where.tolist(), counts.tolist(), strict=True)
    ]
    return {"x": x, "y": y, "binned": binned, "points": points}


def _numbers(column: Column, there: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    return as_floats(some_rows(column, there))


def _gridded(
    where: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the middles of the cells of a grid that hold records, and how many."""
    low, high = where.min(axis=0), where.max(axis=0)
    width = np.where(high > low, (high - low) / CELLS, 1.0)
    cells = np.minimum((where - low) // width, CELLS - 1).astype(np.int64)
    used, which = np.unique(cells, axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), counts).astype(np.int64)
    return low + (used + 0.5) * width, total
