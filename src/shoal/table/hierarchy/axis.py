"""The values of a column on a line: numbers and dates as fractions, and back to their texts."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shoal.errors import InputError, shown

DAY_ZERO = date(1970, 1, 1)
TIME_ZERO = datetime(1970, 1, 1)


class Axis:
    """Numbers as they are, dates in days, times in days and parts of them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def number(self, value: Any) -> Fraction:
        """Return where a value lies."""
        if isinstance(value, datetime):
            return Fraction(
                (value.replace(tzinfo=None) - TIME_ZERO) // timedelta(microseconds=1),
                86_400_000_000,
            )
        if isinstance(value, date):
            return Fraction((value - DAY_ZERO).days)
        return Fraction(value)

    def text(self, number: Fraction) -> str:
        """Return a place on the line in the column's words."""
        if self.kind == "date":
            return (DAY_ZERO + timedelta(days=int(number))).isoformat()
        if self.kind == "datetime":
            moment = TIME_ZERO + timedelta(microseconds=round(number * 86_400_000_000))
            return moment.isoformat()
        if number.denominator == 1:
            return str(number.numerator)
        return format(Decimal(number.numerator) / Decimal(number.denominator), "f")

    def read(self, text: str, what: str) -> Fraction:
        """Return the place that a text names, or say that it names none."""
        try:
            if self.kind in ("date", "datetime"):
                parse = date.fromisoformat if len(text) == 10 else datetime.fromisoformat
                return self.number(parse(text.strip()))
            return Fraction(text.strip())
        except (ValueError, ZeroDivisionError):
            raise InputError(f"{what}: {shown(text)} is no {self.kind}") from None
