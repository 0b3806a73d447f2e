"""The desk with SQLite and DuckDB files, which strangers may have made, and with packed text."""

from __future__ import annotations

import bz2
import contextlib
import io
import sqlite3
import stat
import zipfile

import pyarrow as pa
import pytest

from databases import ROWS, by_duckdb, by_sqlite
from shoal.web.tables import SOME, database_head, some_table

WRITERS = {"t.duckdb": by_duckdb, "t.sqlite": by_sqlite}
RECIPE = {
    "protect": {"k": 3, "method": "mdav"},
    "roles": {"quasi_identifiers": ["age", "pay"], "identifiers": ["name"], "sensitive": ["sex"]},
}
TEXT = b"age;pay\n" + b"".join(b"%d;%d,5\n" % (20 + i % 9, i * i % 50) for i in range(40))


def zipped(*files):
    """Return a zip archive of files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files:
            archive.writestr(name, raw)
    return content.getvalue()


def zstd(raw):
    """Return bytes as Zstandard packs them."""
    return pa.compress(raw, codec="zstd", asbytes=True)


def streamed(raw):
    """Return bytes as Zstandard packs a stream."""
    content = pa.BufferOutputStream()
    with pa.CompressedOutputStream(content, "zstd") as file:
        file.write(raw)
    return content.getvalue().to_pybytes()


@pytest.mark.parametrize("name", WRITERS)
def test_a_table_is_chosen_and_released(desk, tmp_path, name, shoal):
    """Of several tables one is chosen, views are not offered, and the release names the table."""
    more = ["CREATE TABLE other (a INTEGER)", "CREATE VIEW seen AS SELECT * FROM people"]
    path = WRITERS[name](tmp_path / name, more=more)
    file = desk.upload(name, path.read_bytes())
    told = desk.looked(file)
    assert (told["state"], told["tables"], told["look"]) == ("choosing", ["other", "people"], None)
    kept = next(desk.work.rglob(name))
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    refused = desk.ask("POST", f"/files/{file}/look", {"table": "seen"})
    assert (refused.status, "no such table" in refused.json["error"]) == (400, True)
    desk.post(f"/files/{file}/look", {"table": "people"})
    told = desk.looked(file)
    assert (told["state"], told["table"], told["look"]["records"]) == ("ready", "people", 40)
    job = desk.start(file, RECIPE)
    told = desk.done(job)
    assert told["state"] == "done", told
    assert f"shoal anonymize '{name}#people'" in told["command"]
    assert f"'{name}#people'" in told["python"]
    release = tmp_path / "release.csv"
    release.write_bytes(desk.ask("GET", f"/jobs/{job}/files/release.csv").body)
    assert shoal("verify", release, "-k", 3, "--quasi", "age,pay").code == 0
    assert kept.read_bytes() == path.read_bytes()


def test_a_database_of_one_table_is_read_at_once(desk, tmp_path):
    """There is nothing to choose; a recipe of the run names file and table."""
    path = by_sqlite(tmp_path / "t.db")
    told = desk.looked(desk.upload("t.db", path.read_bytes()))
    assert (told["state"], told["table"], told["tables"]) == ("ready", "people", ["people"])
    assert len(told["look"]["rows"]) == 20


def test_changes_that_may_be_missing_are_told(desk, tmp_path):
    """An uploaded file of a database that writes its changes elsewhere first says so."""
    path = by_sqlite(tmp_path / "t.db")
    for mode, told in (("DELETE", False), ("WAL", True)):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        (*found,) = desk.looked(desk.upload("t.db", path.read_bytes()))["look"]["findings"]
        assert any("latest changes" in one for one in found) == told


@pytest.mark.parametrize("name", WRITERS)
def test_views_of_strangers_are_not_run(desk, tmp_path, name):
    """A database of views alone is refused; what its author wrote as SQL is never executed."""
    more = ["CREATE VIEW seen AS SELECT 1 AS a", "DROP TABLE people"]
    path = WRITERS[name](tmp_path / name, more=more)
    told = desk.looked(desk.upload(name, path.read_bytes()))
    assert told["state"] == "failed"
    assert "opens no views" in told["error"]
    with pytest.raises(Exception, match="opens no views"):
        some_table(tmp_path / f"{name}#seen", {}, tmp_path)


def test_a_forged_schema_is_not_believed(desk, tmp_path):
    """A view whose entry calls it a table is still a view, or the file no database."""
    path = by_sqlite(tmp_path / "t.db", more=["CREATE VIEW v AS SELECT 1 AS a"])
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET type = 'table' WHERE name = 'v'")
    told = desk.looked(desk.upload("t.db", path.read_bytes()))
    assert told["table"] in (None, "people")
    assert "v" not in told["tables"]


def test_virtual_tables_are_not_opened(desk, tmp_path):
    """Neither a virtual table nor what it stores is offered: reading it would run its module."""
    path = by_sqlite(tmp_path / "t.db", more=["CREATE VIRTUAL TABLE f USING fts5(words)"])
    assert desk.looked(desk.upload("t.db", path.read_bytes()))["tables"] == ["people"]


def test_a_large_table_is_seen_by_its_head(tmp_path):
    """Of a table that takes too much memory the first records are shown, and all are counted."""
    doubled = "INSERT INTO people SELECT * FROM people"
    for name, by in WRITERS.items():
        by(tmp_path / name, more=[doubled] * 9)
        path = tmp_path / f"{name}#people"
        for head, records in (
            database_head(path, 1000), some_table(path, {}, tmp_path, 1000, lambda: 1.0)
        ):  # fmt: skip
            assert (head.rows, records) == (SOME, 40 << 9)
            assert head["age"].values[7].as_py() == ROWS[7][1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.zip", zipped(("t.csv", TEXT))),
        ("t.zip", zipped(("t.txt", TEXT))),
        ("t.csv.bz2", bz2.compress(TEXT)),
        ("t.txt.zst", streamed(TEXT)),
    ],
)
def test_packed_text(desk, name, content):
    """Text that is packed otherwise than by gzip is looked at as plain text is."""
    told = desk.looked(desk.upload(name, content))
    assert told["state"] == "ready", told
    assert told["reading"] == {"decimal": ","}
    assert [column["kind"] for column in told["look"]["columns"]] == ["integer", "decimal"]


@pytest.mark.parametrize("ending", ["bz2", "zst", "zip"])
@pytest.mark.slow
def test_bombs_of_other_kinds(desk, ending):
    """A few kilobytes that unpack to far more than a table are refused in words."""
    raw = b"0,0\n" * (1 << 20)
    content = (
        zipped(("t.csv", raw * 20)) if ending == "zip"
        else (bz2.compress(raw) * 20 if ending == "bz2" else streamed(raw * 20))
    )  # fmt: skip
    assert len(content) < 400_000
    told = desk.looked(desk.upload(f"t.csv.{ending}", content))
    assert told["state"] == "failed"
    assert "unpacks to more than 200 times its size" in told["error"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.zip", zipped(("a.csv", TEXT), ("b.csv", TEXT)), "a zip file of 2 files"),
        ("t.zip", zipped(("a.exe", TEXT)), "no .csv, .tsv or .txt file"),
        ("t.zip", zipped(("a.zip", zipped(("a.csv", TEXT)))), "no .csv, .tsv or .txt file"),
        ("t.csv.bz2", bz2.compress(TEXT)[:-9], "not a whole bzip2 file"),
        ("t.db", b"SQLite format 3\0" + bytes(100), "not a whole SQLite database"),
    ],
)
def test_what_is_no_table(desk, name, content, said):
    """What a worker finds out is said in one line."""
    told = desk.looked(desk.upload(name, content))
    assert told["state"] == "failed"
    assert said in told["error"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.db", TEXT, "is no SQLite or DuckDB database"),
        ("t.csv", b"SQLite format 3\0", "is an SQLite database"),
        ("t.csv.bz2", TEXT, "is no bzip2 file"),
        ("t.csv.zst", TEXT, "is no Zstandard file"),
        ("t.csv", bz2.compress(TEXT), "is a bzip2 file"),
        ("t.csv", zstd(TEXT), "is a Zstandard file"),
        ("t.zip", TEXT, "is no zip archive"),
    ],
)
def test_names_that_promise_something_else(desk, name, content, said):
    """A file that does not begin as its name says is not taken."""
    assert said in desk.upload(name, content, 415)


def test_a_name_does_not_lead_into_another_file(desk):
    """A csv file called like a table of a database is a csv file, under a plain name."""
    told = desk.looked(desk.upload("x.db#y.csv", TEXT))
    assert (told["state"], told["table"]) == ("ready", None)
