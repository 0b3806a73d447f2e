"""csv, csv.gz and Parquet into a Table: what is taken, what is refused, and in which words."""

from __future__ import annotations

import csv
import gzip
import io
import os
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.roles import Kind


def read(write, text, **options):
    return shoal.read(write("t.csv", text), **options)


def refused(write, content, message, **options):
    with pytest.raises(shoal.ShoalError) as caught:
        shoal.read(write("t.csv", content), **options)
    assert message in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


KINDS = [
    ("1\n-2\n+3\n 4 \n", Kind.INTEGER),
    ("1\n2.5\n-.5\n3.\n", Kind.DECIMAL),
    ("1e3\n2.5\n", Kind.FLOAT),
    ("true\nfalse\n", Kind.BOOLEAN),
    ("TRUE\nTRUE\n", Kind.BOOLEAN),
    ("2024-02-29\n1999-12-31\n", Kind.DATE),
    ("2024-02-29T10:00\n1999-12-31T23:59\n", Kind.DATETIME),
    ("2024-02-29 10:00:00.123\n1999-12-31 23:59:59.001\n", Kind.DATETIME),
    ("01067\n10115\n", Kind.TEXT),
    ("007\n008\n", Kind.TEXT),
    ("NA\nDE\n", Kind.TEXT),
    ("a\n1\nb\n", Kind.TEXT),
    ("99999999999999999999\n1\n", Kind.DECIMAL),
]


@pytest.mark.parametrize(("cells", "kind"), KINDS)
def test_kinds(write, cells, kind):
    """A column has the kind that all its cells fit, and no doubt about it."""
    column = read(write, "x\n" + cells)["x"]
    assert column.kind is kind
    assert column.doubt is None


DOUBTS = [
    ("1\n2\nunknown\n3\n", "not numbers: 1 of 4 cells (line 4)"),
    ("1\n2\ninf\n", "not numbers: 1 of 3 cells (line 4)"),
    ("1\n1e999\n", "too large for a number: 1 of 2 cells (line 3)"),
    ("1_000\n2_000\n", "notation of their own"),
    ("١٢\n١٣\n", "notation of their own"),
    ('"1,5"\n"2,5"\n', "notation of their own"),
    ("12%\n13%\n", "notation of their own"),
    ('"$1,000"\n"$2,000"\n', "notation of their own"),
    ("03/04/05\n03/04/06\n", "ambiguous"),
    ("2024-02-30\n2024-01-01\n", "not dates of the calendar: 1 of 2 cells (line 2)"),
    ("2024-01-01\n2024-01-02\nsoon\n", "not dates: 1 of 3 cells (line 4)"),
    ("true\n1\nyes\n", "true and false in different words: 2 of 3 cells (lines 3, 4)"),
    ("True\nfalse\n", "true and false in different words: 2 of 2 cells (lines 2, 3)"),
    ("1" * 50 + "\n1\n", "numbers of over 38 digits: 1 of 2 cells (line 2)"),
    ("0." + "1" * 40 + "\n1\n", "numbers of over 38 digits"),
    ("1e-400\n1e5\n", "too small for a number: 1 of 2 cells (line 2)"),
    ("2024-01-01T10:00Z\n2024-01-02T10:00+01:00\n", "times of several zones: 2 of 2 cells"),
    ("2024-01-01T10:00Z\n2024-01-02T10:00\n", "write all in one zone"),
    ("2024-01-01T10:00\n2024-01-01T10:00:00\n", "written in different ways"),
    ("5\n6\nNA\n", "not numbers: 1 of 3 cells (line 4)"),
]


@pytest.mark.parametrize(("cells", "doubt"), DOUBTS)
def test_doubts_stop_a_quasi_identifier(write, cells, doubt):
    """Where cells disagree the column stays text, and grouping it is refused with the place."""
    path = write("t.csv", "x\n" + cells)
    column = shoal.read(path)["x"]
    assert column.kind is Kind.TEXT
    assert doubt in column.doubt
    with pytest.raises(shoal.InputError, match="quasi-identifier 'x'") as caught:
        shoal.anonymize(path, k=2, quasi_identifiers=["x"])
    assert doubt in str(caught.value)
    assert "unknown" not in str(caught.value)
    assert "soon" not in str(caught.value)


def test_declared_missing_tokens_only(write):
    """Only what is declared is missing: NA is a country until somebody says otherwise."""
    text = "x,y\nNA,1\n,?\n*,2\n"
    assert [c.missing for c in read(write, text).columns] == [1, 0]
    assert [c.missing for c in read(write, text, missing=["NA", "?"]).columns] == [1, 1]
    assert read(write, text, missing=["?"])["y"].kind is Kind.INTEGER


def test_declared_types(write):
    """A declared type overrules the look of a column, and a cell that does not fit is an error."""
    text = "zip,n\n01067,1\n10115,2\n"
    table = read(write, text, types={"zip": "number", "n": "text"})
    assert (table["zip"].kind, table["n"].kind) == (Kind.INTEGER, Kind.TEXT)
    assert table["zip"].values.to_pylist() == [1067, 10115]
    refused(write, "a\n1\nx\n", "column 'a': not numbers: 1 of 2 cells (line 3)",
            types={"a": "number"})  # fmt: skip
    refused(write, "a\n1\n", "there is no type 'float'", types={"a": "float"})
    refused(write, "age\n1\n", "'agee', which t.csv does not have; did you mean 'age'?",
            types={"agee": "number"})  # fmt: skip
    refused(write, "a\n2024-13-01\n", "not dates of the calendar", types={"a": "date"})
    assert read(write, "a\nTRUE\nFALSE\n", types={"a": "boolean"})["a"].kind is Kind.BOOLEAN
    refused(write, "a\n1\n0\n", "not true or false", types={"a": "boolean"})
    refused(write, "a\nTrue\nfalse\n", "written in different ways", types={"a": "boolean"})


def test_large_integers_are_not_rounded(write):
    """Integers beyond 2^53 and beyond 2^63 come through exactly."""
    big = [9007199254740993, 9223372036854775807, 92233720368547758070]
    table = read(write, "a,b\n" + "\n".join(f"{big[i]},{big[2] + i}" for i in (0, 1)) + "\n")
    assert table["a"].values.to_pylist() == big[:2]
    assert [int(v) for v in table["b"].values.to_pylist()] == [big[2], big[2] + 1]


STRUCTURE = [
    (b"", "t.csv: the file is empty, there is no header"),
    (b"\n\n", "there is no header"),
    (b"a,b\n1,2,3\n", "t.csv, line 2 (record 1): 3 cells, the header has 2"),
    (b"a,b\n1,2\n3\n", "line 3 (record 2): 1 cell, the header has 2"),
    (b"a,b\n1,2\n\n3,4\n", "line 3 (record 2): 1 cell,"),
    (b'a,b\n"x\ny",2\n3\n', "line 4 (record 2): 1 cell,"),
    (b"a,a\n1,2\n", "line 1: columns 1 and 2 are both named 'a'"),
    (b"a,,c\n1,2,3\n", "line 1, column 2: the header cell is blank"),
    (b"a, ,c\n1,2,3\n", "line 1, column 2: the header cell is blank"),
    (b"a\n" + b"x" * 200_000 + b"\n", "line 2, column 1: a cell of more than 131072 bytes"),
    (b"h" * 10_000 + b"\n1\n", "line 1, column 1: a header of 10000 characters"),
    (b",".join(b"c%d" % i for i in range(100_000)) + b"\n", "100000 columns; the limit is 20000"),
    (b'a,b\n1,"x\n2,y\n', "line 2: a quote opens here and is never closed"),
    (b'a,b\n"q""\n', "line 2: a quote opens here and is never closed"),
    (b'a,b\n1,"x\n2,"y"\n', "line 2: a quote opens here, and text follows where it closes"),
    (b'a\nx"y\n', "line 2: a quote inside a cell that is not quoted"),
    (b"a\nx\0y\n", "line 2: a NUL byte (offset 3)"),
    (b"a\nn\xe4\n", "line 2: byte 3 is not UTF-8"),
    ("a\n1\n".encode("utf-16-le"), "NUL byte"),
    (b"%PDF-1.4\n", "not text but a PDF file"),
    (b"PK\x03\x04...", "not text but a zip or Excel file"),
    (gzip.compress(b"a\n1\n", mtime=0), "not text but a gzip file"),
    (b"PAR1....", "not text but a Parquet file"),
    (b"a;b,c\n1;2,3\n", "the header holds comma and semicolon"),
    (b"a,b\r1,2\r" + b"1,2\r" * 20_000 + b"1,2\n", "line 1: a carriage return without a line feed"),
]


@pytest.mark.parametrize(("content", "message"), STRUCTURE, ids=range(len(STRUCTURE)))
def test_structure_errors_name_their_line(write, content, message):
    """What is not strict csv is refused with file, line and column."""
    refused(write, content, message)


def test_delimiter(write):
    """The header's one delimiter is found; a declared one is taken as said."""
    assert read(write, "a;b\n1;2\n").names == ["a", "b"]
    assert read(write, "a\tb\n1\t2\n").source.delimiter == "\t"
    assert read(write, "a;b,c\n1;2,3\n", delimiter=";").names == ["a", "b,c"]
    assert read(write, '"a;b",c\n1,2\n').names == ["a;b", "c"]
    refused(write, "a\n1\n", "one plain character", delimiter=";;")
    refused(write, "a\n1\n", "quote cannot be", delimiter='"')


def test_line_ends_mark_and_last_line(write):
    """CRLF, a byte order mark, a missing last line end and empty last lines change nothing."""
    plain = read(write, "a,b\n1,x\n2,y\n")
    for text in ("a,b\r\n1,x\r\n2,y\r\n", "\ufeffa,b\n1,x\n2,y", "a,b\n1,x\n2,y\n\n\n"):
        other = read(write, text)
        assert other.names == plain.names
        assert [c.values.to_pylist() for c in other.columns] == [[1, 2], ["x", "y"]]


def test_quoted_cells_and_line_numbers(write):
    """A line break in quotes is part of a cell; messages still give the file's lines."""
    table = read(write, 'a,b\n"x\ny",1\n"say ""hi"", you",oops\nz,3\nz,4\n')
    assert table["a"].values.to_pylist() == ["x\ny", 'say "hi", you', "z", "z"]
    assert "(line 4)" in table["b"].doubt


def test_single_column_empty_line_is_a_missing_cell(write):
    """In a file of one column an empty line is a record with a missing cell."""
    table = read(write, "a\n1\n\n3\n")
    assert table["a"].values.to_pylist() == [1, None, 3]


@given(
    rows=st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r")), min_size=2,
                 max_size=2),
        min_size=1, max_size=8,
    )
)  # fmt: skip
def test_cells_equal_the_csv_modules(tmp_path_factory, rows):
    """Whatever the csv module writes is read back as the csv module reads it."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b"], *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.getvalue().encode("utf-8"))
    table = shoal.read(path, types={"a": "text", "b": "text"}, missing=[])
    first, second = (column.values.to_pylist() for column in table.columns)
    assert [list(row) for row in zip(first, second, strict=True)] == rows


def test_gzip(write, tmp_path):
    """csv.gz is read; a broken one and a bomb are refused."""
    path = write("t.csv.gz", gzip.compress(b"a,b\n1,2\n"))
    assert shoal.read(path).names == ["a", "b"]
    for content, message in (
        (gzip.compress(b"a,b\n1,2\n")[:-6], "not a whole gzip file"),
        (b"a,b\n1,2\n", "not a whole gzip file"),
        (gzip.compress(b"a\n" + b"0\n" * 40_000_000), "times its size"),
    ):
        with pytest.raises(shoal.InputError, match=message):
            shoal.read(write("u.csv.gz", content))


def test_places_that_are_no_files(tmp_path):
    """A folder, a missing file, a pipe, a device and an unknown ending are refused in words."""
    (tmp_path / "d.csv").mkdir()
    os.mkfifo(tmp_path / "p.csv")
    for name, message in (
        ("d.csv", "this is a folder"),
        ("none.csv", "there is no such file"),
        ("p.csv", "not an ordinary file"),
        ("t.xlsx", "no such file"),
        ("x" * 300 + ".csv", "cannot be read"),
        ("nul\0.csv", "not plain UTF-8"),
        ("\udce9.csv", "not plain UTF-8"),
    ):
        with pytest.raises(shoal.InputError, match=message):
            shoal.read(tmp_path / name)
    with pytest.raises(shoal.InputError, match="must end in"):
        shoal.read("/dev/zero")


def test_parquet(tmp_path):
    """Parquet keeps its types; nested columns may be dropped, and broken files are refused."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int16()), "b": ["x", None]}), path)
    table = shoal.read(path)
    assert (table["a"].kind, table["b"].kind, table["b"].missing) == (Kind.INTEGER, Kind.TEXT, 1)
    for values in ([[1], [2]], [{"v": 1}, {"v": 2}], [b"a", b"b"]):
        pq.write_table(pa.table({"odd": values, "ok": [1, 2]}), path)
        assert shoal.read(path)["odd"].kind is Kind.UNKNOWN
        kept = shoal.anonymize(path, k=2, quasi_identifiers=["ok"], identifiers=["odd"])
        assert kept.table.names == ["ok"]
        assert shoal.anonymize(path, k=2, drop=["odd"]).table.names == ["ok"]
    pq.write_table(pa.table({"odd": [Decimal(1), Decimal(2)], "ok": [1, 2]}), path)
    assert shoal.read(path)["odd"].kind is Kind.DECIMAL
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(shoal.InputError, match="not a whole, unencrypted Parquet file"):
        shoal.read(path)


def test_arrays():
    """A matrix of numbers is a table; objects, text, complex, structured and 3-D arrays are not."""
    table = shoal.read(np.array([[1, 2], [3, 4]], dtype=np.uint8))
    assert table.names == ["x0", "x1"]
    assert np.asarray(table).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    for wrong in (
        np.array([["a"]]), np.array([[1j]]), np.zeros((2, 2, 2)), np.zeros(3), np.zeros((3, 0)),
        np.array([[object()]]), np.zeros((2,), dtype=[("a", int)]),
    ):  # fmt: skip
        with pytest.raises(shoal.InputError, match="array must"):
            shoal.read(wrong)
    with pytest.raises(shoal.InputError, match="infinite"):
        shoal.microaggregate(np.array([[1.0], [np.inf], [2.0]]), 2)


def test_table_as_matrix(write):
    """Only a complete table of numbers is a matrix."""
    assert np.asarray(read(write, "a,b\n1,2.5\n3,4.25\n")).tolist() == [[1, 2.5], [3, 4.25]]
    assert np.asarray(read(write, "a\n1\n"), dtype=np.float32).dtype == np.float32
    for text in ("a\nx\ny\n", "a\n1\n\n"):
        with pytest.raises(shoal.InputError, match="not a matrix"):
            np.asarray(read(write, text))
    with pytest.raises(shoal.RequestError, match="no column 'age'"):
        read(write, "a\n1\n")["age"]
