"""The distinct values of a column, as a rule sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.kernels.arrays import Integers
from shoal.table.roles import Column, Kind
from shoal.table.texts import as_written, texts_of

DAY_ZERO = date(1970, 1, 1)
TIME_ZERO = datetime(1970, 1, 1)
DAY = 86_400_000_000  # microseconds
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, eq=False, repr=False)
class Distinct:
    """What a column holds, each value once: as text, as a Python value, and how often.

    The values are in order, so that the order of the rows does not matter. `indices` has the value
    of each record; -1 is a missing cell. Of an ordinal column the values are ranks in its `order`.
    """

    name: str
    kind: Kind
    texts: list[str]
    values: list[Any]
    counts: Integers
    indices: Integers
    order: tuple[str, ...] | None = None

    def take(self, rows: Integers) -> Distinct:
        """Return the same values for some rows, counted anew."""
        indices = self.indices[rows]
        counts = np.bincount(indices[indices >= 0], minlength=len(self.values))
        return replace(self, indices=indices, counts=counts)

    def interval(self, low: int, high: int) -> str:
        """Return [least,greatest] of two values; what is written holds both of them.

        A float of 32 or 16 bits is written in few digits, which may lie beside it: such a bound is
        written in all its digits.
        """
        return f"[{self._bound(low, -1)},{self._bound(high, 1)}]"

    def _bound(self, place: int, side: int) -> str:
        text, value = self.texts[place], self.values[place]
        if self.kind is not Kind.FLOAT or text == repr(value):
            return text
        if side * (Fraction(text) - self.axis.number(value)) >= 0:
            return text
        return repr(value)

    @property
    def axis(self) -> Axis:
        """The line on which the values lie."""
        if self.order is not None:
            return Axis("rank")
        return Axis("number" if self.kind.is_number else str(self.kind))

    @property
    def on_a_line(self) -> bool:
        """Whether the values have an order and differences."""
        if self.order is not None:
            return True
        return self.kind.is_numeric and self.kind is not Kind.BOOLEAN


class Rule(Protocol):
    """How values get their paths to the root.

    `given` tells whether the user named it. `paths` returns one path a value (and more, where
    the rule knows other values), and the positions of the values it has no path for.
    """

    @property
    def given(self) -> bool:
        """Whether the rule was given."""

    @property
    def shows_values(self) -> bool:
        """Whether labels above the values hold values of the data."""

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the paths of values, and those of them that have none."""


def distinct_values(column: Column, often: Integers | None = None) -> Distinct:
    """Return a column's distinct values, in order; `often` counts the records of each row."""
    values = column.values
    if column.kind is Kind.FLOAT:
        exact = np.asarray(values).astype(np.float64) + 0.0  # there is one zero
        values = pa.array(exact, from_pandas=True)
    encoded = values.dictionary_encode()
    short = encoded.dictionary
    if column.kind is Kind.FLOAT:
        own = np.asarray(short).astype(np.asarray(column.values).dtype)
        short = pa.array(as_written(own))
    texts = texts_of(column, short)
    moments = encoded.dictionary
    if column.kind is Kind.DATETIME:
        moments = moments.cast(pa.timestamp("us"), safe=False)
    elif column.kind is Kind.DURATION:
        moments = moments.cast(pa.int64())
    plain: list[Any] = moments.to_pylist()
    if column.order is not None:
        ranks = {text: rank for rank, text in enumerate(column.order)}
        plain = [ranks[text] for text in texts]
    order = sorted(range(len(plain)), key=lambda i: (plain[i], texts[i]))
    place = np.empty(len(plain) + 1, dtype=np.int64)
    place[order] = np.arange(len(plain))
    place[-1] = -1
    codes = np.asarray(encoded.indices.fill_null(len(plain))).astype(np.int64)
    indices = place[codes]
    there = indices >= 0
    times = None if often is None else often[there]
    counts = np.bincount(indices[there], times, len(plain)).astype(np.int64)
    ordered = [plain[i] for i in order]
    words = [texts[i] for i in order]
    return Distinct(column.name, column.kind, words, ordered, counts, indices, column.order)


class Axis:
    """Numbers as they are written, dates in days, times in days and parts of them.

    The values of an ordinal column lie at their ranks; no text is read as one.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def number(self, value: Any) -> Fraction:
        """Return where a value lies; a float is the shortest number that is written so."""
        if isinstance(value, datetime):
            since = value.replace(tzinfo=None) - TIME_ZERO
            return Fraction(since // timedelta(microseconds=1), DAY)
        if isinstance(value, date):
            return Fraction((value - DAY_ZERO).days)
        return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)

    def text(self, number: Fraction) -> str:
        """Return a place on the line in the column's words, to the last digit.

        Raises an OverflowError beyond the calendar.
        """
        if self.kind == "date":
            return (DAY_ZERO + timedelta(days=int(number))).isoformat()
        if self.kind == "datetime":
            return (TIME_ZERO + timedelta(microseconds=round(number * DAY))).isoformat()
        digits, power = 0, 1
        while power % number.denominator:
            digits, power = digits + 1, power * 10
        whole, rest = divmod(abs(number.numerator) * (power // number.denominator), power)
        sign = "-" if number < 0 else ""
        return f"{sign}{whole}.{rest:0{digits}d}" if digits else f"{sign}{whole}"

    def read(self, text: str, what: str) -> Fraction:
        """Return the position of a text on the axis; raise if it has none."""
        text = text.strip()
        try:
            if self.kind in ("date", "datetime"):
                day = len(text) == 10 or self.kind == "date"
                return self.number((date if day else datetime).fromisoformat(text))
            if self.kind != "rank" and NUMBER.fullmatch(text):
                return Fraction(text)
        except ValueError:
            pass
        raise InputError(f"{what}: {shown(text)} is no {self.kind}")
