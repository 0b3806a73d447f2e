"""A stream of csv text, cut where records end, and the structure of each piece.

Each piece has the header before it, so that it is a small csv file; what is said of its lines,
records and bytes counts from the start of the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from shoal.errors import InputError
from shoal.kernels.arrays import Integers
from shoal.table.csv_text.scan import (
    CR,
    CUT,
    MAGIC,
    MAX_CELL,
    MAX_COLUMNS,
    QUOTE,
    Begin,
    blank_header,
    check_quotes,
    check_returns,
    check_text,
    empty,
    find_delimiter,
    long_cell,
    outside,
    ragged,
    without_mark,
)
from shoal.table.csv_text.split import (
    Head,
    Part,
    first_empty_line,
    head_of,
    last_end,
    lines_of,
    scan_part,
    scan_text,
    split,
)

LONG = 2**22
PART = 2**20  # bytes of a rest that is read on for the error's sake

Read = Callable[[int], bytes]


@dataclass(frozen=True, repr=False)
class Piece:
    """Some whole records as cells, the header before them, and their lines, the header's first."""

    part: Part
    head: Head
    lines: Integers | None


class Cutter:
    """The pieces of one text, each of about `size` bytes; at least one, though it be empty.

    A record that has not ended after `long` bytes is looked at.
    """

    def __init__(
        self, read: Read, name: str, delimiter: str | None, size: int, long: int = LONG
    ) -> None:
        self._read, self._name, self._delimiter = read, name, delimiter
        self._size, self._long = size, long
        self._begin = Begin()
        self._rest = b""
        self._head: Head | None = None
        self._empty_line: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[Piece]:
        bare, some = None, False
        for raw in self._whole_records():
            piece = self._piece(raw)
            if piece.part.records:
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
        self._rest = bytes(without_mark(part, self._name))
        while self._rest or part:
            ended = len(part) < wanted
            end = len(self._rest) if ended else last_end(self._rest)
            if end:
                raw, self._rest = self._rest[:end], self._rest[end:]
                yield raw
            elif len(self._rest) > self._long:
                self._check_open(self._rest)
            # as much again as is there: a long record must not be looked at byte by byte
            held = len(self._rest)
            wanted = max(self._size - held, held, 1)
            part = b"" if ended else self._read(wanted)
            self._rest += part

    def _piece(self, raw: bytes) -> Piece:
        above = 0 if self._head else None
        part = self._split(raw) or self._scan(raw)
        assert self._head is not None
        if above is None:
            above = self._head.raw.count(b"\n")
        lines = lines_of([part], self._begin.lines + above + 1)
        self._begin = Begin(
            self._begin.lines + above + part.breaks,
            self._begin.records + part.records,
            self._begin.offset + len(raw),
        )
        return Piece(part, self._head, lines)

    def _split(self, raw: bytes) -> Part | None:
        """Return the records of a piece, None where something about it is odd."""
        if self._empty_line is not None:
            return None
        if self._head is not None:
            return split(raw, self._head)
        try:
            head = head_of(raw, self._name, self._delimiter)
        except InputError:
            return None
        part = split(raw[len(head.raw) :], head)
        if part is not None:
            self._head = head
        return part

    def _scan(self, raw: bytes) -> Part:
        """Return the records of a piece after a look at each byte, or raise InputError."""
        check_text(raw, self._name, self._begin)
        if self._head is None and not raw.strip(b"\r\n"):
            self._refuse_blank(raw)
        if self._head is not None and self._empty_line is not None and raw.strip(b"\r\n"):
            raise ragged(self._name, *self._empty_line, 1, len(self._head.names))
        if self._head is None:
            self._head, part, layout = scan_text(raw, self._name, self._delimiter)
            whole, above = raw, 0
        else:
            whole, above = self._head.raw + raw, self._head.raw.count(b"\n")
            part, layout = scan_part(raw, self._head, self._name, self._begin)
        if self._empty_line is None:
            begin = Begin(self._begin.lines - above, self._begin.records)
            self._empty_line = first_empty_line(whole, layout, begin)
        return part

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
        known = self._head.delimiter if self._head else self._delimiter
        delimiter = known or find_delimiter(_whole_signs(buffer), name)
        data = np.frombuffer(buffer, dtype=np.uint8)
        quotes = np.flatnonzero(data == QUOTE)
        check_quotes(data, quotes, ord(delimiter), name, begin)
        check_returns(data[:-1] if data[-1] == CR else data, quotes, name, begin)
        commas = outside(np.flatnonzero(data == ord(delimiter)), quotes)
        line, cells = begin.lines + 1, commas.size + 1
        if not self._head and cells > MAX_COLUMNS:
            raise InputError(
                f"{name}, line 1: {MAX_COLUMNS} columns and more; the limit is {MAX_COLUMNS}"
            )
        if self._head and cells > len(self._head.names):
            raise InputError(
                f"{name}, line {line} (record {begin.records + 1}): {cells} cells and more, "
                f"the header has {len(self._head.names)}{CUT}"
            )
        if data.size - (commas[-1] + 1 if commas.size else 0) > MAX_CELL:
            raise long_cell(name, line, cells)


def _whole_signs(raw: bytes) -> bytes:
    """Return text without a last character of which bytes may be missing."""
    for back in range(1, min(4, len(raw)) + 1):
        if raw[-back] < 0x80:
            return raw
        if raw[-back] >= 0xC0:
            return raw[:-back]
    return raw
