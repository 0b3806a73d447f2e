"""Counterfeits in the released table: records after those of people, until rows are shuffled."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.series.counterfeits import Counterfeits
from shoal.table.table import Table


def allowed_counterfeits(asked: float, rows: int) -> int:
    """Return how many counterfeits may be made: a share of the records, or a number from 1 on."""
    return math.floor(asked * rows + 1e-9) if asked < 1 else int(asked)


def with_counterfeits(
    released: Table, made: Counterfeits, column: str | None, own: Integers
) -> Table:
    """Return a released table with counterfeits as its last records.

    Each is like a record of its class but for the sensitive `column`, which has a cell of a record
    with its value; `own` (n or more) are the values of the records.
    """
    if not made.count or column is None:
        return released
    every = np.arange(released.rows)
    first: dict[int, int] = {}
    for row, value in enumerate(own[: released.rows].tolist()):
        first.setdefault(value, row)
    wide = released.take(np.concatenate((every, made.like)))
    cells = np.array([first[value] for value in made.values.tolist()], dtype=np.int64)
    shown = released.take(np.concatenate((every, cells)))[column]
    columns = tuple(shown if one.name == column else one for one in wide.columns)
    return replace(wide, columns=columns)
