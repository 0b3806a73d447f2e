"""Columns of two different numbers, such as 0 and 1: categories that are written as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.table.roles import Column, Kind
from shoal.table.table import as_integers, missing_cells, some_rows

MOST = 3  # distinct numbers to collect: one more than two is enough


def first_numbers(column: Column) -> list[Fraction]:
    """Return the different numbers of a column, up to three of them; none of other kinds."""
    if not column.kind.is_number:
        return []
    there = some_rows(column, ~missing_cells(column))
    whole = as_integers(there)
    if whole is None:
        plain = np.asarray(there.values.cast("double")).astype(np.float64)
        return [Fraction(value) for value in _first(plain[np.isfinite(plain)])]
    unit = 10 ** (column.values.type.scale if column.kind is Kind.DECIMAL else 0)
    return [Fraction(int(value), unit) for value in _first(whole)]


def joined(*several: Iterable[Fraction]) -> list[Fraction]:
    """Return the different numbers of parts of a column, up to three of them."""
    return sorted({number for part in several for number in part})[:MOST]


def is_two_valued(column: Column) -> bool:
    """Tell whether a column holds exactly two different numbers, missing cells aside."""
    return len(first_numbers(column)) == 2


def _first(values: npt.NDArray[Any]) -> list[Any]:
    """Return the first values that differ from all before them, up to three."""
    different: list[Any] = []
    while values.size and len(different) < MOST:
        different.append(values[0])
        values = values[values != values[0]]
    return different
