"""Whether two released cells may stand for one value: numbers, dates, intervals, masks."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shoal.judge import covers

MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
FAR = Fraction(10) ** 401

Span = tuple[Fraction, Fraction, bool]  # from, to, and whether the last one belongs to it


def is_range(cell: str) -> bool:
    """Tell whether a cell is a mask, or spans more than one value."""
    ends = span(cell)
    return cell[-1] == "*" or (ends is not None and ends[0] != ends[1])


def overlap(one: Any, other: Any) -> bool:
    """Tell whether two cells may stand for one value."""
    if one is None or other is None or one == other:
        return True
    mine, its = span(one), span(other)
    if mine and its:
        return _reaches(mine, its) and _reaches(its, mine)
    return _agree(*(_padded(cell, beside) for cell, beside in ((one, other), (other, one))))


def _padded(cell: Any, beside: Any) -> str:
    """Return a text; a number beside a mask gets the zeros back that it began with."""
    return str(cell).zfill(len(beside)) if isinstance(cell, Decimal) else str(cell)


def _reaches(one: Span, other: Span) -> bool:
    """Tell whether one begins before the other ends."""
    return one[0] < other[1] or (other[2] and one[0] == other[1])


def _agree(one: str, other: str) -> bool:
    """Tell whether masks of one length agree in what both of them keep."""
    if len(one) != len(other) or (one[-1] != "*" and other[-1] != "*"):
        return False
    kept = min(len(one.rstrip("*")), len(other.rstrip("*")))
    return one[:kept] == other[:kept]


@lru_cache(maxsize=200_000)
def span(cell: Any) -> Span | None:
    """Return what a number, a date, an interval or a part of the calendar spans."""
    if isinstance(cell, Decimal):
        if not cell.is_finite() or abs(cell.adjusted()) > 400:
            return None
        return Fraction(cell), Fraction(cell), True
    between, beyond = covers.BETWEEN.fullmatch(cell), covers.BEYOND.fullmatch(cell)
    if between:
        low, high = covers.number(between[1]), covers.number(between[2])
        return None if low is None or high is None else (low, high, between[3] == "]")
    if beyond:
        bound = covers.number(beyond[2])
        if bound is None:
            return None
        return (-FAR, bound, False) if beyond[1] == "<" else (bound, FAR, True)
    return _calendar(cell)


def _calendar(cell: str) -> Span | None:
    quarter, month = covers.QUARTER.fullmatch(cell), MONTH.fullmatch(cell)
    if quarter:
        return _months(int(quarter[1]), 3 * int(quarter[2]) - 2, 3)
    if month and 1 <= int(month[2]) <= 12:
        return _months(int(month[1]), int(month[2]), 1)
    day = covers.number(cell)
    return None if day is None else (day, day, True)


def _months(year: int, month: int, many: int) -> Span | None:
    after = month + many
    try:
        begin = date(year, month, 1).toordinal()
        end = date(year + (after > 12), (after - 1) % 12 + 1, 1).toordinal()
    except ValueError:
        return None
    return Fraction(begin), Fraction(end), False
