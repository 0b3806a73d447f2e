"""Csv: DuckDB reads it, once a scan of its bytes has found that all readers read the same cells.

The scan refuses quotes that readers close differently, line ends within records that look like
records themselves, and a header and records that another delimiter splits as evenly as the one that
is used. What it lets pass has the same records in DuckDB, pandas, R, Excel and Python.

It goes by pieces. Quoted cells are blanked, and of what is left all signs but separators and line
ends taken out: that must be the same line over and over. Only where it is not, or where a cell has
a line end, records are looked at one by one.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from shoal.errors import InputError, RequestError, shown
from shoal.hints import option
from shoal.judge import in_words, refuse
from shoal.judge.engine import Engine, text
from shoal.judge.source import LINE, PIECE, Source, check_names, check_unpacked, more

DELIMITERS = ",;\t|"
BOM = b"\xef\xbb\xbf"
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
SAMPLE = datetime(2001, 2, 3, 4, 5, tzinfo=UTC)
ALIKE = SAMPLE.replace(year=2007)  # on the same weekday
TIMES = ("%H", "%M", "%S")
SPELLED = re.compile("iso2022|hz|utf-7|.*escape|punycode|idna")


@dataclass(frozen=True)
class Written:
    """Signs and encoding of a csv file; the delimiter is None where the file shows it.

    `date_format` is by column, "" stands for all.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    quote: str = '"'
    decimal: str = "."
    thousands: str = ""
    date_format: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what no csv file is written in."""
        sign, quote = "," if self.delimiter is None else self.delimiter, self.quote
        given = (sign, self.encoding, quote, self.decimal, self.thousands)
        refuse((not all(isinstance(one, str) for one in given),
                "delimiter, encoding, quote, decimal and thousands are texts"),
               error=RequestError)  # fmt: skip
        try:
            encoding = codecs.lookup(self.encoding).name
        except LookupError:
            encoding = ""
        refuse(
            (len(sign) != 1 or not sign.isascii() or sign in '"\r\n\0',
             "the delimiter must be one character, such as ',' or ';'"),
            (len(quote) != 1 or not quote.isascii() or quote.isalnum(),
             "the quote must be one plain sign, such as ' or \""),
            (quote == self.delimiter or quote in "\r\n\0",
             "the quote must be another sign than the delimiter and line ends"),
            (not encoding, f"there is no encoding {shown(self.encoding)}"),
            (SPELLED.match(encoding),
             f"encoding {encoding} spells one text in many ways; write UTF-8"),
            error=RequestError,
        )  # fmt: skip
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
    are_texts = isinstance(formats, Mapping) and all(
        isinstance(one, str) for pair in formats.items() for one in pair
    )
    refuse((not are_texts, "date_format must be a format, or one by column"), error=RequestError)
    for form in formats.values():
        has_year = SAMPLE.strftime(form) != ALIKE.strftime(form)  # Python warns of days without one
        iso = as_iso(SAMPLE.strftime(form), form) if has_year else None
        refuse((iso is None or iso[:10] != SAMPLE.date().isoformat(),
                f"date format {shown(form)}: say it as %d.%m.%Y"), error=RequestError)  # fmt: skip
    return dict(formats)


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
  {text(engine.link(file))},
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
    with (
        in_words(f"{path.name}: the text is not {encoding}", UnicodeError, LookupError),
        in_words(f"{path.name}: cannot be read: the file is damaged", zlib.error, EOFError,
                 gzip.BadGzipFile),
        path.open("rb") as raw, target.open("wb") as sink,
    ):  # fmt: skip
        refuse(
            (
                is_packed and HEAD.match(raw.peek()),
                more(path.name, "a comment or fields in its head", "pack it by gzip anew"),
            )
        )
        packed = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_packed else raw
        source = io.TextIOWrapper(packed, encoding, newline="")
        while piece := source.read(PIECE):
            sink.write(piece.encode())
            check_unpacked(sink.tell(), path.stat().st_size, path.name)
    return target


class Scan:
    """The records of a csv file, as bytes; all of them are scanned.

    `header` are the names of its columns, `sign` separates them; `longest` is the longest record in
    bytes where one is long, and `is_broken` tells that cells hold line ends. `number` is that of
    the next line.
    """

    def __init__(self, file: IO[bytes], name: str, written: Written) -> None:
        self.name, self.quote, self.sign, self.number = name, written.quote, "", 1
        self.records, self.longest, self.is_broken = 0, 0, False
        start = len(BOM) if file.read(len(BOM)) == BOM else 0
        file.seek(start)
        self.line, head = self._pattern(LINE_OF_CELLS), file.read(LINE)
        raw = cast(re.Match[bytes], self.line.match(head))[0]
        if not raw.endswith(b"\n") and (len(head) == LINE or len(raw) < len(head)):
            raise self._wrong(TOO_LONG if len(head) == LINE else WRONG[-1][1])
        first = self._decoded(raw)
        refuse((not first.strip("\r\n"), f"{name}: there is no header"))
        signs = [sign for sign in DELIMITERS if self._outside(first, sign)]
        if written.delimiter is None and len(signs) > 1:
            raise self._wrong(f"say with {option('delimiter')} what separates the columns")
        self.sign = written.delimiter or next(iter(signs), ",")
        self.header = self._cells(raw)
        check_names(self.header, name)
        self.width, self.end = len(self.header), b"\r\n" if raw.endswith(b"\r\n") else b"\n"
        self.row = self.sign.encode() * (self.width - 1) + self.end
        self.others = bytes(set(range(256)) - set(self.sign.encode() + b"\r\n"))
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

    def _outside(self, line: str, sign: str) -> int:
        """Return how often a sign stands outside of quotes in a line."""
        return "".join(line.split(self.quote)[::2]).count(sign)

    def _cells(self, line: bytes) -> list[str]:
        """Return the cells of a line; it must be a record, of however many cells."""
        pattern = self._pattern(rb"(%b|%b)(?:(S)|\r?\n?\Z)" % (QUOTED, PLAIN))
        cells, end, is_more = [], 0, True
        while is_more:
            found = pattern.match(line, end)
            if not found:
                raise self._wrong(next(
                    words for sign, words in WRONG if self._pattern(sign).search(line)
                ))  # fmt: skip
            cell, end, is_more = found[1].decode(), found.end(), bool(found[2])
            is_quoted = cell.startswith(self.quote)
            cells.append(cell[1:-1].replace(self.quote * 2, self.quote) if is_quoted else cell)
        return cells

    def _scan(self, file: IO[bytes]) -> None:
        """Scan all records, the header too."""
        rest, piece, quote = b"", b"-", self.quote.encode()
        blank = b"\n" if self.width > 1 else b""  # such lines at the end are none
        while piece:
            piece = file.read(PIECE)
            rest += piece
            if rest and not piece and not rest.endswith(b"\n"):
                rest += self.end
            end, is_open = len(rest), quote in rest and rest.count(quote) % 2
            while end and (is_open or not rest.endswith(b"\n", 0, end)):  # back to a record's end
                before, end = end, rest.rfind(b"\n", 0, end - 1) + 1
                is_open ^= rest.count(quote, end, before) % 2
            kept = len(rest[:end].rstrip(blank))
            end = min(end, kept + 1) if kept else 0
            self._check(rest[:end])
            rest = rest[end:]
            if len(rest) > LINE:
                raise self._wrong(TOO_LONG)
        if rest.strip(blank):
            line = cast(re.Match[bytes], self.line.match(rest))[0]
            raise self._wrong(self._reason(line if line.endswith(b"\n") else rest))
        for (sign, cells), times in self.splits.items():
            others = times - (cells in self.rivals[sign])  # but the header
            refuse((
                2 * others > self.records - 1,
                f"{self.name}: {shown(sign)} splits the header and the records into {cells} "
                f"columns, {shown(self.sign)} and quotes into {self.width}, and readers may take "
                "either; rename the columns without that sign, or write Parquet",
            ))  # fmt: skip

    def _reason(self, line: bytes) -> str:
        """Return why a line is no record of this file; nothing if it is one."""
        self._decoded(line)
        cells = len(self._cells(line))
        if cells != self.width:
            return f"{cells} cell{'s' * (cells > 1)}, the header has {self.width}"
        if not line.strip(b"\r\n"):
            return 'a blank line, which readers skip or take for a cell; write "" or take it out'
        is_so = line.endswith(b"\r\n") == self.end.startswith(b"\r")
        return "" if is_so else "it ends otherwise than line 1; write LF throughout"

    def _check(self, part: bytes) -> None:
        """Refuse records that are not those of this file, and those that are read differently."""
        content, bare, quote = self._decoded(part), part, self.quote.encode()
        is_even = b"\r" not in part or part.count(b"\r") == part.count(b"\r\n")
        is_even &= b"\0" not in part
        is_split = part.count(quote) <= PIECE  # six million parts took 285 MB
        if quote in part and is_split:  # a NUL in the place of each quoted cell
            bare = b"\0".join(part.split(quote)[::2])
            while b"\0\0" in bare:  # of doubled quotes
                bare = bare.replace(b"\0\0", b"\0")
            sides = (self.sign.encode(), b"\n", b"\r\n")
            begin = bare.startswith(b"\0") + sum(bare.count(one + b"\0") for one in sides[:2])
            end = sum(bare.count(b"\0" + one) for one in sides)
            is_even &= begin == end == bare.count(b"\0") and b"\\" + quote not in part
        marks = bare.translate(None, self.others)
        many = marks.count(b"\n")
        is_even &= marks == self.row * many
        is_even &= self.width > 1 or not re.search(rb"(?:\A|\n)\r?\n", bare)
        has_lines = not is_split or (bare is not part and many < part.count(b"\n"))
        is_even &= is_split
        half = CELL // 2  # a line of more than two such blocks has one of them in it
        is_long = any(part.find(b"\n", at, at + half) < 0
                      for at in range(0, len(part) - half, half))  # fmt: skip
        is_odd = has_lines or self.rivals or is_long or any(sign in content for sign in ODD)
        if is_even and not is_odd:
            self.number += many
            self.records += many
            return
        for record in filter(None, self.line.findall(part)):
            if not is_even and (reason := self._reason(record)):
                raise self._wrong(reason)
            if not is_split and not record.endswith(b"\n"):  # a part of one
                raise self._wrong(WRONG[-1][1])
            self._check_record(record.decode())
        if is_split and not is_even:
            raise self._wrong(WRONG[-1][1])
        self.is_broken |= has_lines

    def _check_record(self, record: str) -> None:
        """Refuse a record with cells that are too long, or that some readers take for several."""
        if len(record) > CELL and max(map(len, self._cells(record.encode()))) > CELL:
            raise self._wrong(f"a cell of more than {CELL:,} signs, which no reader takes")
        lines = BREAKS.split(record.rstrip("\r\n"))
        alike = [self._outside(line, self.sign) == self.width - 1 for line in lines]
        if len(lines) > 1 and (all(alike) or any(alike[1:-1])):
            raise self._wrong(
                "a cell holds a line end, and readers that go by lines take what follows for a "
                "record; write a space for it, or Parquet"
            )
        self.splits.update(
            (sign, cells) for sign, heads in self.rivals.items()
            for cells in _counts(record, sign)
            if cells > 1 and any(head > 1 and abs(head - cells) < 2 for head in heads)
        )  # fmt: skip
        self.number += record.count("\n")
        self.records += 1
        self.longest = max(self.longest, len(record.encode()))

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


def _counts(record: str, sign: str) -> set[int]:
    """Return how many cells a sign makes of a record, with and without a quoted first one."""
    return {record.count(sign) + 1, LEADING.sub("", record, count=1).count(sign) + 1}
