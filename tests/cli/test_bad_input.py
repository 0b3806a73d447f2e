"""Every kind of bad input, by its number in the catalog, through the command line.

E: one line on stderr that names the file, line and column, exit code 2, nothing written, no record
value in it. H: defined handling. Cases about l, t and weights come with their methods.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library

ROWS = "".join(f"{i},{i % 3},v{i % 2}\n" for i in range(8))
GOOD = "a,b,s\n" + ROWS
QUASI = ("-k", "2", "--quasi", "a,b", "--sensitive", "s")


# case, file content, arguments, what the message must say
ERRORS = [
    ("1 empty file", b"", QUASI, ["t.csv", "no header"]),
    ("2 header only", "a,b,s\n", QUASI, ["t.csv", "n = 0 records < k = 2"]),
    ("3 n < k", "a,b,s\n1,2,x\n2,3,x\n", ("-k", "3", *QUASI[2:]), ["n = 2 records < k = 3"]),
    ("4 k = 0", GOOD, ("-k", "0", *QUASI[2:]), ["k must be at least 2, not 0"]),
    ("4 k = -1", GOOD, ("-k", "-1", *QUASI[2:]), ["k must be at least 2, not -1"]),
    ("4 k = 2.5", GOOD, ("-k", "2.5", *QUASI[2:]), ["-k", "integer"]),
    ("4 k = x", GOOD, ("-k", "x", *QUASI[2:]), ["-k", "integer"]),
    ("4 k > n", GOOD, ("-k", "99", *QUASI[2:]), ["n = 8 records < k = 99"]),
    ("4 k = 1", GOOD, ("-k", "1", *QUASI[2:]), ["no protection", "--allow-k1"]),
    ("7 unknown column", GOOD, ("-k", "2", "--quasi", "aa,b"), ["'aa'", "did you mean 'a'"]),
    ("7 unknown sensitive", GOOD, (*QUASI[:4], "--sensitive", "ss"), ["no column 'ss'"]),
    ("8 two roles", GOOD, ("-k", "2", "--quasi", "a,s", "--sensitive", "s"),
     ["'s'", "quasi-identifier and sensitive"]),
    ("9 no quasi-identifier", GOOD, ("-k", "2", "--sensitive", "s"), ["no quasi-identifier"]),
    ("9 empty list", GOOD, ("-k", "2", "--quasi", ""), ["names no column"]),
    ("9 twice", GOOD, ("-k", "2", "--quasi", "a,a"), ["'a' is named twice"]),
    ("10 duplicate headers", "a,b,a\n1,2,3\n", QUASI, ["t.csv, line 1", "columns 1 and 3", "'a'"]),
    ("11 blank header", "a,,s\n1,2,3\n", QUASI, ["t.csv, line 1, column 2", "blank"]),
    ("12 long header", "a" * 10_000 + ",b\n1,2\n", QUASI, ["line 1, column 1", "limit is 1000"]),
    ("13 ragged long", GOOD + "1,2,CANARY,4\n", QUASI, ["t.csv, line 10 (record 9)", "4 cells"]),
    ("14 ragged short", GOOD + "CANARY,2\n", QUASI, ["t.csv, line 10 (record 9)", "2 cells"]),
    ("15 unclosed quote", 'a,b,s\n1,2,"CANARY\n3,4,y\n', QUASI, ["line 2", "never closed"]),
    ("16 after a quoted line break", 'a,b,s\n1,2,"x\ny"\n3,4\n', QUASI, ["line 4 (record 2)"]),
    ("17 mixed delimiters", "a;b,s\n1;2,3\n", QUASI, ["line 1", "comma and semicolon"]),
    ("19 UTF-16 without mark", GOOD.encode("utf-16-le"), QUASI, ["t.csv, line 1", "UTF-8"]),
    ("20 Latin-1", GOOD.encode() + b"9,1,\xe9\n", QUASI, ["line 10", "byte 66 is not UTF-8"]),
    ("21 NUL", GOOD.encode() + b"9,1,\0\n", QUASI, ["t.csv, line 10", "NUL"]),
    ("22 long cell", GOOD + "9,1," + "x" * 200_000 + "\n", QUASI, ["line 10, column 3", "131072"]),
    ("23 many columns", ",".join(map(str, range(100_000))) + "\n", QUASI, ["limit is 20000"]),
    ("24 PDF", b"%PDF-1.7\n", QUASI, ["t.csv", "not text but a PDF"]),
    ("24 xlsx", b"PK\x03\x04xl", QUASI, ["not text but a zip or Excel"]),
    ("24 gzip", gzip.compress(GOOD.encode(), mtime=0), QUASI, ["not text but a gzip"]),
    ("27 inf", GOOD + "inf,1,x\n", QUASI, ["t.csv", "'a'", "1 of 9 cells (line 10)"]),
    ("27 -inf", GOOD + "-inf,1,x\n", QUASI, ["'a'", "line 10"]),
    ("27 1e999", GOOD + "1e999,1,x\n", QUASI, ["'a'", "too large", "line 10"]),
    ("28 NA is no number", GOOD + "NA,1,x\n", QUASI, ["'a'", "line 10", "--missing"]),
    ("29 1_000", GOOD + "1_000,1,x\n", QUASI, ["'a'", "line 10"]),
    ("29 foreign digits", GOOD + "١٢,1,x\n", QUASI, ["'a'", "line 10"]),
    ("30 decimal comma", GOOD + '"1,5",1,x\n', QUASI, ["'a'", "line 10"]),
    ("30 all decimal commas", 'a,b,s\n"1,5",1,x\n"1.234,56",2,x\n', QUASI, ["'a'", "lines 2, 3"]),
    ("31 $1,000", GOOD + '"$1,000",1,x\n', QUASI, ["'a'", "line 10"]),
    ("31 12%", "a,b,s\n12%,1,x\n13%,2,x\n", QUASI, ["'a'", "lines 2, 3"]),
    ("33 one word among numbers", GOOD + "CANARY,1,x\n" * 7, QUASI,
     ["'a'", "7 of 15 cells (lines 10, 11, 12, 13, 14, …)"]),
    ("37 all missing quasi-identifier", "a,b,s\n,1,x\n,2,y\n", QUASI,
     ["t.csv", "every cell of quasi-identifier 'a' is missing", "--allow-empty"]),
    ("37 all missing by a declared word", "a,b,s\n-,1,x\n-,2,y\n", (*QUASI, "--missing", "-"),
     ["every cell of quasi-identifier 'a' is missing"]),
    ("38 nothing left after deleting", "a,b,s\n,1,x\n2,,y\n3,3,z\n",
     (*QUASI, "--incomplete", "delete"), ["t.csv", "n = 1 records < k = 2"]),
    ("38 incomplete", GOOD, (*QUASI, "--incomplete", "fill"), ["incomplete", "'keep' or 'delete'"]),
    ("37 all missing sensitive", "a,b,s\n1,1,\n2,2,\n", QUASI, ["'s'", "every cell", "--allow"]),
    ("40 mixed booleans", "a,b,s\ntrue,1,x\n1,2,x\nyes,2,x\n", QUASI, ["'a'", "lines 3, 4"]),
    ("41 ambiguous dates", "a,b,s\n03/04/05,1,x\n03/04/06,2,x\n", QUASI, ["'a'", "ambiguous"]),
    ("44 unique other", "id,a,s\n" + "".join(f"CANARY{i},{i % 3},x\n" for i in range(6)),
     ("-k", "2", "--quasi", "a"), ["'id'", "no two records share a value", "--keep-unique"]),
    ("62 seed -1", GOOD, (*QUASI, "--seed", "-1"), ["seed"]),
    ("62 seed 1.5", GOOD, (*QUASI, "--seed", "1.5"), ["--seed", "integer"]),
    ("62 seed x", GOOD, (*QUASI, "--seed", "x"), ["--seed", "integer"]),
    ("method", GOOD, (*QUASI, "--method", "mdavv"), ["'mdavv'", "did you mean 'mdav'"]),
    ("type of unknown column", GOOD, (*QUASI, "--type", "zz=number"), ["'zz'", "t.csv"]),
    ("type that does not fit", GOOD, (*QUASI, "--type", "s=number"), ["t.csv", "'s'", "lines 2"]),
    ("decimals of unknown column", GOOD, (*QUASI, "--decimals", "zz=1"), ["'zz'"]),
    ("aggregate", GOOD, (*QUASI, "--aggregate", "max"),
     ["aggregate must be", "'mean'", "'median'", "'mode'", "'medoid'", "'generalize'", "'range'"]),
    ("aggregate of a column", GOOD, (*QUASI, "--aggregate", "a=max"), ["aggregate", "'range'"]),
    ("aggregate of no quasi-identifier", GOOD, (*QUASI, "--aggregate", "s=mode"),
     ["'s'", "no quasi-identifier"]),
    ("aggregate of a text", GOOD, ("-k", "2", "--quasi", "a,s", "--aggregate", "s=median"),
     ["'s'", "text", "no median"]),
    ("hierarchy of an unknown column", GOOD, (*QUASI, "--hierarchy", "zz=flat"), ["'zz'"]),
    ("hierarchy of no quasi-identifier", GOOD, (*QUASI, "--hierarchy", "s=flat"),
     ["'s'", "no quasi-identifier"]),
    ("hierarchy without a column", GOOD, (*QUASI, "--hierarchy", "flat"),
     ["--hierarchy", "COLUMN="]),
    ("hierarchy twice", GOOD, (*QUASI, "--hierarchy", "a=flat", "--hierarchy", "a=flat"), ["once"]),
    ("hierarchy of no kind", GOOD, (*QUASI, "--hierarchy", "a=heap"), ["'heap'", "widths:5,10"]),
    ("hierarchy of a long name", GOOD, (*QUASI, "--hierarchy", "a=" + "x" * 300), ["xxx"]),
    ("hierarchy that is a folder", GOOD, (*QUASI, "--hierarchy", "a=."), ["'.'"]),
    ("hierarchy that is not there", GOOD, (*QUASI, "--hierarchy", "a=none.csv"), ["'none.csv'"]),
    ("folder that is not there", GOOD, (*QUASI, "--hierarchies", "none"), ["no folder", "'none'"]),
    ("delimiter", GOOD, (*QUASI, "--delimiter", ";;"), ["one plain character"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "arguments", "words"), [e[1:] for e in ERRORS], ids=[e[0] for e in ERRORS]
)
def test_errors(shoal, write, tmp_path, content, arguments, words):
    """One line that says where and what to do, exit code 2, nothing written, no value shown."""
    path = write("t.csv", content)
    before = path.read_bytes()
    ran = shoal("anonymize", path, *arguments, "-o", tmp_path / "r.csv")
    assert ran.code == 2, ran.err
    assert (ran.out, ran.err.count("\n")) == ("", 1)
    for word in words:
        assert word in ran.err, ran.err
    assert "CANARY" not in ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    assert path.read_bytes() == before


HANDLED = [
    ("3 n = k", "a,b,s\n1,2,x\n2,3,y\n", QUASI, 1),
    ("3 n = 2k - 1", "a,b,s\n1,2,x\n2,3,y\n3,4,z\n", QUASI, 1),
    ("4 k = 1 on purpose", GOOD, ("-k", "1", *QUASI[2:], "--allow-k1"), 8),
    ("16 line break in a cell", GOOD.replace("v0", '"two\nlines"'), QUASI, 4),
    ("18 byte order mark", "\ufeff" + GOOD, QUASI, 4),
    ("28 declared missing in other", GOOD.replace("v0", "NA"), (*QUASI, "--missing", "NA"), 4),
    ("31 spaces around numbers", GOOD.replace("1,", " 1 ,"), QUASI, 4),
    ("32 leading zeros declared", GOOD.replace("3,", "03,"), (*QUASI, "--type", "a=number"), 4),
    ("34 constant column", "a,b,s\n" + "".join(f"{i},7,x\n" for i in range(8)), QUASI, 4),
    ("28 missing cell", GOOD + ",1,x\n", QUASI, 4),
    ("28 missing cell, mdav", GOOD + ",1,x\n", (*QUASI, "--method", "mdav"), 4),
    ("28 declared missing cell", GOOD + "NA,1,x\n", (*QUASI, "--missing", "NA"), 4),
    ("28 deleted missing cell", GOOD + ",1,x\n", (*QUASI, "--incomplete", "delete"), 4),
    ("37 empty sensitive on purpose", "a,b,s\n1,1,\n2,2,\n", (*QUASI, "--allow"), 1),
    ("37 empty quasi-identifier on purpose", "a,b,s\n,1,x\n,2,y\n,3,x\n,4,y\n",
     (*QUASI, "--allow-empty"), 2),
    ("41 ISO dates", "a,b,s\n" + "".join(f"2024-01-0{i + 1},{i},x\n" for i in range(8)), QUASI, 4),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "arguments", "groups"), [h[1:] for h in HANDLED], ids=[h[0] for h in HANDLED]
)
def test_handled(shoal, write, tmp_path, content, arguments, groups):
    """What has a defined handling is released in the expected number of groups."""
    path = write("t.csv", content)
    ran = shoal("anonymize", path, *arguments, "-o", tmp_path / "r.csv", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["groups"]["count"] == groups
    k = arguments[1]
    assert shoal("verify", tmp_path / "r.csv", "-k", k, "--quasi", "a,b").code == 0


# case, the hierarchy's file, what the message must say; the data holds a, b, c and CANARY
WORDY = "a;g;*\nb;g;*\nc;h;*\nCANARY;h;*\n"
TREES = [
    ("46 two parents", WORDY + "a;h;*\n",
     ["'a' has two parents", "'g'", "'h'", "line 1", "line 5"]),
    ("46 two parents higher up", "a;g;x;*\nb;g;y;*\nc;h;x;*\nCANARY;h;x;*\n",
     ["'g' has two parents", "'x'", "'y'", "line 1", "line 2"]),
    ("46 a value and a group", WORDY + "h;g;*\n", ["'h'", "line 3", "line 5"]),
    ("47 too short", WORDY + "d;*\n", ["h.csv, line 5", "2 levels", "line 1", "3"]),
    ("47 too long", WORDY + "d;g;x;*\n", ["h.csv, line 5", "4 levels", "line 1", "3"]),
    ("47 after a quoted line break", 'a;"g\nh";*\nb;x;*\n\nc;*\n', ["h.csv, line 5", "2 levels"]),
    ("47 empty label", WORDY + "d;;*\n", ["h.csv, line 5", "empty label"]),
    ("48 of two lines", "a;b;*\nb;a;*\nc;c;*\nCANARY;c;*\n",
     ["h.csv", "cycle", "'b' → 'a' → 'b'", "line 1", "line 2"]),
    ("48 of three labels", "a;b;c;*\nb;c;a;*\nCANARY;x;x;*\n",
     ["h.csv", "cycle", "'c' → 'a' → 'b' → 'c'", "line 1", "line 2"]),
    ("48 within a line", WORDY + "x;y;x\n", ["h.csv, line 5"]),
    ("48 within a longer line", "a;a;*\nx;*;*\n*;x;*\n", ["h.csv, line 3", "'*'", "cycle"]),
    ("49 two roots", WORDY + "d;g;all\n", ["h.csv, line 5", "'all'", "line 1", "no common root"]),
    ("49 no root", "a;x\nb;y\nc;y\nCANARY;y\n", ["h.csv, line 2", "'x'", "'y'", "common root"]),
    ("50 Latin-1", (WORDY + "Gen\u00e8ve;h;*\n").encode("latin-1"), ["h.csv, line 5", "UTF-8"]),
    ("50 UTF-16", WORDY.encode("utf-16"), ["h.csv, line 1", "UTF-8"]),
    ("50 UTF-16 without mark", WORDY.encode("utf-16-le"), ["h.csv, line 1", "UTF-8"]),
    ("50 commas on one line", WORDY + "d,g,*\n", ["h.csv, line 5", "';'", "line 1"]),
    ("50 tabs on one line", WORDY + "d\tg\t*\n", ["h.csv, line 5", "';'", "line 1"]),
    ("50 no delimiter at all", "a\nb\nc\nCANARY\n", ["h.csv, line 1", "value;parent;*"]),
    ("50 NUL", WORDY + "d;\0;*\n", ["h.csv, line 5", "NUL"]),
    ("50 open quote", WORDY + '"d;g;*\n', ["h.csv, line 5"]),
    ("50 empty file", "", ["h.csv, line 1", "empty"]),
    ("50 only line breaks", "\n\n", ["h.csv, line 1"]),
    ("51 overlap", "[0,20);x;*\n[15,30);x;*\n[30,1000000);y;*\n",
     ["h.csv", "'[0,20)' (line 1)", "'[15,30)' (line 2)", "overlap"]),
    ("51 gap", "[0,10);x;*\n[20,1000000);x;*\n",
     ["h.csv", "'[0,10)' (line 1)", "'[20,1000000)' (line 2)", "gap"]),
    ("51 gap of less than one", "[0,9.5);x;*\n[10,1000000);x;*\n",
     ["'[0,9.5)' (line 1)", "'[10,1000000)' (line 2)", "gap"]),
    ("51 overlap in any order", "[30,1000000);y;*\n[15,30);x;*\n[0,20);x;*\n",
     ["'[0,20)' (line 3)", "'[15,30)' (line 2)", "overlap"]),
    ("51 overlap higher up", "[0,10);[0,30);*\n[10,20);[0,30);*\n[20,1000000);[20,1000000);*\n",
     ["'[0,30)' (line 1)", "'[20,1000000)' (line 3)", "overlap"]),
    ("51 turned round", "[20,0);x;*\n", ["h.csv, line 1", "'[20,0)'", "a < b"]),
    ("51 nothing between", "[0,0);x;*\n", ["h.csv, line 1", "'[0,0)'", "a < b"]),
    ("51 a value among intervals", "[0,10);x;*\n10;x;*\n", ["h.csv, line 2", "'10'"]),
    ("51 not in the one above", "[0,10);[5,25);*\n[10,20);[5,25);*\n",
     ["h.csv, line 1", "'[0,10)'", "'[5,25)'"]),
    ("51 two parents", "[0,10);x;*\n[10,1000000);x;*\n[0,10);y;*\n",
     ["'[0,10)' has two parents", "line 1", "line 3"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "tree", "words"), [(t[0][:2], *t[1:]) for t in TREES], ids=[t[0] for t in TREES]
)
def test_hierarchies(shoal, write, tmp_path, number, tree, words):
    """What is no tree is refused by file and line in both commands, and nothing is written."""
    cells = ["1", "2", "25", "918273"] if number == "51" else ["a", "b", "c", "CANARY"]
    path = write("t.csv", "a,s\n" + "".join(f"{cell},CANARY\n" for cell in cells))
    file = write("h.csv", tree)
    for command in (
        ("anonymize", path, "-k", 2, "--quasi", "a", "--hierarchy", f"a={file}", "--show-values",
         "-o", tmp_path / "r.csv"),
        ("hierarchy", "check", file),
        ("hierarchy", "check", file, "--data", path, "--column", "a"),
        ("hierarchy", "build", path, "--column", "a", "--rule", file, "-o", tmp_path / "n.csv"),
        ("hierarchy", "show", file),
    ):  # fmt: skip
        ran = shoal(*command)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran.err
        for word in words:
            assert word in ran.err, ran.err
        assert "CANARY" not in ran.err
        assert "918273" not in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["h.csv", "t.csv"]


UNCOVERED = {
    "text": ("a\nb\nCANARY\nCANARY\nb\n", "a;g;*\nb;g;*\nz;g;*\n", "CANARY"),
    "number": ("1\n2\n918273\n918273\n2\n", "1;g;*\n2;g;*\n3;g;*\n", "918273"),
    "interval": ("1\n2\n918273\n918273\n2\n", "[0,5);g;*\n[5,918273);h;*\n", "918273"),
    "date": ("2020-01-01\n2020-01-02\n2031-12-31\n2031-12-31\n2020-01-02\n",
             "2020-01-01;g;*\n2020-01-02;g;*\n", "2031-12-31"),
    "date in intervals": ("2020-01-01\n2020-01-02\n2031-12-31\n2031-12-31\n2020-01-02\n",
                          "[2019-01-01,2031-12-31);*\n", "2031-12-31"),
    "boolean": ("true\ntrue\nfalse\nfalse\ntrue\n", "true;g;*\n", "false"),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNCOVERED)
def test_45_value_without_a_place(shoal, write, tmp_path, kind):
    """Count and lines without the value; the value itself with --show-values, and in check."""
    cells, tree, canary = UNCOVERED[kind]
    path, file = write("t.csv", "a\n" + cells), write("h.csv", tree)
    arguments = ("anonymize", path, "-k", 2, "--hierarchy", f"a={file}", "-o", tmp_path / "r.csv")
    ran = shoal(*arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran.err
    for word in ("t.csv", "'a'", "h.csv", "lacks 1 of its values", "2 cells", "lines 4, 5"):
        assert word in ran.err, ran.err
    assert canary not in ran.err
    ran = shoal(*arguments, "--show-values")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"'{canary}'" in ran.err
    ran = shoal("hierarchy", "check", file, "--data", path, "--column", "a")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"'{canary}'" in ran.out
    assert canary not in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["h.csv", "t.csv"]


def test_45_many_values_without_a_place(shoal, write, tmp_path):
    """The count is of all of them; five lines and twenty values are shown, the rest counted."""
    path = write("t.csv", "a\n" + "".join(f"CANARY{i:02}\n" for i in range(30)))
    file = write("h.csv", "x;*\n")
    arguments = ("anonymize", path, "-k", 2, "--quasi", "a", "--hierarchy", f"a={file}",
                 "-o", tmp_path / "r.csv")  # fmt: skip
    ran = shoal(*arguments)
    assert "lacks 30 of its values, in 30 cells (lines 2, 3, 4, 5, 6, …)" in ran.err
    assert "CANARY" not in ran.err
    ran = shoal(*arguments, "--show-values")
    assert (ran.code, ran.err.count("CANARY"), ran.err.count("\n")) == (2, 20, 1)
    assert "10 more" in ran.err


def test_45_lines_are_those_of_the_file(shoal, write, tmp_path):
    """Deleted records and line breaks in cells do not shift the lines of a message."""
    path = write("t.csv", 'a,b,s\n,1,x\na,1,"x\ny"\na,,x\nCANARY,2,x\nb,1,x\n')
    file = write("h.csv", "a;*\nb;*\n")
    ran = shoal("anonymize", path, "-k", 2, "--quasi", "a,b", "--incomplete", "delete",
                "--hierarchy", f"a={file}", "-o", tmp_path / "r.csv")  # fmt: skip
    assert (ran.code, "(line 6)" in ran.err, "CANARY" in ran.err) == (2, True, False), ran.err


def test_46_one_number_on_two_lines(shoal, write, tmp_path):
    """A number that is written in two ways is one value, and may have one parent only."""
    path = write("t.csv", "a\n1\n1\n2\n2\n")
    file = write("h.csv", "1;odd;*\n2;even;*\n1.0;even;*\n")
    ran = shoal("anonymize", path, "-k", 2, "--hierarchy", f"a={file}", "-o", tmp_path / "r.csv")
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert "line 1" in ran.err
    assert "line 3" in ran.err


@pytest.mark.parametrize(
    "tree",
    ["20;[30,40);*\n21;[30,40);*\n", "20;[30,40);*\n21;[30,40);*\n99;unknown;*\n",
     "20;[30,40];*\n21;[30,40];*\n", "20;<18;*\n21;<18;*\n", "20;>=65;*\n21;>=65;*\n",
     "20;[20,21);*\n21;[20,21);*\n"],
    ids=["half-open", "beside a word", "closed", "below", "from", "at its end"],
)  # fmt: skip
def test_51_interval_that_does_not_hold_its_values(shoal, write, tmp_path, tree):
    """A file that puts a value under an interval that does not hold it is refused."""
    path, file = write("t.csv", "a\n20\n21\n20\n21\n"), write("h.csv", tree)
    ran = shoal("anonymize", path, "-k", 4, "--hierarchy", f"a={file}", "-o", tmp_path / "r.csv")
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert "line" in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["h.csv", "t.csv"]


@pytest.mark.parametrize("name", ["<script>", "__proto__", "../x", "=1+1", "a b", "é"])
def test_12_odd_headers(shoal, write, tmp_path, name):
    """Odd names are text everywhere: in files, page and summary."""
    path = write("t.csv", GOOD.replace("a,", f"{name},", 1))
    out = tmp_path / "out"
    ran = shoal("anonymize", path, "-k", 2, "--quasi", f"{name},b", "-o", f"{out}/")
    assert ran.code == 0, ran.err
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == [
        "commitment.key", "release.csv", "report.html", "report.html", "report.json",
        "report.json", "run.toml", "t.csv",
    ]  # fmt: skip
    assert "<script>" not in (out / "report.html").read_text()
    assert (out / "release.csv").read_text().splitlines()[0].startswith(f"{name},b")


def test_25_bombs(shoal, write, tmp_path):
    """A gzip bomb is refused before it fills memory."""
    path = write("t.csv.gz", gzip.compress(b"a,b\n" + b"0,0\n" * 20_000_000))
    ran = shoal("anonymize", path, "-k", 2, "-o", tmp_path / "r.csv")
    assert (ran.code, "times its size" in ran.err) == (2, True)


def test_26_places(shoal, tmp_path):
    """Folders, missing files, pipes and devices are refused at once."""
    os.mkfifo(tmp_path / "p.csv")
    (tmp_path / "d.csv").mkdir()
    for path in (tmp_path / "p.csv", tmp_path / "d.csv", tmp_path / "none.csv", "/dev/zero"):
        ran = shoal("anonymize", path, "-k", 2, "-o", tmp_path / "r.csv")
        assert (ran.code, ran.err.count("\n")) == (2, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="needs setpriv")
def test_26_no_permission(write, tmp_path):
    """A file that may not be read is refused in words."""
    path = write("t.csv", GOOD)
    path.chmod(0)
    code = (
        "from shoal.table.read import read_bytes; from pathlib import Path; import os\n"
        "os.setuid(65534) if os.getuid() == 0 else None\n"
        f"try: read_bytes(Path({str(path)!r}))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    tmp_path.chmod(0o755)
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("InputError")
    assert "permission" in ran.stdout or "no such file" in ran.stdout


def test_28_country_code_survives(shoal, write, tmp_path):
    """NA is Namibia until somebody says otherwise."""
    path = write("t.csv", GOOD.replace("v0", "NA"))
    assert shoal("anonymize", path, *QUASI, "-o", tmp_path / "r.csv").code == 0
    assert (tmp_path / "r.csv").read_text().count(",NA\n") == 4


def test_28_missing_is_a_value_of_its_own(shoal, write, tmp_path):
    """Records without a cell are grouped with their like, and a mixed group releases * for all."""
    path = write("t.csv", "a,s\n" + ",x\n" * 3 + "".join(f"{i},y\n" for i in range(5)))
    ran = shoal("anonymize", path, "-k", 2, "--quasi", "a", "-o", tmp_path / "r.csv", "--json")
    assert ran.code == 0, ran.err
    rows = [line.rsplit(",", 1) for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
    assert sorted(cell for cell, of in rows if of == "x") == ["*"] * 3
    assert all(cell for cell, _ in rows)
    missing = json.loads(ran.out)["missing"]
    assert (missing["cells"], missing["records"], missing["deleted"]) == (3, 3, 0)
    assert "missing: 3 cells of 3 records" in ran.err


def test_32_leading_zeros_stay(shoal, write, tmp_path):
    """Codes with leading zeros are text, kept as they are, and grouped as text."""
    path = write("t.csv", GOOD.replace("v0", "01067").replace("v1", "10115"))
    assert shoal("anonymize", path, *QUASI, "-o", tmp_path / "r.csv").code == 0
    assert (tmp_path / "r.csv").read_text().count("01067") == 4
    ran = shoal("anonymize", path, "-k", 2, "--quasi", "s", "--drop", "a,b", "-o", "-")
    assert ran.code == 0, ran.err
    assert sorted(ran.out.split()[1:]) == ["01067"] * 4 + ["10115"] * 4
    ran = shoal("anonymize", path, "-k", 2, "--quasi", "a,b,s", "--method", "mdav", "-o", "-")
    assert ran.code == 0, ran.err
    assert {line.rsplit(",", 1)[1] for line in ran.out.split()[1:]} <= {"01067", "10115", "*"}


def test_35_constant_categories(shoal, write):
    """A column in which all records agree changes no group, wherever it stands."""
    plain = [f"{i % 5},{'pqr'[i % 3]}" for i in range(11)]
    found = []
    for lines, quasi in (
        (["a,b", *plain], "a,b"),
        (["a,b,z", *(f"{line},same" for line in plain)], "a,b,z"),
        (["0,a,b", *(f"same,{line}" for line in plain)], "0,a,b"),
    ):
        path = write("t.csv", "\n".join(lines) + "\n")
        ran = shoal("anonymize", path, "-k", 2, "--quasi", quasi, "-o", "-")
        assert ran.code == 0, ran.err
        rows = ran.out.replace(",same", "").replace("same,", "").split()[1:]
        assert rows
        found.append(sorted(rows))
    assert found[0] == found[1] == found[2]


def test_37_missing_in_other_columns(shoal, write, tmp_path):
    """A column that is released as it is may be empty, and stays so."""
    path = write("t.csv", "a,b,s,o\n" + "".join(f"{i},{i},v,\n" for i in range(4)))
    ran = shoal("anonymize", path, *QUASI, "--other", "o", "-o", tmp_path / "r.csv")
    assert ran.code == 0, ran.err
    assert all(line.endswith(",v,") for line in (tmp_path / "r.csv").read_text().split()[1:])


def test_38_record_without_any_quasi_identifier(shoal, write, tmp_path):
    """Such a record is kept, counted, hidden among at least k, and the release verifies."""
    path = write("t.csv", GOOD + ",,CANARY\n")
    ran = shoal("anonymize", path, *QUASI, "-o", tmp_path / "r.csv", "--json")
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    missing = {key: report["missing"][key] for key in ("cells", "records", "deleted", "reading")}
    assert missing == {"cells": 2, "records": 1, "deleted": 0, "reading": "own category"}
    assert {c["name"]: c["missing"] for c in report["columns"]} == {"a": 1, "b": 1}
    rows = (tmp_path / "r.csv").read_text().splitlines()[1:]
    assert len(rows) == 9
    assert sum(row.startswith("*,*,") for row in rows) >= 2
    assert [row for row in rows if "CANARY" in row] == ["*,*,CANARY"]
    assert "CANARY" not in ran.err
    assert shoal("verify", tmp_path / "r.csv", "-k", 2, "--quasi", "a,b").code == 0


def test_38_record_deleted(shoal, write, tmp_path):
    """With --incomplete delete such a record is gone, and the report says how many went."""
    path = write("t.csv", GOOD + ",,CANARY\n")
    ran = shoal("anonymize", path, *QUASI, "--incomplete", "delete", "-o", tmp_path / "r.csv",
                "--json")  # fmt: skip
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["missing"]["deleted"] == 1
    assert "1 incomplete records were deleted" in ran.err
    assert "CANARY" not in (tmp_path / "r.csv").read_text() + ran.err
    assert shoal("verify", tmp_path / "r.csv", "-k", 2, "--quasi", "a,b").code == 0


def test_42_near_duplicates(shoal, write):
    """Values that differ only in case, spaces or invisible signs are counted, not merged."""
    path = write("t.csv", "c\nWien\nwien\nWien \nWi\u200ben\nLinz\nLinz\n")
    (column,) = json.loads(shoal("inspect", path, "--json").out)["columns"]
    assert (column["distinct"], column["near_duplicates"]) == (5, 4)
    assert "4 of its values differ from another only in case" in shoal("inspect", path).out


def test_43_unique_quasi_identifier(shoal, write, tmp_path):
    """A quasi-identifier that is different for every record is noted."""
    ran = shoal("anonymize", write("t.csv", GOOD), *QUASI, "-o", tmp_path / "r.csv")
    assert "own value in a; is it an identifier?" in ran.err


def test_53_many_duplicates():
    """A hundred thousand equal rows of few kinds are grouped without loss."""
    matrix = np.repeat(np.array([[1.0, 2.0], [3.0, 4.0]]), 50_000, axis=0)
    partition = library.microaggregate(matrix, 500)
    assert partition.information_loss == 0.0


@pytest.mark.parametrize("order", ["sorted", "reversed", "k-anonymous"])
def test_54_order_of_the_input(order):
    """Sorted, reversed and already anonymous input lose what a permuted copy loses."""
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 30, size=(90, 2)).astype(float)
    if order == "k-anonymous":
        matrix = np.repeat(matrix[:30], 3, axis=0)
    arranged = matrix[np.lexsort(matrix.T)][:: -1 if order == "reversed" else 1]
    first = library.anonymize(arranged, k=3).report
    second = library.anonymize(rng.permutation(arranged), k=3).report
    assert first.information_loss == pytest.approx(second.information_loss, abs=1e-12)
    if order == "k-anonymous":
        assert first.information_loss == pytest.approx(0.0, abs=1e-12)


def test_55_same_as_clean_csv(write):
    """Nullable, Arrow and categorical columns give the groups and values of the clean csv."""
    frame = pd.DataFrame({"a": range(8), "b": [i % 3 for i in range(8)]})
    expected = library.anonymize(write("t.csv", frame.to_csv(index=False)), k=2)
    for dtype in ("Int64", "int64[pyarrow]", "category"):
        found = library.anonymize(frame.astype(dtype), k=2)
        assert np.array_equal(found.partition.labels, expected.partition.labels)
        assert found.data["a"].tolist() == expected.data["a"].values.to_pylist()


@pytest.mark.parametrize(
    "array",
    [np.array([["a"], ["b"]]), np.array([[1j], [2j]]), np.zeros((2, 2, 2)),
     np.zeros(2, dtype=[("a", float)]), np.array([[object()], [object()]])],
    ids=["text", "complex", "3-D", "structured", "object"],
)  # fmt: skip
def test_56_arrays(array):
    """Arrays that are no matrix of numbers are refused."""
    with pytest.raises(library.InputError, match="array must"):
        library.microaggregate(array, 2)


@pytest.mark.parametrize("kind", ["same path", "hard link", "soft link"])
def test_59_output_is_the_input(shoal, write, tmp_path, kind):
    """The input is never overwritten, even with --force, under any of its names."""
    path, other = write("t.csv", GOOD), tmp_path / "other.csv"
    if kind == "hard link":
        os.link(path, other)
    elif kind == "soft link":
        other.symlink_to(path)
    else:
        other = tmp_path / "." / "t.csv"
    ran = shoal("anonymize", path, *QUASI, "-o", other, "--force")
    assert (ran.code, "same file" in ran.err) == (2, True)
    assert path.read_text() == GOOD


@pytest.mark.parametrize(
    ("values", "family"),
    [([[1], [2]], "list"), ([{"v": 1}, {"v": 2}], "struct"), ([b"x", b"y"], "binary")],
)  # fmt: skip
def test_57_parquet_types(shoal, tmp_path, values, family):
    """Nested and binary quasi-identifiers are refused by name, and so are unique kept ones."""
    pq.write_table(pa.table({"a": [1, 2], "odd": values}), tmp_path / "t.parquet")
    ran = shoal("anonymize", tmp_path / "t.parquet", "-k", 2, "--quasi", "a", "-o",
                tmp_path / "r.csv")  # fmt: skip
    assert ran.code == 2
    assert "column 'odd': no two records share a value" in ran.err
    assert "--quasi" not in ran.err
    ran = shoal("anonymize", tmp_path / "t.parquet", "-k", 2, "--quasi", "a,odd", "-o",
                tmp_path / "r.csv")  # fmt: skip
    assert ran.code == 2
    assert f"t.parquet, column 'odd': cells of type {family}" in ran.err


def test_57_broken_parquet(shoal, tmp_path):
    """Cut and empty Parquet files are refused."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": range(100)}), path)
    for content in (path.read_bytes()[:-9], b"", b"PAR1", b"a,b\n1,2\n"):
        path.write_bytes(content)
        ran = shoal("anonymize", path, "-k", 2, "-o", tmp_path / "r.csv")
        assert (ran.code, ran.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("content", [None, "old"])
def test_58_output_exists(shoal, write, tmp_path, content):
    """An existing file is kept without --force, whichever of them it is."""
    path = write("t.csv", GOOD)
    (tmp_path / "r.private").mkdir()
    private = ("report.json", "report.html", "run.toml", "commitment.key")
    for name in ("r.csv", "r.report.json", "r.report.html", *(f"r.private/{n}" for n in private)):
        (tmp_path / name).write_text("old")
        ran = shoal("anonymize", path, *QUASI, "-o", tmp_path / "r.csv")
        assert (ran.code, "--force" in ran.err) == (2, True)
        assert (tmp_path / name).read_text() == "old"
        (tmp_path / name).unlink()


def test_60_output_places(shoal, write, tmp_path):
    """Full, foreign, over-long and impossible places are refused on one line."""
    path = write("t.csv", GOOD)
    (tmp_path / "file").write_text("")
    for output in ("/dev/full", "/proc/x.csv", tmp_path / "file" / "x.csv", "x" * 300 + ".csv",
                   tmp_path / "r.xls", "/dev/null/"):  # fmt: skip
        ran = shoal("anonymize", path, *QUASI, "-o", output)
        assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("[protect]\nk = 2\nkk = 3\n", ["r.toml: protect.kk", "did you mean 'k'"]),
        ("[protect]\nk = '2'\n", ["r.toml: protect.k must be a whole number"]),
        ("[protect]\nk = 2\nk = 3\n", ["r.toml", "not TOML", "line 3"]),
    ],
)
def test_61_recipes(shoal, write, tmp_path, recipe, words):
    """Mistakes in a recipe are named by the key's path."""
    path = write("r.toml", recipe)
    ran = shoal("run", path, "--input", write("t.csv", GOOD), "-o", tmp_path / "r.csv")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    for word in words:
        assert word in ran.err


def test_39_missing_sensitive_values(shoal, write, tmp_path):
    """They add no diversity, but for who asks; both readings are told, and no record is dropped."""
    path = write(
        "t.csv", "a,s\n" + "".join(f"{i // 4},{'x' if i % 2 else ''}\n" for i in range(16))
    )
    asked = ("-k", 4, "--quasi", "a", "--sensitive", "s", "--l", 2)
    ran = shoal("anonymize", path, *asked, "-o", tmp_path / "r.csv")
    assert ran.code == 3
    assert "2 is asked, all records as one group have 1" in ran.err
    assert not (tmp_path / "r.csv").exists()
    own = ("--missing-sensitive", "value")
    ran = shoal("anonymize", path, *asked, *own, "-o", tmp_path / "r.csv")
    assert ran.code == 0, ran.err
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 17
    assert shoal("verify", tmp_path / "r.csv", *asked, *own).code == 0
    ran = shoal("verify", tmp_path / "r.csv", *asked, "--t", 0.5)
    assert ran.code == 3
    assert "left out: 1 (broken), as a value of their own: 2 (kept)" in ran.out + ran.err
    assert "t-closeness (equal distance) of 's': 0, asked: 0.5" in ran.out + ran.err


def test_cases_cover_the_catalog():
    """Every number of the catalog that is due now has a test of its name."""
    text = Path(__file__).read_text()
    due = set(range(1, 63)) - {5, 6, 36, 52}
    found = {int(word.split()[0]) for word in [e[0] for e in ERRORS + HANDLED + TREES]
             if word.split()[0].isdigit()}  # fmt: skip
    found |= {n for n in due if f"def test_{n}_" in text}
    assert due <= found, due - found
