"""Table -> Encoded: the matrix of numbers that a method sees.

Values are brought near zero before anything is squared: whole numbers are shifted exactly by
their smallest, floats are scaled exactly by a power of two. Columns around 1e16, at 1e308 or at
1e-320 lose nothing on the way. Sums are correctly rounded, so no order of the records matters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, RequestError, nearest_names, shown
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table, as_floats, as_integers

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Encoded:
    """One row a record, one column a quasi-identifier."""

    matrix: Floats
    names: tuple[str, ...]


def encode(
    table: Table, *, standardize: bool = True, weights: Mapping[str, float] | None = None
) -> Encoded:
    """Return the quasi-identifiers as a matrix, or say which one cannot be grouped and why.

    A weight says how many times a column's squared differences count; 1 where none is given.
    """
    columns = table.having(Role.QUASI_IDENTIFIER)
    if not columns:
        raise RequestError(f"{table.source.name}: no column is a quasi-identifier")
    for column in columns:
        check_numeric(column, table)
    if standardize:
        parts = [standardized(near_zero(column)) for column in columns]
    else:
        parts = _one_scale(columns)
    names = tuple(column.name for column in columns)
    for name in weights or {}:
        if name not in names:
            raise RequestError(
                f"a weight is given for {shown(name)}, which is no quasi-identifier"
                f"{nearest_names(name, names)}"
            )
    scales = [math.sqrt((weights or {}).get(name, 1.0)) for name in names]
    parts = [
        part if scale == 1.0 else part * scale for part, scale in zip(parts, scales, strict=True)
    ]
    return Encoded(np.ascontiguousarray(np.stack(parts, axis=1)), names)


def check_numeric(column: Column, table: Table) -> None:
    """Raise an InputError for what a method that takes a matrix cannot group."""
    check_readable(column, table)
    where = f"{table.source.name}, quasi-identifier {shown(column.name)}"
    rows = column.missing_rows()
    if rows:
        raise InputError(
            f"{where}: {len(rows)} missing cells ({table.source.where(rows)}), which this method "
            f"cannot group; {OTHERWISE}"
        )
    if not column.has_places:
        raise InputError(
            f"{where}: text, which this method cannot group; {OTHERWISE}, or, if its cells are "
            f"numbers, say --type {column.name}=number, or, if they have an order, say --order"
        )


OTHERWISE = "use --method auto or kaim, or leave the column out with --drop"


def check_readable(column: Column, table: Table) -> None:
    """Raise an InputError for cells that nobody can make sense of."""
    where = f"{table.source.name}, quasi-identifier {shown(column.name)}"
    if column.doubt:
        raise InputError(f"{where}: {column.doubt}")
    if column.kind is Kind.FLOAT:
        rows = np.flatnonzero(np.isinf(np.asarray(column.values.cast("double")))).tolist()
        if rows:
            raise InputError(f"{where}: infinite ({table.source.where(rows)})")


def near_zero(column: Column) -> Floats:
    """Return the values shifted and scaled to [0, 1], exactly as far as floats can hold it."""
    whole = as_integers(column)
    if whole is not None:
        return _unit(_steps(whole))
    values = np.asarray(column.values).astype(np.float64)
    values = _unit(values)
    return _unit(values - values.min())


def _unit(values: Floats) -> Floats:
    """Scale by a power of two, which is exact, so that the largest magnitude is below 1."""
    exponent = math.frexp(float(np.abs(values).max()))[1]
    return np.ldexp(values, -exponent)


def _one_scale(columns: list[Column]) -> list[Floats]:
    """Shift each column near zero and scale all by one power of two: no ratio changes.

    A shift changes no distance, and without it large values would drown small differences.
    """
    raw = [as_floats(column) for column in columns]
    exponent = max(math.frexp(float(np.abs(values).max()))[1] for values in raw)
    shift = -exponent if not -500 < exponent < 500 else 0
    parts: list[Floats] = []
    for column, values in zip(columns, raw, strict=True):
        whole = as_integers(column)
        if whole is None:
            scaled = np.ldexp(values, shift)
            parts.append(scaled - scaled.min())
        else:
            steps = _steps(whole)
            unit = 10.0**column.values.type.scale if column.kind is Kind.DECIMAL else 1.0
            parts.append(np.ldexp(steps / unit, shift))
    return parts


def _steps(whole: npt.NDArray[Any]) -> Floats:
    """Return whole numbers as floats, counted exactly from the smallest."""
    low, high = int(whole.min()), int(whole.max())
    if high - low >= 2**63:
        whole = whole.astype(object)
    steps: Floats = (whole - low).astype(np.float64)
    return steps


def standardized(values: Floats) -> Floats:
    """Return (x - mean) / deviation; zeros for a constant column."""
    centered = values - math.fsum(values) / values.size
    deviation = math.sqrt(math.fsum(centered * centered) / values.size)
    if values.min() == values.max() or deviation == 0.0:
        return np.zeros_like(values)
    scaled: Floats = centered / deviation
    return scaled


def canonical_order(table: Table) -> Integers:
    """Return the rows in an order that depends on what they hold, not on where they stood.

    Quasi-identifiers first, then what else is released, then the identifiers: records that still
    tie are equal in every cell that can be compared.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ranks = {role: rank for rank, role in enumerate(RANKED)}
    known = [column for column in table.columns if column.kind is not Kind.UNKNOWN]
    columns = sorted(known, key=lambda column: (ranks[column.role], column.name))
    keys = {f"{i}": _sortable(column) for i, column in enumerate(columns)}
    order: Any = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
    return np.asarray(order).astype(np.int64)


RANKED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER, Role.IDENTIFIER)


def _sortable(column: Column) -> Any:
    if column.cells is not None and column.role is not Role.QUASI_IDENTIFIER:
        return column.cells
    if column.kind is Kind.FLOAT:  # Arrow does not sort half floats
        return column.values.cast("double")
    return column.values
