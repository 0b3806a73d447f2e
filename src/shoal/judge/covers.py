"""Coverage: whether a released value covers the original, without any hierarchy or method.

It reads the released text as a person would: * is anything, [a,b) and [a,b] are intervals, 12** is
what begins with 12 and is as long, 2026-Q1 is a part of the calendar; any other word must stand on
the original's line of the hierarchy's file, which is read here once more. Of a column with a
declared order, [mild,severe] is what lies between two of its values.
"""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

BETWEEN = re.compile(r"\[([^,;]+)[,;]([^,;]+)([\])])")
BEYOND = re.compile(r"(<|>=)(.+)")
QUARTER = re.compile(r"(\d{4})-Q([1-4])")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")

Lines = Mapping[str, Collection[str]]


def uncovered(
    pairs: Iterable[tuple[Any, Any]], lines: Lines, order: Sequence[str] = ()
) -> list[tuple[Any, Any]]:
    """Return the pairs of released and original text of which the first does not cover the second.

    `lines` holds a hierarchy's words. Each pair is looked at once. Numbers that a file writes in
    another way (1 and 1.0) are equal. `order` is the declared order of the values, least first,
    where they have one.
    """
    ranks = {value: rank for rank, value in enumerate(order)}
    by_number: dict[Fraction, set[str]] = {}
    for key, line in lines.items():
        value = number(key)
        if value is not None:
            by_number.setdefault(value, set()).update(line)
    spans = sorted((low, key) for key in lines if (low := _low(key)) is not None)
    lows = [low for low, _ in spans]
    bad = []
    for released, original in set(pairs):
        words: Collection[str] = lines.get(original, ())
        read = _readings(released, ranks)
        if released in ranks:
            if released != original and released not in words:  # 5 and 5.0 are two values
                bad.append((released, original))
            continue
        if read:
            if not all(low <= ranks.get(original, -1) <= high for low, high in read):
                bad.append((released, original))
            continue
        if original is not None and not words:
            value = number(original)
            words = by_number.get(value, ()) if value is not None else ()
            at = bisect_right(lows, value) - 1 if value is not None else -1
            if not words and at >= 0 and _holds(spans[at][1], original):
                words = lines[spans[at][1]]
        if not _covered(released, original, words):
            bad.append((released, original))
    return bad


def _readings(released: str, ranks: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return the ranks of all pairs of values, least first, whose range is written so.

    Values may hold commas and brackets: a text is taken apart at every comma it has.
    """
    if not ranks or released[:1] != "[" or released[-1:] != "]":
        return []
    inner = released[1:-1]
    places = [place for place, sign in enumerate(inner) if sign == ","]
    pairs = [(ranks.get(inner[:at], -1), ranks.get(inner[at + 1 :], -1)) for at in places]
    return [(low, high) for low, high in pairs if 0 <= low < high]


def _covered(released: str, original: str | None, words: Collection[str]) -> bool:
    """Tell whether a text covers another; an interval holds its numbers, whatever a file says."""
    if released in ("*", original):
        return True
    if original is None:
        return False
    value = number(original)
    if value is not None:
        if value == number(released):  # 5 and +5
            return True
        if is_interval(released):
            return _holds(released, original)
    if released in words or _holds(released, original):
        return True
    same = number(released)
    return same is not None and any(number(word) == same for word in words)


def _low(text: str) -> Fraction | None:
    between = BETWEEN.fullmatch(text)
    return number(between[1]) if between else None


def is_interval(text: str) -> bool:
    """Tell whether a text names bounds that can be read."""
    between, beyond = BETWEEN.fullmatch(text), BEYOND.fullmatch(text)
    if between:
        return number(between[1]) is not None and number(between[2]) is not None
    return bool(beyond and number(beyond[2]) is not None)


def _holds(released: str, original: str) -> bool:
    """Tell whether an interval, a mask or a part of the calendar holds a value."""
    between, beyond = BETWEEN.fullmatch(released), BEYOND.fullmatch(released)
    value = number(original)
    if between and value is not None:
        low, high = number(between[1]), number(between[2])
        if low is None or high is None:
            return False
        return low <= value < high or (between[3] == "]" and value == high)
    if beyond and value is not None:
        bound = number(beyond[2])
        return bound is not None and (value < bound if beyond[1] == "<" else value >= bound)
    kept = released.rstrip("*")
    if kept != released:
        return len(original) == len(released) and original.startswith(kept)
    quarter = QUARTER.fullmatch(released)
    if quarter and re.match(r"\d{4}-\d{2}", original):
        return original[:4] == quarter[1] and (int(original[5:7]) + 2) // 3 == int(quarter[2])
    calendar = re.fullmatch(r"\d{4}(-\d{2}){0,2}", released)
    return bool(calendar and re.match(r"\d{4}-\d{2}-\d{2}", original)) and original.startswith(
        released
    )


@lru_cache(maxsize=200_000)
def number(text: str) -> Fraction | None:
    """Return a number, or a date in days; None for any other text."""
    text = text.strip()
    if text.lstrip("+-") in ("inf", "∞"):
        return Fraction(10) ** 400 * (-1 if text.startswith("-") else 1)
    if NUMBER.fullmatch(text):
        return Fraction(text)
    if not re.match(r"\d{4}-\d{2}-\d{2}", text):
        return None
    try:
        if len(text) == 10:
            return Fraction(date.fromisoformat(text).toordinal())
        moment = datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None
    since = moment - datetime(1, 1, 1)
    parts = Fraction(since.seconds, 86_400) + Fraction(since.microseconds, 86_400_000_000)
    return 1 + since.days + parts


def file_lines(path: Path) -> dict[str, set[str]]:
    """Return of every first cell of a hierarchy's file the other words of its line."""
    text = path.read_bytes().decode("utf-8-sig")
    lines: dict[str, set[str]] = {}
    for sign in ";,\t":
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
            rows = [row for row in reader if row]
        except csv.Error:
            continue
        if rows and len(rows[0]) > 1 and (not lines or rows[0][-1] == "*"):
            lines = {row[0]: set(row) for row in rows}
            if rows[0][-1] == "*":
                break
    return lines
