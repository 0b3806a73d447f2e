"""Whether a released text covers an original, as a person reads it. Imports nothing of ours.

`*` is anything; [a,b] and [a,b) are intervals of numbers, dates or ranks; <a and >=a are open ones;
12** is what begins with 12 and is as long; 2020, 2020-05 and 2020-Q2 are parts of the calendar; any
other text is the value itself, or a word of the line that a hierarchy has for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any


def number(text: Any) -> Fraction | None:
    """Return the number that a text or value is, dates in days; None for any other."""
    if isinstance(text, bool) or text is None:
        return None
    if isinstance(text, datetime):
        parts = ((text.hour * 60 + text.minute) * 60 + text.second) * 10**6 + text.microsecond
        return text.toordinal() + Fraction(parts, 86_400 * 10**6)
    if isinstance(text, date):
        return Fraction(text.toordinal())
    if isinstance(text, int | float | Decimal):
        return Fraction(text) if math.isfinite(text) else None
    if not isinstance(text, str):
        return None
    stripped = text.strip()
    if stripped in ("inf", "+inf", "∞"):
        return Fraction(10) ** 400
    if stripped in ("-inf", "-∞"):
        return -(Fraction(10) ** 400)
    if "_" in stripped or "/" in stripped or not stripped.isascii():
        return None
    try:
        return Fraction(stripped)
    except ValueError:
        pass
    try:
        return number(datetime.fromisoformat(stripped)) if stripped[4:5] == "-" else None
    except ValueError:
        return None


def covers(
    released: Any,
    original: Any,
    text: str | None,
    line: Sequence[str] = (),
    ranks: Mapping[str, int] | None = None,
) -> bool:
    """Whether a released cell covers an original value.

    `text` is how the original is written, None where it is missing; `line` what a hierarchy says of
    it; `ranks` its order, if it has one.
    """
    if released is None or released == "*":
        return True
    if text is None:
        return False
    if isinstance(released, bool) and text.lower() == str(released).lower():
        return True
    if released in (original, text) or released in line or _is_same_truth(released, original):
        return True
    if not isinstance(released, str):
        return number(released) is not None and number(released) in (number(text), number(original))
    for low, high, closed in _readings(released, ranks or {}):
        place = ranks.get(text) if ranks else number(text)
        if place is not None and (low <= place < high or (closed and place == high)):
            return True
    if released.endswith("*"):
        kept = released.rstrip("*")
        return len(text) == len(released) and text.startswith(kept)
    return _by_calendar(released, text) or (
        number(released) is not None and number(released) in (number(text), number(original))
    )


def _is_same_truth(released: Any, original: Any) -> bool:
    """Whether a text is the word of a boolean."""
    return isinstance(original, bool) and str(released).lower() == str(original).lower()


def _readings(released: str, ranks: Mapping[str, int]) -> list[tuple[Any, Any, bool]]:
    """Return every way to read a text as an interval: its ends, whether the last is of it."""
    far = Fraction(10) ** 400
    if released.startswith("<") and (high := number(released[1:])) is not None:
        return [(-far, high, False)]
    if released.startswith(">=") and (low := number(released[2:])) is not None:
        return [(low, far, True)]
    if released[:1] != "[" or released[-1:] not in ("]", ")"):
        return []
    inner, closed, found = released[1:-1], released[-1] == "]", []
    for place, sign in enumerate(inner):
        if sign in ",;":
            ends = inner[:place], inner[place + 1 :]
            low, high = [ranks.get(end) for end in ends] if ranks else map(number, ends)
            if low is not None and high is not None:
                found.append((low, high, closed))
    return found


def _by_calendar(released: str, text: str) -> bool:
    if released[4:6] == "-Q" and len(released) == 7 and text[4:5] == "-":
        return text[:4] == released[:4] and (int(text[5:7]) + 2) // 3 == int(released[6])
    parts = released.split("-")
    is_part = all(part.isdigit() for part in parts) and len(parts[0]) == 4 and text[4:5] == "-"
    return is_part and text.startswith(released)
