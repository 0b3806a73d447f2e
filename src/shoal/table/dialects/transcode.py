"""The text of a csv file in any dialect as plain csv: UTF-8, `"` for quotes, no other lines.

Bytes come in pieces of any size and go out as they are known. Quotes of another sign change places
with `"`, so that cells can be changed back sign by sign. A line of a table with widths becomes its
cells, without the blanks that fill them.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from shoal.errors import InputError
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.table.dialects.dialect import QUOTE, UTF_8, Dialect

MARKS = (  # the longer ones first: that of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, UTF_8), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
PIECE = 2**20
FIRST = 2**16  # bytes that show how a text is written

Read = Callable[[int], bytes]


def marked_encoding(raw: bytes) -> str | None:
    """Return the encoding that the first bytes of a file name for certain."""
    return next((name for mark, name in MARKS if raw.startswith(mark)), None)


def swapped(raw: bytes, quote: str) -> bytes:
    """Return text in which a sign and `"` have changed places."""
    if quote == QUOTE:
        return raw
    both = (quote + QUOTE).encode()
    return raw.translate(bytes.maketrans(both, both[::-1]))


class TextStream:
    """A text that is plain csv already."""

    changes = False  # whether it reads otherwise than it stands

    def __init__(self, read: Read, name: str, dialect: Dialect, encoding: str) -> None:
        self._read, self._name, self._dialect = read, name, dialect
        self.encoding = encoding
        self.lines: list[int] = []  # which line each line of the table was, where some are not

    @property
    def delimiter(self) -> str | None:
        """What separates cells, where it is known."""
        return "," if self._dialect.widths else self._dialect.delimiter

    def read(self, size: int) -> bytes:
        """Return so many bytes at most; fewer, and none, only at the end."""
        return self._read(size)

    def all(self) -> bytes:
        """Return the whole text."""
        return self.read(sys.maxsize)

    def renumbered(self, lines: Integers | None, records: int) -> Integers | None:
        """Return the lines of the file on which records stand, the header's first."""
        if not self.lines:
            return lines
        own = np.arange(1, records + 2) if lines is None else lines
        return np.asarray(self.lines)[own - 1]

    @contextmanager
    def renumbering(self) -> Iterator[None]:
        """Let errors name the lines of the file."""
        try:
            yield
        except InputError as error:
            raise InputError(self._renumbered(error.marked)) from None

    def _renumbered(self, words: str) -> str:
        def of_file(match: re.Match[str]) -> str:
            line = int(match[2])
            known = self.lines[line - 1] if line <= len(self.lines) else line
            return f"{match[1]}{known}"

        if not self.lines:
            return words
        return re.sub(rf"^({re.escape(self._name)}, line )([0-9]+)", of_file, words)


def open_text(read: Read, name: str, dialect: Dialect) -> TextStream:
    """Return a text as plain csv, changed as little as it must be."""
    first = read(FIRST)
    encoding = dialect.encoding or marked_encoding(first) or UTF_8
    again = _Ahead(first, read).read
    returns = b"\n" not in first and b"\r" in first.rstrip(b"\r")
    if dialect.is_plain and encoding == UTF_8 and not returns:
        return TextStream(again, name, dialect, encoding)
    return Transcoded(again, name, dialect, encoding)


class _Ahead:
    """Gives back what was read ahead, then what follows."""

    def __init__(self, first: bytes, read: Read) -> None:
        self._first, self._read = first, read

    def read(self, size: int) -> bytes:
        first, self._first = self._first[:size], self._first[size:]
        if len(first) < size:
            rest = self._read(size - len(first) if size < sys.maxsize else -1)
            return first + rest if first else rest
        return first


class Transcoded(TextStream):
    """A text of some dialect, read as plain csv."""

    changes = True

    def __init__(self, read: Read, name: str, dialect: Dialect, encoding: str) -> None:
        super().__init__(read, name, dialect, encoding)
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._seen = self._quotes = 0
        self._rest, self._ready = "", b""
        self._ended = False
        self._returns: bool | None = None  # whether lines end in a carriage return alone
        self._number = self._left_out = 0

    def read(self, size: int) -> bytes:
        """Return so many bytes at most; fewer, and none, only at the end."""
        while len(self._ready) < size and not self._ended:
            self._ready += self._next()
        part, self._ready = self._ready[:size], self._ready[size:]
        return part

    def _next(self) -> bytes:
        raw = self._read(PIECE)
        self._ended = not raw
        try:
            text = self._rest + self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self._name}: byte {self._seen + error.start} is not {self.encoding}; "
                f"say another {option('encoding')}"
            ) from None
        self._seen += len(raw)
        end = len(text) if self._ended else text.rfind("\n") + 1
        if self._returns is None and text:
            self._returns = "\n" not in text and "\r" in text.rstrip("\r")
        if self._returns and "\n" in text:
            raise InputError(
                f"{self._name}: lines end in a carriage return alone, and others do not; "
                "the file is damaged"
            )
        if self._returns:
            end = len(text) if self._ended else text.rfind("\r") + 1
            text = text[:end].replace("\r", "\n") + text[end:]
        lines, self._rest = text[:end], text[end:]
        return swapped(self._table(lines).encode(UTF_8), self._dialect.quote)

    def _table(self, text: str) -> str:
        """Return the lines that are of the table."""
        dialect = self._dialect
        if not (dialect.skip_lines or dialect.comment or dialect.widths):
            return text
        kept = []
        for line in _lines(text):
            self._number = len(self.lines) + self._left_out + 1
            if self._number <= dialect.skip_lines or self._is_comment(line):
                self._left_out += 1
                continue
            self._quotes += line.count(dialect.quote)
            self.lines.append(self._number)
            kept.append(self._cut(line) if dialect.widths else line)
        return "".join(kept)

    def _is_comment(self, line: str) -> bool:
        comment = self._dialect.comment
        return comment is not None and self._quotes % 2 == 0 and line.startswith(comment)

    def _cut(self, line: str) -> str:
        """Return a line of a table with widths as cells."""
        bare, cells, at = line.rstrip("\r\n"), [], 0
        widths = self._dialect.widths
        if len(bare) > sum(widths) and bare[sum(widths) :].strip():
            raise InputError(
                f"{self._name}, line {self._number}: {len(bare)} signs, the widths are "
                f"{sum(widths)} together; say others with {option('widths')}"
            )
        for width in widths:
            cell = bare[at : at + width].strip()
            quoted = any(sign in cell for sign in ',"\r\n')
            cells.append('"' + cell.replace('"', '""') + '"' if quoted else cell)
            at += width
        return ",".join(cells) + "\n"


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
