"""Whether a released value covers the original: by code that knows no tree and no method.

It reads the released text as a person would: * is anything, [a,b) and [a,b] are intervals, 12** is
what begins with 12 and is as long, 2026-Q1 is a part of the calendar; any other word must stand on
the original's line of the hierarchy's file, which is read here once more.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

BETWEEN = re.compile(r"\[(.+)[,;](.+)([\])])")
BEYOND = re.compile(r"(<|>=)(.+)")
QUARTER = re.compile(r"(\d{4})-Q([1-4])")


def covers(released: str, original: str | None, lines: Mapping[str, Iterable[str]]) -> bool:
    """Tell whether a released text covers an original one; `lines` holds a hierarchy's words."""
    if released in ("*", original):
        return True
    if original is None:
        return False
    if released in lines.get(original, ()):
        return True
    value = _number(original)
    if value is not None and value == _number(released):  # 5 and +5
        return True
    known = next((words for key, words in lines.items() if _holds(key, original)), ())
    return released in known or _holds(released, original)


def _holds(released: str, original: str) -> bool:
    """Tell whether an interval, a mask or a part of the calendar holds a value."""
    between, beyond = BETWEEN.fullmatch(released), BEYOND.fullmatch(released)
    value = _number(original)
    if between and value is not None:
        low, high = _number(between[1]), _number(between[2])
        after = low is not None and low <= value
        return (
            after and high is not None and (value < high or (between[3] == "]" and value <= high))
        )
    if beyond and value is not None:
        bound = _number(beyond[2])
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


def _number(text: str) -> Fraction | None:
    text = text.strip()
    if text.lstrip("+-") in ("inf", "∞"):
        return Fraction(10) ** 400 * (-1 if text.startswith("-") else 1)
    try:
        return Fraction(text)
    except ValueError:
        pass
    try:
        if len(text) == 10:
            return Fraction(date.fromisoformat(text).toordinal())
        moment = datetime.fromisoformat(text).replace(tzinfo=None)
        since = moment - datetime(1, 1, 1)
        return (
            1
            + Fraction(since.days)
            + Fraction(since.seconds, 86_400)
            + Fraction(since.microseconds, 86_400_000_000)
        )
    except ValueError:
        return None


def file_lines(path: Path) -> dict[str, set[str]]:
    """Return of every first cell of a hierarchy's file the other words of its line."""
    text = path.read_text(encoding="utf-8-sig")
    first = text.split("\n", 1)[0]
    sign = ";" if ";" in first else "," if "," in first else "\t"
    rows = csv.reader(text.splitlines(keepends=True), delimiter=sign)
    return {row[0]: set(row) for row in rows if row}


def uncovered(
    pairs: Iterable[tuple[Any, Any]], lines: Mapping[str, Iterable[str]]
) -> list[tuple[Any, Any]]:
    """Return the pairs of released and original text of which the first does not cover the second.

    Each pair is looked at once. Numbers that a file writes in another way (1 and 1.0) are equal.
    """
    by_number = {_number(key): words for key, words in lines.items() if _number(key) is not None}
    bad = []
    for released, original in set(pairs):
        more = by_number.get(_number(original)) if original is not None else None
        known = {**lines, original: more} if more is not None else lines
        if not covers(released, original, known):
            bad.append((released, original))
    return bad
