"""Rounding of kept columns: numbers to multiples of a step, times to days."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.errors import RequestError, shown
from shoal.kernels.arrays import Flags
from shoal.table.roles import TICKS, Column, Kind, Written
from shoal.table.table import Table, as_integers, missing_cells, some_rows


def rounded(table: Table, steps: Mapping[str, float]) -> Table:
    """Return the table with some columns rounded to multiples of their steps, half to even."""
    for name in steps:
        _ = table[name]
    return table.mapped(lambda c: round_column(c, steps[c.name]) if c.name in steps else c)


def round_column(column: Column, step: float) -> Column:
    """Return a column rounded to multiples of a step, half to even; missing cells stay missing.

    The step of dates and times is in days, counted from 1970.
    """
    own = Fraction(str(step))
    if column.kind is Kind.FLOAT:
        return _floats(column, own)
    unit = own * _units(column)
    if unit.denominator != 1:
        raise RequestError(
            f"round: the step {step} of {shown(column.name)} is finer than the column's values"
        )
    gone = missing_cells(column)
    whole = as_integers(some_rows(column, ~gone))
    assert whole is not None
    values = _to_even(whole, int(unit))
    if column.kind is Kind.DECIMAL:
        digits = decimals_of(own)
        kind = pa.decimal128(38, digits)
        values = values // 10 ** (column.values.type.scale - digits)
        written = None if column.written is None else Written(decimals=digits)
        return with_values(column, decimal_values(values, kind), gone, written)
    return with_values(column, typed_values(values, column.values.type), gone, column.written)


def decimals_of(step: Fraction) -> int:
    """Return the digits after the point that a multiple of a step may need."""
    digits = 0
    while (step * 10**digits).denominator != 1:
        digits += 1
    return digits


def _units(column: Column) -> int:
    """Return how many of a column's smallest unit a step of 1 is."""
    if column.kind is Kind.DECIMAL:
        return int(10**column.values.type.scale)
    if column.kind is Kind.DATETIME:
        return 86_400 * TICKS[column.values.type.unit]
    if column.kind in (Kind.INTEGER, Kind.DATE):
        return 1
    raise RequestError(
        f"round is for numbers and dates; column {shown(column.name)} is {column.kind_name}"
    )


def _to_even(whole: npt.NDArray[Any], unit: int) -> npt.NDArray[Any]:
    """Return whole numbers as the nearest multiples of a unit, halves to the even one."""
    if unit >= 2**62 or whole.size == 0:
        whole = whole.astype(object)
    quotient, rest = whole // unit, whole % unit
    up = (rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1))
    result: npt.NDArray[Any] = (quotient + up) * unit
    return result


def decimal_values(values: npt.NDArray[Any], kind: Any) -> Any:
    """Return whole numbers of the last digit as Arrow decimals."""
    from decimal import Context, Decimal

    exact = Context(prec=60)
    different, where = np.unique(values, return_inverse=True)
    few = [Decimal(int(value)).scaleb(-kind.scale, exact) for value in different.tolist()]
    return pa.array(few, type=kind).take(pa.array(where.reshape(-1)))


def typed_values(values: npt.NDArray[Any], kind: Any) -> Any:
    """Return whole numbers as Arrow values of a type: numbers, dates, times."""
    if pa.types.is_date(kind):
        return pa.array(values.astype(np.int32)).cast(pa.date32()).cast(kind)
    if pa.types.is_timestamp(kind):
        return pa.array(values.astype(np.int64)).cast(kind)
    try:
        return pa.array(values.tolist() if values.dtype == object else values, type=kind)
    except (pa.ArrowInvalid, OverflowError):
        raise RequestError(
            "round: a value rounded up does not fit in its column's type; take a smaller step"
        ) from None


def _floats(column: Column, step: Fraction) -> Column:
    values = np.asarray(column.values.cast("double")).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        whole = np.rint(values / float(step))
        near = whole * float(step) + 0.0
        digits = decimals_of(step)
        near = np.round(near, digits) if digits else near
    near = np.where(np.isfinite(near), near, values)
    gone = missing_cells(column)
    made = pa.array(near[~gone]).cast(column.values.type, safe=False)
    written = None if column.written is None else Written(decimals=digits)
    return with_values(column, made, gone, written)


def with_values(column: Column, present: Any, gone: Flags, written: Written | None) -> Column:
    """Return a column with new values in the place of those that are there."""
    if gone.any():
        places = np.cumsum(~gone) - 1
        present = present.take(pa.array(places, mask=gone))
    return column.replace(values=present, cells=None, quoted=None, written=written, rounded=True)
