"""A table of a DuckDB or SQLite file -> Table, whole or piece by piece; files are only read.

What a file is, its first bytes tell. Its hash stands for its records: a database with changes that
are not yet in the file is refused, and one that changes while it is read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.table.dataframes.frames import BATCH, RECORDS, check_names, from_arrow
from shoal.table.files.opening import (
    DUCKDB,
    DUCKDB_AT,
    SQLITE,
    TableName,
    check_file_name,
    check_ordinary,
    choose,
    digest_of,
    first_bytes,
    parted,
)
from shoal.table.files.unpacking import GZIP_RATIO, check_unpacked
from shoal.table.roles import Column
from shoal.table.source import Source
from shoal.table.table import Table

JOURNALS = {"SQLite": ("-wal", "-journal"), "DuckDB": (".wal",)}
SOME = 1_000  # records that tell how long one is
FEW = 1_000_000  # records of a view that a small file may have
EMPTY = bytes(8)  # how a journal begins that is kept, and of no use any more


class DatabaseTable(Protocol):
    """A table or view of an open database."""

    @property
    def schema(self) -> Any:
        """Its columns, as Arrow has them."""
        ...

    @property
    def doubts(self) -> Mapping[str, str]:
        """Why columns may be meant as something else."""
        ...

    def rows(self, most: int) -> int:
        """Return how many records there are; of more than `most`, one more."""
        ...

    def batches(self, records: int) -> Iterator[Any]:
        """Yield the records, so many at once."""
        ...


class OpenDatabase(Protocol):
    """A database that is open."""

    def names(self) -> Sequence[TableName]:
        """Return its tables and views."""
        ...

    def stored(self) -> Sequence[TableName]:
        """Return its tables, without what runs somebody's code to be read."""
        ...

    def table(self, name: TableName) -> DatabaseTable:
        """Return one of them."""
        ...


class Database:
    """A database file, and the name of the table in it that is meant.

    `rows` is how many records the table has, once it was opened. A view may have any number, also
    endlessly many: no more than `most` are read.
    """

    def __init__(self, path: Path) -> None:
        both = parted(path)
        assert both is not None
        self.file, self.wanted = both
        check_file_name(self.file.name)
        self._stamp = self._stat()
        self.most = max(FEW, GZIP_RATIO * self.size)
        self.rows = 0

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return self._stamp[0]

    def _stat(self) -> tuple[int, int]:
        status = check_ordinary(self.file)
        return status.st_size, status.st_mtime_ns

    def stored(self) -> list[str]:
        """Return the names of the tables that are no views."""
        kind = kind_of(self.file)
        self._check(kind)
        with _opened(self.file, kind, in_pieces=True) as database:
            return [str(name) for name in database.stored()]

    @contextlib.contextmanager
    def opened(self, in_pieces: bool = False) -> Iterator[tuple[TableName, DatabaseTable]]:
        """Yield the table that is meant and its name; the file must stay as it is meanwhile."""
        kind = kind_of(self.file)
        self._check(kind)
        with _opened(self.file, kind, in_pieces) as database:
            name = choose(self.wanted, database.names(), self.file.name)
            table = database.table(name)
            self.rows = table.rows(self.most)
            if self.rows > self.most:
                raise InputError(
                    f"{self.file.name}: the view {shown(name)} has more records than a file of its "
                    "size can hold; make a table of it"
                )
            yield name, table
        self._check(kind)

    def _check(self, kind: str) -> None:
        """Refuse a file that has changed, or has changes that another file holds."""
        if self._stat() != self._stamp:
            raise InputError(f"{self.file.name}: the file changed while it was read")
        for ending in JOURNALS[kind]:
            journal = self.file.with_name(self.file.name + ending)
            if journal.is_file() and first_bytes(journal, len(EMPTY)) not in (b"", EMPTY):
                raise InputError(
                    f"{self.file.name}: changes to it are not yet in the file ({journal.name}): a "
                    "program writes to it, or was stopped; close it there, or open it once there"
                )

    def source(self, name: TableName, table: DatabaseTable, sha256: str) -> Source:
        """Return what the table is; names of columns are checked."""
        names = tuple(table.schema.names)
        own = self.wanted or name
        title = f"{self.file.name}#{own}"
        check_names(list(names), title)
        return Source(title, "database", sha256, path=f"{self.file}#{own}", columns=names)


def kind_of(file: Path) -> str:
    """Return what wrote a database file."""
    head = first_bytes(file, len(SQLITE))
    if head == SQLITE:
        return "SQLite"
    if head[DUCKDB_AT:].startswith(DUCKDB):
        return "DuckDB"
    raise InputError(f"{file.name}: not a DuckDB or SQLite database, or an encrypted one")


def _opened(
    file: Path, kind: str, in_pieces: bool
) -> contextlib.AbstractContextManager[OpenDatabase]:
    """Return an opened database."""
    if kind == "SQLite":
        from shoal.table.files.sqlite_tables import opened_sqlite

        return opened_sqlite(file)
    from shoal.table.files.duckdb_tables import opened_duckdb

    return opened_duckdb(file, in_pieces)


def read_database(path: Path) -> Table:
    """Return the Table of a table or view of a database file."""
    database = Database(path)
    batches, size = [], 0
    with database.opened() as (name, table):
        source = database.source(name, table, digest_of(database.file))
        for batch in table.batches(RECORDS):
            size += batch.nbytes
            check_unpacked(size, database.size, source.name)
            batches.append(batch)
        whole = from_arrow(pa.Table.from_batches(batches, table.schema), source)
        return with_doubts(whole, table.doubts)


def table_size(path: Path) -> tuple[int, int, float]:
    """Return how many records and columns a table has, and about how many bytes a record."""
    database = Database(path)
    with database.opened(in_pieces=True) as (_, table):
        return database.rows, len(table.schema.names), bytes_a_record(table)


def bytes_a_record(table: DatabaseTable) -> float:
    """Return how many bytes a record of a table has: the first ones tell."""
    some = next(table.batches(SOME), None)
    return some.nbytes / max(some.num_rows, 1) if some else 0.0


class DatabasePieces:
    """A table of a database file in pieces, each with the kinds of the whole table.

    `first` is the pass after which `source` is known; `again` gives the same pieces once more, and
    fails if the file has changed meanwhile.
    """

    source: Source

    def __init__(self, path: Path, records: int = RECORDS) -> None:
        self.database, self.records = Database(path), records

    def first(self) -> Iterator[Table]:
        """Yield the pieces of the first pass."""
        yield from self._pieces(digest_of(self.database.file))

    def again(self) -> Iterator[Table]:
        """Yield the same pieces once more."""
        yield from self._pieces(self.source.sha256)

    def _pieces(self, sha256: str) -> Iterator[Table]:
        with self.database.opened(in_pieces=True) as (name, table):
            self.source = source = self.database.source(name, table, sha256)
            doubts, start = table.doubts, 0
            yield with_doubts(from_arrow(table.schema.empty_table(), source), doubts)
            most = int(BATCH / max(bytes_a_record(table), 1.0))
            for batch in table.batches(max(1, min(self.records, most))):
                piece = from_arrow(pa.Table.from_batches([batch]), replace(source, start=start))
                yield with_doubts(piece, doubts)
                start += batch.num_rows


def with_doubts(table: Table, doubts: Mapping[str, str]) -> Table:
    """Return a table whose columns are in doubt where there is one."""

    def doubted(column: Column) -> Column:
        return column.replace(doubt=doubts[column.name]) if column.name in doubts else column

    return table.mapped(doubted) if doubts else table
