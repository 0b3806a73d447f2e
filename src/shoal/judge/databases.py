"""A table of a DuckDB or SQLite file as a release; cells are compared as values.

The file is opened to be read alone, by a connection of its own that opens nothing else. Only the
table is judged: that a file holds more is said.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.errors import InputError, listed, shown
from shoal.judge.arrow_tables import load
from shoal.judge.engine import CLOSED, Engine, quoted
from shoal.judge.source import Source

PLACE = re.compile(r"(.*?\.(?:duckdb|ddb|sqlite3?|db3?))(?:#(.*))?", re.I | re.S)
SQLITE_MARK, DUCKDB_MARK = b"SQLite format 3\0", b"DUCK"
READERS = {"sqlite": "Python's sqlite3", "duckdb": "DuckDB"}
ROWS = 8_192  # records that are Python values at once
TYPES = {"integer": "int64", "real": "float64", "text": "string", "blob": "binary",
         "null": "null"}  # Arrow's names  # fmt: skip
EVERY = {
    "sqlite": "SELECT 'main', name FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT GLOB 'sqlite_*'",
    "duckdb": "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal "
    "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal",
}


def place_of(data: str) -> tuple[Path, str] | None:
    """Return the database file that a text names, and its table; None where it names none."""
    match = PLACE.fullmatch(data)
    return None if match is None or Path(data).is_dir() else (Path(match[1]), match[2] or "")


def database_table(engine: Engine, file: Path, wanted: str, table: str) -> Source:
    """Make a table of one in a database file; if none is named, there must be one alone."""
    import duckdb

    kind = _kind(file)
    try:
        with contextlib.closing(_connection(file, kind)) as connection:
            every = [tuple(map(str, row)) for row in connection.execute(EVERY[kind]).fetchall()]
            schema, name = _chosen(every, wanted, file.name)
            where, title = f"{quoted(schema)}.{quoted(name)}", f"{file.name}#{name}"
            read = _of_sqlite if kind == "sqlite" else _of_duckdb
            given = read(connection, where, title)
    except (sqlite3.Error, duckdb.Error):
        raise InputError(
            f"{file.name}: not a whole database, or another program is writing to it"
        ) from None
    more = f", and {len(every) - 1} other tables or views" if len(every) > 1 else ""
    warning = (
        f"only the table {shown(name)} was judged: whatever else {file.name} holds goes with it "
        f"(what was deleted may still be in it{more}); publish a csv or Parquet file"
    )
    return replace(load(engine, table, given, title, READERS[kind]), warnings=(warning,))


def _kind(file: Path) -> str:
    """Return what a database file is, by its first bytes; its changes must be in it."""
    with file.open("rb") as raw:
        head = raw.read(len(SQLITE_MARK))
    kind = "sqlite" if head == SQLITE_MARK else "duckdb" if head[8:12] == DUCKDB_MARK else ""
    if not kind:
        raise InputError(f"{file.name}: not a DuckDB or SQLite database, or an encrypted one")
    for ending in ("-wal", "-journal") if kind == "sqlite" else (".wal",):
        beside = file.with_name(file.name + ending)
        if beside.is_file() and beside.stat().st_size:
            raise InputError(f"{file.name}: changes to it are not yet in the file ({beside.name})")
    return kind


def _connection(file: Path, kind: str) -> Any:
    """Return a connection that changes nothing, and makes no file beside it."""
    import duckdb

    if kind == "duckdb":
        closed = {**CLOSED, "enable_external_access": False, "lock_configuration": True}
        return duckdb.connect(str(file.absolute()), read_only=True, config=closed)
    place = f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(place, uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    if file.stat().st_size % page:  # SQLite would read zeros after its end
        raise sqlite3.DatabaseError
    return connection


def _chosen(every: Sequence[tuple[str, ...]], wanted: str, file: str) -> tuple[str, ...]:
    """Return the table that is meant, as schema and name."""
    texts = {one: one[1] if one[0] == "main" else ".".join(one) for one in every}
    meant = [one for one, text in texts.items() if wanted in ("", text, ".".join(one))]
    if len(meant) != 1:
        what = f"no table {shown(wanted)}" if wanted and not meant else "no single table"
        there = listed(texts.values()) or "there is none"
        raise InputError(f"{file}: {what} in this database; say {file}#NAME: {there}")
    return meant[0]


def _of_sqlite(connection: Any, where: str, title: str) -> Any:
    """Return an SQLite table, of which every column has values of one kind."""
    import pyarrow as pa

    rows = connection.execute(f"SELECT * FROM {where}")
    fields = []
    for name, *_ in rows.description:
        kinds = connection.execute(f"SELECT DISTINCT typeof({quoted(name)}) FROM {where}")
        kind = {one for (one,) in kinds if one != "null"} or {"null"}
        if len(kind) > 1:
            raise InputError(
                f"{title}: column {shown(name)} holds values of several kinds; give it one kind"
            )
        fields.append((name, pa.type_for_alias(TYPES[kind.pop()])))
    schema, batches = pa.schema(fields), []
    while some := rows.fetchmany(ROWS):
        columns = zip(zip(*some, strict=True), schema, strict=True)
        arrays = [pa.array(cells, field.type) for cells, field in columns]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return pa.Table.from_batches(batches, schema)


def _of_duckdb(connection: Any, where: str, title: str) -> Any:  # noqa: ARG001 - as _of_sqlite
    """Return a DuckDB table; spans of time and bits are their texts."""
    kinds = connection.execute(f"DESCRIBE SELECT * FROM {where}").fetchall()
    columns = ", ".join(
        f"{quoted(name)}{'::VARCHAR' if kind in ('INTERVAL', 'BIT') else ''} AS {quoted(name)}"
        for name, kind, *_ in kinds
    )
    return connection.sql(f"SELECT {columns} FROM {where}").to_arrow_table()
