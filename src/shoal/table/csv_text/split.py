"""Records of csv text cut into the cells of columns, by Arrow's reader under a strict eye.

Arrow's reader is fast and lenient. Before it reads, the quotes and line ends are checked as
`scan.py` checks them; afterwards the bytes of all cells, quotes, delimiters and line ends must add
up to those that were there, so that nothing was left out or joined. Text that is odd in any way
is not read here: whoever asked looks at each byte (`scan.py`), and finds the words for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.errors import InputError
from shoal.kernels.arrays import Flags, Integers
from shoal.table.csv_text.scan import (
    CR,
    LF,
    MARK,
    MAX_CELL,
    NEAR,
    QUOTE,
    WHOLE,
    Begin,
    Buffer,
    Bytes,
    Layout,
    check_closed,
    check_quotes,
    check_returns,
    check_text,
    count_of,
    header_names,
    near,
    outside,
    quoted_cells,
    scan,
)
from shoal.table.dialects.transcode import swapped

PIECE = 8 * 2**20  # bytes that one thread cuts at a time
SURE_CELL = MAX_CELL // 2 - 1  # a cell of so many bytes is not too long, whatever its quotes


@dataclass(frozen=True, repr=False)
class Head:
    """The header of a csv text: its bytes, the names in it and the delimiter it shows."""

    raw: bytes
    names: tuple[str, ...]
    delimiter: str


@dataclass(frozen=True, repr=False)
class Part:
    """Some records: for each column the cells, and which of them stood in quotes (None: none did).

    `lines` are the lines of the records, from 0 where the part begins (None: each has one line);
    `breaks` is how many line feeds there are.
    """

    cells: tuple[Any, ...]
    quoted: tuple[Flags | None, ...]
    lines: Integers | None
    breaks: int

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.cells[0])


def head_of(raw: Buffer, name: str, delimiter: str | None) -> Head:
    """Return the header of a text, or raise InputError."""
    first = _first_record(bytes(raw[:NEAR])) or _first_record(bytes(raw)) or bytes(raw)
    check_text(first, name)
    layout = scan(first, name, delimiter)
    return Head(first, tuple(header_names(first, layout, name)), layout.delimiter)


def _first_record(raw: bytes) -> bytes:
    """Return the first record with its line end, nothing if it has none."""
    end = raw.find(b"\n") + 1
    if raw.count(b'"', 0, end) % 2 == 0:
        return raw[:end]
    data = np.frombuffer(raw, dtype=np.uint8)
    ends = outside(np.flatnonzero(data == LF), np.flatnonzero(data == QUOTE))
    return raw[: ends[0] + 1] if ends.size else b""


def cuts(raw: Buffer, start: int, stop: int, size: int) -> Iterator[memoryview]:
    """Yield the text between two places in pieces of whole records; at least one, maybe empty."""
    text = memoryview(raw)
    while True:
        step, end = size, 0
        while start + step < stop and end == 0:
            end = last_end(text[start : start + step])
            step *= 2
        end = start + end if end else stop
        yield text[start:end]
        start = end
        if start >= stop:
            return


def last_end(raw: Buffer) -> int:
    """Return where the last record ends that is there as a whole, 0 if none is.

    A record ends with a line feed before which an even number of quotes stands.
    """
    data = np.frombuffer(raw, dtype=np.uint8)
    before = count_of(data, QUOTE)
    for stop in range(data.size, 0, -NEAR):
        start = max(stop - NEAR, 0)
        quotes = np.flatnonzero(data[start:stop] == QUOTE)
        feeds = np.flatnonzero(data[start:stop] == LF)
        before -= quotes.size
        ends = feeds[(before + np.searchsorted(quotes, feeds)) % 2 == 0]
        if ends.size:
            return start + int(ends[-1]) + 1
    return 0


def split(raw: Buffer, head: Head) -> Part | None:
    """Return whole records as cells, None where anything about them is odd.

    Postcondition: a part is what `scan_part` gives of the same text.
    """
    data, quotes = np.frombuffer(raw, dtype=np.uint8), None
    if not data.size:
        empty = pa.array([], type=pa.string())
        return Part((empty,) * len(head.names), (None,) * len(head.names), None, 0)
    has_mark = bytes(raw[: len(MARK)]) == MARK  # Arrow's reader takes it for that of a file
    if data.min() == 0 or has_mark or not _is_text(raw, data):
        return None
    returns = count_of(data, CR)
    if count_of(data, QUOTE):
        quotes = np.flatnonzero(data == QUOTE)
        try:
            check_quotes(data, quotes, ord(head.delimiter), "", WHOLE)
            check_closed(data, quotes, "", WHOLE)
            check_returns(data, quotes, "", WHOLE)
        except InputError:
            return None
    elif returns and returns != _returns_before_feeds(data):
        return None
    cells = _read(raw, head, quotes is not None)
    if cells is None:
        return None
    if quotes is not None:
        return _with_quotes(data, quotes, cells)
    feeds, rows = count_of(data, LF), len(cells[0])
    signs = rows * (len(cells) - 1) + feeds + returns
    if sum(_size(column) for column in cells) + signs != data.size:
        return None
    if rows != feeds + (data[-1] != LF):
        return None
    return Part(cells, (None,) * len(cells), None, feeds)


def _returns_before_feeds(data: Bytes) -> int:
    pairs = ((part[:-1] == CR) & (part[1:] == LF) for part in near(data, 1))
    return sum(int(np.count_nonzero(pair)) for pair in pairs)


def _is_text(raw: Buffer, data: Bytes) -> bool:
    if data.max() < 0x80:
        return True
    try:
        str(raw, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _read(raw: Buffer, head: Head, has_quotes: bool) -> tuple[Any, ...] | None:
    """Return the cells of each column as Arrow's reader sees them, None where it sees none."""
    from pyarrow import csv

    names = [str(index) for index in range(len(head.names))]
    reading = csv.ReadOptions(use_threads=False, block_size=len(raw) + 1, column_names=names)
    parsing = csv.ParseOptions(
        delimiter=head.delimiter,
        quote_char='"' if has_quotes else False,
        newlines_in_values=has_quotes,
        ignore_empty_lines=False,
    )
    converting = csv.ConvertOptions(
        check_utf8=False,
        column_types=dict.fromkeys(names, pa.binary()),
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
    )
    try:
        table = csv.read_csv(pa.BufferReader(raw), reading, parsing, converting)
    except pa.ArrowInvalid:
        return None
    cells = tuple(_as_texts(column) for column in table.columns)
    longest = max(int(np.diff(offsets_of(column)).max(initial=0)) for column in cells)
    return cells if longest <= SURE_CELL else None


def _as_texts(column: Any) -> Any:
    """Return bytes as the texts they were found to be."""
    (chunk,) = column.chunks if column.num_chunks == 1 else (column.combine_chunks(),)
    _, offsets, data = chunk.buffers()
    return pa.StringArray.from_buffers(len(chunk), offsets, data, offset=chunk.offset)


def offsets_of(texts: Any) -> npt.NDArray[Any]:
    """Return where texts begin in their buffer, and where the last ends."""
    if not len(texts):
        return np.zeros(1, dtype=np.int32)
    size = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    every = np.frombuffer(texts.buffers()[1], dtype=size)
    return every[texts.offset : texts.offset + len(texts) + 1]


def bytes_of(texts: Any) -> npt.NDArray[np.uint8]:
    """Return the bytes of texts, one after the other."""
    offsets, data = offsets_of(texts), texts.buffers()[2]
    if data is None:
        return np.zeros(0, dtype=np.uint8)
    return np.frombuffer(data, dtype=np.uint8)[offsets[0] : offsets[-1]]


def _size(texts: Any) -> int:
    offsets = offsets_of(texts)
    return int(offsets[-1]) - int(offsets[0])


def _with_quotes(data: Any, quotes: Integers, cells: tuple[Any, ...]) -> Part | None:
    """Return records some cells of which stand in quotes, if their cells fill the text.

    Where a cell begins follows from the lengths of those before it.
    """
    import pyarrow.compute as pc

    feeds = np.flatnonzero(data == LF)
    breaks = outside(feeds, quotes)
    inside = feeds.size - breaks.size
    if data[-1] != LF:
        breaks = np.append(breaks, data.size)
    if breaks.size != len(cells[0]):
        return None
    first = np.concatenate(([0], breaks[:-1] + 1))
    last = breaks - ((breaks > first) & (data[np.maximum(breaks - 1, 0)] == CR))
    at, flags = first, []
    for column in cells:
        quoted = data[np.minimum(at, data.size - 1)] == QUOTE
        quoted &= at < last
        flags.append(quoted if quoted.any() else None)
        at = at + np.diff(offsets_of(column)) + 2 * quoted + 1
        if (bytes_of(column) == QUOTE).any():
            at = at + np.asarray(pc.count_substring(column, '"'))
        if np.any(at > last + 1):
            return None
    if not np.array_equal(at, last + 1):
        return None
    lines = np.searchsorted(feeds, first) if inside else None
    return Part(cells, tuple(flags), lines, int(feeds.size))


def lines_of(parts: Sequence[Part], line: int) -> Integers | None:
    """Return the line of each record of parts that begin at a line, with that of the header first.

    None: record r stands on line r + 1.
    """
    if line <= 2 and all(part.lines is None for part in parts):
        return None
    lines = [np.ones(1, dtype=np.int64)]
    for part in parts:
        own = np.arange(part.records) if part.lines is None else part.lines
        lines.append(own + line)
        line += part.breaks
    return np.concatenate(lines)


def scan_text(raw: bytes, name: str, delimiter: str | None) -> tuple[Head, Part, Layout]:
    """Return the records of a text with its header, looked at byte by byte, or raise InputError."""
    layout = scan(raw, name, delimiter)
    names = tuple(header_names(raw, layout, name))
    end = raw.find(b"\n", int(layout.ends[0, -1])) + 1
    head = Head(raw[:end] if end else raw, names, layout.delimiter)
    above = head.raw.count(b"\n")
    return head, part_of(raw, layout, above + 1, above), layout


def scan_part(raw: bytes, head: Head, name: str, begin: Begin) -> tuple[Part, Layout]:
    """Return whole records as cells, looked at byte by byte, or raise InputError.

    `begin` counts from where the text begins in the file.
    """
    whole = head.raw + raw
    above = head.raw.count(b"\n")
    layout = scan(whole, name, head.delimiter, Begin(begin.lines - above, begin.records))
    return part_of(whole, layout, begin.lines + 1, above), layout


def first_empty_line(whole: bytes, layout: Layout, begin: Begin) -> tuple[int, int] | None:
    """Return line and record of the first empty line at the end of a piece, None if there is none.

    Such lines are no records, but only if nothing follows them in the file.
    """
    end = int(layout.ends[-1, -1])
    if layout.columns == 1 or not whole[end:].partition(b"\n")[2]:
        return None
    line = whole.count(b"\n", 0, end) + 2 + begin.lines
    return line, begin.records + layout.records + 1


def part_of(raw: bytes, layout: Layout, line: int, above: int) -> Part:
    """Return the records of a text whose structure is known; `line` is that of the first."""
    data = np.frombuffer(raw, dtype=np.uint8)
    every = range(layout.columns)
    quoted = tuple(quoted_cells(data, layout, index) for index in every)
    cells = tuple(column_cells(data, layout, index, quoted[index]) for index in every)
    lines = None if layout.lines is None else layout.lines[1:] - line
    return Part(cells, quoted, lines, raw.count(b"\n") - above)


def column_cells(data: Any, layout: Layout, index: int, quoted: Any) -> Any:
    """Return the texts of one column as an Arrow array, gathered from the file's bytes."""
    starts, ends = layout.starts[1:, index], layout.ends[1:, index]
    if quoted is not None:
        starts, ends = starts + quoted, ends - quoted
    lengths = ends - starts
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    if offsets[-1] >= 2**31:
        raise too_much_text(index)
    positions = np.repeat(starts - offsets[:-1], lengths)
    positions += np.arange(offsets[-1])
    texts = pa.StringArray.from_buffers(
        lengths.size,
        pa.py_buffer(offsets.astype(np.int32)),
        pa.py_buffer(data[positions].tobytes()),
    )
    if quoted is not None:
        import pyarrow.compute as pc

        texts = pc.replace_substring(texts, '""', '"')
    return texts


def too_much_text(index: int) -> InputError:
    """Return the error of a column that Arrow's texts cannot hold."""
    return InputError(f"column {index + 1} holds more than 2 GiB of text")


def unswapped(part: Part, quote: str) -> Part:
    """Return records whose text was read with a quote and `"` in each other's place."""
    return replace(part, cells=tuple(_unswapped_texts(texts, quote) for texts in part.cells))


def unswapped_head(head: Head, quote: str) -> Head:
    """Return a header whose text was read with a quote and `"` in each other's place."""
    names = tuple(swapped(name.encode(), quote).decode() for name in head.names)
    return replace(head, names=names)


def _unswapped_texts(texts: Any, quote: str) -> Any:
    data = bytes_of(texts).tobytes()
    offsets = offsets_of(texts)
    return pa.StringArray.from_buffers(
        len(texts), pa.py_buffer((offsets - offsets[0]).astype(np.int32)),
        pa.py_buffer(swapped(data, quote)),
    )  # fmt: skip
