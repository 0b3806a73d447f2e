"""Values of columns in files that know fewer types than Arrow: floats, whole seconds, short texts.

What such a file could not hold is refused by the column's name: nothing is cut or rounded.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.table.roles import TICKS, Column, Kind

INSTEAD = "write csv or Parquet, or leave the column out"
IN_PARQUET = f"write Parquet, or leave it out with {option('drop')}"
FINEST = 1_000  # parts of a second that dates and times of such files have


def refused(column: Column, what: str, instead: str = INSTEAD) -> RequestError:
    """Return the error of a column that a file cannot hold."""
    return RequestError(f"column {shown(column.name)}: {what}; {instead}")


def as_numbers(column: Column) -> Any:
    """Return decimals as floats, and floats with not-a-number as missing; infinity is refused."""
    if column.kind is Kind.DECIMAL:
        if is_long(column):
            raise refused(column, "its decimals have more digits than such a file holds")
        return column.values.cast(pa.string()).cast(pa.float64())
    values = without_nan(column.values.cast(pa.float64()))
    if pc.any(pc.is_inf(values)).as_py():
        raise refused(column, "it holds infinite numbers")
    return values


def as_moments(column: Column) -> Any:
    """Return times in microseconds, none of them finer than a millisecond or of a time zone."""
    kind = column.values.type
    if kind.tz is not None:
        raise refused(column, "its times have a time zone, which such a file cannot hold")
    step = TICKS[kind.unit] // FINEST
    if step > 1:
        ticks = column.values.cast(pa.int64()).drop_null()
        if pc.any(pc.not_equal(pc.multiply(pc.divide(ticks, step), step), ticks)).as_py():
            raise refused(column, "its times are finer than a millisecond")
    return column.values.cast(pa.timestamp("us"))


def without_nan(values: Any) -> Any:
    """Return floats of which not-a-number is missing."""
    return pc.if_else(pc.is_nan(values), None, values)


def as_texts(values: Any) -> Any:
    """Return texts of which the empty ones are missing: such a file does not tell them apart."""
    return pc.if_else(pc.equal(values, ""), None, values)


def largest(values: Any) -> float:
    """Return the largest absolute value of numbers; 0 where there is none."""
    ends = pc.min_max(values).as_py()
    return max((abs(end) for end in ends.values() if end is not None), default=0)


def is_long(column: Column) -> bool:
    """Tell whether floats, which hold 15 digits, would lose some of a column's decimals."""
    ends = [end for end in pc.min_max(column.values).as_py().values() if end is not None]
    return needs_decimals(int(max(map(abs, ends), default=0)), column.values.type.scale)


def needs_decimals(largest: int, decimals: int) -> bool:
    """Tell whether floats, which hold 15 digits, would lose some of numbers up to the largest."""
    return len(str(largest)) + decimals > 15
