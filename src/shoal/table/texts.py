"""Texts of values, in the format of their column."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.table.roles import Column, Kind, Written

PLAIN_DECIMALS = 6


def texts_of(column: Column, values: Any) -> list[str]:
    """Return the texts of values of a column's own type; not-a-number is empty."""
    return [_text(value, column) for value in _plain(values)]


def arrow_texts(column: Column, values: Any) -> Any:
    """Return the texts of values as an Arrow array, where Arrow writes them as `texts_of` does."""
    import pyarrow as pa

    as_arrow = column.kind in (Kind.INTEGER, Kind.TEXT) or pa.types.is_date32(values.type)
    as_arrow = as_arrow or pa.types.is_time(values.type)
    if column.kind is Kind.INTEGER and column.written is not None:
        as_arrow = not column.written.decimals
    if column.kind is Kind.DECIMAL and column.written is not None:
        # of more decimals Arrow writes small numbers with an exponent
        as_arrow = column.written.decimals == values.type.scale <= PLAIN_DECIMALS
    if as_arrow and not values.null_count:
        return values.cast(pa.string())
    return pa.array(texts_of(column, values), type=pa.string())


def as_written(values: Any) -> Floats:
    """Return floats; of shorter ones the number that they are written as, not all its digits."""
    plain = np.asarray(values)
    if plain.dtype.itemsize == 8:
        return plain.astype(np.float64)
    return np.array([float(str(value)) for value in plain], dtype=np.float64)


def _plain(values: Any) -> list[Any]:
    """Return Python values; times as text, because Python's own stop at microseconds."""
    import pyarrow as pa

    if pa.types.is_timestamp(values.type):
        zone = values.type.tz
        moments = np.asarray(values.cast(pa.timestamp(values.type.unit)))
        return [f"{moment}{'Z' if zone else ''}" for moment in np.datetime_as_string(moments)]
    if pa.types.is_duration(values.type):
        values = values.cast(pa.int64())
    plain: list[Any] = values.to_pylist()
    return plain


def _text(value: Any, column: Column) -> str:
    written = column.written or Written()
    if column.kind is Kind.FLOAT and value != value:  # noqa: PLR0124 - not a number: missing
        return ""
    if column.kind is Kind.BOOLEAN:
        return written.words[bool(value)]
    if column.kind is Kind.DATE:
        return str(value)
    if column.kind is Kind.DATETIME:
        return _moment(value, written.pattern) + written.zone
    if column.kind is Kind.INTEGER and written.decimals:
        return f"{value}.{'0' * written.decimals}"
    if column.kind is Kind.DECIMAL:
        return f"{value:f}" if column.written is None else f"{value:.{written.decimals}f}"
    if column.kind is Kind.FLOAT and column.written is not None:
        return float_text(value, written)
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def float_text(value: float, written: Written) -> str:
    """Write a float with the column's decimals; very large or small ones in the shortest form.

    Beyond the digits of the shortest form stand zeros: 28.1 with 15 digits is 28.100000000000000,
    not the nearest number that a float can hold.
    """
    digits, short = written.decimals, repr(value)
    if not 0 <= digits <= 17 or abs(value) >= 1e16:
        return short
    exact = Decimal(short)
    fits = -int(exact.as_tuple().exponent) <= digits
    return f"{exact:.{digits}f}" if fits else f"{value:.{digits}f}"


def _moment(text: str, pattern: str) -> str:
    """Cut an ISO moment to what the column writes: its separator, its last digit."""
    if not pattern:
        return text
    separator = pattern[len("%Y-%m-%d")]
    length = 16 if "%S" not in pattern else 19
    fraction = pattern.partition("%S.")[2]
    length += 1 + int(fraction) if fraction else 0
    return (text[:10] + separator + text[11:])[:length]
