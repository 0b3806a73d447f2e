"""Names of tables in database files: `FILE.duckdb#patients`, `FILE.sqlite#main.patients`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import InputError, RequestError, listed, nearest_names, shown

DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db", ".db3")
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"  # how files begin
DUCKDB_AT = 8  # where a DuckDB file has its mark
OWN = "main"  # the schema of tables that are named without one
NAMED = re.compile(rf"(.*?(?:{'|'.join(map(re.escape, DATABASES))}))(?:#(.*))?", re.I | re.S)


@dataclass(frozen=True)
class TableName:
    """A table or view of a database, by its schema and its name."""

    schema: str
    name: str

    @property
    def full(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}"

    def __str__(self) -> str:
        return self.name if self.schema == OWN else self.full

    @property
    def quoted(self) -> str:
        """The name as SQL has it, whatever signs are in it."""
        return ".".join(quoted(one) for one in (self.schema, self.name))


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def parted(path: str | os.PathLike[str]) -> tuple[Path, str] | None:
    """Return the database file that a path names, and the table in it; None: it names none.

    The table is "" where none is named. A folder may be called like a file and its table: what lies
    in it is no table.
    """
    text = os.fspath(path)
    match = NAMED.fullmatch(text)
    if match is None:
        return None
    file, table = match[1], match[2] or ""
    if {"/", os.sep} & set(table) and os.path.exists(text):  # noqa: PTH110 - never raises
        return None
    return Path(file), table


def is_database(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path names a database file, or a table in one."""
    return parted(path) is not None


def file_of(path: Path) -> Path:
    """Return the file that a path names: that of a database without the table."""
    both = parted(path)
    return path if both is None else both[0]


def table_of(path: Path) -> str:
    """Return the table of a database that a path names, "" where it names none."""
    both = parted(path)
    return "" if both is None else both[1]


def choose(wanted: str, known: Sequence[TableName], file: str) -> TableName:
    """Return the table that is meant; without a name there must be one alone."""
    if not known:
        raise InputError(f"{file}: there is no table in this database")
    if not wanted and len(known) > 1:
        raise RequestError(
            f"{file}: {len(known)} tables and views; say which with {file}#NAME: {listed(known)}"
        )
    meant = [one for one in known if wanted in ("", str(one), one.full)]
    if len(meant) > 1:
        full = listed([one.full for one in meant])
        raise RequestError(f"{file}: {shown(wanted)} may be one of {full}; rename one of them")
    if meant and not meant[0].full.isprintable():
        raise InputError(
            f"{file}: the name of table {shown(meant[0])} cannot be shown; make a view of it with "
            "a plain name"
        )
    if meant:
        return meant[0]
    nearest = nearest_names(wanted, map(str, known))
    raise RequestError(f"{file}: there is no table {shown(wanted)}{nearest}")
