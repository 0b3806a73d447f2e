"""Csv: DuckDB reads it, once a scan of its bytes has found that all readers read the same cells.

The scan refuses quotes that readers close differently, line ends within records that look like
records themselves, and a header and records that another delimiter splits as evenly as the one that
is used. What it lets pass has the same records in DuckDB, pandas, R, Excel and Python.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import IO, cast

import numpy as np

from shoal.errors import InputError, shown
from shoal.hints import option
from shoal.judge.engine import Engine, text
from shoal.judge.source import LINE, PIECE, Source, check_names, check_unpacked, more
from shoal.judge.written import Written

DELIMITERS = ",;\t|"
BOM = b"\xef\xbb\xbf"
NEWLINE, MANY = 10, 200
CELL = 131_072  # signs of a cell: Python's csv module takes no more
# The head of gzip may name the file, and no more: it has fields of its own, and a comment.
HEAD = re.compile(rb"\x1f\x8b\x08(?![\0\x08])|\x1f\x8b\x08\x08.{6}[^\0]{100}", re.S)
# Q is the quote, S what separates cells. Only classes of signs are possessive, which keeps the scan
# linear: Python before 3.11.5 matches possessive groups wrongly (cpython issue 106052). Groups that
# repeat are bounded, as each repetition takes memory: megabytes of quotes took one of 1 GB.
PLAIN = rb"[^QS\r\n\0]*+"
QUOTED = rb"Q[^Q\\\r\0]*+(?:(?:\\(?!Q)|QQ|\r\n)[^Q\\\r\0]*+){0,131072}Q"
LINE_OF_CELLS = rb"[^Q\n]*+(?:Q[^Q]*+Q[^Q\n]*+){0,262144}\n?"
LEADING = re.compile(r'^"(?:[^"]|"")*"')
ODD = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # signs at which some readers end a line
BREAKS = re.compile(f"\r\n|[\n{ODD}]")
TOO_LONG = f"longer than {LINE // 2**20} MB; this is no table, or a line end or quote is missing"
WRONG = (
    (rb"\0", "a NUL byte; the file is not text"),
    (rb"\r(?!\n)", "not strict csv: a CR that ends no line, which readers take for a line end"),
    (rb"\\Q", "not strict csv: a backslash before a quote, which some readers take for a part of "
     "the cell; write another sign for it, or Parquet"),
    (rb"", "not strict csv: a quote that is not closed, within a cell or beside other signs, which "
     "readers read differently; put the whole cell in quotes, and double those in it"),
)  # fmt: skip


def csv_view(engine: Engine, path: Path, kind: str, written: Written, table: str) -> Source:
    """Make a view of a csv file: every cell is its text, and an empty one is missing."""
    is_plain = kind == "csv" and codecs.lookup(written.encoding).name == "utf-8"
    file = path if is_plain else _copied(engine, path, kind == "csv.gz", written.encoding)
    with file.open("rb") as raw:
        scan = Scan(raw, path.name, written)
    columns = ",\n    ".join(f"{text(name)}: 'VARCHAR'" for name in scan.header)
    engine.make(
        f"""
CREATE VIEW {table} AS
SELECT *
FROM read_csv(
  {text(engine.link(path) if is_plain else str(file))},
  auto_detect = false, header = true, compression = 'none', strict_mode = true,
  delim = {text(scan.sign)}, quote = {text(written.quote)}, escape = {text(written.quote)},
  comment = '', nullstr = '', allow_quoted_nulls = true,
  parallel = {str(not scan.is_broken).lower()}, max_line_size = {max(scan.longest + 2, 2**21)},
  columns = {{
    {columns}
  }}
)""".strip(),
        f"The release: every cell of {path.name} is its text"
        + ("" if is_plain else ", of a copy in UTF-8"),
    )
    columns_of = dict.fromkeys(scan.header, "VARCHAR")
    return Source(path.name, table, columns_of, True, "DuckDB, after a scan of the bytes")


def _copied(engine: Engine, path: Path, is_packed: bool, encoding: str) -> Path:
    """Return a private copy of a file, unpacked and in UTF-8."""
    target = engine.new_file()
    target.touch(0o600)
    try:
        with path.open("rb") as raw, target.open("wb") as sink:
            if is_packed and HEAD.match(raw.peek()):
                raise more(path.name, "a comment or fields in its head", "pack it by gzip anew")
            packed = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_packed else raw
            source = io.TextIOWrapper(packed, encoding, newline="")
            while piece := source.read(PIECE):
                sink.write(piece.encode())
                check_unpacked(sink.tell(), path.stat().st_size, path.name)
    except (UnicodeError, LookupError):
        raise InputError(f"{path.name}: the text is not {encoding}") from None
    except (zlib.error, EOFError, gzip.BadGzipFile):
        raise InputError(f"{path.name}: cannot be read: the file is damaged") from None
    return target


class Scan:
    """The records of a csv file, as bytes; all of them are scanned.

    `header` are the names of its columns, `sign` separates them; `longest` is the longest record in
    bytes, and `is_broken` tells that cells hold line ends. `number` is that of the next line.
    """

    def __init__(self, file: IO[bytes], name: str, written: Written) -> None:
        self.name, self.quote, self.sign, self.number = name, written.quote, "", 1
        self.records, self.longest, self.is_broken = 0, 0, False
        start = len(BOM) if file.read(len(BOM)) == BOM else 0
        file.seek(start)
        self.line = self._pattern(LINE_OF_CELLS)
        head = file.read(LINE)
        raw = _match(self.line, head)
        if not raw.endswith(b"\n") and (len(head) == LINE or len(raw) < len(head)):
            raise self._wrong(TOO_LONG if len(head) == LINE else WRONG[-1][1])
        first = self._decoded(raw)
        if not first.strip("\r\n"):
            raise InputError(f"{name}: there is no header")
        self.sign = written.delimiter or self._guessed(first)
        self.header = self._cells(raw)
        check_names(self.header, name)
        self.width, self.end = len(self.header), b"\r\n" if raw.endswith(b"\r\n") else b"\n"
        cell = b"(?:%b|%b)" % (PLAIN if self.width > 1 else PLAIN.replace(b"*", b"+"), QUOTED)
        # A pattern that says every cell is faster; of very many, it takes long to compile.
        record = self.end.join([b"S".join([cell] * self.width) if self.width <= MANY else
                                b"(?:%bS){%d}%b" % (cell, self.width - 1, cell), b""])  # fmt: skip
        # A bounded number of records: the states to go back to take memory.
        self.record, self.whole = self._pattern(record), self._pattern(b"(?:%b){0,200}" % record)
        self.rivals = {sign: _counts(first, sign) for sign in DELIMITERS if sign in first}
        if self.quote == '"' or _counts(first, self.sign) == {self.width}:
            self.rivals.pop(self.sign, None)
        self.splits: Counter[tuple[str, int]] = Counter()  # of records, by signs and cells
        file.seek(start)
        self._scan(file)

    def _pattern(self, pattern: bytes) -> re.Pattern[bytes]:
        """Return a pattern in which Q and S are the signs of this file."""
        for letter, sign in ((b"Q", self.quote), (b"S", self.sign)):
            pattern = pattern.replace(letter, re.escape(sign.encode()))
        return re.compile(pattern)

    def _guessed(self, first: str) -> str:
        """Return the one delimiter that stands outside of quotes in the header."""
        signs = [sign for sign in DELIMITERS if self._outside(first, sign)]
        if len(signs) > 1:
            raise self._wrong(f"say with {option('delimiter')} what separates the columns")
        return signs[0] if signs else ","

    def _outside(self, line: str, sign: str) -> int:
        """Return how often a sign stands outside of quotes in a line."""
        return "".join(line.split(self.quote)[::2]).count(sign)

    def _cells(self, line: bytes) -> list[str]:
        """Return the cells of a line; it must be a record, of however many cells."""
        pattern = self._pattern(rb"(%b|%b)(?:(S)|\r?\n?\Z)" % (QUOTED, PLAIN))
        cells, end, more = [], 0, True
        while more:
            found = pattern.match(line, end)
            if not found:
                what = next(words for sign, words in WRONG if self._pattern(sign).search(line))
                raise self._wrong(what)
            cell, end, more = found[1].decode(), found.end(), bool(found[2])
            is_quoted = cell.startswith(self.quote)
            cells.append(cell[1:-1].replace(self.quote * 2, self.quote) if is_quoted else cell)
        return cells

    def _scan(self, file: IO[bytes]) -> None:
        """Scan all records, the header too."""
        rest, piece = b"", b"-"
        blank = b"\n" if self.width > 1 else b""  # such lines at the end are none
        while piece:
            piece = file.read(PIECE)
            rest += piece
            if rest and not piece and not rest.endswith(b"\n"):
                rest += self.end
            end = 0
            while (found := cast(re.Match[bytes], self.whole.match(rest, end))).end() > end:
                end = found.end()
            self._check(rest[:end])
            rest = rest[end:]
            if len(rest) > LINE:
                raise self._wrong(TOO_LONG)
            line = _match(self.line, rest)
            if rest.strip(blank) and (not piece or line.endswith(b"\n")):
                raise self._wrong(self._reason(line if line.endswith(b"\n") else rest))
        for (sign, cells), times in self.splits.items():
            others = times - (cells in self.rivals[sign])  # but the header
            if 2 * others > self.records - 1:
                raise InputError(
                    f"{self.name}: {shown(sign)} splits the header and the records into {cells} "
                    f"columns, {shown(self.sign)} and quotes into {self.width}, and readers may "
                    "take either; rename the columns without that sign, or write Parquet"
                )

    def _reason(self, line: bytes) -> str:
        """Return why a line is no record of this file."""
        self._decoded(line)
        cells = len(self._cells(line))
        return (
            f"{cells} cell{'s' * (cells > 1)}, the header has {self.width}"
            if cells != self.width else "it ends otherwise than line 1; write LF throughout"
            if line.strip(b"\r\n") else
            'a blank line, which readers skip or take for a cell; write "" or take it out'
        )  # fmt: skip

    def _check(self, part: bytes) -> None:
        """Refuse records that are whole, and yet read differently."""
        content, data = self._decoded(part), np.frombuffer(part, np.uint8)
        ends = np.flatnonzero(data == NEWLINE)
        quotes = np.searchsorted(np.flatnonzero(data == ord(self.quote)), ends)  # before each end
        has_lines = bool((quotes & 1).any())
        longest = int(np.diff(ends, prepend=-1).max(initial=0))
        is_odd = has_lines or self.rivals or longest > CELL or any(map(content.count, ODD))
        records = self.record.findall(part) if is_odd else []
        for record in map(bytes.decode, records):
            self._check_record(record)
            self.splits.update(
                (sign, cells) for sign, heads in self.rivals.items()
                for cells in _counts(record, sign)
                if cells > 1 and any(head > 1 and abs(head - cells) < 2 for head in heads)
            )  # fmt: skip
            self.number += record.count("\n")
        self.number += 0 if is_odd else len(ends)
        self.records += len(records) or len(ends)
        self.longest = max(self.longest, longest, *map(len, records))
        self.is_broken |= has_lines

    def _check_record(self, record: str) -> None:
        """Refuse cells that are too long, or that readers who go by lines take for records."""
        if len(record) > CELL and max(map(len, self._cells(record.encode()))) > CELL:
            raise self._wrong(f"a cell of more than {CELL:,} signs, which no reader takes")
        lines = BREAKS.split(record.rstrip("\r\n"))
        alike = [self._outside(line, self.sign) == self.width - 1 for line in lines]
        if len(lines) > 1 and (all(alike) or any(alike[1:-1])):
            raise self._wrong(
                "a cell holds a line end, and readers that go by lines take what follows for a "
                "record; write a space for it, or Parquet"
            )

    def _decoded(self, part: bytes) -> str:
        """Return a part of the file as text."""
        try:
            return part.decode()
        except UnicodeDecodeError as error:
            lines = part[: error.start].count(b"\n")
            what = "the text" if lines or self.records else "the header"
            self.number += lines
            raise self._wrong(
                f"{what} is not UTF-8; say what it is with {option('encoding')}"
            ) from None

    def _wrong(self, what: str) -> InputError:
        """Return the error of what begins where the scan is."""
        return InputError(f"{self.name}, line {self.number}: {what}")


def _match(pattern: re.Pattern[bytes], data: bytes) -> bytes:
    return cast(re.Match[bytes], pattern.match(data))[0]


def _counts(record: str, sign: str) -> set[int]:
    """Return how many cells a sign makes of a record, with and without a quoted first one."""
    return {record.count(sign) + 1, LEADING.sub("", record, count=1).count(sign) + 1}
