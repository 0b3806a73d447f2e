"""Arrivals: where the records of a stream come from, in pieces, and how long they may wait.

Each source yields pieces, and None when nothing has come for a while, so that whoever waits can
look at the clock.
"""

from __future__ import annotations

import math
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from shoal.errors import InputError, RequestError, shown
from shoal.hints import option
from shoal.settings import Settings
from shoal.settings.data import InputSettings
from shoal.table.csv_pieces import CsvPieces
from shoal.table.csv_text.parts import Text, joined
from shoal.table.csv_text.split import last_end
from shoal.table.dialects.dialect import PLAIN
from shoal.table.files.arrow_files import table_of_lines
from shoal.table.files.formats import is_parquet, is_text
from shoal.table.files.many_files import ParquetPieces
from shoal.table.read import read_with
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

LONGEST = 2**24  # bytes of a record that has not ended
NAME = "stdin"
TICK = 0.2  # seconds between two looks
PIECE = 2**20  # bytes of text that are read at once
RECORDS = 1000  # records of an iterator that are a piece
HELD = 4  # pieces of a pipe that are read ahead
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
FORM = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(s|min|h|d)?\s*")
UNFINISHED = (".part", ".tmp", ".partial", ".crdownload", ".filepart")  # not yet whole


@dataclass(frozen=True)
class Delay:
    """The most later records, or seconds, that one may wait; neither: as long as it takes."""

    records: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, text: str | None, k: int) -> Delay:
        """Return the delay that a text says; it must let k people come."""
        if text is None:
            return cls()
        form = FORM.fullmatch(text)
        if form is None or (form[2] is None and "." in form[1]):
            raise RequestError(
                "delay must be a number of records, 5000, or a time: 30s, 15min, 2h, 1d"
            )
        if form[2] is not None:
            return cls(seconds=float(form[1]) * UNITS[form[2]])
        if int(form[1]) < k - 1:
            raise RequestError(
                f"{option('delay', form[1])}: no {k} people come while one may wait; say at least "
                f"{option('delay', str(k - 1))}"
            )
        return cls(records=int(form[1]))

    @property
    def is_given(self) -> bool:
        """Whether there is a limit."""
        return self.records is not None or self.seconds is not None

    def is_over(self, arrival: int, time: float, come: int, now: float) -> bool:
        """Tell whether a record has waited as long as it may.

        `arrival` is how many came before it, `time` when it came; `come` have come until now.
        """
        if self.records is not None:
            return come - 1 - arrival >= self.records
        return self.seconds is not None and now - time >= self.seconds

    def room(self, arrival: int | None, come: int) -> float:
        """Return how many may come before the record that came first is due; none waits: None."""
        if self.records is None:
            return math.inf
        return self.records + 1 if arrival is None else self.records - (come - 1 - arrival)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some records; of a file its name, how many of its records were taken with them, its mark.

    The mark is empty until the file is read to its end.
    """

    table: Table
    file: str = ""
    taken: int = 0
    mark: str = ""

    def cut(self, rows: int) -> tuple[Piece, Piece | None]:
        """Return the first rows, and the rest, if any."""
        if self.table.rows <= rows:
            return self, None
        first, rest = np.arange(rows), np.arange(rows, self.table.rows)
        left = self.taken - rest.size
        return Piece(self.table.take(first), self.file, left), Piece(
            self.table.take(rest), self.file, self.taken, self.mark
        )


Pieces = Iterator[Piece | None]
Known = Callable[[str], tuple[int, str]]


def of_folder(folder: Path, settings: Settings, known: Known, follow: bool) -> Pieces:
    """Yield the records of the files of a folder, by name; with `follow` also those that come.

    `known` returns how many records of a file were taken, and the mark it had when it was read out.
    """
    while True:
        found = False
        for path in _files(folder):
            taken, mark = known(path.name)
            if mark and mark != _mark(path):
                raise InputError(f"{shown(path)}: the file changed since it was read; name it anew")
            if not mark:
                found = True
                yield from _of_file(path, settings, taken)
        if not found and not follow:
            return
        if not found:
            time.sleep(TICK)
            yield None


def _files(folder: Path) -> list[Path]:
    """Return the whole files of a folder."""
    try:
        every = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{shown(folder)}: cannot be read: {error.strerror}") from None
    return [
        path for path in every
        if path.is_file() and not path.name.startswith(".") and path.suffix not in UNFINISHED
    ]  # fmt: skip


def _mark(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _of_file(path: Path, settings: Settings, taken: int) -> Iterator[Piece]:
    """Yield the records of a file after those that were taken, and its mark with the last."""
    mark, come = _mark(path), 0
    for table in _tables(path, settings):
        come += table.rows
        fresh = come - taken
        if 0 < fresh <= table.rows:
            yield Piece(table.take(np.arange(table.rows - fresh, table.rows)), path.name, come)
            taken = come
    if come < taken:
        raise InputError(f"{shown(path)}: the file changed since it was read; name it anew")
    yield Piece(table.take(np.arange(0)), path.name, come, mark)


def _tables(path: Path, settings: Settings) -> Iterator[Table]:
    own = settings.input
    if is_text(path):
        pieces = CsvPieces(path, dialect=own.dialect, missing=own.missing, size=PIECE)
        yield from pieces.texts()
    elif is_parquet(path):
        yield from ParquetPieces(path).first()
    else:
        yield read_with(path, own.dialect, own.missing)


def of_items(items: Iterable[Any], most: int) -> Pieces:
    """Yield the records of an iterator, whose items are records (dicts) or tables of any type."""
    rows: list[Mapping[str, Any]] = []
    for item in items:
        if _is_record(item):
            rows.append(item)
        if rows and (len(rows) == min(most, RECORDS) or not _is_record(item)):
            yield Piece(read_with(rows))
            rows = []
        if not _is_record(item):
            table = read_with(item)
            if table.source.kind == "csv":
                raise RequestError("items of an iterator are records or tables, not csv files")
            yield Piece(table)
    if rows:
        yield Piece(read_with(rows))


def _is_record(item: Any) -> bool:
    return isinstance(item, Mapping) and not any(
        isinstance(one, list | tuple | np.ndarray) for one in item.values()
    )


def of_pipe(file: BinaryIO, kind: str, settings: Settings) -> Pieces:
    """Yield the records of a pipe, csv or JSON lines, as they come."""
    if kind not in ("csv", "jsonl"):
        raise RequestError(f"a stream on stdin is csv or jsonl, not {shown(kind)}")
    bursts = Csv(settings.input) if kind == "csv" else JsonLines(settings.input)
    ready: queue.Queue[bytes | BaseException] = queue.Queue(HELD)
    read = getattr(file, "read1", file.read)

    def reading() -> None:
        try:
            while part := read(PIECE):
                ready.put(part)
            ready.put(b"")
        except BaseException as error:  # raised again where it is waited for
            ready.put(error)

    threading.Thread(target=reading, daemon=True).start()
    while True:
        try:
            part = ready.get(timeout=TICK)
        except queue.Empty:
            yield None
            continue
        if isinstance(part, BaseException):
            raise InputError("stdin cannot be read") from part
        table = bursts.add(part)
        if table is not None and table.rows:
            yield Piece(table)
        if not part:
            return


class Csv:
    """Csv text; its header is set before every burst."""

    def __init__(self, how: InputSettings) -> None:
        plain = replace(PLAIN, delimiter=how.dialect.delimiter)
        if how.dialect != plain:
            raise RequestError(
                f"csv on stdin is UTF-8 in plain notation; only {option('delimiter')} can be said "
                "of it; write files of another dialect to a folder"
            )
        self._delimiter = how.dialect.delimiter
        self._head, self._rest = b"", b""

    def add(self, part: bytes) -> Table | None:
        """Return the records that are whole with one more part; an empty part is the last."""
        self._rest += part
        end = len(self._rest) if not part else last_end(self._rest)
        if end == 0:
            _check_long(self._rest)
            return None
        raw, self._rest = self._head + self._rest[:end], self._rest[end:]
        text = Text(raw, NAME, self._delimiter, 1)
        self._head, self._delimiter = text.head.raw, text.head.delimiter
        if not self._head.endswith(b"\n"):
            self._head += b"\n"
        columns = []
        for place, name in enumerate(text.head.names):
            cells = joined([own.cells[place] for own in text.parts])
            columns.append(Column(name, Kind.TEXT, cells, cells=cells))
        source = Source(NAME, "csv", delimiter=text.head.delimiter, columns=text.head.names)
        return Table(tuple(columns), source)


class JsonLines:
    """JSON lines, one record each."""

    def __init__(self, how: InputSettings) -> None:
        if how.dialect != PLAIN or how.types:
            raise RequestError("JSON lines have types of their own; leave out those of csv text")
        self._rest = b""

    def add(self, part: bytes) -> Table | None:
        """Return the records that are whole with one more part; an empty part is the last."""
        self._rest += part
        end = len(self._rest) if not part else self._rest.rfind(b"\n") + 1
        raw, self._rest = self._rest[:end], self._rest[end:]
        if not raw.strip():
            _check_long(self._rest)
            return None
        return table_of_lines(raw, NAME)


def _check_long(rest: bytes) -> None:
    if len(rest) > LONGEST:
        raise InputError(f"{NAME}: a record of over {LONGEST:,} bytes; a quote may not be closed")
