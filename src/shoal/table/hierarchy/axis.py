"""Axis of a column: numbers and dates as fractions, and back to texts."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from shoal.errors import InputError, shown

DAY_ZERO = date(1970, 1, 1)
TIME_ZERO = datetime(1970, 1, 1)
DAY = 86_400_000_000  # microseconds
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


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
