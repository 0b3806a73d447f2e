"""How a csv release is written: its signs, its encoding, its numbers and dates."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from shoal.errors import RequestError, shown

SAMPLE = datetime(2001, 2, 3, 4, 5, tzinfo=UTC)
ALIKE = SAMPLE.replace(year=2007)  # on the same weekday
TIMES = ("%H", "%M", "%S")
QUOTE = '"'
SPELLED = re.compile("iso2022|hz|utf-7|.*escape|punycode|idna")


@dataclass(frozen=True)
class Written:
    """Signs and encoding of a csv file; the delimiter is None where the file shows it.

    `date_format` is by column, "" stands for all.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    quote: str = QUOTE
    decimal: str = "."
    thousands: str = ""
    date_format: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what no csv file is written in."""
        given = (self.delimiter or "", self.encoding, self.quote, self.decimal, self.thousands)
        if not all(isinstance(one, str) for one in given):
            raise RequestError("delimiter, encoding, quote, decimal and thousands are texts")
        sign = self.delimiter
        if sign is not None and (len(sign) != 1 or not sign.isascii() or sign in '"\r\n\0'):
            raise RequestError("the delimiter must be one character, such as ',' or ';'")
        if len(self.quote) != 1 or not self.quote.isascii() or self.quote.isalnum():
            raise RequestError("the quote must be one plain sign, such as ' or \"")
        if self.quote == sign or self.quote in "\r\n\0":
            raise RequestError("the quote must be another sign than the delimiter and line ends")
        try:
            encoding = codecs.lookup(self.encoding).name
        except LookupError:
            raise RequestError(f"there is no encoding {shown(self.encoding)}") from None
        if SPELLED.match(encoding):
            raise RequestError(f"encoding {encoding} spells one text in many ways; write UTF-8")
        formats_of(self.date_format)

    def date(self, column: str, text: str) -> str | None:
        """Return a date of a column's format as ISO writes it; None if it is none."""
        form = self.date_format.get(column, self.date_format.get(""))
        return None if form is None else as_iso(text, form)

    def number(self, text: str) -> str:
        """Return a number with a point for its decimal sign, another text as it is."""
        if self.decimal == "." and not self.thousands:
            return text
        many = rf"[1-9]\d{{0,2}}(?:{re.escape(self.thousands)}\d{{3}})+|" if self.thousands else ""
        whole = rf"(?:{many}\d+)"
        form = rf"\s*[+-]?(?:{whole}(?:{re.escape(self.decimal)}\d*)?)(?:[eE][+-]?\d+)?\s*"
        if not re.fullmatch(form, text, re.ASCII):
            return text.replace(".", "\0") if re.fullmatch(r"\s*[+-]?[\d.]+\s*", text) else text
        return text.replace(self.thousands, "").replace(self.decimal, ".")


def as_iso(text: str, form: str) -> str | None:
    """Return a date, or a date and time, as ISO writes it; None if it is not of the format."""
    try:
        moment = datetime.strptime(text.strip(" \t"), form)
    except ValueError:
        return None
    return (moment if any(part in form for part in TIMES) else moment.date()).isoformat()


def formats_of(given: Any) -> dict[str, str]:
    """Return formats by column, "" for all; raise RequestError for what is none."""
    formats = {"": given} if isinstance(given, str) else given
    texts = isinstance(formats, Mapping) and all(
        isinstance(one, str) for pair in formats.items() for one in pair
    )
    if not texts:
        raise RequestError("date_format must be a format, or one by column")
    for form in formats.values():
        has_year = SAMPLE.strftime(form) != ALIKE.strftime(form)  # Python warns of days without one
        iso = as_iso(SAMPLE.strftime(form), form) if has_year else None
        if iso is None or iso[:10] != SAMPLE.date().isoformat():
            raise RequestError(f"date format {shown(form)}: say it as %d.%m.%Y")
    return dict(formats)
