"""Releases are opened here: files and dataframes; `folder.py` has those of many files.

A file is read by something else than what wrote it, where there is something else: csv by the
judge's own reader, JSON lines by Python, workbooks by python-calamine. `READERS` says which.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError
from shoal.hints import option
from shoal.judge import folder
from shoal.judge.classes import Places
from shoal.judge.limits import limits
from shoal.judge.readers import arrow, database, fresh
from shoal.judge.readers.arrow import whole
from shoal.judge.readers.cells import Bytes, Cells, TextCells
from shoal.judge.readers.json_lines import READER as JSON_READER
from shoal.judge.readers.json_lines import json_lines
from shoal.judge.readers.lines import LINE, bounded, long_line
from shoal.judge.readers.source import Made, Source, check_header
from shoal.judge.readers.workbook import BOOKS, workbook
from shoal.judge.readers.workbook import READER as WORKBOOK_READER
from shoal.judge.readers.written import Written
from shoal.system.names import is_url

CELL_LIMIT = 2**20
QUOTE, NEWLINE, RETURN, NUL = 34, 10, 13, 0
NAME = "the list"
OWN = "the judge's own csv reader"
OPENED: dict[str, Callable[[Path], Source]] = {
    "parquet": lambda path: arrow.parquet([str(path)], path.name),
    "jsonl": json_lines,
    "ndjson": json_lines,
    **dict.fromkeys(BOOKS, workbook),
}
READERS = {
    "csv": OWN, "csv.gz": OWN, "parquet": arrow.READER, "jsonl": JSON_READER,
    "ndjson": JSON_READER, **dict.fromkeys(BOOKS, WORKBOOK_READER), **fresh.READERS,
}  # fmt: skip


def kind_of(name: str) -> str:
    """Return what a file is by its name; what is nothing else is csv."""
    lower = name.lower()
    if lower.endswith(".gz"):
        return "csv.gz"
    ending = lower.rpartition(".")[2]
    return ending if ending in READERS else "csv"


@contextlib.contextmanager
def opened(data: Any, kind: str | None, written: Written) -> Iterator[Source]:
    """Yield an opened file or dataframe."""
    if isinstance(data, list) and all(isinstance(one, str) for one in data):
        yield arrow.parquet(data, "the release")
        return
    if isinstance(data, list | tuple):
        yield listed_rows(data)
        return
    if not isinstance(data, str | os.PathLike):
        yield arrow.frame(data)
        return
    if folder.is_folder(os.fspath(data)):
        yield folder.opened(os.fspath(data))
        return
    if is_url(os.fspath(data)):
        yield arrow.parquet([os.fspath(data)], os.fspath(data).rpartition("/")[2])
        return
    if kind is None and database.is_table(os.fspath(data)):
        yield database.table(os.fspath(data))
        return
    path = Path(data)
    kind = kind or kind_of(path.name)
    try:
        if not path.is_file():
            what = "not an ordinary file" if path.exists() else "there is no such file"
            raise InputError(f"{path.name or path}: {what}")
        if kind in OPENED:
            yield OPENED[kind](path)
            return
        if kind in fresh.READERS:
            yield fresh.fresh(path, kind)
            return
        before = csv.field_size_limit(CELL_LIMIT)
        try:
            yield _csv(path, kind, written)
        finally:
            csv.field_size_limit(before)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is damaged"
        raise InputError(f"{path.name}: cannot be read: {reason}") from None


def _csv(path: Path, kind: str, written: Written) -> Source:
    """Read csv by pieces, each byte as one character: cells compare as bytes."""
    with _bytes(path, kind, written) as file:
        first = _header(file, path.name)
    if not first.strip("\r\n"):
        raise InputError(f"{path.name}: there is no header")
    sign = written.delimiter or _delimiter(first, path.name)
    reader = csv.reader(
        _without_nul(io.StringIO(first, newline="\n"), path.name), delimiter=sign, strict=True
    )
    header = [written.restored(_utf8(cell, path.name)) for cell in _first(reader, path.name)]
    check_header(header, path.name)
    lines = reader.line_num

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        with _bytes(path, kind, written) as file:
            for _ in range(lines):
                file.readline()
            pieces = Pieces(file, path.name, sign, len(header), lines)
            for columns in pieces.columns(places):
                yield make(columns)

    rows = partial(arrow.rows_in, batches)
    return Source(path.name, header, rows, True, batches, reader=OWN)


@contextlib.contextmanager
def _bytes(path: Path, kind: str, written: Written) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw:
        file = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if kind == "csv.gz" else raw
        yield written.plain(file, path.name)


def _header(file: IO[bytes], name: str) -> str:
    """Return the first line, with those that its quoted names go on in."""
    header = io.StringIO(newline="\n")
    quotes = 0
    for line in bounded(file, name):
        quotes += line.count(b'"')
        if header.write(line.decode("latin-1")) and header.tell() > LINE:
            raise long_line(name, 1)
        if quotes % 2 == 0:
            break
    return header.getvalue().removeprefix("\u00ef\u00bb\u00bf")


def _without_nul(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise InputError(f"{name}, line {number}: a NUL byte; the file is not text")
        yield line


def _first(reader: Any, name: str) -> list[str]:
    try:
        cells: list[str] = next(reader)
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: not strict csv ({error})") from None
    return cells


def _utf8(cell: str, name: str) -> str:
    try:
        return cell.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name}, line 1: the header is not UTF-8; say what it is with {option('encoding')}"
        ) from None


def _delimiter(line: str, name: str) -> str:
    plain = "".join(line.split('"')[::2])
    signs = [sign for sign in ",;\t|" if sign in plain]
    if len(signs) > 1:
        raise InputError(
            f"{name}, line 1: say with {option('delimiter')} what separates the columns"
        )
    return signs[0] if signs else ","


def listed_rows(data: Sequence[Any]) -> Source:
    """Return an opened list of rows; columns of rows without names are x0, x1, …"""
    if not data:
        raise InputError(f"{NAME} has no rows")
    if all(isinstance(row, Mapping) for row in data):
        header = list(dict.fromkeys(str(name) for row in data for name in row))
        rows = [[row.get(name) for name in header] for row in data]
    else:
        rows = [list(row) if isinstance(row, list | tuple) else [] for row in data]
        header = [f"x{place}" for place in range(len(rows[0]))]
        if not header or any(len(row) != len(header) for row in rows):
            raise InputError(f"{NAME}: rows must be lists of one length, or dicts")
    cells = {name: _cells([row[place] for row in rows]) for place, name in enumerate(header)}
    return whole(NAME, header, cells, len(rows), "")


def _cells(values: list[Any]) -> Any:
    """Return the cells of a column; dicts, of which only intervals can be judged, as structs."""
    if not any(isinstance(value, Mapping) for value in values):
        return values
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(f"{NAME}: a column holds values of several kinds") from None


# Pieces of a csv file, cell by cell: the judge's own parser.
#
# A piece of whole lines is cut at the delimiters and line ends outside of quotes, all cells at
# once; one that holds anything odd, such as a quote inside of a cell, is read by the standard
# library, record by record, which also finds the words for what is wrong. Each byte is one
# character: cells compare as bytes.


class Pieces:
    """The records of an opened file, whose header was read already.

    `line` is the number of the last line that was read; `width` how many cells a record has.
    """

    def __init__(self, file: IO[bytes], name: str, sign: str, width: int, line: int) -> None:
        self.file, self.name, self.sign, self.width, self.line = file, name, sign, width, line

    def columns(self, places: list[int]) -> Iterator[list[Cells]]:
        """Yield the cells of some columns, piece by piece."""
        while piece := self._read():
            cut = self._cut(piece)
            if cut is None:
                rows = list(self._records(piece))
                if rows:
                    yield [TextCells.of([row[place] for row in rows]) for place in places]
                continue
            data, begins, lengths = cut
            self.line += piece.count(b"\n")
            yield [TextCells(data, begins[:, place], lengths[:, place]) for place in places]

    def _read(self) -> bytes:
        """Return some whole lines; the last one of the file may have no end."""
        piece = self.file.read(limits().piece)
        if piece and not piece.endswith(b"\n"):
            begun = len(piece) - piece.rfind(b"\n") - 1
            rest = self.file.readline(LINE + 2)
            if begun + len(rest) > LINE + 1:
                raise long_line(self.name, self.line + piece.count(b"\n") + 1)
            piece += rest
        return piece

    def _cut(self, piece: bytes) -> tuple[Bytes, Places, Places] | None:
        """Return the bytes, and where each cell begins and how long it is; None if it is odd."""
        if ord(self.sign) > 255 or b"\0" in piece:
            return None
        data = np.frombuffer(piece + bytes(17), np.uint8).copy()
        end = len(piece)
        if not piece.endswith(b"\n"):
            data[end] = NEWLINE
            end += 1
        own = data[:end]
        cuts = (own == ord(self.sign)) | (own == NEWLINE)
        quotes = np.cumsum(own == QUOTE, dtype=np.int32) if b'"' in piece else None
        if quotes is not None:
            cuts &= quotes & 1 == 0  # what is not inside of quotes
            if quotes[-1] & 1:
                return None
        signs = np.flatnonzero(cuts)
        if len(signs) % self.width:
            return None
        ends = signs.reshape(-1, self.width)
        lines = own[ends] == NEWLINE
        if not lines[:, -1].all() or lines[:, :-1].any():
            return None
        begins = np.empty_like(ends)
        begins.reshape(-1)[0] = 0
        begins.reshape(-1)[1:] = ends.reshape(-1)[:-1] + 1
        lengths = ends - begins
        if b"\r" in piece:
            last = own[np.maximum(ends[:, -1] - 1, 0)] == RETURN
            last &= lengths[:, -1] > 0
            lengths[:, -1] -= last
            if np.count_nonzero(own == RETURN) != np.count_nonzero(last):
                return None
        if lengths.max(initial=0) > CELL_LIMIT:
            return None
        if quotes is not None and not _unquote(own, quotes, begins, lengths):
            return None
        return data, begins, lengths

    # --- the standard library's reader

    def _records(self, piece: bytes) -> Iterator[list[str]]:
        """Yield the records of a piece; the last one may go on behind it."""
        before, left = self.line, True

        def lines() -> Iterator[str]:
            nonlocal left
            every = piece.split(b"\n")
            ended = not every[-1]
            whole = [one + b"\n" for one in every[:-1]] + ([] if ended else every[-1:])
            for number, line in enumerate(whole, 1):
                left = number < len(whole)
                yield self._line(line)
            while line := self.file.readline(LINE + 2):
                if len(line) > LINE + 1:
                    raise long_line(self.name, self.line + 1)
                yield self._line(line)

        reader = csv.reader(lines(), delimiter=self.sign, strict=True)
        try:
            while left:
                row = next(reader, None)
                if row is None:
                    return
                if len(row) != self.width:
                    cells = row or [""]  # an empty line is one empty cell
                    line = before + reader.line_num
                    if len(cells) == self.width:
                        yield cells
                        continue
                    if not row and not any(reader):  # empty lines at the end of the file
                        return
                    own = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                    raise InputError(
                        f"{self.name}, line {line}: {own}, the header has {self.width}"
                    )
                yield row
        except csv.Error as error:
            line = before + reader.line_num
            raise InputError(f"{self.name}, line {line}: not strict csv ({error})") from None

    def _line(self, line: bytes) -> str:
        self.line += 1
        if NUL in line:
            raise InputError(f"{self.name}, line {self.line}: a NUL byte; the file is not text")
        return line.decode("latin-1")


def _unquote(data: Bytes, quotes: npt.NDArray[np.int32], begins: Places, lengths: Places) -> bool:
    """Take cells out of their quotes; tell whether no cell has a quote in it.

    data, quotes IN (bytes: quotes up to each), begins and lengths IN/OUT (rows, cells).
    """
    last = np.maximum(begins + lengths - 1, 0)
    first = quotes[begins] - (data[begins] == QUOTE)
    inside = np.where(lengths > 0, quotes[last] - first, 0)
    places = np.nonzero(inside)
    whole = (inside[places] == 2) & (lengths[places] > 1)
    whole &= (data[begins[places]] == QUOTE) & (data[last[places]] == QUOTE)
    if not whole.all():
        return False
    begins[places] += 1
    lengths[places] -= 2
    return True
