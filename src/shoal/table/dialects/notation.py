"""How the cells of a csv column write numbers and dates, and the same cells in plain notation.

Plain are 1234.5 and 2026-12-31. What is written otherwise is read by a notation that was named,
never by a guess: a cell that is plain but not of its notation, as 1.5 where a comma is the decimal
sign, is taken for neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property, lru_cache
from typing import Any

from shoal.errors import RequestError, shown

ZONE = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
AT_END = re.compile(f"{ZONE}$")


def offset_of(zone: str) -> timedelta | None:
    """Return how far a zone is ahead of UTC; None where no clock is set so."""
    digits = zone.strip("Z").replace(":", "")
    hours, minutes = int(digits[1:3] or 0), int(digits[3:] or 0)
    if hours > 23 or minutes > 59:
        return None
    return timedelta(hours=hours, minutes=minutes) * (-1 if digits.startswith("-") else 1)


def shared_zone(zones: Collection[str]) -> str:
    """Return the zone in which times are written: their own, or UTC where they have several."""
    if len(zones) == 1:
        return next(iter(zones))
    if "Z" in zones:
        return "Z"
    return "+00:00" if any(":" in zone for zone in zones) else "+0000"


def local_time(moment: datetime, zone: str) -> datetime:
    """Return what clocks of a zone show at a moment; without a zone, what was written."""
    offset = offset_of(zone) if zone else None
    if offset is None or moment.utcoffset() == offset:
        return moment.replace(tzinfo=None)
    return moment.astimezone(timezone(offset)).replace(tzinfo=None)


def instants(values: Any, zone: str) -> Any:
    """Return local times of a zone, an Arrow array, as instants of UTC."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = values.type.unit
    offset = pa.scalar(offset_of(zone), type=pa.duration(unit))
    return pc.subtract(values, offset).cast(pa.timestamp(unit, "UTC"))


def local_times(values: Any, zone: str) -> Any:
    """Return instants, an Arrow array, as the local times of a zone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = values.type.unit
    offset = pa.scalar(offset_of(zone), type=pa.duration(unit))
    return pc.add(values.cast(pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit)), offset)


DATE_PARTS = {"%Y": "[0-9]{4}", "%m": "[0-9]{1,2}", "%d": "[0-9]{1,2}"}
TIME_PARTS = {"%H": "[0-9]{1,2}", "%M": "[0-9]{2}", "%S": "[0-9]{2}", "%z": ZONE}
ISO = "%Y-%m-%d"
PLAIN = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*"
)
FOREIGN = "?"  # before a cell that is plain, but not of its notation
STAR = "*"


@dataclass(frozen=True)
class Notation:
    """The sign before decimals, the sign between thousands (none: ""), and the form of a date.

    `date` is made of %Y, %m and %d, each once, and maybe of %H, %M, %S and %z after them.
    """

    decimal: str = "."
    thousands: str = ""
    date: str = ISO

    @property
    def is_plain(self) -> bool:
        """Whether it is the notation of 1234.5 and 2026-12-31."""
        return self == STRICT

    @cached_property
    def number(self) -> re.Pattern[str]:
        """What a number looks like."""
        point, comma = re.escape(self.decimal), re.escape(self.thousands)
        whole = "[0-9]+"
        if self.thousands:
            whole = f"(?:[1-9][0-9]{{0,2}}(?:{comma}[0-9]{{3}})+|[0-9]+)"
        return re.compile(
            rf"[+-]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]{{1,5}})?"
        )

    @cached_property
    def moment(self) -> re.Pattern[str]:
        """What a date looks like."""
        pattern = re.escape(self.date).replace("\\%", "%").replace("%%", "%")
        for part, digits in {**DATE_PARTS, **TIME_PARTS}.items():
            pattern = pattern.replace(part, f"(?P<{part[1]}>{digits})")
        return re.compile(pattern)

    def plain(self, text: str) -> str:
        """Return a cell without blanks around it in plain notation, if it is of this one."""
        if self.number.fullmatch(text):
            return _without(text, self.thousands).replace(self.decimal, ".")
        if self.date != ISO and (match := self.moment.fullmatch(text)):
            return _iso(match.groupdict())
        if interval := self._ends(text):
            low, high = interval
            return f"[{self.plain(low)},{self.plain(high)}]"
        return f"{FOREIGN}{text}" if PLAIN.fullmatch(text) and not self._is_iso(text) else text

    def _is_iso(self, text: str) -> bool:
        return self.date == ISO and "-" in text[1:]

    def _ends(self, text: str) -> tuple[str, str] | None:
        """Return the ends of an interval in this notation."""
        if not (text.startswith("[") and text.endswith("]")):
            return None
        low, sign, high = text[1:-1].partition(self.between)
        if not sign or STAR in (low, high):
            return None
        known = (self.number.fullmatch(end) or self.moment.fullmatch(end) for end in (low, high))
        return (low, high) if all(known) else None

    @property
    def between(self) -> str:
        """What stands between the ends of an interval."""
        return ";" if "," in (self.decimal, self.thousands) else ","

    def written(self, text: str) -> str:
        """Return a plain number, date, or interval of these in this notation."""
        if text.startswith("[") and text.endswith("]"):
            low, sign, high = text[1:-1].partition(",")
            return f"[{self.written(low)}{self.between}{self.written(high)}]" if sign else text
        if STRICT.number.fullmatch(text):
            return self._number(text)
        if self.date != ISO and (match := MOMENT.fullmatch(text)):
            return self._date(match.groupdict())
        return text

    def _number(self, text: str) -> str:
        whole, point, rest = text.partition(".")
        if self.thousands:
            whole = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", lambda _: self.thousands, whole)
        return f"{whole}{self.decimal if point else ''}{rest}"

    def _date(self, parts: dict[str, str]) -> str:
        text = self.date
        for part in (*DATE_PARTS, *TIME_PARTS):
            text = text.replace(part, parts.get(part[1]) or ("" if part == "%z" else "00"))
        return text


STRICT = Notation()
MOMENT = re.compile(
    "(?P<Y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"
    "(?:[T ](?P<H>[0-9]{2}):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2}))?"
    f"(?P<z>{ZONE})?)?"
)


def _without(text: str, sign: str) -> str:
    return text.replace(sign, "") if sign else text


def _iso(parts: dict[str, str]) -> str:
    text = f"{parts['Y']}-{parts['m']:0>2}-{parts['d']:0>2}"
    if parts.get("H") is not None:
        text += f"T{parts['H']:0>2}:{parts.get('M') or '00'}"
        text += f":{parts['S']}" if parts.get("S") is not None else ""
        text += parts.get("z") or ""
    return text


def plain_texts(texts: Any, notation: Notation) -> Any:
    """Return distinct Arrow texts in plain notation, those that are of the notation."""
    return _each(texts, notation.plain)


def written_texts(texts: Any, notation: Notation) -> Any:
    """Return plain Arrow texts in a notation."""
    encoded = texts.dictionary_encode()
    return _each(encoded.dictionary, notation.written).take(encoded.indices)


def _each(texts: Any, change: Callable[[str], str]) -> Any:
    import pyarrow as pa

    plain = [None if text is None else change(text) for text in texts.to_pylist()]
    return pa.array(plain, type=pa.string())


def has_thousands(cells: Any, notation: Notation) -> bool:
    """Tell whether any cell of a column of numbers has a sign between thousands."""
    import pyarrow.compute as pc

    if not notation.thousands:
        return False
    return bool(pc.any(pc.match_substring(cells, notation.thousands)).as_py())


@lru_cache
def check_notation(notation: Notation) -> None:
    """Refuse signs that cannot be told apart, and forms of a date that leave something open."""
    for what, sign in (("decimal", notation.decimal), ("thousands", notation.thousands)):
        least = 1 if what == "decimal" else 0
        if not least <= len(sign) <= 1 or sign.isalnum() or set(sign) & set('+-"[]\r\n*'):
            raise RequestError(f"{what} must be one sign, such as '.' or ','")
    if notation.decimal == notation.thousands:
        raise RequestError("decimal and thousands are the same sign")
    date, parts = notation.date, re.findall("%.?", notation.date)
    if "%y" in parts:
        raise RequestError(
            f"date format {shown(date)}: a year of two digits leaves its century open; "
            "read the column as text, or write %Y"
        )
    known = {*DATE_PARTS, "%H", "%M", "%S"}
    times = [part for part in ("%H", "%M", "%S") if part in parts]
    if "%z" in parts and times and date.endswith("%z"):
        parts.remove("%z")
        date = date.removesuffix("%z")
    if (
        len(set(parts)) != len(parts)
        or not set(parts) <= known
        or not set(DATE_PARTS) <= set(parts)
        or times not in ([], ["%H", "%M"], ["%H", "%M", "%S"])
        or re.search("%.[0-9%]|[0-9]", date)
    ):
        raise RequestError(
            f"date format {shown(notation.date)}: say %Y, %m and %d, each once, with signs between "
            "them, and maybe %H:%M or %H:%M:%S, then %z, as in %d.%m.%Y"
        )
