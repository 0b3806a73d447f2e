"""Databases and zip archives in a real browser."""

from __future__ import annotations

import io
import zipfile

import pytest

import shoal
from browsers import QUASI, choose_roles, expect, taken_home
from databases import by_duckdb, by_sqlite


def opened(page, name, content):
    """Upload a file of this name."""
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.upload(file)


@pytest.mark.slow
def test_a_table_is_chosen_on_the_page(page, tmp_path):
    """A newcomer with a database chooses the table, changes their mind, and gets a release."""
    more = ["CREATE TABLE wards (ward TEXT, beds INTEGER)", "INSERT INTO wards VALUES ('A', 12)"]
    path = by_duckdb(tmp_path / "survey.duckdb", more=more)
    opened(page, "survey.duckdb", path.read_bytes())
    expect(page.on("choosing")).to_contain_text("There are 2 tables")
    page.shot("choose-table")
    page.on("table").select_option("wards")
    page.on("read-again").click()
    expect(page.on("rows")).to_contain_text("ward")
    page.unfold("reading")
    page.shot("another-table")
    page.on("table").select_option("people")
    page.on("read-again").click()
    expect(page.tab.locator("h1")).to_contain_text("survey.duckdb: people")
    choose_roles(page, ["identifier", QUASI, QUASI, "sensitive"])
    page.protect(3, method="mdav")
    page.run()
    assert "3 records" in page.verdict()
    release = tmp_path / "release.csv"
    release.write_bytes(taken_home(page, "release.csv"))
    assert shoal.verify(release, k=3, quasi_identifiers=["age", "pay"]).ok
    page.unfold("elsewhere")
    assert "survey.duckdb#people" in page.on("command").inner_text()


@pytest.mark.slow
def test_a_zip_archive_and_a_database_without_tables(page, tmp_path):
    """A zipped csv is shown as a csv is, and a file of views alone is told in words."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("stays.csv", "age;pay\n31;1,5\n45;2,5\n")
    opened(page, "stays.zip", content.getvalue())
    expect(page.on("rows")).to_contain_text("45")
    expect(page.on("findings")).to_contain_text("comma")
    page.shot("zip")
    page.tab.goto(f"http://127.0.0.1:{page.desk.port}/")
    path = by_sqlite(
        tmp_path / "v.db", more=["CREATE VIEW v AS SELECT 1 AS a", "DROP TABLE people"]
    )
    opened(page, "v.db", path.read_bytes())
    expect(page.on("error")).to_contain_text("opens no views")
    page.shot("no-tables")
