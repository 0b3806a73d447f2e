"""State: the private database of a stream, in which each step happens whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from shoal.errors import InputError, OutputError, RequestError, shown
from shoal.series.form import Form
from shoal.storage import system

DATABASE, LOCK = "stream.db", ".stream.lock"
CACHE = 16_384  # kilobytes of the database that are held in memory
COUNTS, BATCH, FORM, FRAME = "counts", "batch", "form", "frame"  # notes
SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS people (number BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waiting (place INTEGER PRIMARY KEY, records BLOB);
CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, rows INTEGER, mark TEXT) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Counts:
    """What has become of the records that came, and how many batches there are.

    Those who came are released, wait, were withheld (no group could take them while they might
    wait), came again (their person had come before, or is in the ledger), or left.
    """

    come: int = 0
    released: int = 0
    waiting: int = 0
    withheld: int = 0
    again: int = 0
    left: int = 0
    batches: int = 0

    def to_dict(self) -> dict[str, int]:
        """Return plain values for JSON."""
        return asdict(self)

    def summary(self) -> str:
        """Return what a person reads."""
        parts = [f"{self.released:,} released in {self.batches:,} batches"]
        words = {"waiting": "wait", "withheld": "withheld", "again": "came again", "left": "left"}
        parts += [f"{number:,} {word}" for name, word in words.items()
                  if (number := getattr(self, name))]  # fmt: skip
        return f"{self.come:,} records came: {', '.join(parts)}"


@dataclass(frozen=True, eq=False, repr=False)
class Noted:
    """A batch that is being released: its file, its line of the ledger, and what it fixes."""

    number: int
    file: str
    temporary: str
    sha256: str
    line: str
    form: str
    frame: str


class State:
    """The database of one stream, which one run at a time works with."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._closed = folder, False
        path = folder / DATABASE
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            folder.chmod(0o700)
            (folder / LOCK).mkdir(mode=0o700, exist_ok=True)
            self._lock = system.lock_folder(folder / LOCK)
            if not path.exists():
                os.close(system.create(path))
        except BlockingIOError:
            raise RequestError(
                f"{shown(folder)}: another run is working on this stream; wait until it has ended"
            ) from None
        except OSError as error:
            raise OutputError(f"{shown(folder)}: cannot be written: {error.strerror}") from None
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self._database.execute("PRAGMA secure_delete = ON")  # what was released is wiped
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute(f"PRAGMA cache_size = -{CACHE}")
            self._database.executescript(SCHEMA)
        except sqlite3.Error:
            self.close()
            raise InputError(f"{shown(path)}: this is no state of a stream") from None

    def close(self) -> None:
        """Let go of it; once is enough."""
        if not self._closed:
            self._closed = True
            self._database.close()
            self._lock.release()

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Change several things together, or none."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise OutputError(
                f"{shown(self.folder)}: the state of the stream cannot be written "
                f"({error.sqlite_errorname})"
            ) from None

    def note(self, name: str) -> str | None:
        """Return a note."""
        row = self._database.execute("SELECT text FROM notes WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_note(self, name: str, text: str) -> None:
        """Note something."""
        self._database.execute("REPLACE INTO notes VALUES (?, ?)", (name, text))

    def forget(self) -> None:
        """Forget who is known and what was noted, before any record has come."""
        for delete in ("DELETE FROM notes", "DELETE FROM people", "DELETE FROM files"):
            self._database.execute(delete)

    @property
    def form(self) -> Form | None:
        """What the columns are; None before anything came."""
        text = self.note(FORM)
        return None if text is None else Form(**json.loads(text))

    @property
    def counts(self) -> Counts:
        """What has become of the records that came."""
        return Counts(**json.loads(self.note(COUNTS) or "{}"))

    def add(self, **numbers: int) -> None:
        """Add to counts."""
        before = asdict(self.counts)
        now = {name: number + numbers.get(name, 0) for name, number in before.items()}
        self.set_note(COUNTS, json.dumps(now))

    def unknown(self, people: Sequence[str]) -> list[bool]:
        """Return who has not come before."""
        ask = "SELECT 1 FROM people WHERE number = ?"
        numbers = map(bytes.fromhex, people)
        return [self._database.execute(ask, (one,)).fetchone() is None for one in numbers]

    def add_people(self, people: Sequence[str]) -> None:
        """Note who has come; in order, so that few pages of the index change."""
        numbers = ((bytes.fromhex(one),) for one in sorted(people))
        self._database.executemany("INSERT OR IGNORE INTO people VALUES (?)", numbers)

    def waiting(self) -> list[Any]:
        """Return the records that wait, in the order they came."""
        parts = []
        for (held,) in self._database.execute("SELECT records FROM waiting ORDER BY place"):
            with ipc.open_stream(pa.BufferReader(held)) as reader:
                parts.append(reader.read_all())
        return parts

    def add_waiting(self, records: Any) -> None:
        """Let records wait."""
        if records.num_rows:
            sink = pa.BufferOutputStream()
            with ipc.new_stream(sink, records.schema) as writer:
                writer.write_table(records)
            held = bytes(sink.getvalue())
            self._database.execute("INSERT INTO waiting (records) VALUES (?)", (held,))

    def set_waiting(self, parts: Sequence[Any]) -> None:
        """Let these records wait, and no others."""
        self._database.execute("DELETE FROM waiting")
        for one in parts:
            self.add_waiting(one)

    def rows_of(self, file: str) -> tuple[int, str]:
        """Return how many records of a file were taken, and its mark; empty: it is not read out."""
        ask = "SELECT rows, mark FROM files WHERE name = ?"
        row = self._database.execute(ask, (file,)).fetchone()
        return (0, "") if row is None else (int(row[0]), str(row[1]))

    def set_rows(self, file: str, rows: int, mark: str) -> None:
        """Note how many records of a file were taken."""
        self._database.execute("REPLACE INTO files VALUES (?, ?, ?)", (file, rows, mark))

    def noted(self) -> Noted | None:
        """Return the batch that is being released, if any."""
        held = self.note(BATCH)
        return Noted(**json.loads(held)) if held else None

    def set_noted(self, batch: Noted | None) -> None:
        """Note the batch that is being released, or that none is."""
        self.set_note(BATCH, "" if batch is None else json.dumps(asdict(batch)))
