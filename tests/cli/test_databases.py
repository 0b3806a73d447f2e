"""A table of a database through every command that takes a file."""

from __future__ import annotations

import tomllib

import pytest

from databases import ROWS, by_duckdb, by_sqlite
from large_files import LITTLE

ROLES = ["--quasi", "age,pay", "--identifier", "name", "--other", "sex"]


@pytest.mark.parametrize("by", [by_sqlite, by_duckdb])
def test_every_command(tmp_path, shoal, by):
    """Inspected, released, released again by its recipe, measured, compared and verified."""
    path = by(tmp_path / "t.db", more=["CREATE TABLE other (a INTEGER)"])
    place, out = f"{path}#people", tmp_path / "out.csv"
    ran = shoal("inspect", place)
    assert (ran.code, "t.db#people: 40 records" in ran.out) == (0, True)
    ran = shoal("anonymize", place, "-k", 3, "--method", "mdav", *ROLES, "-o", out, "--no-report")
    assert ran.code == 0, ran.err
    recipe = tmp_path / "out.private" / "run.toml"
    assert tomllib.loads(recipe.read_text())["input"]["path"] == "../t.db#people"
    assert "t.db" not in out.with_name("out.report.json").read_text()
    ran = shoal("run", recipe, "--force", "--no-report")
    assert ran.code == 0, ran.err
    assert shoal("verify", out, "-k", 3).code == 0
    ran = shoal("measure", place, out, "--quasi", "age,pay")
    assert (ran.code, "40 released records" in ran.out) == (0, True)
    ran = shoal("compare", place, "-k", 3, "--methods", "mdav,hilbert", *ROLES)
    assert (ran.code, "hilbert" in ran.out) == (0, True)
    ran = shoal("verify", place, "-k", 2, "--quasi", "sex")
    assert (ran.code, "1 other tables or views" in ran.err) == (3, True)
    assert "'name'" in ran.err.splitlines()[0]
    assert shoal("verify", place, "-k", 2, "--quasi", "name").code == 3


@pytest.mark.parametrize("by", [by_sqlite, by_duckdb])
def test_a_recipe_of_a_changed_file(tmp_path, shoal, by):
    """A recipe tells that the database has changed, as it does of other files."""
    path = by(tmp_path / "t.db")
    out = tmp_path / "out.csv"
    args = ["-k", 3, "--method", "mdav", *ROLES, "--no-report"]
    assert shoal("anonymize", path, *args, "-o", out).code == 0
    path.unlink()
    by(path, rows=ROWS[:20])
    ran = shoal("run", tmp_path / "out.private" / "run.toml", "--force")
    assert (ran.code, "has changed since" in ran.err) == (2, True)


@pytest.mark.parametrize("by", [by_sqlite, by_duckdb])
@pytest.mark.slow
def test_little_memory(tmp_path, shoal, by):
    """A table that does not fit in memory is read from the database in pieces."""
    sql = "CREATE TABLE long AS SELECT a.age, a.pay, a.sex, {} AS note FROM people a, people b"
    text = "hex(zeroblob(13000))" if by is by_sqlite else "repeat(md5(a.name || b.name), 820)"
    path = by(tmp_path / "t.db", more=[sql.format(text)])
    ran = shoal("anonymize", f"{path}#long", "-k", 3, "--quasi", "age,pay", "--other", "sex",
                "--drop", "note", "--memory", LITTLE, "-o", tmp_path / "out.csv", "--json",
                "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    assert '"method": "fast"' in ran.out
    assert shoal("verify", tmp_path / "out.csv", "-k", 3).code == 0
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def test_what_goes_wrong(tmp_path, shoal):
    """A table that is not there ends with exit code 2 and one line."""
    path = by_sqlite(tmp_path / "t.db")
    for place, message in [
        (f"{path}#no", "there is no table 'no'"),
        (tmp_path / "x.db", "no such"),
    ]:
        for command in (["inspect"], ["anonymize", "-k", "3", "-o", tmp_path / "o.csv"]):
            ran = shoal(command[0], place, *command[1:])
            assert (ran.code, ran.out) == (2, "")
            assert message in ran.err
            assert len(ran.err.strip().splitlines()) == 1
