"""Database files of tests, written by SQLite and DuckDB themselves."""

from __future__ import annotations

import contextlib
import sqlite3

import duckdb

ROWS = [(f"p{i}", 20 + i % 7, round(i * 0.75, 2), "ab"[i % 2]) for i in range(40)]
COLUMNS = "name TEXT, age INTEGER, pay REAL, sex TEXT"


def by_sqlite(path, table="people", columns=COLUMNS, rows=ROWS, more=()):
    """Write a table to an SQLite file; `more` is SQL for other things in it."""
    name = '"' + table.replace('"', '""') + '"'
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE {name} ({columns})")
        signs = ", ".join("?" * len(rows[0])) if rows else ""
        connection.executemany(f"INSERT INTO {name} VALUES ({signs})", rows)  # noqa: S608
        for sql in more:
            connection.execute(sql)
    return path


def by_duckdb(path, table="people", columns=COLUMNS, rows=ROWS, more=()):
    """Write a table to a DuckDB file."""
    name = '"' + table.replace('"', '""') + '"'
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE {name} ({columns})")
        if rows:
            signs = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {name} VALUES ({signs})", rows)  # noqa: S608
        for sql in more:
            connection.execute(sql)
    return path
