"""The columns of a csv file that is read in pieces: decided once for the whole file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa

from shoal.errors import InputError
from shoal.kernels.arrays import Flags
from shoal.table.csv_pieces.cut import LONG, Cutter, Piece
from shoal.table.csv_text.cells import Cells
from shoal.table.csv_text.decide import Fault, Verdict, column_of, decide, doubt_of, misfit
from shoal.table.csv_text.facts import Facts, look
from shoal.table.csv_text.scan import Lines
from shoal.table.csv_text.split import unswapped, unswapped_head
from shoal.table.dialects.dialect import PLAIN, QUOTE, UTF_8, Dialect, settled
from shoal.table.dialects.notation import has_thousands
from shoal.table.dialects.propose import check_one_column
from shoal.table.dialects.transcode import open_text
from shoal.table.files.formats import check_csv_name
from shoal.table.files.opening import PART, Unpacked, in_words, opened, packing
from shoal.table.files.unpacking import check_unpacked
from shoal.table.read import check_delimiter, check_types, notations_of
from shoal.table.roles import Column, Kind, Written
from shoal.table.source import Source
from shoal.table.table import Table

SIZE = 16 * 2**20
PLACES = 5


@dataclass(frozen=True)
class Outline:
    """What a column of the whole file is, and whether any of its cells stands in quotes."""

    name: str
    kind: Kind
    written: Written
    doubt: str | None
    quoted: bool


class CsvPieces:
    """A csv or csv.gz file as Tables of some of its records each, in bounded memory.

    `first` looks at the whole file; then `source` and `outline` are there, and `again` gives the
    records as `read` would have, as often as it is asked. `size` and `long` are those of a Cutter.
    """

    source: Source
    outline: tuple[Outline, ...]

    def __init__(
        self,
        path: Path,
        *,
        dialect: Dialect = PLAIN,
        missing: Sequence[str] = ("",),
        types: Mapping[str, str] | None = None,
        size: int = SIZE,
        long: int = LONG,
    ) -> None:
        self._path, self._size, self._long = path, size, long
        self._dialect, self._missing, self._types = dialect, tuple(missing), dict(types or {})
        self._mark: Mark | None = None
        self._names: tuple[str, ...] = ()
        self._decided = False
        self._encoding = UTF_8
        self._grouped: set[str] = set()

    def first(self) -> Iterator[Table]:
        """Yield each piece as what its own cells are, and decide what the whole file is."""
        check_csv_name(self._path.name)
        self._mark, self._decided = None, False
        facts: list[Facts] = []
        quoted: list[bool] = []
        source = Source(self._path.name, "csv")
        for piece in self._pieces():
            if not facts:
                check_types(self._types, list(piece.head.names), self._path.name)
                facts, quoted = [Facts()] * len(piece.head.names), [False] * len(piece.head.names)
            source = self._source(piece)
            columns = []
            for index, (cells, flags) in enumerate(self._columns(piece)):
                seen = look(cells)
                if has_thousands(cells.cells, cells.notation):
                    self._grouped.add(piece.head.names[index])
                facts[index] = facts[index].joined(seen)
                quoted[index] |= flags is not None
                column = self._column_alone(piece.head.names[index], cells, seen, source)
                columns.append(column.replace(quoted=flags))
            yield Table(tuple(columns), source)
        verdicts = self._verdicts(source.columns, facts)
        doubts = self._doubts(source, verdicts)
        self.source = replace(source, sha256=self._mark.sha256 if self._mark else "", lines=None)
        self.outline = tuple(
            Outline(name, verdict.kind, verdict.written, doubt, has_quotes)
            for name, verdict, doubt, has_quotes in zip(
                source.columns, verdicts, doubts, quoted, strict=True
            )
        )
        self._decided = True
        kinds = ((column.name, column.kind) for column in self.outline)
        notations = notations_of(kinds, self._grouped, self._dialect)
        self.source = replace(self.source, notations=notations)

    def again(self) -> Iterator[Table]:
        """Yield each piece as what the whole file is; `first` must have come to its end."""
        if not self._decided:
            raise RuntimeError("a file is read to its end by first() before it is read again")
        for piece in self._pieces():
            columns = []
            for (cells, flags), known in zip(self._columns(piece), self.outline, strict=True):
                column = self._column_known(known, cells)
                none = np.zeros(len(cells), dtype=bool) if known.quoted else None
                columns.append(column.replace(quoted=none if flags is None else flags))
            source = replace(self._source(piece), notations=self.source.notations)
            yield Table(tuple(columns), source)

    def texts(self) -> Iterator[Table]:
        """Yield each piece with its cells as they stand there, whatever they are, in one pass."""
        check_csv_name(self._path.name)
        for piece in self._pieces():
            columns = [
                Column(name, Kind.TEXT, cells, cells=cells)
                for name, cells in zip(piece.head.names, piece.part.cells, strict=True)
            ]
            yield Table(tuple(columns), self._source(piece))

    def _pieces(self) -> Iterator[Piece]:
        """Yield the pieces of one pass; a file that is not what it was is refused."""
        known = self._mark
        with Stream(self._path) as stream:
            if known and stream.mark != replace(known, sha256=""):
                raise self._changed()
            check_delimiter(self._dialect.delimiter)
            plain = open_text(stream.read, self._path.name, self._dialect)
            with plain.renumbering():
                name, sign = self._path.name, plain.delimiter
                for piece in Cutter(plain.read, name, sign, self._size, self._long):
                    own = self._unswapped(piece)
                    if plain.delimiter is None and not self._names:
                        check_one_column(own.head, own.part, self._path.name)
                    if known and own.head.names != self._names:
                        raise self._changed()
                    self._names, self._encoding = own.head.names, plain.encoding
                    yield replace(own, lines=plain.renumbered(own.lines, own.part.records))
            mark = stream.end()
        if known and mark != known:
            raise self._changed()
        self._mark = mark

    def _unswapped(self, piece: Piece) -> Piece:
        quote = self._dialect.quote
        if quote == QUOTE:
            return piece
        return replace(
            piece, part=unswapped(piece.part, quote), head=unswapped_head(piece.head, quote)
        )

    def _changed(self) -> InputError:
        return InputError(f"{self._path.name}: the file changed while it was read")

    def _source(self, piece: Piece) -> Source:
        return Source(
            self._path.name,
            "csv",
            self._mark.sha256 if self._mark else "",
            path=str(self._path),
            delimiter=piece.head.delimiter,
            dialect=settled(self._dialect, self._encoding),
            lines=piece.lines,
            missing=self._missing,
            types=tuple(self._types.items()),
            columns=piece.head.names,
        )

    def _columns(self, piece: Piece) -> Iterator[tuple[Cells, Flags | None]]:
        for index in range(len(piece.head.names)):
            yield self._cells(piece, index)

    def _cells(self, piece: Piece, index: int) -> tuple[Cells, Flags | None]:
        declared = self._types.get(piece.head.names[index])
        notation = self._dialect.notation(piece.head.names[index])
        cells = Cells(piece.part.cells[index], self._missing, declared, notation)
        return cells, piece.part.quoted[index]

    def _column_alone(self, name: str, cells: Cells, seen: Facts, source: Source) -> Column:
        (verdict,) = self._verdicts((name,), [seen])
        return column_of(name, cells, verdict, doubt_of([cells], verdict, source.where))

    def _column_known(self, known: Outline, cells: Cells) -> Column:
        try:
            verdict = Verdict(known.kind, known.written)
            return column_of(known.name, cells, verdict, known.doubt)
        except (pa.ArrowException, ValueError, TypeError):
            raise self._changed() from None

    def _verdicts(self, names: tuple[str, ...], facts: list[Facts]) -> list[Verdict]:
        try:
            return [
                decide(name, seen, self._types.get(name))
                for name, seen in zip(names, facts, strict=True)
            ]
        except InputError as error:
            raise InputError(f"{self._path.name}, {error.marked}") from None

    def _doubts(self, source: Source, verdicts: list[Verdict]) -> list[str | None]:
        """Return the faults of the columns in words; it takes one more pass to find the places."""
        faults = {index: v.fault for index, v in enumerate(verdicts) if v.fault is not None}
        places = {index: _Places(source) for index in faults}
        if any(fault.flags is not None for fault in faults.values()):
            for piece in self._pieces():
                for index, fault in faults.items():
                    places[index].look(self._cells(piece, index)[0], fault, self._source(piece))
        doubts: list[str | None] = [None] * len(verdicts)
        for index, fault in faults.items():
            doubts[index] = doubt = places[index].message(fault)
            name = source.columns[index]
            if name in self._types:
                raise InputError(f"{self._path.name}, {misfit(name, doubt).marked}")
        return doubts


class _Places:
    """The first lines of the cells that a fault flags, and how many there are."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: list[int] = []
        self._count = self._cells = 0

    def look(self, cells: Cells, fault: Fault, source: Source) -> None:
        distinct = cells.distinct
        rows = [] if fault.flags is None else distinct.rows_where(fault.flags(distinct))
        self._cells += len(cells)
        self._count += len(rows)
        for row in rows[: PLACES - len(self._lines)]:
            self._lines.append(row + 2 if source.lines is None else int(source.lines[row + 1]))

    def message(self, fault: Fault) -> str:
        lines = np.array([1, *self._lines])
        where = replace(self._source, lines=lines).where(range(min(self._count, PLACES + 1)))
        return fault.message(self._count, self._cells, where)


@dataclass(frozen=True)
class Mark:
    """What tells a file from one that changed: size and time when it was opened, and its hash."""

    size: int
    time: int
    sha256: str = ""


class _Hashed:
    """A file that hashes the bytes that are read from it."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self.hash = hashlib.sha256()
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        with in_words(self._path):
            part = self._file.read(size)
        self.hash.update(part)
        return part

    def seekable(self) -> bool:
        return False


class Stream:
    """A file, open for one pass from its start to its end."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file = opened(path)
        status = os.fstat(self._file.fileno())
        self.mark = Mark(status.st_size, status.st_mtime_ns)
        self._stored = _Hashed(self._file, path)
        self._packed: Unpacked | None = None
        self._unpacked = 0
        self._lines = Lines(path.name)
        try:
            self._unpack()
        except BaseException:
            self._file.close()
            raise

    def _unpack(self) -> None:
        ending = packing(self._name)
        if ending == ".zip":  # it is read from its end, so its hash is taken first
            while self._stored.read(PART):
                pass
            self._packed = Unpacked(self._file, self._name)
        elif ending:
            self._packed = Unpacked(cast(BinaryIO, self._stored), self._name)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Return the next bytes of the text, none at its end."""
        if self._packed is None:
            part = self._stored.read(size)
        else:
            part = self._packed.read(size)
            self._unpacked += len(part)
            check_unpacked(self._unpacked, self.mark.size, self._name)
        self._lines.see(part)
        return part

    def end(self) -> Mark:
        """Return the mark with the hash of all that is stored."""
        while packing(self._name) != ".zip" and self._stored.read(PART):
            pass
        return Mark(self.mark.size, self.mark.time, self._stored.hash.hexdigest())
