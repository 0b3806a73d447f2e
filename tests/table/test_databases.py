"""Tables of SQLite and DuckDB files: which one, its kinds and values, and what is refused."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import multiprocessing
import os
import sqlite3
from decimal import Decimal

import duckdb
import pytest

import shoal
from databases import ROWS, by_duckdb, by_sqlite
from shoal.table.dialects.dialect import PLAIN
from shoal.table.roles import Kind
from shoal.table.streams import in_pieces

WRITERS = [by_sqlite, by_duckdb]
ODD = ["two words", 'a "quoted" one', "it's", "größe", "a#b", "x.csv", "y.parquet", "select",
       "100% [*]", "; DROP TABLE people; --"]  # fmt: skip


def cells(table):
    """The values of every column."""
    return {column.name: column.values.to_pylist() for column in table.columns}


@pytest.mark.parametrize("by", WRITERS)
@pytest.mark.parametrize("ending", ["db", "DB", "sqlite", "duckdb"])
def test_the_only_table(tmp_path, by, ending):
    """A file with one table needs no name, whatever its ending; its hash is the file's."""
    path = by(tmp_path / f"t.{ending}")
    table = shoal.read(path)
    assert list(zip(*cells(table).values(), strict=True)) == ROWS
    assert [c.kind for c in table.columns] == [Kind.TEXT, Kind.INTEGER, Kind.FLOAT, Kind.TEXT]
    assert table.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert table.source.path == f"{path}#people"
    assert table.source.name == f"t.{ending}#people"


@pytest.mark.parametrize("by", WRITERS)
def test_odd_names(tmp_path, by):
    """A name is a name and no SQL, whatever signs are in it."""
    names = ['"' + name.replace('"', '""') + '"' for name in ODD]
    more = [f"CREATE TABLE {name} AS SELECT {i} AS a" for i, name in enumerate(names)]
    path = by(tmp_path / "t.db", more=more)
    for number, name in enumerate(ODD):
        assert cells(shoal.read(f"{path}#{name}")) == {"a": [number]}
    assert cells(shoal.read(f"{path}#main.{ODD[0]}")) == {"a": [0]}


@pytest.mark.parametrize("by", WRITERS)
def test_views_and_schemas(tmp_path, by):
    """Views are read as tables are; a schema may stand before the name."""
    more = ["CREATE VIEW young AS SELECT age FROM people WHERE age < 22"]
    if by is by_duckdb:
        more += ["CREATE SCHEMA s", "CREATE TABLE s.people AS SELECT 1 AS a"]
    path = by(tmp_path / "t.db", more=more)
    assert set(cells(shoal.read(f"{path}#young"))["age"]) == {20, 21}
    assert shoal.read(f"{path}#main.people").rows == len(ROWS)
    assert shoal.read(f"{path}#people").rows == len(ROWS)
    if by is by_duckdb:
        assert cells(shoal.read(f"{path}#s.people")) == {"a": [1]}


@pytest.mark.parametrize("by", WRITERS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", r"2 tables and views; say which with t\.db#NAME: 'one', 'people'"),
        ("#", "2 tables and views"),
        ("#peple", "there is no table 'peple'; did you mean 'people'"),
        ("#people; DROP TABLE people", "there is no table"),
        ("#sqlite_schema", "there is no table"),
        ("#other.people", "there is no table"),
    ],
)
def test_which_table(tmp_path, by, name, message):
    """Where it is not plain which table is meant, the tables are listed."""
    path = by(tmp_path / "t.db", more=["CREATE TABLE one (a INTEGER)"])
    with pytest.raises(shoal.RequestError, match=message):
        shoal.read(f"{path}{name}")


def test_a_name_that_may_be_two_tables(tmp_path):
    """A name that means two tables is refused, and not the first of them taken."""
    more = ["CREATE SCHEMA s", "CREATE TABLE s.t AS SELECT 1 AS a"]
    path = by_duckdb(tmp_path / "t.db", "s.t", more=more)
    with pytest.raises(shoal.RequestError, match=r"may be one of"):
        shoal.read(f"{path}#s.t")
    assert shoal.read(f"{path}#main.s.t").rows == len(ROWS)


def test_names_that_cannot_be_shown(tmp_path):
    """A table whose name is no plain text is refused: messages and recipes hold it."""
    path = by_sqlite(tmp_path / "t.db", "a\nb")
    with pytest.raises(shoal.InputError, match="cannot be shown; make a view"):
        shoal.read(path)


def test_folders_called_like_databases(tmp_path):
    """A csv file in a folder with a mark in its name is a csv file."""
    (tmp_path / "a.db#b").mkdir()
    (tmp_path / "a.db#b" / "t.csv").write_text("x\n1\n2\n")
    assert shoal.read(tmp_path / "a.db#b" / "t.csv").rows == 2


TYPED = [
    ("INTEGER", [1, None, 2**62], Kind.INTEGER, [1, None, 2**62]),
    ("REAL", [1, 2.5, None], Kind.FLOAT, [1.0, 2.5, None]),
    ("NUMERIC", [1, 2.5, None], Kind.FLOAT, [1.0, 2.5, None]),
    ("BOOLEAN", [0, 1, None], Kind.BOOLEAN, [False, True, None]),
    ("BOOLEAN", [0, 1, 2], Kind.INTEGER, [0, 1, 2]),
    ("DATE", ["2020-02-29", None], Kind.DATE, [dt.date(2020, 2, 29), None]),
    ("TIMESTAMP", ["2020-02-29 10:00:00.5"], Kind.DATETIME,
     [dt.datetime(2020, 2, 29, 10, 0, 0, 500_000)]),
    ("DATETIME", ["2020-02-29T10:00:00"], Kind.DATETIME, [dt.datetime(2020, 2, 29, 10)]),
    ("DATE", [1, 2], Kind.INTEGER, [1, 2]),
    ("TEXT", ["01234", "", None], Kind.TEXT, ["01234", "", None]),
    ("TEXT", ["2020-02-29"], Kind.TEXT, ["2020-02-29"]),
    ("", [None, None], Kind.TEXT, [None, None]),
    ("BLOB", [b"\x00\xff", None], Kind.UNKNOWN, [b"\x00\xff", None]),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "given", "kind", "wanted"), TYPED)
def test_kinds_of_sqlite(tmp_path, declared, given, kind, wanted):
    """A column has the kind of its values; what is declared decides where they leave it open."""
    path = by_sqlite(tmp_path / "t.db", "t", f"a {declared}", [(one,) for one in given])
    (column,) = shoal.read(path).columns
    assert (column.kind, column.values.to_pylist(), column.doubt) == (kind, wanted, None)


DOUBTED = [
    ("INTEGER", [1, "n/a"], "cells of several kinds: text, whole", ["1", "n/a"]),
    ("", [1.5, "x", b"\x01", 3], "blob, number, text, whole", ["1.5", "x", "X'01'", "3"]),
    ("", [2**60 + 1, 0.5], "number, whole", [str(2**60 + 1), "0.5"]),
    ("DATE", ["2020-02-30"], "declared as date, but not all", ["2020-02-30"]),
    ("TIMESTAMP", ["2020-02-28 10:00Z"], "but not all cells are times", ["2020-02-28 10:00Z"]),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "given", "message", "wanted"), DOUBTED)
@pytest.mark.parametrize("whole", [True, False])
def test_doubts_of_sqlite(tmp_path, declared, given, message, wanted, whole):
    """Values of several kinds are texts and in doubt; no doubtful column is grouped."""
    path = by_sqlite(tmp_path / "t.db", "t", f"a {declared}", [(one,) for one in given])
    *_, table = [shoal.read(path)] if whole else in_pieces(path, PLAIN, ("",), {}).first()
    (column,) = table.columns
    assert column.kind is Kind.TEXT
    assert column.values.to_pylist() == wanted
    assert message in column.doubt
    assert "make a view" in column.doubt
    with pytest.raises(shoal.InputError, match="make a view"):
        shoal.anonymize(path, k=1, allow_k1=True)


def test_types_of_duckdb(tmp_path):
    """Types of DuckDB come through Arrow, with their values."""
    columns = (
        "d DECIMAL(9,2), h HUGEINT, e ENUM('lo', 'hi'), t TIMESTAMP, day DATE, b BOOLEAN, "
        "l INTEGER[], u UBIGINT, x BLOB"
    )
    row = (Decimal("1.25"), 2**70, "hi", dt.datetime(2020, 1, 2, 3), dt.date(2020, 1, 2), True,
           [1, 2], 2**64 - 1, b"\x00")  # fmt: skip
    table = shoal.read(by_duckdb(tmp_path / "t.duckdb", "t", columns, [row, (None,) * len(row)]))
    assert [column.values.to_pylist() for column in table.columns] == [[one, None] for one in row]
    kinds = {column.name: column.kind for column in table.columns}
    assert (kinds["e"], kinds["t"], kinds["day"]) == (Kind.TEXT, Kind.DATETIME, Kind.DATE)
    assert (kinds["b"], kinds["u"]) == (Kind.BOOLEAN, Kind.INTEGER)


@pytest.mark.parametrize("by", WRITERS)
def test_in_pieces(tmp_path, by):
    """A table in pieces is the table, twice, each piece with the kinds of the whole."""
    path = by(tmp_path / "t.db", rows=[(n, a, p if a > 21 else int(p), s) for n, a, p, s in ROWS])
    pieces = in_pieces(path, PLAIN, ("",), {}, records=9)
    for read in (pieces.first, pieces.again):
        tables = list(read())
        rows = [row for one in tables for row in zip(*cells(one).values(), strict=True)]
        assert rows == list(zip(*cells(shoal.read(path)).values(), strict=True))
        assert {one.columns[2].kind for one in tables} == {Kind.FLOAT}
        assert tables[-1].source.start > 0
    assert pieces.source.sha256 == shoal.read(path).source.sha256


@pytest.mark.parametrize("by", WRITERS)
@pytest.mark.parametrize("cut", [0, 10, 4_096, 5_000, -1])
def test_corrupt_files(tmp_path, by, cut):
    """A file that is cut off is refused in words, and not read as fewer records."""
    path = by(tmp_path / "t.db")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(shoal.InputError, match="database"):
        shoal.read(path)


def test_damaged_pages(tmp_path):
    """A file with a damaged page is refused, not read as fewer records."""
    path = by_sqlite(tmp_path / "t.db", rows=ROWS * 500)
    raw = bytearray(path.read_bytes())
    raw[8192:12288] = bytes([255]) * 4096
    path.write_bytes(raw)
    with pytest.raises(shoal.InputError, match="not a whole SQLite database"):
        shoal.read(path)


def test_what_is_no_ordinary_file(tmp_path):
    """A folder, a pipe and nothing at all are refused before anything is opened."""
    (tmp_path / "folder.db").mkdir()
    os.mkfifo(tmp_path / "pipe.db")
    for name, message in [("folder.db", "folder"), ("pipe.db", "ordinary"), ("no.db", "no such")]:
        for table in ("", "#t"):
            with pytest.raises(shoal.InputError, match=message):
                shoal.read(f"{tmp_path / name}{table}")


@pytest.mark.parametrize("by", WRITERS)
def test_nothing_is_written(tmp_path, by):
    """Reading leaves the file, and what lies beside it, as they were."""
    path = by(tmp_path / "t.db")
    if by is by_sqlite:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    before = path.read_bytes(), path.stat().st_mtime_ns
    shoal.read(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [one.name for one in tmp_path.iterdir()] == ["t.db"]


def test_a_database_that_is_written(tmp_path):
    """A database with changes that are not in the file is refused: its hash would not be theirs."""
    path = by_sqlite(tmp_path / "t.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(shoal.InputError, match="another program is writing"):
            shoal.read(path)
        connection.rollback()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM people")
        connection.commit()
        with pytest.raises(shoal.InputError, match=r"not yet in the file \(t\.db-wal\)"):
            shoal.read(path)
    assert shoal.read(path).rows == 0


def hold(path, ready, done):
    """Keep a DuckDB file open for writing until told."""
    with duckdb.connect(str(path)):
        ready.set()
        done.wait(30)


def test_a_duckdb_file_that_is_open_elsewhere(tmp_path):
    """A DuckDB file that another process, or this one, has open is refused in words."""
    path = by_duckdb(tmp_path / "t.duckdb")
    with duckdb.connect(str(path)), pytest.raises(shoal.InputError, match="close that connection"):
        shoal.read(path)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=hold, args=(path, ready, done))
    other.start()
    try:
        assert ready.wait(30)
        with pytest.raises(shoal.InputError, match="another program is writing"):
            shoal.read(path)
    finally:
        done.set()
        other.join()
    assert shoal.read(path).rows == len(ROWS)


def test_views_reach_nothing_else(tmp_path):
    """A view of a DuckDB file cannot read other files."""
    (tmp_path / "secret.csv").write_text("a\n1\n")
    more = [f"CREATE VIEW v AS FROM read_csv('{tmp_path / 'secret.csv'}')"]
    path = by_duckdb(tmp_path / "t.duckdb", more=more)
    with pytest.raises(shoal.InputError, match="reads other files"):
        shoal.read(f"{path}#v")


def test_views_that_never_end(tmp_path):
    """A view of a small file that gives more than any table of its size is refused."""
    more = [
        "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i FROM n",
        "CREATE VIEW wide AS SELECT hex(zeroblob(100000)) AS t FROM people a, people b",
    ]
    path = by_sqlite(tmp_path / "t.db", more=more)
    with pytest.raises(shoal.InputError, match="more records than a file of its size"):
        shoal.read(f"{path}#endless")
    with pytest.raises(shoal.InputError, match="unpacks to more than"):
        shoal.read(f"{path}#wide")


def test_cells_that_are_no_table(tmp_path):
    """A cell that is far too long, and a text that is not UTF-8, are refused without a value."""
    path = by_sqlite(tmp_path / "t.db", "t", "a", [(b"x",)],
                     ["INSERT INTO t VALUES (zeroblob(20000000))"])  # fmt: skip
    with pytest.raises(shoal.InputError, match="a cell is longer than"):
        shoal.read(path)
    path = by_sqlite(tmp_path / "u.db", "t", "a", [("x",)],
                     ["INSERT INTO t VALUES (CAST(X'736563726574FF' AS TEXT))"])  # fmt: skip
    with pytest.raises(shoal.InputError, match="not UTF-8") as caught:
        shoal.read(path)
    assert "secret" not in str(caught.value)
