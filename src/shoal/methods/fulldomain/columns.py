"""Columns at each of their levels: codes that make classes, and what cells lose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.table.encode_nodes import CodedColumn
from shoal.table.levels import level_losses, level_nodes


@dataclass(frozen=True, eq=False, repr=False)
class Leveled:
    """A column at the levels that make a difference.

    `levels` are their numbers in the hierarchy; `codes` and `losses` (levels, values) have a number
    for each released form and what a cell loses there, times the column's weight; `cells` are the
    values of the records, a missing cell the last one. `kinds` counts the forms of each level and
    `sums` what all records lose there, by survey weights where there are some.
    """

    name: str
    weight: float
    levels: Integers
    codes: Integers
    losses: Floats
    cells: Integers
    kinds: Integers
    sums: Floats


def leveled(column: CodedColumn, weight: float = 1.0, survey: Floats | None = None) -> Leveled:
    """Return a column at its levels, without those that lose more and merge no records.

    A level of as many forms as the one below has the same classes, and never less loss.
    """
    nodes = level_nodes(column)
    losses = weight * level_losses(column, nodes)
    cells = np.where(column.absent, nodes.shape[1] - 1, column.values.indices)
    often = np.bincount(cells, survey, minlength=nodes.shape[1])
    kinds = np.array([np.unique(own[often > 0]).size for own in nodes])
    differ = np.concatenate(([True], kinds[1:] < kinds[:-1]))
    codes = np.stack([np.unique(own, return_inverse=True)[1] for own in nodes[differ]])
    return Leveled(
        column.name, weight, np.flatnonzero(differ), codes.astype(np.int64), losses[differ], cells,
        kinds[differ], losses[differ] @ often,
    )  # fmt: skip
