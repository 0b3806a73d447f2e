"""How a csv file is written: its text, its cells, its numbers and dates."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from shoal.errors import RequestError, shown
from shoal.table.dialects.notation import STRICT, Notation, check_notation

QUOTE = '"'
UTF_8 = "utf-8"
CSV_ONLY = "can be declared for csv files only"


@dataclass(frozen=True)
class Dialect:
    """What is known of a csv file before it is read.

    delimiter, encoding: None where the file shows them. skip_lines: how many lines stand above the
    header. comment: what a line begins with that is none of the table. widths: how many signs each
    column has, where no delimiter separates them. date_formats: by column, "" stands for all.
    sheet: of a spreadsheet, which is no text.
    """

    delimiter: str | None = None
    encoding: str | None = None
    quote: str = QUOTE
    skip_lines: int = 0
    comment: str | None = None
    widths: tuple[int, ...] = ()
    decimal: str = "."
    thousands: str = ""
    date_formats: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            object.__setattr__(self, "encoding", encoding_name(self.encoding))
        if len(self.quote) != 1 or not 31 < ord(self.quote) < 127 or self.quote.isalnum():
            raise RequestError("the quote must be one plain sign, such as ' or \"")
        if self.skip_lines < 0:
            raise RequestError("skip_lines cannot be below 0")
        if self.comment is not None and (not self.comment.strip() or "\n" in self.comment):
            raise RequestError("comment must be the first sign of a line, such as #")
        if any(width < 1 for width in self.widths):
            raise RequestError("widths are whole numbers of at least 1, one a column: 5,2,8")
        if self.widths and self.delimiter is not None:
            raise RequestError("give widths or a delimiter: a table has one or the other")
        for name in ("", *self.date_formats):
            check_notation(self.notation(name))

    @property
    def is_plain(self) -> bool:
        """Whether the text is UTF-8 csv as it stands, whatever its cells are."""
        return (
            self.encoding in (None, UTF_8) and self.quote == QUOTE and not self.skip_lines
            and self.comment is None and not self.widths
        )  # fmt: skip

    def notation(self, column: str) -> Notation:
        """Return how a column writes its cells."""
        every = self.date_formats.get("", STRICT.date)
        return Notation(self.decimal, self.thousands, self.date_formats.get(column, every))

    def to_settings(self) -> dict[str, Any]:
        """Return what reads a file so again, as input settings."""
        formats: Any = dict(self.date_formats) or None
        if formats is not None and list(formats) == [""]:
            formats = formats[""]
        return {
            "delimiter": self.delimiter, "encoding": self.encoding, "quote": self.quote,
            "skip_lines": self.skip_lines, "comment": self.comment, "widths": self.widths,
            "decimal": self.decimal, "thousands": self.thousands, "date_format": formats,
            "sheet": self.sheet,
        }  # fmt: skip

    def released(self) -> Dialect:
        """Return the dialect that a release is written in: its lines are all of the table."""
        return replace(self, skip_lines=0, comment=None, widths=())


def encoding_name(name: str) -> str:
    """Return the one name of an encoding."""
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError):
        raise RequestError(
            f"there is no encoding {shown(name)}; usual ones are utf-8, cp1252, latin-1, utf-16"
        ) from None
    if not known._is_text_encoding:
        raise RequestError(f"{shown(name)} is no encoding of text")
    return known.name


PLAIN = Dialect()


class How(TypedDict, total=False):
    """How a csv file is written, as arguments."""

    encoding: str | None
    quote: str
    skip_lines: int
    comment: str | None
    widths: Sequence[int]
    decimal: str
    thousands: str
    date_format: str | Mapping[str, str] | None
    sheet: str | None


HOW = tuple(How.__annotations__)


def dialect_of(delimiter: str | None = None, **how: Unpack[How]) -> Dialect:
    """Return the dialect that arguments name."""
    formats = how.pop("date_format", None) or {}
    if isinstance(formats, str):
        formats = {"": formats}
    widths = how.pop("widths", ()) or ()
    given: dict[str, Any] = {name: value for name, value in how.items() if value is not None}
    for name, value in given.items():
        if not isinstance(value, int if name == "skip_lines" else str) or isinstance(value, bool):
            raise RequestError(f"{name} must be {'a number' if name == 'skip_lines' else 'a text'}")
    if not isinstance(formats, Mapping) or not all(map(_is_text_pair, formats.items())):
        raise RequestError("date_format must be a format, or one by column")
    if isinstance(widths, str) or not isinstance(widths, Sequence):
        raise RequestError("widths must be whole numbers, such as (5, 2, 8)")
    if not all(type(width) is int for width in widths):
        raise RequestError("widths must be whole numbers, such as (5, 2, 8)")
    widths = tuple(widths)
    return Dialect(delimiter, widths=widths, date_formats=dict(formats), **given)


def _is_text_pair(pair: tuple[Any, Any]) -> bool:
    return isinstance(pair[0], str) and isinstance(pair[1], str)


def settled(dialect: Dialect, encoding: str) -> Dialect:
    """Return the dialect of a file that was read: its delimiter stands apart."""
    return replace(dialect, encoding=None if encoding == UTF_8 else encoding, delimiter=None)
