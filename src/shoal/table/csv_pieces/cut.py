"""A stream of csv text, cut where records end, and the structure of each piece.

Each piece has the header before it, so that it is a small csv file; what is said of its lines,
records and bytes counts from the start of the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from shoal.errors import InputError, in_shape
from shoal.table.decode import Begin, check_text, without_mark
from shoal.table.scan import (
    CR,
    LF,
    MAX_CELL,
    MAX_COLUMNS,
    QUOTE,
    Layout,
    blank_header,
    check_quotes,
    check_returns,
    empty,
    find_delimiter,
    header_names,
    long_cell,
    outside,
    ragged,
    scan,
)

LONG = 2**22  # bytes after which a record that has not ended yet is looked at
PART = 2**20  # bytes of a rest that is read on for the error's sake
MAGIC = 4  # the most bytes that tell another format

Read = Callable[[int], bytes]


@dataclass(frozen=True)
class Piece:
    """Some whole records after the header, where their cells are, and the names of the columns."""

    __repr__ = in_shape

    raw: bytes
    layout: Layout
    names: tuple[str, ...]


class Cutter:
    """The pieces of one text, each of about `size` bytes; at least one, though it be empty."""

    def __init__(self, read: Read, name: str, delimiter: str | None, size: int) -> None:
        self._read, self._name, self._delimiter, self._size = read, name, delimiter, size
        self._begin = Begin()
        self._rest = self._header = b""
        self._names: tuple[str, ...] = ()
        self._empty_line: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[Piece]:
        bare, some = None, False
        for raw in self._whole_records():
            piece = self._piece(raw)
            if piece.layout.records:
                some = True
                yield piece
            bare = bare or piece
        if bare is None:
            raise empty(self._name)
        if not some:
            yield bare

    def _whole_records(self) -> Iterator[bytes]:
        wanted = max(self._size, MAGIC)
        part = self._read(wanted)
        self._rest = without_mark(part, self._name)
        while self._rest or part:
            ended = len(part) < wanted
            end = len(self._rest) if ended else last_end(self._rest)
            if end:
                raw, self._rest = self._rest[:end], self._rest[end:]
                yield raw
            elif len(self._rest) > LONG:
                self._check_open(self._rest)
            # as much again as is there: a long record must not be looked at byte by byte
            held = len(self._rest)
            wanted = max(self._size - held, held, 1)
            part = b"" if ended else self._read(wanted)
            self._rest += part

    def _piece(self, raw: bytes) -> Piece:
        check_text(raw, self._name, self._begin)
        first = not self._header
        if first and not raw.strip(b"\r\n"):
            self._refuse_blank(raw)
        if self._empty_line is not None and raw.strip(b"\r\n"):
            raise ragged(self._name, *self._empty_line, 1, len(self._names))
        whole = self._header + raw
        begin = Begin(self._begin.lines - self._header.count(b"\n"), self._begin.records)
        layout = scan(whole, self._name, self._delimiter, begin)
        if first:
            self._names = tuple(header_names(whole, layout, self._name))
            self._delimiter = layout.delimiter
            self._header = whole[: whole.find(b"\n", int(layout.ends[0, -1])) + 1]
        if layout.columns > 1 and self._empty_line is None:
            self._empty_line = _first_empty_line(whole, layout, begin)
        self._begin = Begin(
            self._begin.lines + raw.count(b"\n"),
            self._begin.records + layout.records,
            self._begin.offset + len(raw),
        )
        return Piece(whole, layout, self._names)

    def _refuse_blank(self, raw: bytes) -> None:
        """Raise InputError for a blank header, or a blank file."""
        part = self._rest or self._read(PART)
        while part and not part.strip(b"\r\n"):
            part = self._read(PART)
        if not part:
            raise empty(self._name)
        data = np.frombuffer(raw, dtype=np.uint8)
        check_returns(data, data[:0].astype(np.int64), self._name, self._begin)
        raise blank_header(self._name, 1)

    def _check_open(self, buffer: bytes) -> None:
        """Refuse a record that has not ended yet and is already too long in some way.

        The rest of it is not waited for, so that a quote that is never closed fills no memory.
        """
        name, begin = self._name, self._begin
        check_text(_whole_signs(buffer), name, begin)
        delimiter = self._delimiter or find_delimiter(_whole_signs(buffer), name)
        data = np.frombuffer(buffer, dtype=np.uint8)
        quotes = np.flatnonzero(data == QUOTE)
        check_quotes(data, quotes, ord(delimiter), name, begin)
        check_returns(data[:-1] if data[-1] == CR else data, quotes, name, begin)
        commas = outside(np.flatnonzero(data == ord(delimiter)), quotes)
        line, cells = begin.lines + 1, commas.size + 1
        if not self._header and cells > MAX_COLUMNS:
            raise InputError(
                f"{name}, line 1: {MAX_COLUMNS} columns and more; the limit is {MAX_COLUMNS}"
            )
        if self._header and cells > len(self._names):
            raise InputError(
                f"{name}, line {line} (record {begin.records + 1}): {cells} cells and more, "
                f"the header has {len(self._names)}"
            )
        if data.size - (commas[-1] + 1 if commas.size else 0) > MAX_CELL:
            raise long_cell(name, line, cells)


def _first_empty_line(whole: bytes, layout: Layout, begin: Begin) -> tuple[int, int] | None:
    """Return line and record of the first empty line at the end of a piece, None if there is none.

    Such lines are no records, but only if nothing follows them in the file.
    """
    end = int(layout.ends[-1, -1])
    if not whole[end:].partition(b"\n")[2]:
        return None
    line = whole.count(b"\n", 0, end) + 2 + begin.lines
    return line, begin.records + layout.records + 1


def last_end(raw: bytes) -> int:
    """Return where the last record ends that is there as a whole, 0 if none is."""
    if b'"' not in raw:
        return raw.rfind(b"\n") + 1
    data = np.frombuffer(raw, dtype=np.uint8)
    breaks = outside(np.flatnonzero(data == LF), np.flatnonzero(data == QUOTE))
    return int(breaks[-1]) + 1 if breaks.size else 0


def _whole_signs(raw: bytes) -> bytes:
    """Return text without a last character of which bytes may be missing."""
    for back in range(1, min(4, len(raw)) + 1):
        if raw[-back] < 0x80:
            return raw
        if raw[-back] >= 0xC0:
            return raw[:-back]
    return raw
