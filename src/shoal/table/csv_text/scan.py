"""The structure of a csv file, checked byte by byte before anything is parsed.

Cells, quotes and line ends follow RFC 4180, strictly: what is ambiguous is an error that names
the line. All of it is vector arithmetic on the bytes, so a strict look costs little more than
a careless one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError, shown
from shoal.hints import option
from shoal.kernels.arrays import Flags, Integers

Buffer = bytes | memoryview  # text as bytes, or a view of it that is no copy
MARK = codecs.BOM_UTF8
MAGIC = 4  # the most bytes that tell another format


@dataclass(frozen=True)
class Begin:
    """Where a piece of a file begins: what to add to its own lines, records and bytes."""

    lines: int = 0
    records: int = 0
    offset: int = 0


WHOLE = Begin()


def without_mark(raw: Buffer, name: str) -> Buffer:
    """Return a text without a byte order mark; other formats are refused."""
    first = bytes(raw[:MAGIC])
    for magic, what in (
        (b"%PDF", "a PDF file"),
        (b"PK\x03\x04", "a zip or Excel file"),
        (b"\x1f\x8b", "a gzip file; name it .csv.gz"),
        (b"PAR1", "a Parquet file; name it .parquet"),
        (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    ):
        if first.startswith(magic):
            raise InputError(f"{name}: not text but {what}")
    return raw[len(MARK) :] if first.startswith(MARK) else raw


def check_text(raw: bytes, name: str, begin: Begin = WHOLE) -> None:
    """Raise InputError where bytes are not UTF-8 text."""
    zero = raw.find(b"\0")
    if zero >= 0:
        line = raw.count(b"\n", 0, zero) + 1 + begin.lines
        raise InputError(
            f"{name}, line {line}: a NUL byte (offset {zero + begin.offset}); "
            "the file is damaged, or it is no UTF-8 text: say what it is, as "
            f"{option('encoding', 'utf-16-le')}"
        )
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1 + begin.lines
        byte = error.start + begin.offset
        raise InputError(
            f"{name}, line {line}: byte {byte} is not UTF-8; say what the text is, as "
            f"{option('encoding', 'cp1252')} (`shoal inspect` proposes)"
        ) from None


DELIMITERS = (",", ";", "\t", "|")
MAX_COLUMNS = 20_000
MAX_CELL = 131_072
MAX_NAME = 1_000
COMMA_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
CUT = (
    f"; mend the line, or say {option('skip_lines')} or {option('comment')} if lines are none of "
    f"the table, {option('delimiter')} or {option('quote')} if it is cut otherwise"
)
QUOTE, CR, LF = 34, 13, 10
NEAR = 2**17
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, repr=False)
class Layout:
    """Where the cells are: `starts` and `ends` (records + 1, columns), the header in row 0."""

    delimiter: str
    starts: Integers
    ends: Integers
    lines: Integers | None  # line of each record, header first; None: record r stands on line r + 1

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.starts.shape[1])

    @property
    def records(self) -> int:
        """The number of records, the header not counted."""
        return int(self.starts.shape[0]) - 1


def near(data: Bytes, more: int = 0) -> Iterator[Bytes]:
    """Yield bytes in parts that stay close to the processor, as what is worked out of them does.

    Each has so many more bytes, of the part that follows.
    """
    return (data[start : start + NEAR + more] for start in range(0, data.size, NEAR))


def count_of(data: Bytes, sign: int) -> int:
    """Return how often a sign stands among bytes."""
    return sum(int(np.count_nonzero(part == sign)) for part in near(data))


def line_of(data: Bytes, position: int, begin: Begin) -> int:
    """Return the line, from 1, in which a byte stands."""
    return count_of(data[:position], LF) + 1 + begin.lines


def find_delimiter(data: bytes, name: str) -> str:
    """Return the one delimiter that the header line uses; several are an error, not a guess."""
    header = _header(data)
    outside = "".join(header.split('"')[0::2])
    signs = [sign for sign in DELIMITERS if sign in outside]
    if len(signs) > 1:
        raise InputError(
            f"{name}, line 1: the header holds {' and '.join(COMMA_NAMES[s] for s in signs)}; "
            f"say which one separates columns with {option('delimiter')}"
        )
    return signs[0] if signs else ","


def _header(data: bytes) -> str:
    inside = False
    for position, byte in enumerate(data):
        if byte == QUOTE:
            inside = not inside
        elif byte in (CR, LF) and not inside:
            return data[:position].decode("utf-8")
    return data.decode("utf-8")


def empty(name: str) -> InputError:
    """Return the error of a file without anything in it."""
    return InputError(f"{name}: the file is empty, there is no header")


def blank_header(name: str, column: int) -> InputError:
    """Return the error of a column without a name."""
    return InputError(
        f"{name}, line 1, column {column}: the header cell is blank; name the column, or say "
        f"{option('skip_lines')} if the header stands further down"
    )


def ragged(name: str, line: int, record: int, cells: int, columns: int) -> InputError:
    """Return the error of a record that is too long or too short."""
    own = "1 cell" if cells == 1 else f"{cells} cells"
    return InputError(
        f"{name}, line {line} (record {record}): {own}, the header has {columns}{CUT}"
    )


def long_cell(name: str, line: int, column: int) -> InputError:
    """Return the error of a cell that is too long."""
    return InputError(
        f"{name}, line {line}, column {column}: a cell of more than {MAX_CELL} bytes; "
        f"is a quote missing, or another sign the {option('quote')}?"
    )


def scan(raw: bytes, name: str, delimiter: str | None, begin: Begin = WHOLE) -> Layout:
    """Return where each cell is, or raise an InputError at the first thing that is not strict.

    A piece of a file has the header before it; `begin` then counts from where the header ends.
    """
    if not raw.strip(b"\r\n"):
        raise empty(name)
    if delimiter is None:
        delimiter = find_delimiter(raw, name)
    data = np.frombuffer(raw, dtype=np.uint8)
    quotes = np.flatnonzero(data == QUOTE)
    check_quotes(data, quotes, ord(delimiter), name, begin)
    check_closed(data, quotes, name, begin)
    breaks = outside(np.flatnonzero(data == LF), quotes)
    check_returns(data, quotes, name, begin)
    commas = outside(np.flatnonzero(data == ord(delimiter)), quotes)
    return _cells(data, commas, breaks, bool(quotes.size), name, delimiter, begin)


def outside(positions: Integers, quotes: Integers) -> Integers:
    """Keep the positions before which an even number of quotes stands."""
    if not quotes.size:
        return positions
    kept: Integers = positions[np.searchsorted(quotes, positions) % 2 == 0]
    return kept


def check_quotes(data: Bytes, quotes: Integers, comma: int, name: str, begin: Begin) -> None:
    """An opening quote starts a cell or follows a closing one; a closing one ends a cell."""
    if not quotes.size:
        return
    opening, closing = quotes[0::2], quotes[1::2]
    again = _reopening(quotes)
    before = np.where(opening > 0, data[np.maximum(opening - 1, 0)], LF)
    cell_starts = opening[~again]
    after_at = closing + 1
    after = np.where(after_at < data.size, data[np.minimum(after_at, data.size - 1)], LF)
    stray = opening[~((before == comma) | (before == LF) | again)]
    early = closing[~np.isin(after, (comma, LF, CR, QUOTE))]
    if early.size and (not stray.size or early[0] < stray[0]):
        opened = cell_starts[np.searchsorted(cell_starts, early[0]) - 1]
        raise InputError(
            f"{name}, line {line_of(data, opened, begin)}: a quote opens here, and text follows "
            f"where it closes, on line {line_of(data, early[0], begin)}; "
            f"is a quote missing or not doubled, or another sign the {option('quote')}?"
        )
    if stray.size:
        raise InputError(
            f"{name}, line {line_of(data, stray[0], begin)}: a quote inside a cell that is not "
            "quoted; put the cell in quotes and double the quotes in it, or say another "
            f"{option('quote')}"
        )


def _reopening(quotes: Integers) -> Flags:
    """Return which opening quotes stand right after a closing one: two are one in a cell."""
    opening, closing = quotes[0::2], quotes[1::2]
    again = np.zeros(opening.size, dtype=bool)
    again[1:] = opening[1:] == closing[: opening.size - 1] + 1
    return again


def check_closed(data: Bytes, quotes: Integers, name: str, begin: Begin) -> None:
    """The last quote is a closing one."""
    if quotes.size % 2:
        opened = quotes[0::2][~_reopening(quotes)][-1]
        line = line_of(data, opened, begin)
        raise InputError(
            f"{name}, line {line}: a quote opens here and is never closed; close it, or say "
            f"another {option('quote')}"
        )


def check_returns(data: Bytes, quotes: Integers, name: str, begin: Begin) -> None:
    """A carriage return outside quotes has a line feed after it."""
    returns = outside(np.flatnonzero(data == CR), quotes)
    lone = returns[
        (returns + 1 == data.size) | (data[np.minimum(returns + 1, data.size - 1)] != LF)
    ]
    if lone.size:
        raise InputError(
            f"{name}, line {line_of(data, lone[0], begin)}: a carriage return without a line feed; "
            "save the file with ordinary line ends"
        )


def _cells(
    data: Bytes,
    commas: Integers,
    breaks: Integers,
    has_quotes: bool,
    name: str,
    delimiter: str,
    begin: Begin,
) -> Layout:
    if not breaks.size or breaks[-1] != data.size - 1:
        breaks = np.append(breaks, data.size)
    first = np.concatenate(([0], breaks[:-1] + 1))
    last = breaks - ((breaks > first) & (data[np.maximum(breaks - 1, 0)] == CR))
    counts = np.searchsorted(commas, breaks) - np.searchsorted(commas, first) + 1
    columns = int(counts[0])
    if columns > MAX_COLUMNS:
        raise InputError(f"{name}, line 1: {columns} columns; the limit is {MAX_COLUMNS}")
    if columns > 1:  # empty lines at the end of the file are no records
        used = int(np.flatnonzero(last > first)[-1]) + 1
        first, last, breaks, counts = first[:used], last[:used], breaks[:used], counts[:used]
    lines = _lines(data, first, breaks, has_quotes, begin)
    uneven = np.flatnonzero(counts != columns)
    if uneven.size:
        record = int(uneven[0])
        line = record + 1 if lines is None else int(lines[record])
        raise ragged(name, line, record + begin.records, counts[record], columns)
    inner = commas.reshape(first.size, columns - 1)
    starts = np.hstack((first[:, None], inner + 1))
    ends = np.hstack((inner, last[:, None]))
    long = np.argwhere(ends - starts > MAX_CELL)
    if long.size:
        record, column = long[0].tolist()
        line = record + 1 if lines is None else int(lines[record])
        raise long_cell(name, line, column + 1)
    return Layout(delimiter, starts, ends, lines)


def _lines(
    data: Bytes, first: Integers, breaks: Integers, has_quotes: bool, begin: Begin
) -> Integers | None:
    """Return the line of each record, None where record r stands on line r + 1."""
    every = np.flatnonzero(data == LF) if has_quotes else breaks
    if has_quotes and every.size >= breaks.size:
        lines: Integers = np.searchsorted(every, first) + 1 + begin.lines
    elif begin.lines:
        lines = np.arange(1, first.size + 1) + begin.lines
    else:
        return None
    lines[0] = 1  # the header is the file's own
    return lines


def header_names(raw: bytes, layout: Layout, name: str) -> list[str]:
    """Return the column names; raise InputError for blank, long or duplicate ones."""
    names: list[str] = []
    seen: dict[str, int] = {}
    for number, (start, end) in enumerate(
        zip(layout.starts[0].tolist(), layout.ends[0].tolist(), strict=True), 1
    ):
        text = raw[start:end].decode("utf-8")
        if text.startswith('"'):
            text = text[1:-1].replace('""', '"')
        if not text.strip():
            raise blank_header(name, number)
        if len(text) > MAX_NAME:
            raise InputError(
                f"{name}, line 1, column {number}: a header of {len(text)} characters; "
                f"the limit is {MAX_NAME}; say {option('delimiter')} or {option('skip_lines')} if "
                "it is no name"
            )
        if text in seen:
            raise InputError(
                f"{name}, line 1: columns {seen[text]} and {number} are both named {shown(text)}; "
                f"rename one, or say {option('skip_lines')} if the header stands further down"
            )
        seen[text] = number
        names.append(text)
    return names


def quoted_cells(data: Bytes, layout: Layout, column: int) -> Flags | None:
    """Return which cells of a column stand in quotes, None where none does."""
    starts, ends = layout.starts[1:, column], layout.ends[1:, column]
    if not starts.size:
        return None
    flags: Flags = (ends > starts) & (data[np.minimum(starts, data.size - 1)] == QUOTE)
    return flags if flags.any() else None


MAX_LINE = 2**24  # bytes


class Lines:
    """Watches text as it passes by, `part` by part, and refuses a line too long to be a record.

    Precondition: parts come in order. Postcondition: no line of what was seen is longer than
    `most`.
    """

    def __init__(self, name: str, most: int = MAX_LINE, part: int = NEAR) -> None:
        self._name, self.most, self._part = name, most, part
        self._lines = self._open = 0

    def see(self, text: Buffer) -> None:
        """Check the next part."""
        for start in range(0, len(text), self._part):
            self._see(bytes(text[start : start + self._part]))

    def _see(self, part: bytes) -> None:
        first = part.find(b"\n")
        if self._open + (len(part) if first < 0 else first) > self.most:
            raise InputError(
                f"{self._name}, line {self._lines + 1}: longer than {self.most // 2**20} MB; "
                "this is no table, or its line ends are missing"
            )
        if first < 0:
            self._open += len(part)
        else:
            self._lines += count_of(np.frombuffer(part, dtype=np.uint8), LF)
            self._open = len(part) - 1 - part.rfind(b"\n")
