"""Hierarchies on the command line, as somebody uses them who has not before."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tomllib
from datetime import date, datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import naive
import shoal as library
from thorough import spread

CITIES = ("Bonn", "Ulm", "Gera", "Jena")
STAYS = "name,age,town,day,ill\n" + "".join(
    f"CANARY{i},{20 + 3 * i},{CITIES[i % 4]},2026-0{1 + i % 6}-1{i % 9},v{i % 2}\n"
    for i in range(12)
)
ROLES = ("-k", 3, "--quasi", "age,town", "--sensitive", "ill", "--identifier", "name",
         "--drop", "day")  # fmt: skip
TOWNS = "Bonn;West;*\nUlm;South;*\nGera;East;*\nJena;East;*\n"


@pytest.fixture
def stays(write):
    return write("stays.csv", STAYS)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plain(text):
    """A help text on one line, without frames and escapes."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m|[│╭╮╰╯─]", " ", text).split())


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


# --- help


def test_help_says_what_intervals_hold(shoal):
    """The help of rules says that intervals are half-open, and what the default is."""
    text = plain(shoal("hierarchy", "build", "--help").out)
    for word in ("half-open", "[20,30) holds 20 and not 30", "widths:5,10", "cuts:18,30,65",
                 "quantiles:20,5", "prefixes:3,2", "dates", "balanced", "flat"):  # fmt: skip
        assert word in text
    text = plain(shoal("anonymize", "--help").out)
    for word in ("--hierarchies", "--hierarchy", "--incomplete", "--show-values", "generalize"):
        assert word in text


def test_without_a_command(shoal):
    """`shoal hierarchy` alone shows its help, as `shoal` alone does, and no empty error."""
    whole, group = shoal(), shoal("hierarchy")
    assert "build" in group.out
    assert (group.code, group.err) == (whole.code, whole.err)


# --- build


def test_build_to_stdout(shoal, stays, tmp_path):
    """build writes csv, and nothing else, to stdout; stderr stays empty."""
    ran = shoal("hierarchy", "build", stays, "--column", "age", "--rule", "widths:10,20")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "20;[20,30);[20,40);*"
    assert lines[-1] == "53;[50,60);[40,60);*"
    assert len(lines) == 12
    assert shoal("hierarchy", "build", stays, "--column", "age", "--rule", "widths:10,20", "-o",
                 "-").out == ran.out  # fmt: skip
    assert [p.name for p in tmp_path.iterdir()] == ["stays.csv"]


def test_build_to_a_file(shoal, stays, here):
    """-o writes the same bytes, into a folder that is there, and says so on stderr."""
    (here / "trees").mkdir()
    arguments = ("hierarchy", "build", "stays.csv", "--column", "town")
    ran = shoal(*arguments, "-o", "trees/town.csv")
    assert (ran.code, ran.out) == (0, "")
    assert "4 values in 2 levels" in ran.err
    assert "wrote trees/town.csv" in ran.err
    assert (
        (here / "trees/town.csv").read_text()
        == shoal(*arguments).out
        == ("Bonn;*\nGera;*\nJena;*\nUlm;*\n")
    )


def test_build_keeps_what_is_there(shoal, stays, here):
    """An existing file is kept without --force; the data is kept with it too."""
    (here / "town.csv").write_text("mine")
    arguments = ("hierarchy", "build", "stays.csv", "--column", "town", "-o")
    ran = shoal(*arguments, "town.csv")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "--force" in ran.err
    assert (here / "town.csv").read_text() == "mine"
    assert shoal(*arguments, "town.csv", "--force").code == 0
    assert (here / "town.csv").read_text().startswith("Bonn;*\n")
    ran = shoal(*arguments, "stays.csv", "--force")
    assert (ran.code, "same file" in ran.err) == (2, True)
    assert (here / "stays.csv").read_text() == STAYS


@pytest.mark.parametrize("exists", [True, False])
def test_build_into_a_folder(shoal, stays, here, exists):
    """-o trees/ means the folder: the file in it is named like the column, or it is refused."""
    if exists:
        (here / "trees").mkdir()
    ran = shoal("hierarchy", "build", "stays.csv", "--column", "town", "-o", "trees/")
    assert not (here / "trees").is_file()
    if ran.code == 0:
        assert (here / "trees/town.csv").read_text().startswith("Bonn;*\n")
    else:
        assert (ran.code, ran.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stays.csv",), ["--column"]),
        (("stays.csv", "--column", "agee"), ["stays.csv", "'agee'", "did you mean 'age'"]),
        (("none.csv", "--column", "age"), ["none.csv", "no such file"]),
        (("stays.csv", "--column", "town", "--rule", "widths:5"), ["widths:5", "'town' is text"]),
        (("stays.csv", "--column", "town", "--rule", "dates"), ["dates", "'town' is text"]),
        (("stays.csv", "--column", "age", "--rule", "widths:5,7"), ["widths:5,7", "multiple"]),
        (("stays.csv", "--column", "age", "--rule", "heap"), ["'heap'", "widths:5,10"]),
        (("stays.csv", "--column", "age", "--rule", "none.csv"), ["none.csv"]),
        (("stays.csv", "--column", "age", "-o", "stays.csv/x.csv"), ["stays.csv/x.csv"]),
        (("stays.csv", "--column", "age", "--type", "town=number"), ["'town'", "lines 2"]),
    ],
)
def test_build_refuses(shoal, stays, here, arguments, words):
    """What cannot be built is refused on one line, with nothing written and no value shown."""
    ran = shoal("hierarchy", "build", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran.err
    for word in words:
        assert word in ran.err, ran.err
    assert not any(canary in ran.err for canary in ("CANARY", "Bonn", "Jena"))
    assert [p.name for p in here.iterdir()] == ["stays.csv"]


def test_build_reads_as_it_is_told(shoal, write):
    """--delimiter, --missing and --type are those of the other commands."""
    path = write("t.csv", "code|x\n007|1\n12|2\n-|3\n")
    common = ("hierarchy", "build", path, "--column", "code", "--missing", "-", "--delimiter", "|")
    assert shoal(*common).out == "007;*\n12;*\n"
    ran = shoal(*common, "--type", "code=number", "--rule", "widths:10")
    assert ran.out == "7;[0,10);*\n12;[10,20);*\n", ran.err


def test_build_of_parquet(shoal, tmp_path):
    """A column of Parquet is built as one of csv."""
    pq.write_table(pa.table({"day": [date(2026, 3, 31), None]}), tmp_path / "t.parquet")
    ran = shoal("hierarchy", "build", tmp_path / "t.parquet", "--column", "day", "--rule",
                "dates:month,year")  # fmt: skip
    assert ran.out == "2026-03-31;2026-03;2026;*\n", ran.err


def test_build_from_a_file_that_lacks_values(shoal, stays, write, tmp_path):
    """A file that does not know all values cannot be built from; their number is said."""
    file = write("h.csv", "Bonn;*\nUlm;*\n")
    ran = shoal("hierarchy", "build", stays, "--column", "town", "--rule", file)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "2 values" in ran.err
    assert "Gera" not in ran.err


# --- check


def test_check_a_file(shoal, write):
    """A tree is told in numbers on stdout, with exit code 0."""
    ran = shoal("hierarchy", "check", write("town.csv", TOWNS))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "town.csv: 4 values in 3 levels (4 → 3 → 1)\n"


def test_check_with_data(shoal, stays, write):
    """With data, check says how many values have a place, and lists those that have none."""
    file = write("town.csv", TOWNS + "Köln;West;*\n")
    ran = shoal("hierarchy", "check", file, "--data", stays, "--column", "town")
    assert (ran.code, ran.err) == (0, "")
    assert "4 of the data's values have a place" in ran.out
    assert "1 values do not occur in the data" in ran.out
    assert shoal("hierarchy", "check", file, "--data", stays).out == ran.out  # by the file's name
    file = write("town.csv", "Bonn;West;*\nUlm;South;*\n")
    ran = shoal("hierarchy", "check", file, "--data", stays, "--column", "town")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "2 values have no place: 'Gera', 'Jena'" in ran.out
    assert "2 values" in ran.err
    assert "Gera" not in ran.err


def test_check_a_rule(shoal, stays):
    """A rule can be checked with data, and without them is told to need them."""
    assert shoal("hierarchy", "check", "dates", "--data", stays, "--column", "day").code == 0
    ran = shoal("hierarchy", "check", "dates")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "data" in ran.err
    ran = shoal("hierarchy", "check", "dates", "--data", stays, "--column", "town")
    assert (ran.code, "'town' is text" in ran.err) == (2, True)


# --- show


def test_show(shoal, stays, write):
    """show draws the tree on stdout, with the records below each node where there is data."""
    file = write("town.csv", TOWNS)
    ran = shoal("hierarchy", "show", file)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.split("\n\n")[1] == (
        "*\n├─ West\n│  └─ Bonn\n├─ South\n│  └─ Ulm\n└─ East\n   ├─ Gera\n   └─ Jena\n"
    )
    ran = shoal("hierarchy", "show", file, "--data", stays)
    assert "└─ East  6\n   ├─ Gera  3\n" in ran.out
    assert "\n*  12\n" in ran.out
    ran = shoal("hierarchy", "show", file, "--data", stays, "--depth", 1)
    assert ran.out.endswith("*  12\n├─ West  3\n├─ South  3\n└─ East  6\n")
    assert shoal("hierarchy", "show", file, "--depth", 0).out.endswith("\n\n*\n")
    assert shoal("hierarchy", "show", file, "--depth", -1).code == 2


def test_show_a_rule(shoal, stays):
    """A rule is drawn for the column of some data; without a column the mistake is named."""
    ran = shoal("hierarchy", "show", "cuts:30,50", "--data", stays, "--column", "age", "--depth", 1)
    assert ran.code == 0, ran.err
    assert "├─ <30  4\n├─ [30,50)  6\n└─ >=50  2\n" in ran.out
    ran = shoal("hierarchy", "show", "cuts:30,50", "--data", stays)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert shoal("hierarchy", "show", "cuts:30,50").code == 2


def test_show_counts_missing_cells_nowhere(shoal, write):
    """The root counts the records that have a value."""
    path = write("t.csv", "a,b\nx,1\n,1\nx,1\ny,1\n")
    out = shoal("hierarchy", "show", "flat", "--data", path, "--column", "a").out
    assert out.endswith("*  3\n├─ x  2\n└─ y  1\n")


def test_show_has_no_control_signs(shoal, write):
    """Labels cannot speak to the terminal."""
    path = write("h.csv", "a\x1b[31m;g\x07;*\n")
    ran = shoal("hierarchy", "show", path)
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err
    assert "\x07" not in ran.out


# --- anonymize with hierarchies


def test_a_newcomers_day(shoal, stays, here):
    """Build, edit, check, anonymize, verify: each step takes what the one before has written."""
    for column, rule in (("age", "widths:10,20,40"), ("town", "flat")):
        ran = shoal("hierarchy", "build", "stays.csv", "--column", column, "--rule", rule, "-o",
                    "trees/")  # fmt: skip
        assert ran.code == 0, ran.err
    (here / "trees/town.csv").write_text(TOWNS)
    for column in ("age", "town"):
        ran = shoal("hierarchy", "check", f"trees/{column}.csv", "--data", "stays.csv")
        assert ran.code == 0, ran.err
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchies", "trees", "-o", "out/")
    assert (ran.code, ran.out) == (0, ""), ran.err
    assert shoal("verify", "out/release.csv", "-k", 3, "--quasi", "age,town").code == 0
    text = (here / "out/release.csv").read_text()
    assert naive.class_sizes(text, ["age", "town"])[0] >= 3
    known = {word for path in library.hierarchy("trees/age.csv").paths for word in path}
    assert {row["age"] for row in rows_of(text)} <= known
    towns = {"Bonn", "Ulm", "Gera", "Jena", "West", "South", "East", "*"}
    assert {row["town"] for row in rows_of(text)} <= towns
    columns = json.loads((here / "out.private/report.json").read_text())["columns"]
    assert [(c["hierarchy"], c["levels"]) for c in columns] == [("age.csv", 5), ("town.csv", 3)]


def test_folder_by_column_name(shoal, stays, here):
    """A folder's files are taken by the names of columns; other columns get their defaults."""
    (here / "trees").mkdir()
    (here / "trees/town.csv").write_text(TOWNS)
    (here / "trees/day.csv").write_text("this is not; a tree")  # of no quasi-identifier
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchies", "trees", "-o", "-")
    assert ran.code == 0, ran.err
    assert set(rows_of(ran.out)[0]) == {"age", "town", "ill"}
    assert all(re.fullmatch(r"\[\d+,\d+\]|\d+", row["age"]) for row in rows_of(ran.out))
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchies", "trees", "--hierarchy",
                "town=flat", "--hierarchy", "age=cuts:35", "-o", "-")  # fmt: skip
    assert ran.code == 0, ran.err
    assert {row["town"] for row in rows_of(ran.out)} <= {"Bonn", "Ulm", "Gera", "Jena", "*"}
    assert {row["age"] for row in rows_of(ran.out)} <= {"<35", ">=35", "*"}


def test_folder_that_fits_nothing(shoal, stays, here):
    """A folder without a fitting file, or none at all, is said with the names that are wanted."""
    (here / "trees").mkdir()
    (here / "trees/Town.csv").write_text(TOWNS)
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchies", "trees", "-o", "r.csv")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    for word in ("'trees'", "'age.csv'", "'town.csv'"):
        assert word in ran.err
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchies", "tree", "-o", "r.csv")
    assert (ran.code, "no folder 'tree'" in ran.err) == (2, True)
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchies", "stays.csv", "-o", "r.csv")
    assert (ran.code, "no folder" in ran.err) == (2, True)
    assert not (here / "r.csv").exists()


@pytest.mark.parametrize("name", ["a" * 300, "a/b", "..", "a\nb", "*"])
def test_folder_and_odd_names(shoal, write, here, name):
    """Names of columns that no file can have are no reason to stop in any other way."""
    (here / "trees").mkdir()
    (here / "trees/b.csv").write_text("x;g;*\ny;g;*\n")
    quoted = f'"{name}"'
    write("t.csv", f"{quoted},b\n1,x\n2,y\n")
    ran = shoal("anonymize", "t.csv", "-k", 2, "--quasi", f"{quoted},b", "--hierarchies", "trees",
                "--numbers", "interval", "-o", "-")  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.out.endswith('"[1,2]",g\n' * 2)


def test_hierarchy_of_a_method_that_has_none(shoal, stays, here):
    """Groups of any method release what a hierarchy says; one that none would use is refused."""
    asked = ("anonymize", "stays.csv", "-k", 3, "--quasi", "age", "--identifier", "name",
             "--drop", "town,day", "--method", "mdav", "-o", "-")  # fmt: skip
    ran = shoal(*asked, "--hierarchy", "age=widths:10")
    assert ran.code == 0
    assert '"[20,30)"' in ran.out
    ran = shoal(*asked, "--hierarchy", "age=widths:10", "--aggregate", "mean")
    assert (ran.code, "hierarch" in ran.err) == (2, True)
    for said in ("age=none.csv", "zz=flat"):
        assert shoal(*asked, "--hierarchy", said).code == 2, said


def test_hierarchies_are_not_overwritten(shoal, stays, here):
    """A hierarchy is an input: no release is written over it, even with --force."""
    (here / "town.csv").write_text(TOWNS)
    ran = shoal("anonymize", "stays.csv", *ROLES, "--hierarchy", "town=town.csv", "-o", "town.csv",
                "--force")  # fmt: skip
    assert (here / "town.csv").read_text() == TOWNS
    assert (ran.code, "same file" in ran.err) == (2, True)


def test_no_value_in_any_file(shoal, write, here):
    """Values that are generalized away are in no file, private or not, nor on the screen."""
    lines = [f"CANARY{i:02},{i % 3},v{i % 2}" for i in range(9)]
    write("t.csv", "who,b,s\n" + "\n".join(lines) + "\n")
    write("who.csv", "".join(f"CANARY{i:02};*\n" for i in range(9)))
    for rule in ("flat", "who.csv", "prefixes:2"):
        for more in ((), ("--json",), ("--show-values",)):
            ran = shoal("anonymize", "t.csv", "-k", 3, "--quasi", "who,b", "--sensitive", "s",
                        "--hierarchy", f"who={rule}", "-o", "out/", "--force", *more)  # fmt: skip
            assert ran.code == 0, ran.err
            assert "CANARY" not in ran.out + ran.err
            files = [*(here / "out").iterdir(), *(here / "out.private").iterdir()]
            for path in files:
                assert b"CANARY" not in path.read_bytes(), path.name
    assert len(files) == 3 + 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", spread(["mean", "median", "mode", "medoid", "generalize", "range"], 3)
)
@pytest.mark.parametrize("ending", spread(["csv", "csv.gz", "parquet"], 3))
def test_missing_cells_in_every_format(shoal, write, here, way, ending):
    """Tables with missing cells of every kind are written, verified and read back."""
    lines = [
        ("" if i % 5 == 0 else str(i), "" if i % 4 == 0 else "xyz"[i % 3],
         "" if i % 7 == 0 else f"2026-01-{i + 10}", "" if i == 3 else ("true", "false")[i % 2], "s")
        for i in range(12)
    ]  # fmt: skip
    write("t.csv", "\n".join(["a,b,c,d,s", *map(",".join, lines)]) + "\n")
    out = here / f"r.{ending}"
    ran = shoal("anonymize", "t.csv", "-k", 2, "--quasi", "a,b,c,d", "--sensitive", "s",
                "--aggregate", way, "-o", out)  # fmt: skip
    assert ran.code == 0, ran.err
    assert shoal("verify", out, "-k", 2, "--quasi", "a,b,c,d").code == 0


def test_verify_counts_stars_as_values(shoal, write):
    """A record of stars alone is a class of its own for verify, and too small."""
    path = write("r.csv", "a,b\n*,*\nx,1\nx,1\n")
    ran = shoal("verify", path, "-k", 2, "--quasi", "a,b")
    assert ran.code == 3
    assert "1 classes with 1 records are smaller than 2" in ran.err + ran.out
    path = write("r.csv", "a,b\n*,1\n*,1\nx,1\nx,1\n")
    assert shoal("verify", path, "-k", 2, "--quasi", "a,b").code == 0


# --- again


@pytest.fixture
def project(shoal, stays, here):
    """A folder with data, trees and a release made of them by two files and a rule."""
    (here / "desk/trees").mkdir(parents=True)
    (here / "desk/data").mkdir()
    shutil.move(stays, here / "desk/data/stays.csv")
    (here / "desk/trees/town.csv").write_text(TOWNS)
    (here / "desk/age file.csv").write_text("[0,40);*\n[40,99);*\n")
    ran = shoal("anonymize", "desk/data/stays.csv", "-k", 2, "--quasi", "age,town,day",
                "--sensitive", "ill", "--identifier", "name", "--hierarchies", "desk/trees",
                "--hierarchy", "age=desk/age file.csv", "--hierarchy", "day=dates:month,year",
                "--aggregate", "generalize", "-o", "desk/out/")  # fmt: skip
    assert ran.code == 0, ran.err
    return here / "desk"


def released(folder):
    return sorted((folder / "release.csv").read_text().splitlines())


def test_recipe_names_paths_as_seen_from_it(project):
    """run.toml holds every hierarchy, files relative to itself, and no folder any more."""
    recipe = tomllib.loads((project / "out.private/run.toml").read_text())
    assert recipe["hierarchies"] == {
        "age": "../age file.csv", "town": "../trees/town.csv", "day": "dates:month,year",
    }  # fmt: skip
    assert recipe["input"]["path"] == "../data/stays.csv"
    assert "hierarchies" not in recipe["input"]
    assert recipe["protect"]["method"] == "kaim+"


def test_run_again_from_another_folder(shoal, project, tmp_path, monkeypatch):
    """The recipe makes the same release from any folder, and after all was moved elsewhere."""
    first = released(project / "out")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ran = shoal("run", "../desk/out.private/run.toml", "-o", "again/")
    assert ran.code == 0, ran.err
    assert released(tmp_path / "elsewhere/again") == first
    ran = shoal("run", "again.private/run.toml", "-o", "third/")
    assert ran.code == 0, ran.err
    assert released(tmp_path / "elsewhere/third") == first
    shutil.move(project, tmp_path / "moved")
    monkeypatch.chdir("/")
    ran = shoal("run", tmp_path / "moved/out.private/run.toml", "--force")
    assert ran.code == 0, ran.err
    assert released(tmp_path / "moved/out") == first


def test_run_again_without_the_tree(shoal, project):
    """A hierarchy that is gone is named, and the release stays as it was."""
    first = (project / "out/release.csv").read_bytes()
    (project / "trees/town.csv").unlink()
    ran = shoal("run", project / "out.private/run.toml", "--force")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "town.csv" in ran.err
    assert (project / "out/release.csv").read_bytes() == first


def test_recipe_for_another_table(shoal, project, monkeypatch):
    """anonymize --recipe finds the recipe's hierarchies wherever it is called from."""
    for folder in ("out", "trees", "."):
        monkeypatch.chdir(project / folder)
        recipe = project / "out.private/run.toml"
        ran = shoal("anonymize", project / "data/stays.csv", "--recipe", recipe, "-o", "-")
        assert ran.code == 0, (folder, ran.err)


def test_recipe_with_a_folder(shoal, project, monkeypatch):
    """A recipe may name a folder of hierarchies, which lies where it says, seen from the recipe."""
    (project / "mine.toml").write_text(
        '[input]\npath = "data/stays.csv"\nhierarchies = "trees"\n[roles]\nidentifiers = ["name"]\n'
        'quasi_identifiers = ["age", "town"]\ndrop = ["day"]\n[protect]\nk = 3\n'
    )
    monkeypatch.chdir("/")
    ran = shoal("run", project / "mine.toml", "-o", f"{project}/mine/")
    assert ran.code == 0, ran.err
    recipe = tomllib.loads((project / "mine.private/run.toml").read_text())
    assert recipe["hierarchies"] == {"town": "../trees/town.csv"}


def test_the_same_whatever_the_order(shoal, stays, here):
    """The groups do not depend on the order of the rows, nor the labels on that of the lines."""
    lines = STAYS.splitlines()
    (here / "turned.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    (here / "town.csv").write_text(TOWNS)
    (here / "nwot.csv").write_text("\n".join(reversed(TOWNS.split())) + "\n")
    found = []
    for data, tree in (("stays.csv", "town.csv"), ("turned.csv", "nwot.csv")):
        ran = shoal("anonymize", data, *ROLES, "--hierarchy", f"town={tree}", "-o", "-")
        assert ran.code == 0, ran.err
        found.append(sorted(ran.out.splitlines()))
    assert found[0] == found[1]


# --- incomplete records


def test_incomplete(shoal, write, here):
    """delete says how many records went, in summary, report and page; keep deletes none."""
    write("t.csv", "a,b,s\n" + "".join(f"{i},{'xy'[i % 2]},v\n" for i in range(8)) + ",x,v\n9,,v\n")
    common = ("anonymize", "t.csv", "-k", 2, "--quasi", "a,b", "--sensitive", "s", "-o")
    ran = shoal(*common, "d/", "--incomplete", "delete", "--json")
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert (report["missing"]["deleted"], report["missing"]["cells"]) == (2, 0)
    assert (report["input"]["records"], report["release"]["records"]) == (10, 8)
    assert "2 incomplete records were deleted" in ran.err
    assert "2 incomplete records were deleted" in (here / "d.private/report.html").read_text()
    assert 'incomplete = "delete"' in (here / "d.private/run.toml").read_text()
    assert len((here / "d/release.csv").read_text().splitlines()) == 9
    assert sum(int(n) * c for n, c in report["groups"]["sizes"].items()) == 8
    assert "8 records in" in ran.err
    ran = shoal(*common, "k/", "--incomplete", "keep", "--json")
    assert json.loads(ran.out)["missing"]["deleted"] == 0
    assert len((here / "k/release.csv").read_text().splitlines()) == 11
    assert shoal("run", "d.private/run.toml", "-o", "e/").code == 0
    assert len((here / "e/release.csv").read_text().splitlines()) == 9


# --- dataframes


NUMBERS = {
    "pandas int64": pd.DataFrame({"a": [1, 3, 7, 9]}),
    "pandas Int64": pd.DataFrame({"a": pd.array([1, 3, 7, 9], "Int64")}),
    "pandas int8": pd.DataFrame({"a": pd.Series([1, 3, 7, 9], dtype="int8")}),
    "pandas float": pd.DataFrame({"a": [1.5, 2.5, 7.5, 8.5]}),
    "pandas arrow": pd.DataFrame({"a": pd.array([1, 3, 7, 9], "int64[pyarrow]")}),
    "polars Int64": pl.DataFrame({"a": [1, 3, 7, 9]}),
    "polars Int8": pl.DataFrame({"a": pl.Series([1, 3, 7, 9], dtype=pl.Int8)}),
    "polars Float64": pl.DataFrame({"a": [1.5, 2.5, 7.5, 8.5]}),
    "arrow": pa.table({"a": [1, 3, 7, 9]}),
}


def kind_of(frame):
    """The type of column a, as its library says it."""
    if isinstance(frame, pd.DataFrame):
        return frame["a"].dtype
    return frame.schema["a"] if isinstance(frame, pl.DataFrame) else frame.schema.field("a").type


def cells(frame):
    """The values of column a, missing ones as None."""
    column = frame["a"]
    if isinstance(frame, pd.DataFrame):
        return [None if value is pd.NA or value is pd.NaT or value != value else value
                for value in column.tolist()]  # fmt: skip
    return column.to_list() if isinstance(frame, pl.DataFrame) else column.to_pylist()


@pytest.mark.parametrize("name", spread(NUMBERS, 3))
def test_frames_of_numbers(name):
    """Means, medians, modes and medoids keep a column's type; intervals are texts if asked."""
    frame = NUMBERS[name]
    for way in ("mean", "median", "mode", "medoid"):
        found = library.anonymize(frame, k=2, method="kaim", aggregate=way).data
        assert type(found) is type(frame)
        assert kind_of(found) == kind_of(frame)
        assert len(set(cells(found))) == 2
    for more in ({}, {"hierarchies": {"a": "widths:5"}}, {"aggregate": "range"}):
        found = library.anonymize(frame, k=2, method="kaim", intervals="text", **more).data
        assert type(found) is type(frame)
        assert all(isinstance(cell, str) and cell[0] == "[" for cell in cells(found))


BIG = 2**60 + 1
HOLES = {
    "pandas Int64": (pd.DataFrame({"a": pd.array([BIG, BIG, None, None], "Int64")}), BIG),
    "pandas float": (pd.DataFrame({"a": [0.5, 0.5, None, None]}), 0.5),
    "pandas boolean": (pd.DataFrame({"a": pd.array([True, True, None, None], "boolean")}), True),
    "pandas time": (pd.DataFrame({"a": pd.to_datetime(["2026-01-01"] * 2 + [None] * 2)}),
                    pd.Timestamp("2026-01-01")),
    "pandas arrow": (pd.DataFrame({"a": pd.array([BIG, BIG, None, None], "int64[pyarrow]")}), BIG),
    "polars Int64": (pl.DataFrame({"a": [BIG, BIG, None, None]}), BIG),
    "polars Int8": (pl.DataFrame({"a": pl.Series([5, 5, None, None], dtype=pl.Int8)}), 5),
    "polars Float64": (pl.DataFrame({"a": [0.5, 0.5, None, None]}), 0.5),
    "polars Boolean": (pl.DataFrame({"a": [True, True, None, None]}), True),
    "polars Date": (pl.DataFrame({"a": [date(2026, 1, 1)] * 2 + [None] * 2}), date(2026, 1, 1)),
    "polars Datetime": (pl.DataFrame({"a": [datetime(2026, 1, 1)] * 2 + [None] * 2}),
                        datetime(2026, 1, 1)),
    "arrow": (pa.table({"a": [BIG, BIG, None, None]}), BIG),
}  # fmt: skip


@pytest.mark.parametrize("way", spread(["mean", "median", "mode", "medoid"], 12))
@pytest.mark.parametrize("name", HOLES)
def test_frames_with_missing_cells(name, way):
    """A group without a value is missing in the caller's own way; the others keep theirs."""
    frame, value = HOLES[name]
    found = library.anonymize(frame, k=2, quasi_identifiers=["a"], aggregate=way).data
    assert type(found) is type(frame)
    assert kind_of(found) == kind_of(frame)
    assert cells(found) == [value, value, None, None]


@pytest.mark.parametrize("name", HOLES)
def test_frames_with_missing_cells_generalized(name):
    """Generalized, a group without a value is a star."""
    frame, _ = HOLES[name]
    asked = {"aggregate": "generalize", "intervals": "text"}
    found = library.anonymize(frame, k=2, quasi_identifiers=["a"], **asked).data
    assert type(found) is type(frame)
    first, second, *rest = cells(found)
    assert isinstance(first, str)
    assert first == second != "*"
    assert rest == ["*", "*"]


@pytest.mark.parametrize("library_", ["pandas", "polars", "arrow"])
def test_frames_are_not_changed(library_):
    """The caller's frame is the same after the run, to the last cell and type."""
    columns = {"a": ["x", "y", None, "x"], "b": [1, 2, 3, None], "s": ["p", "q", "p", "q"]}
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[library_]
    frame, copy = make(columns), make(columns)
    library.anonymize(frame, k=2, quasi_identifiers=["a", "b"], sensitive=["s"])
    assert frame.equals(copy)
    deleted = library.anonymize(
        frame, k=2, quasi_identifiers=["a", "b"], sensitive=["s"], incomplete="delete"
    ).data
    assert frame.equals(copy)
    assert len(deleted) == 2
    if library_ == "pandas":
        assert deleted.index.tolist() == [0, 1]


def test_hierarchies_in_python(write, tmp_path):
    """A folder, as path or text, or a dict of rules is taken."""
    file = write("town.csv", TOWNS)
    table = pa.table({"town": ["Gera", "Jena", "Gera", "Jena"]})
    for said in (tmp_path, str(tmp_path), {"town": str(file)}):
        found = library.anonymize(table, k=4, quasi_identifiers=["town"], hierarchies=said)
        assert found.data["town"].to_pylist() == ["East"] * 4
