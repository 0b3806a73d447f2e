"""A table of a DuckDB or SQLite file as a release; cells are compared as values.

The file is opened to be read alone. Only the table is judged: that a file holds more is said.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.errors import InputError, listed, pip_install, shown
from shoal.judge.limits import limits
from shoal.judge.readers.arrow import check_plain, rows_in
from shoal.judge.readers.cells import ArrowCells
from shoal.judge.readers.source import Made, Source, check_header

PLACE = re.compile(r"(.*?\.(?:duckdb|ddb|sqlite3?|db3?))(?:#(.*))?", re.I | re.S)
SQLITE_MARK, DUCKDB_MARK = b"SQLite format 3\0", b"DUCK"
READERS = {"sqlite": "Python's sqlite3", "duckdb": "DuckDB"}
ROWS = 8_192  # records of SQLite that are Python values at once
CLOSED = {
    "enable_external_access": False, "autoload_known_extensions": False,
    "autoinstall_known_extensions": False, "allow_community_extensions": False,
    "lock_configuration": True, "threads": 1,
}  # fmt: skip
EVERY = {
    "sqlite": "SELECT 'main', name FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT GLOB 'sqlite_*'",
    "duckdb": "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal "
    "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal",
}


def is_table(data: str) -> bool:
    """Tell whether a text names a database file, or a table in one."""
    return PLACE.fullmatch(data) is not None and not Path(data).is_dir()


def table(data: str) -> Source:
    """Return an opened table of a database file; without a name there must be one alone."""
    match = PLACE.fullmatch(data)
    assert match is not None
    file, wanted = Path(match[1]), match[2] or ""
    kind = _kind(file)
    with _opened(file, kind) as connection:
        every = [tuple(map(str, row)) for row in connection.execute(EVERY[kind]).fetchall()]
        schema, name = _chosen(every, wanted, file.name)
        where = f"{_quoted(schema)}.{_quoted(name)}"
        header = [one[0] for one in _ask(connection, "*", where, " LIMIT 0").description]
        records = int(_ask(connection, "count(*)", where).fetchall()[0][0])
    title = f"{file.name}#{name}"
    check_header(header, title)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        names = [header[place] for place in places]
        read = _of_sqlite if kind == "sqlite" else _of_duckdb
        with _opened(file, kind) as connection:
            for columns in read(connection, names, where, title):
                yield make([ArrowCells(column) for column in columns])

    more = f", and {len(every) - 1} other tables or views" if len(every) > 1 else ""
    warning = (
        f"only the table {shown(name)} was judged: whatever else {file.name} holds goes with it "
        f"(what was deleted may still be in it{more}); publish a csv or Parquet file"
    )
    return Source(
        title,
        header,
        partial(rows_in, batches),
        False,
        batches,
        records,
        reader=READERS[kind],
        warnings=(warning,),
    )


def _ask(connection: Any, what: str, where: str, more: str = "") -> Any:
    """Return the answer to a question about a table; names in it are quoted."""
    return connection.execute(f"SELECT {what} FROM {where}{more}")  # noqa: S608


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(file: Path) -> str:
    """Return what a database file is, by its first bytes; its changes must be in it."""
    if not file.is_file():
        what = "not an ordinary file" if file.exists() else "there is no such file"
        raise InputError(f"{file.name or file}: {what}")
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


@contextlib.contextmanager
def _opened(file: Path, kind: str) -> Iterator[Any]:
    """Yield a connection that changes nothing; what goes wrong is said in words."""
    import pyarrow as pa

    errors: tuple[type[Exception], ...] = (sqlite3.Error, pa.ArrowException)
    try:
        if kind == "sqlite":
            place = f"file:{quote(str(file.absolute()))}?{_mode(file)}"
            connection = sqlite3.connect(place, uri=True, check_same_thread=False)
            connection.execute("PRAGMA trusted_schema = OFF")
            (page,) = connection.execute("PRAGMA page_size").fetchone()
            if file.stat().st_size % page:  # SQLite would read zeros after its end
                raise InputError(f"{file.name}: not a whole database")
        else:
            duckdb = _duckdb(file.name)
            errors = (duckdb.Error, pa.ArrowException)
            connection = duckdb.connect(str(file.absolute()), read_only=True, config=CLOSED)
        with contextlib.closing(connection):
            yield connection
    except errors:
        raise InputError(
            f"{file.name}: not a whole database, or another program is writing to it"
        ) from None


def _mode(file: Path) -> str:
    """Return how a file is opened: reading one of WAL mode would make files beside it."""
    with file.open("rb") as raw:
        is_wal = raw.read(20)[18:] == b"\x02\x02"
    return "mode=ro&immutable=1" if is_wal else "mode=ro"


def _duckdb(name: str) -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError:
        raise InputError(
            f"{name}: this is a DuckDB database; {pip_install('duckdb')} to read it"
        ) from None


def _chosen(every: Sequence[tuple[str, ...]], wanted: str, file: str) -> tuple[str, ...]:
    """Return the table that is meant, as schema and name."""
    texts = [name if schema == "main" else f"{schema}.{name}" for schema, name in every]
    meant = [
        one for one, text in zip(every, texts, strict=True) if wanted in ("", text, ".".join(one))
    ]
    if len(meant) != 1:
        what = f"no table {shown(wanted)}" if wanted and not meant else "no single table"
        raise InputError(
            f"{file}: {what} in this database; say {file}#NAME: {listed(texts) or 'there is none'}"
        )
    return meant[0]


def _of_sqlite(
    connection: Any, names: Sequence[str], where: str, title: str
) -> Iterator[list[Any]]:
    """Yield columns of an SQLite table; the values of each must be of one kind."""
    import pyarrow as pa

    known = {
        frozenset[str](): pa.null(), frozenset({"integer"}): pa.int64(),
        frozenset({"real"}): pa.float64(), frozenset({"text"}): pa.string(),
        frozenset({"blob"}): pa.binary(),
    }  # fmt: skip
    types = []
    for name in names:
        kinds = _ask(connection, f"DISTINCT typeof({_quoted(name)})", where)
        kind = frozenset(one for (one,) in kinds) - {"null"}
        if kind not in known:
            raise InputError(
                f"{title}: column {shown(name)} holds values of several kinds; give it one kind"
            )
        types.append(known[kind])
    rows = _ask(connection, ", ".join(map(_quoted, names)), where)
    while some := rows.fetchmany(min(limits().batch, ROWS)):
        columns = zip(*some, strict=True)
        yield [pa.array(cells, kind) for cells, kind in zip(columns, types, strict=True)]


def _of_duckdb(
    connection: Any, names: Sequence[str], where: str, title: str
) -> Iterator[list[Any]]:
    """Yield columns of a DuckDB table."""
    wanted = ", ".join(map(_quoted, names))
    reader = connection.sql(f"SELECT {wanted} FROM {where}").to_arrow_reader(limits().batch)  # noqa: S608
    for field, name in zip(reader.schema, names, strict=True):
        check_plain(field.type, name, title)
    for batch in reader:
        yield list(batch.columns)
