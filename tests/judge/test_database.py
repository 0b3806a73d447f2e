"""A table of a database as a release: counted as other files are, and more warned of."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

import shoal
from databases import ROWS, by_duckdb, by_sqlite

WRITERS = [by_sqlite, by_duckdb]
QUASI = ["age", "sex"]


@pytest.mark.parametrize("by", WRITERS)
@pytest.mark.parametrize("k", [2, 3])
def test_as_other_files(tmp_path, by, k):
    """The verdict on a table is that on its csv file, and that there may be more is said."""
    path = by(tmp_path / "t.db", more=["CREATE TABLE other (a INTEGER)"])
    csv = tmp_path / "t.csv"
    csv.write_text("name,age,pay,sex\n" + "".join(f"{n},{a},{p},{s}\n" for n, a, p, s in ROWS))
    asked = {"k": k, "quasi_identifiers": QUASI, "sensitive": ["name"], "l": 2}
    found, wanted = shoal.verify(f"{path}#people", **asked), shoal.verify(csv, **asked)
    assert (found.ok, found.k, found.records, found.classes) == (
        wanted.ok, wanted.k, wanted.records, wanted.classes,
    )  # fmt: skip
    assert found.models == wanted.models
    assert any("1 other tables or views" in warning for warning in found.warnings)


@pytest.mark.parametrize("by", WRITERS)
def test_two_releases(tmp_path, by):
    """A table is judged against another release, and an original that is a table, too."""
    rows = [(a, s) for _, a, _, s in ROWS]
    path = by(tmp_path / "t.db", "people", "age INTEGER, sex TEXT", rows)
    found = shoal.verify(f"{path}#people", k=2, quasi_identifiers=QUASI, original=f"{path}#people",
                         against=csv_of(tmp_path))  # fmt: skip
    assert found.against is not None
    assert found.against.shared.people == len(ROWS)


def csv_of(folder):
    """The same table as csv, with a report that names its roles."""
    path = folder / "r.csv"
    path.write_text("age,sex\n" + "".join(f"{a},{s}\n" for _, a, _, s in ROWS))
    path.with_name("r.run.toml").write_text('[roles]\nquasi_identifiers = ["age", "sex"]\n')
    return path


def test_missing_cells_and_kinds(tmp_path):
    """Missing cells are values of their own; values of several kinds are refused."""
    rows = [(1, None), (1, None), (2, 1.5), (2, "x")]
    path = by_sqlite(tmp_path / "t.db", "t", "a INTEGER, mixed", rows)
    with pytest.raises(shoal.InputError, match="holds values of several kinds"):
        shoal.verify(path, k=2, quasi_identifiers=["mixed"])


def test_lists_are_no_values(tmp_path):
    """A column of lists is refused by name."""
    path = by_duckdb(tmp_path / "t.db", "t", "a INTEGER[]", [([1, 2],)])
    with pytest.raises(shoal.InputError, match="holds lists"):
        shoal.verify(path, k=2, quasi_identifiers=["a"])


@pytest.mark.parametrize("by", WRITERS)
@pytest.mark.parametrize(
    ("name", "message"),
    [("", "no single table"), ("#none", "no table 'none'"), ("#people", None)],
)
def test_which_table(tmp_path, by, name, message):
    """It must be plain which table is judged."""
    path = by(tmp_path / "t.db", more=["CREATE TABLE other (a INTEGER)"])
    if message is None:
        assert shoal.verify(f"{path}{name}", k=2, quasi_identifiers=QUASI).records == len(ROWS)
        return
    with pytest.raises(shoal.InputError, match=message):
        shoal.verify(f"{path}{name}", k=2, quasi_identifiers=QUASI)


def test_what_is_refused(tmp_path):
    """No file, a folder, a damaged file and one with changes elsewhere are refused in words."""
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "text.db").write_text("a,b\n1,2\n")
    half = by_sqlite(tmp_path / "half.db")
    half.write_bytes(half.read_bytes()[:-1])
    cut = by_duckdb(tmp_path / "cut.db")
    cut.write_bytes(cut.read_bytes()[:5000])
    names = {"no.db": "no such file", "folder.db#t": "not an ordinary file",
             "text.db": "not a DuckDB or SQLite", "half.db": "not a whole database",
             "cut.db": "not a whole database"}  # fmt: skip
    for name, message in names.items():
        with pytest.raises(shoal.InputError, match=message):
            shoal.verify(tmp_path / name, k=2, quasi_identifiers=QUASI)
    path = by_sqlite(tmp_path / "wal.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM people")
        connection.commit()
        with pytest.raises(shoal.InputError, match="not yet in the file"):
            shoal.verify(path, k=2, quasi_identifiers=QUASI)
    assert shoal.verify(path, k=2, quasi_identifiers=QUASI).records == 0
    assert not path.with_name("wal.db-shm").exists()
