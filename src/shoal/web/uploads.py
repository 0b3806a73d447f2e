"""Uploads: written to disk piece by piece, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from shoal.storage import system
from shoal.storage.names import is_reserved
from shoal.table.files.formats import ARROW, JSON_LINES, SPREADSHEETS, STATISTICS
from shoal.table.files.opening import (
    DATABASES,
    DUCKDB,
    DUCKDB_AT,
    PACKINGS,
    SQLITE,
    TEXTS,
    file_of,
    packing,
)
from shoal.table.hierarchy.specify import is_file
from shoal.web.bodies import Refused
from shoal.web.estimates import Estimates
from shoal.web.workspace import Workspace

PIECE = 1 << 20
RESERVE = 1 << 30  # bytes of the disk that are left free
COLUMNS, ROWS, LINE = 10_000, 500_000_000, 1 << 24
RATIO, UNPACKED = 200, 100 << 20  # what unpacks to more than both is no table
ENDINGS = (
    *(f"{text}{packed}" for text in TEXTS for packed in PACKINGS), ".zip", *TEXTS, ".parquet",
    *ARROW, *JSON_LINES, *STATISTICS, *SPREADSHEETS, *DATABASES,
)  # fmt: skip
TAKEN = (
    "only csv (also packed as gz, bz2, zst or zip), Parquet, Feather, JSON lines, Excel, "
    "OpenDocument, SPSS, Stata, SAS, SQLite and DuckDB files are taken"
)


@dataclass(frozen=True)
class Mark:
    """How files of a kind begin, and the endings of names that promise one."""

    begins: bytes | tuple[bytes, ...]
    what: str
    endings: tuple[str, ...]


def _packed(how: str) -> tuple[str, ...]:
    return tuple(ending for ending in ENDINGS if packing(ending) == how)


MARKS = (
    Mark(b"PK\x03\x04", "zip archive or workbook",
         (".xlsx", ".xlsm", ".xlsb", ".ods", *_packed(".zip"))),
    Mark(b"PAR1", "Parquet file", (".parquet",)),
    Mark(b"\x1f\x8b", "gzip file", _packed(".gz")),
    Mark(tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)), "bzip2 file", _packed(".bz2")),
    Mark(b"\x28\xb5\x2f\xfd", "Zstandard file", _packed(".zst")),
)  # fmt: skip


@dataclass(frozen=True)
class Allowance:
    """What an upload may take: bytes, lines, bytes of the disk to leave, seconds of silence."""

    size: int
    rows: int = ROWS
    reserve: int = RESERVE
    patience: float = 60.0


def ending_of(name: str) -> str:
    """Return what kind of file a name says."""
    suffix = next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)
    if suffix is None:
        raise Refused(415, TAKEN)
    return suffix


async def take_in(
    pieces: AsyncIterator[bytes], target: Path, ending: str, allowed: Allowance
) -> int:
    """Write a body to a new file that only its owner can read; return its bytes."""
    watch = Watch(ending, allowed)
    handle = system.create(target)
    size, waiting = 0, bytearray()
    try:
        with os.fdopen(handle, "wb") as file:
            async for piece in _patient(pieces, allowed.patience):
                size += len(piece)
                if size > allowed.size:
                    raise Refused(413, "the file is larger than this desk takes")
                waiting += piece
                if len(waiting) >= PIECE:
                    await asyncio.to_thread(_keep, file, bytes(waiting), watch, target)
                    waiting.clear()
            await asyncio.to_thread(_keep, file, bytes(waiting), watch, target)
        watch.end()
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return size


async def _patient(pieces: AsyncIterator[bytes], patience: float) -> AsyncIterator[bytes]:
    """Yield the pieces of a body; one that stops coming is given up."""
    every = aiter(pieces)
    while True:
        try:
            piece = await asyncio.wait_for(anext(every), patience)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refused(408, "the upload stopped coming") from None
        yield piece


def _keep(file: BinaryIO, piece: bytes, watch: Watch, target: Path) -> None:
    watch.see(piece)
    if shutil.disk_usage(target.parent).free < watch.allowed.reserve + len(piece):
        raise Refused(507, "the disk has no room for this file")
    try:
        file.write(piece)
    except OSError as error:
        raise Refused(507, f"the file cannot be kept: {error.strerror}") from None


class Watch:
    """Looks at a file as it comes and raises where it is no table, or one beyond the limits.

    What gzip packed is unpacked here as it comes; every other kind is read by a worker alone,
    within the limits of the library.
    """

    def __init__(self, ending: str, allowed: Allowance) -> None:
        self.ending, self.allowed = ending, allowed
        self.packed = self.unpacked = self.lines = self.since = 0
        self.first = True
        self.unzip = zlib.decompressobj(wbits=31) if packing(ending) == ".gz" else None
        self.head = bytearray()

    def see(self, piece: bytes) -> None:
        """Check the next piece."""
        if not piece:
            return
        if self.first:
            self._magic(piece)
            self.first = False
        self.packed += len(piece)
        if self.unzip is not None:
            self._unpack(piece)
        elif self.ending == ".csv":
            self._text(piece)

    def end(self) -> None:
        """Check the file as a whole."""
        if self.packed == 0:
            raise Refused(400, "the file is empty")
        self._columns()

    def _magic(self, piece: bytes) -> None:
        """Refuse what does not begin as its name says."""
        faults = [
            f"is {'no' if self.ending in mark.endings else 'a'} {mark.what}"
            for mark in MARKS
            if piece.startswith(mark.begins) != (self.ending in mark.endings)
        ]
        is_sqlite = piece.startswith(SQLITE)
        if self.ending in DATABASES:
            if not is_sqlite and not piece[DUCKDB_AT:].startswith(DUCKDB):
                faults = ["is no SQLite or DuckDB database, or an encrypted one"]
        elif is_sqlite:
            faults.append("is an SQLite database")
        if faults:
            raise Refused(415, f"the file {faults[0]}, whatever its name says")

    def _unpack(self, piece: bytes) -> None:
        """Count what a compressed file unpacks to, a piece at a time."""
        left = piece
        while left:
            assert self.unzip is not None
            try:
                text = self.unzip.decompress(left, PIECE)
            except zlib.error:
                raise Refused(400, "the gzip file is broken") from None
            self.unpacked += len(text)
            if self.unpacked > UNPACKED and self.unpacked > RATIO * self.packed:
                raise Refused(413, "the gzip file unpacks to far more than a table would")
            self._text(text)
            left = self.unzip.unconsumed_tail
            if self.unzip.eof:
                left = self.unzip.unused_data.lstrip(b"\0")
                self.unzip = zlib.decompressobj(wbits=31)

    def _text(self, text: bytes) -> None:
        """Count lines, the longest line and the columns of the header."""
        if self.lines == 0:
            self.head += text[: LINE - len(self.head)]
        lines = text.count(b"\n")
        self.since = len(text) - 1 - text.rfind(b"\n") if lines else self.since + len(text)
        self.lines += lines
        if self.since > LINE:
            raise Refused(413, "a line is longer than 16 MB")
        if self.lines > self.allowed.rows:
            raise Refused(413, f"there are more than {self.allowed.rows:,} lines")
        if self.lines and self.head:
            self._columns()

    def _columns(self) -> None:
        header = bytes(self.head).split(b"\n", 1)[0]
        self.head.clear()
        if max(header.count(sign) for sign in (b",", b";", b"\t", b"|")) >= COLUMNS:
            raise Refused(413, f"the header names more than {COLUMNS:,} columns")


@dataclass
class Opened:
    """An opened file: its path, inspection and draft settings.

    Of a database, `tables` are those that can be opened, and `table` is the one that is meant.
    """

    id: str
    name: str
    bytes: int
    origin: str
    path: Path
    place: Path
    opened: float = field(default_factory=time.time)
    state: str = "looking"
    error: str | None = None
    look: dict[str, Any] | None = None
    draft: Any = None
    reading: dict[str, Any] = field(default_factory=dict)  # how it is to be read, where asked
    tables: list[str] = field(default_factory=list)
    table: str | None = None
    trees: dict[str, dict[str, Any]] = field(default_factory=dict)
    estimates: Estimates = field(default_factory=Estimates)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)  # looks at it
    touched: float = field(default_factory=time.time)

    @property
    def source(self) -> str:
        """The path that is read: of a database with its table."""
        return str(self.path) if self.table is None else f"{self.path}#{self.table}"

    def choose(self, table: Any) -> None:
        """Take one of the tables of a database; no table where none is said."""
        if table is not None and table not in self.tables:
            raise Refused(400, "there is no such table in this file")
        self.table = table

    def take(self, look: dict[str, Any]) -> None:
        """Keep what a worker saw; of a database of several tables one is to be chosen first."""
        self.tables, self.table = look.pop("tables"), look.pop("table")
        if self.tables and self.table is None:
            self.state = "choosing"
            return
        self.look, self.state = look, "ready"

    def card(self) -> dict[str, Any]:
        """Return what a list says of it."""
        keys = "id", "name", "bytes", "origin", "state", "opened"
        return {key: getattr(self, key) for key in keys}

    def to_json(self) -> dict[str, Any]:
        """Return the file as JSON."""
        trees = [
            {"id": key, "column": tree["column"], "levels": tree["levels"]}
            for key, tree in self.trees.items()
        ]
        more = {"error": self.error, "draft": self.draft, "trees": trees, "look": self.look,
                "reading": self.reading, "tables": self.tables, "table": self.table}  # fmt: skip
        return {**self.card(), **more}


def check_ready(file: Opened) -> None:
    """Raise Refused for a file that is not inspected yet, or could not be read."""
    if file.state != "ready":
        raise Refused(409, "the file is not ready")


def plain_name(name: str) -> str:
    """Return a name of a file as it can be shown, whatever bytes it is of."""
    return name.encode("utf-8", "replace").decode()


def tree_names(hierarchies: dict[str, str]) -> dict[str, str]:
    """Return the download names of the files of hierarchies."""
    names: dict[str, str] = {}
    for column, rule in hierarchies.items():
        if is_file(rule):
            name = f"trees/{kept_name(f'{column}.csv', '.csv')}"
            again = f"trees/{len(names)}-{name.removeprefix('trees/')}"
            names[rule] = name if name not in names.values() else again
    return names


def last_part(name: str) -> str:
    """Return a file's name without folders before it."""
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def kept_name(name: str, ending: str) -> str:
    """Return the name a file gets on disk: the last part of its own, of plain signs alone."""
    stem = last_part(name)[: -len(ending)]
    plain = "".join(c if c.isprintable() and c not in '/:*?"<>|#' else "_" for c in stem)
    plain = plain.encode("utf-8", "replace")[:80].decode("utf-8", "ignore").strip(" .")
    usable = plain and not plain.startswith("-") and not is_reserved(plain)
    return f"{plain if usable else 'table' + plain}{ending}"


def entries_of(folder: Path | None, workspace: Workspace) -> dict[str, Path]:
    """Return the files of the folder by ids that do not disclose their paths."""
    if folder is None:
        return {}
    entries = {}
    inside = folder.resolve()
    try:
        every = sorted(folder.iterdir())
    except OSError:
        return {}
    for path in every:
        own = path.name.lower().endswith(ENDINGS) and not path.name.startswith(".")
        own = own and file_of(path) == path  # and not called like a table of a database
        with contextlib.suppress(OSError):
            if own and path.is_file() and path.resolve().parent == inside:
                entries[workspace.named(path.name)] = path
    return entries


def told(folder: Path | None, workspace: Workspace) -> dict[str, Any] | None:
    """Return what the first page says of the folder."""
    if folder is None:
        return None
    entries = []
    for key, path in entries_of(folder, workspace).items():
        with contextlib.suppress(OSError):  # gone since
            size = path.stat().st_size
            entries.append({"id": key, "name": plain_name(path.name), "bytes": size})
    return {"name": plain_name(folder.resolve().name), "entries": entries}
