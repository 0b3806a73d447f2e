"""How a csv release is written, in the judge's own words, and its text as UTF-8."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from shoal.errors import InputError, RequestError, shown

SAMPLE = datetime(2001, 2, 3, 4, 5, tzinfo=UTC)
ALIKE = SAMPLE.replace(year=2007)  # on the same weekday
TIMES = ("%H", "%M", "%S")
QUOTE = '"'
PIECE = 2**16


@dataclass(frozen=True)
class Written:
    """Signs and encoding of a csv file; None where the file shows it.

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
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise RequestError("the delimiter must be one character, such as ',' or ';'")
        if len(self.quote) != 1 or not self.quote.isascii() or self.quote.isalnum():
            raise RequestError("the quote must be one plain sign, such as ' or \"")
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise RequestError(f"there is no encoding {shown(self.encoding)}") from None
        formats_of(self.date_format)

    def date(self, column: str, text: str) -> str | None:
        """Return a date of a column's format as ISO writes it; None if it is none."""
        form = self.date_format.get(column, self.date_format.get(""))
        return None if form is None else as_iso(text, form)

    def number(self, text: str) -> str:
        """Return a number with a point for its decimal sign, another text as it is."""
        if self.decimal == "." and not self.thousands:
            return text
        whole = r"\d+"
        if self.thousands:
            whole = rf"(?:[1-9]\d{{0,2}}(?:{re.escape(self.thousands)}\d{{3}})+|\d+)"
        form = rf"\s*[+-]?(?:{whole}(?:{re.escape(self.decimal)}\d*)?)(?:[eE][+-]?\d+)?\s*"
        if not re.fullmatch(form, text, re.ASCII):
            return text.replace(".", "\0") if re.fullmatch(r"\s*[+-]?[\d.]+\s*", text) else text
        plain = text.replace(self.thousands, "") if self.thousands else text
        return plain.replace(self.decimal, ".")

    def restored(self, text: str) -> str:
        """Return a text in which quotes are what they were in the file."""
        return text.translate(str.maketrans(self.quote + QUOTE, QUOTE + self.quote))

    def plain(self, file: IO[bytes], name: str) -> IO[bytes]:
        """Return a file's text as UTF-8 with double quotes."""
        if codecs.lookup(self.encoding).name == "utf-8" and self.quote == QUOTE:
            return file
        raw: Any = _Recoded(file, name, self)
        return io.BufferedReader(raw, PIECE)


class _Recoded(io.RawIOBase):
    """The bytes of a file as UTF-8; its quote and `"` have changed places."""

    def __init__(self, file: IO[bytes], name: str, written: Written) -> None:
        self._file, self._name, self._encoding = file, name, written.encoding
        self._decoder = codecs.getincrementaldecoder(written.encoding)()
        both = (written.quote + QUOTE).encode()
        self._signs = bytes.maketrans(both, both[::-1])
        self._ready = b""

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return how many bytes there were."""
        while not self._ready:
            raw = self._file.read(PIECE)
            try:
                text = self._decoder.decode(raw, final=not raw)
            except UnicodeDecodeError:
                raise InputError(f"{self._name}: the text is not {self._encoding}") from None
            self._ready = text.encode("utf-8").translate(self._signs)
            if not raw:
                break
        many = min(len(buffer), len(self._ready))
        buffer[:many], self._ready = self._ready[:many], self._ready[many:]
        return many


def as_iso(text: str, form: str) -> str | None:
    """Return a date, or a date and time, as ISO writes it; None if it is not of the format."""
    try:
        moment = datetime.strptime(text.strip(" \t"), form)
    except ValueError:
        return None
    if any(part in form for part in TIMES):
        return moment.isoformat()
    return moment.date().isoformat()


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
