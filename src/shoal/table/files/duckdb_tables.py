"""Tables of DuckDB files, through Arrow."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, shown
from shoal.table.files.opening import TableName

# A view may ask for anything: no other file, no network and no extension is open to it. One thread
# gives the records in one order.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False, "autoload_known_extensions": False,
    "autoinstall_known_extensions": False, "allow_community_extensions": False,
    "lock_configuration": True, "threads": 1,
}  # fmt: skip
LITTLE = "100MB"  # of memory, for a table that is read in pieces: else all of it would be kept
STORED = """
SELECT schema_name, table_name FROM duckdb_tables()
WHERE NOT internal AND database_name = current_database()
"""
VIEWS = """
SELECT schema_name, view_name FROM duckdb_views()
WHERE NOT internal AND database_name = current_database()
"""


class DuckdbTable:
    """A table or view of an open DuckDB database."""

    def __init__(self, connection: Any, name: TableName) -> None:
        self._connection, self._name = connection, name
        self.doubts: Mapping[str, str] = {}

    def _ask(self, what: str, where: str = "") -> Any:
        """Return the answer to a question about the table, whose name is quoted."""
        return self._connection.sql(f"SELECT {what} FROM {self._name.quoted}{where}")  # noqa: S608

    def rows(self, most: int) -> int:
        """Return how many records there are; of more than `most`, one more."""
        some = f"SELECT 1 FROM {self._name.quoted} LIMIT {most + 1}"  # noqa: S608
        return int(self._connection.sql(f"SELECT count(*) FROM ({some})").fetchall()[0][0])  # noqa: S608

    @cached_property
    def schema(self) -> Any:
        """Its columns, as Arrow has them."""
        return self._ask("*", " LIMIT 0").to_arrow_table().schema

    def batches(self, records: int) -> Iterator[Any]:
        """Yield the records, so many at once."""
        try:
            yield from self._ask("*").to_arrow_reader(records)
        except (pa.ArrowException, OSError):  # whose words may show a value
            raise InputError(
                f"table {shown(self._name)}: its records cannot be read; the file is damaged"
            ) from None


class DuckdbDatabase:
    """An open DuckDB database."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def names(self) -> list[TableName]:
        """Return its tables and views."""
        return self._listed(f"{STORED} UNION ALL {VIEWS} ORDER BY ALL")

    def stored(self) -> list[TableName]:
        """Return the tables that are no views."""
        return self._listed(f"{STORED} ORDER BY ALL")

    def _listed(self, sql: str) -> list[TableName]:
        rows = self._connection.execute(sql).fetchall()
        return [TableName(schema, name) for schema, name in rows]

    def table(self, name: TableName) -> DuckdbTable:
        """Return one of them."""
        return DuckdbTable(self._connection, name)


@contextlib.contextmanager
def opened_duckdb(file: Path, in_pieces: bool) -> Iterator[DuckdbDatabase]:
    """Yield a DuckDB database, opened to be read alone; what goes wrong is said in words."""
    import duckdb

    config = {**CONFIG, "memory_limit": LITTLE} if in_pieces else CONFIG
    try:
        with duckdb.connect(str(file.absolute()), read_only=True, config=config) as connection:
            yield DuckdbDatabase(connection)
    except duckdb.ConnectionException:
        raise InputError(
            f"{file.name}: this process has it open in another way; close that connection, or give "
            "a relation of it in place of the file"
        ) from None
    except duckdb.OutOfMemoryException:
        raise InputError(
            f"{file.name}: the view takes too much memory; make a table of it"
        ) from None
    except duckdb.PermissionException:
        raise InputError(
            f"{file.name}: the view reads other files, which is not allowed; make a table of it"
        ) from None
    except duckdb.Error as error:
        raise InputError(f"{file.name}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if "Conflicting lock" in str(error):
        return "another program is writing to it; wait for it, or close it there"
    return (
        "not a whole DuckDB database, or one of a newer DuckDB, or encrypted, or it needs an "
        "extension of DuckDB"
    )
