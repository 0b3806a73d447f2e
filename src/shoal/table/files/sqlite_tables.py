"""Tables of SQLite files: columns hold values of any kind, so that kinds are decided strictly.

A column has the kind of its values where all have one; what is declared decides between texts and
dates, whole numbers and truth values. Values of several kinds are texts, and in doubt.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from shoal.errors import InputError
from shoal.table.csv_text.scan import MAX_LINE
from shoal.table.files.opening import OWN, SQLITE, TableName, first_bytes, quoted

PATIENCE = 1.0  # seconds that another program may hold the file
FETCHED = 16_384  # records that are Python values at once
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
WAL_AT, WAL = 18, b"\x02\x02"
EXACT = 2**53  # up to which whole numbers are floats
WORDS = {"integer": "whole", "real": "number", "text": "text", "blob": "blob"}
ADVICE = "make a view, or a table, of it with one kind (CAST, NULLIF)"
LISTS_TABLES = (3, 37)  # the SQLite that first tells what it takes an entry of the schema for


class SqliteTable:
    """A table or view of an open SQLite database."""

    def __init__(self, connection: sqlite3.Connection, name: TableName) -> None:
        self._connection, self._name = connection, name

    def _ask(self, what: str, where: str = "") -> Any:
        """Return the answer to a question about the table; names in it are quoted."""
        sql = f"SELECT {what} FROM {self._name.quoted}{where}"  # noqa: S608
        return self._connection.execute(sql)

    def rows(self, most: int) -> int:
        """Return how many records there are; of more than `most`, one more."""
        some = f"SELECT 1 FROM {self._name.quoted} LIMIT {most + 1}"  # noqa: S608
        answer = self._connection.execute(f"SELECT count(*) FROM ({some})").fetchone()  # noqa: S608
        return int(answer[0])

    @cached_property
    def _columns(self) -> list[tuple[str, Any, str | None]]:
        """Its columns: names, types and doubts."""
        declared = self._connection.execute(
            "SELECT name, type FROM pragma_table_xinfo(?, ?)", (self._name.name, self._name.schema)
        )
        types = {name: str(kind or "").upper() for name, kind in declared}
        names = [column[0] for column in self._ask("*", " LIMIT 0").description]
        return [(name, *self._decided(quoted(name), types.get(name, ""))) for name in names]

    @cached_property
    def schema(self) -> Any:
        """Its columns, as Arrow has them."""
        return pa.schema([(name, kind) for name, kind, _ in self._columns])

    @property
    def doubts(self) -> dict[str, str]:
        """Why columns may be meant as something else."""
        return {name: doubt for name, _, doubt in self._columns if doubt}

    def _decided(self, column: str, declared: str) -> tuple[Any, str | None]:
        """Return the type of a column, and why it may be meant as another."""
        kinds = {kind for (kind,) in self._ask(f"DISTINCT typeof({column})")} - {"null"}
        if kinds == {"integer"}:
            is_flag = "BOOL" in declared and not self._has(f"{column} NOT IN (0, 1)")
            return pa.bool_() if is_flag else pa.int64(), None
        if kinds == {"real"}:
            return pa.float64(), None
        if kinds == {"integer", "real"}:
            long = f"typeof({column}) = 'integer' AND abs({column} / 2) > {EXACT // 2}"
            if not self._has(long):
                return pa.float64(), None
        if kinds == {"blob"}:
            return pa.binary(), None
        if kinds == {"text"}:
            return self._of_texts(column, declared)
        if not kinds:
            return pa.string(), None
        what = ", ".join(sorted(WORDS[kind] for kind in kinds))
        return pa.string(), f"cells of several kinds: {what}; {ADVICE}"

    def _has(self, condition: str) -> bool:
        return self._ask("1", f" WHERE {condition} LIMIT 1").fetchone() is not None

    def _of_texts(self, column: str, declared: str) -> tuple[Any, str | None]:
        """Return the type of a column of texts: dates, where it is declared so and all are."""
        if declared == "DATE":
            wanted, what = pa.date32(), "dates (2026-12-31)"
        elif declared.startswith(("DATETIME", "TIMESTAMP")):
            wanted, what = pa.timestamp("us"), "times (2026-12-31 23:59:59)"
        else:
            return pa.string(), None
        cells = self._ask(column)
        try:
            while some := cells.fetchmany(FETCHED):
                pa.array([cell for (cell,) in some], pa.string()).cast(wanted)
        except pa.ArrowInvalid:
            return (
                pa.string(),
                f"declared as {declared.lower()}, but not all cells are {what}; {ADVICE}",
            )
        return wanted, None

    def batches(self, records: int) -> Iterator[Any]:
        """Yield the records, so many at once at most."""
        rows = self._ask("*")
        while some := rows.fetchmany(min(records, FETCHED)):
            columns = zip(zip(*some, strict=True), self.schema.types, strict=True)
            yield pa.record_batch([_array(*one) for one in columns], schema=self.schema)


def _array(cells: Sequence[Any], kind: Any) -> Any:
    """Return cells as values of a type."""
    if pa.types.is_boolean(kind):
        return pa.array([None if cell is None else bool(cell) for cell in cells], kind)
    if pa.types.is_floating(kind):
        return pa.array([None if cell is None else float(cell) for cell in cells], kind)
    if pa.types.is_integer(kind) or pa.types.is_binary(kind):
        return pa.array(cells, kind)
    return pa.array([_text(cell) for cell in cells], pa.string()).cast(kind)


def _text(cell: Any) -> str | None:
    """Return a cell as text; bytes as SQL writes them."""
    if isinstance(cell, bytes):
        return f"X'{cell.hex().upper()}'"
    return cell if cell is None or isinstance(cell, str) else repr(cell)


class SqliteDatabase:
    """An open SQLite database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def names(self) -> list[TableName]:
        """Return its tables and views."""
        rows = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        )
        return [TableName(OWN, str(name)) for (name,) in rows]

    def stored(self) -> list[TableName]:
        """Return the tables that are neither views nor virtual.

        Entries of the schema can be forged to say otherwise; SQLite is asked what it made of them.
        """
        if sqlite3.sqlite_version_info < LISTS_TABLES:
            raise InputError(
                f"SQLite {sqlite3.sqlite_version} cannot tell tables from views safely; 3.37 can"
            )
        rows = self._connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = ? AND type = 'table' "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name", (OWN,)
        )  # fmt: skip
        return [TableName(OWN, str(name)) for (name,) in rows]

    def table(self, name: TableName) -> SqliteTable:
        """Return one of them."""
        return SqliteTable(self._connection, name)


@contextlib.contextmanager
def opened_sqlite(file: Path) -> Iterator[SqliteDatabase]:
    """Yield an SQLite database, opened to be read alone; what goes wrong is said in words."""
    try:
        with contextlib.closing(_connected(file)) as connection:
            connection.execute("BEGIN")  # all that is read is of one state of the file
            (page,) = connection.execute("PRAGMA page_size").fetchone()
            if file.stat().st_size % page:  # SQLite would read zeros after its end
                raise InputError(f"{file.name}: not a whole SQLite database")
            yield SqliteDatabase(connection)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) in BUSY:
            reason = "another program is writing to it; wait for it, or close it there"
        elif "decode" in str(error):
            reason = "a text in it is not UTF-8; make a view without it, or mend it"
        elif isinstance(error, sqlite3.DataError):
            reason = f"a cell is longer than {MAX_LINE:,} bytes; make a view without it"
        else:
            reason = "not a whole SQLite database, or it needs an extension of SQLite"
        raise InputError(f"{file.name}: {reason}") from None


def has_journal(file: Path) -> bool:
    """Tell whether an SQLite file is of WAL mode: its changes go to another file first."""
    head = first_bytes(file, WAL_AT + len(WAL))
    return head.startswith(SQLITE) and head[WAL_AT:] == WAL


def _connected(file: Path) -> sqlite3.Connection:
    """Return a connection that changes nothing, not even beside the file.

    To read a file of WAL mode makes two files beside it, unless it is said that nobody writes: so
    it is said of such a file, whose changes are asked for before and after.
    """
    mode = "mode=ro&immutable=1" if has_journal(file) else "mode=ro"
    uri = f"file:{quote(str(file.absolute()))}?{mode}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LINE)
    for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection
