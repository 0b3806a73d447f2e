"""Cells: what a released cell spans, which cells may stand for one value, and what covers what.

Cells are read as a person would: `*` is anything, [a,b) and [a,b] are intervals, <18 and >=65 have
one end, 12** is whatever begins with 12 and is as long, 2026, 2026-03 and 2026-Q1 are parts of the
calendar. Where two releases are compared, intervals as others write them, such as (a,b] or <=18,
are read too. Any other word is only itself: that France lies in Europe is not known here, nor what
[mild,severe] spans. Where a release is compared with its original, words must stand on the
original's line of the hierarchy's file, which is read here once more, and [mild,severe] is what
lies between two values of a declared order.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.judge.engine import quoted
from shoal.judge.values import hierarchy_rows, is_star
from shoal.judge.values import number as decimal_of

BETWEEN = re.compile(r"\[([^,;]+)[,;]([^,;]+)([\])])")
ONE_END = [
    (re.compile(r"<(?!=)(.+)"), r"[-inf,\1)"),
    (re.compile(r">=(.+)"), r"[\1,inf]"),
]
FOREIGN = [
    (re.compile(r"[(\]]([^,;]+[,;][^,;]+[\])\[])"), r"[\1"),  # as if its lower end belonged to it
    (re.compile(r"(\[[^,;]+[,;][^,;]+)\["), r"\1)"),
    (re.compile(r"(?:<=|≤)(.+)"), r"[-inf,\1]"),
    (re.compile(r"(?:>(?!=)|≥)(.+)"), r">=\1"),
]
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
LONGEST = 1_000  # digits of a number that is worked out
EXACT = Context(prec=200_000)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*", re.ASCII)
DATE = re.compile(r"\d{4}(-\d{2}-\d{2})?", re.ASCII)
GRAIN = re.compile(r"\d{4}(-\d{2}-\d{2}(T.*)?)?", re.ASCII)
PART = re.compile(r"(\d{4})-(?:\d{2}|Q([1-4]))", re.ASCII)
EPOCH = datetime(1970, 1, 1).toordinal()
NUMBERS, DAYS, BOTH = "numbers", "days", ""

Lines = Mapping[str, Collection[str]]
Value = Fraction | float  # of floats only the two infinities


class Span(NamedTuple):
    """What a cell spans, of numbers or days; `closed` tells that its upper end belongs to it."""

    axis: str
    low: Value
    high: Value
    closed: bool = False

    def meets(self, other: Span) -> bool:
        """Tell whether both have a value in common."""
        ends = ((self.low, other), (other.low, self))
        reach = all(low < to.high or (to.closed and low == to.high) for low, to in ends)
        return reach and (self.axis == other.axis or BOTH in (self.axis, other.axis))


def value_of(text: str) -> tuple[str, Value] | None:
    """Return a number, or a date or moment in days, and which it is; None for any other text."""
    text = text.strip()
    if text.lstrip("+-") in ("inf", "∞"):
        return BOTH, -math.inf if text.startswith("-") else math.inf
    if len(text) <= LONGEST and NUMBER.fullmatch(text):
        return NUMBERS, Fraction(text)
    with suppress(ValueError):
        if DAY.match(text):
            since = datetime.fromisoformat(text).replace(tzinfo=None) - datetime.min
            return DAYS, 1 + Fraction(since // timedelta(microseconds=1), 86_400_000_000)
    return None


def interval(text: str) -> Span | None:
    """Return what an interval spans; None for a text that names no bounds that can be read."""
    for pattern, form in ONE_END:
        text = pattern.sub(form, text) if pattern.fullmatch(text) else text
    found = BETWEEN.fullmatch(text)
    ends = [end for end in map(value_of, found.groups()[:2]) if end] if found else []
    axes = {axis for axis, _ in ends} - {BOTH}
    if found is None or len(ends) < 2 or len(axes) > 1:
        return None
    return Span(max(axes, default=BOTH), ends[0][1], ends[1][1], found[3] == "]")


def calendar(text: str) -> Span | None:
    """Return what a year, a quarter, a month or a day spans."""
    quarter, step = PART.fullmatch(text), 1
    if quarter and quarter[2]:
        text, step = f"{quarter[1]}-{3 * int(quarter[2]) - 2:02}", 3
    with suppress(ValueError):
        if PART.fullmatch(text) or DATE.fullmatch(text):
            begin = np.datetime64(text)
            days = [int(end.astype("M8[D]").astype(int)) for end in (begin, begin + step)]
            return Span(DAYS, Fraction(days[0] + EPOCH), Fraction(days[1] + EPOCH))
    return None


@lru_cache(maxsize=200_000)
def spans(text: str) -> list[Span]:
    """Return all that a text may span: 2026 is a number and a year, 12** numbers of four digits."""
    head, value = text.rstrip("*"), value_of(text)
    ten = 10 ** min(len(text) - len(head), LONGEST)
    found = [interval(text), calendar(text), value and Span(*value, value[1], closed=True)]
    if ten > 1 and (head or "0").isdecimal():
        low = int(head[:LONGEST] or 0) * ten
        found.append(Span(NUMBERS, Fraction(low), Fraction(low + ten)))
    if ten > 1 and len(text) >= len("2026-03-31"):  # of a date, what is whole in it
        found.append(calendar(head[: 7 if len(head) > 6 else 4]))
    return [ends for ends in found if ends]


# --- cells of two releases


def spelled(column: str, kind: str) -> str:
    """Return in SQL the text of a cell, which files of all kinds share: 5, [20,30], 2026-03-31."""
    name = quoted(column)
    low, high = f"{name}.low::VARCHAR", f"{name}.high::VARCHAR"
    both = f"'[' || {low} || ',' || {high} || ']'"
    special = {
        "STRUCT": f"CASE WHEN {low} = {high} THEN {low} ELSE {both} END",
        "DOUBLE": f"CASE WHEN NOT isnan({name}) THEN {name}::VARCHAR END",
        "FLOAT": f"CASE WHEN NOT isnan({name}) THEN {name}::VARCHAR END",
        "TIMESTAMP WITH TIME ZONE": f"({name} AT TIME ZONE 'UTC')::VARCHAR",
    }
    return special.get(kind.partition("(")[0], f"{name}::VARCHAR")


def comparable(text: str) -> str | None:
    """Return the one text for all cells that are equal in any two files; None for a star."""
    text = text.strip()
    number = decimal_of(text)
    if number is not None:
        short = EXACT.normalize(number or Decimal(0))
        return f"{short:f}" if abs(short.adjusted()) < LONGEST else str(short)
    with suppress(ValueError):
        if MOMENT.fullmatch(text):
            moment = datetime.fromisoformat(text)
            moment = moment.astimezone(UTC) if moment.tzinfo else moment
            return moment.replace(tzinfo=None).isoformat()
    for pattern, form in FOREIGN:
        text = pattern.sub(form, text) if pattern.fullmatch(text) else text
    return None if is_star(text) else text


def is_range(cell: str) -> bool:
    """Tell whether a cell is an interval, a mask or a part of the calendar."""
    return "*" in cell or bool(PART.fullmatch(cell)) or interval(cell) is not None


def to_compare(cells: Collection[str | None]) -> bool:
    """Tell whether cells of a column that are not equal may stand for one value.

    They may if there are ranges, or values of several grains: years, days and moments.
    """
    some = [cell for cell in cells if cell is not None]
    grains = {min(len(cell), len("2026-03-31T")) for cell in some if GRAIN.fullmatch(cell)}
    return len(grains) > 1 or any(map(is_range, some))


def overlap(one: str | None, other: str | None) -> bool:
    """Tell whether two cells may stand for one value."""
    if one is None or other is None or one == other:
        return True
    first = one.zfill(len(other)) if one.isdecimal() else one  # a mask keeps leading zeros
    second = other.zfill(len(one)) if other.isdecimal() else other
    if "*" in one + other and len(first) == len(second) and not (interval(one) or interval(other)):
        return all(a == b or "*" in (a, b) for a, b in zip(first, second, strict=True))
    return any(mine.meets(its) for mine in spans(one) for its in spans(other))


def may_cover(cell: str | None, original: str | None, exact: bool) -> bool:
    """Tell whether a released cell may stand for an original one; what is not known may.

    `exact` tells that single numbers of the column are values, not means of some.
    """
    if cell is None or original is None or cell == original:
        return True
    if is_range(cell):
        return overlap(cell, original)
    return not (exact and NUMBER.fullmatch(cell) and NUMBER.fullmatch(original))


def is_single(cells: Iterable[str | None]) -> bool:
    """Tell whether cells are numbers or dates, which may be means, and none is a range."""
    some = [cell for cell in cells if cell is not None]
    return not any(map(is_range, some)) and any(map(value_of, some))


# --- cells of a release and of its original


def uncovered(
    pairs: Iterable[tuple[Any, Any]], lines: Lines, order: Sequence[str] = ()
) -> list[tuple[Any, Any]]:
    """Return the pairs of released and original text of which the first does not cover the second.

    `lines` holds a hierarchy's words. Each pair is looked at once. Numbers that a file writes in
    another way (1 and 1.0) are equal. `order` is the declared order of the values, least first,
    where they have one.
    """
    ranks: dict[Any, int] = {value: rank for rank, value in enumerate(order)}
    numbers = {value_of(key): line for key, line in lines.items()}
    begins = sorted(
        (ends[:2], key) for key in lines if key[:1] == "[" and (ends := interval(key)) is not None
    )

    def covers(released: str, original: Any) -> bool:
        words: Collection[str] = lines.get(original, ())
        ranges = _ranges(released, ranks)
        if released in ranks:
            return released == original or released in words  # 5 and 5.0 are two values
        if ranges:
            return all(low <= ranks.get(original, -1) <= high for low, high in ranges)
        if original is None or released in ("*", original):
            return released in ("*", original)
        value = value_of(original)
        if not words and value is not None:
            at = bisect_right(begins, value, key=lambda begin: begin[0]) - 1
            line = begins[at][1] if at >= 0 and _holds(begins[at][1], original) else None
            words = numbers.get(value) or (lines[line] if line else ())
        if _holds(released, original) or (value and interval(released)):
            return _holds(released, original)  # an interval holds its numbers, whatever a file says
        same = value_of(released)
        return released in words or (same is not None and same in map(value_of, words))

    bad = [pair for pair in set(pairs) if not covers(*pair)]
    spans.cache_clear()  # no values of records stay behind
    return bad


def _ranges(released: str, ranks: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return the ranks of all pairs of values, least first, whose range is written so.

    Values may hold commas and brackets: a text is taken apart at every comma it has.
    """
    inner = released[1:-1] if ranks and released[:1] + released[-1:] == "[]" else ""
    cuts = [place for place, sign in enumerate(inner) if sign == ","]
    pairs = [(ranks.get(inner[:at], -1), ranks.get(inner[at + 1 :], -1)) for at in cuts]
    return [(low, high) for low, high in pairs if 0 <= low < high]


def _holds(released: str, original: str) -> bool:
    """Tell whether a number, an interval, a mask or a part of the calendar holds a value."""
    kept, value = released.rstrip("*"), value_of(original)
    if kept != released:
        return len(original) == len(released) and original.startswith(kept)
    point = value and Span(*value, value[1], closed=True)
    return point is not None and any(ends.meets(point) for ends in spans(released))


def is_interval(text: str) -> bool:
    """Tell whether a text names bounds that can be read."""
    return interval(text) is not None


def file_lines(path: Path) -> dict[str, set[str]]:
    """Return of every first cell of a hierarchy's file the other words of its line."""
    text = path.read_bytes().decode("utf-8-sig")
    read = [rows for rows in hierarchy_rows(text) if len(rows[0]) > 1]
    rooted = [rows for rows in read if rows[0][-1] == "*"]
    return {row[0]: set(row) for row in next(iter([*rooted, *read]), [])}
