"""Dialects: whatever signs and encoding a csv file has, its values are read and written back."""

from __future__ import annotations

import csv
import io
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from hospital import NAMES, export
from shoal.release.write import csv_bytes
from shoal.table.csv_pieces import CsvPieces
from shoal.table.dialects.dialect import Dialect, dialect_of
from shoal.table.dialects.notation import Notation
from shoal.table.dialects.propose import propose
from shoal.table.roles import Kind

HOSPITAL = {
    "encoding": "cp1252", "skip_lines": 3, "decimal": ",", "thousands": ".",
    "date_format": "%d.%m.%Y", "missing": ["", "k.A.", "-9999"],
}  # fmt: skip


def assert_values(table, every, names):
    """Hold a table against the records that its file was written of."""
    for index, name in enumerate(names):
        wanted = [record[index] for record in every]
        values = table[name].values.to_pylist()
        if isinstance(next(v for v in wanted if v is not None), float):
            values = [None if v is None else float(v) for v in values]
        assert values == wanted, name


def test_a_hospital_s_export_is_read_as_it_is_meant(tmp_path):
    """Every cell of every kind has its value, at once and in pieces."""
    every = export(tmp_path / "h.csv", 60)
    table = shoal.read(tmp_path / "h.csv", **HOSPITAL)
    assert table.names == NAMES
    assert_values(table, every, NAMES)
    assert [table[name].kind for name in ("Alter", "PLZ", "Aufnahme", "Kosten")] == [
        Kind.INTEGER, Kind.TEXT, Kind.DATE, Kind.DECIMAL,
    ]  # fmt: skip
    how = {name: value for name, value in HOSPITAL.items() if name != "missing"}
    pieces = CsvPieces(
        tmp_path / "h.csv", dialect=dialect_of(**how), missing=HOSPITAL["missing"], size=900
    )
    assert len(list(pieces.first())) > 5
    parts = list(pieces.again())
    for name in NAMES:
        cells = [value for part in parts for value in part[name].values.to_pylist()]
        assert cells == table[name].values.to_pylist()
    assert pieces.source.notations == table.source.notations
    lines = [line for part in parts for line in part.source.lines[1:].tolist()]
    assert lines == table.source.lines[1:].tolist() == list(range(5, 65))


def test_what_is_kept_comes_back_byte_for_byte(tmp_path):
    """A table that nothing was done to is written as it stood, in its dialect."""
    export(tmp_path / "h.csv", 50)
    table = shoal.read(tmp_path / "h.csv", **HOSPITAL)
    written = csv_bytes(table, np.arange(table.rows))
    below = (tmp_path / "h.csv").read_bytes().split(b"\r\n", 3)[3]
    assert written == below.replace(b"\r\n", b"\n")


def test_the_proposal_reads_the_export(tmp_path):
    """What inspect proposes for the export is what it was written with."""
    export(tmp_path / "h.csv")
    found = propose(tmp_path / "h.csv").options
    assert {**found, "missing": sorted(found["missing"])} == {
        **HOSPITAL, "missing": sorted(HOSPITAL["missing"]),
    }  # fmt: skip


TEXTS = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=6)
NUMBERS = st.decimals(-99999, 99999, places=2, allow_nan=False, allow_infinity=False)
DATES = st.dates(date(1000, 1, 1), date(2999, 12, 31))


@st.composite
def written_tables(draw):
    """A table, how it is written, and its bytes by the standard library's writer."""
    how = {
        "delimiter": draw(st.sampled_from(";\t|")),
        "encoding": draw(st.sampled_from(["latin-1", "utf-8", "utf-16", "cp1252", "utf-16-le"])),
        "decimal": draw(st.sampled_from(",.")),
        "quote": draw(st.sampled_from("'\"")),
        "date_format": draw(st.sampled_from(["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d"])),
        "skip_lines": draw(st.integers(0, 2)),
    }
    if draw(st.booleans()):
        how["thousands"] = {",": ".", ".": ","}[how["decimal"]]
    rows = draw(st.lists(st.tuples(TEXTS, NUMBERS, DATES), min_size=1, max_size=8))
    notation = Notation(how["decimal"], how.get("thousands", ""), how["date_format"])
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, delimiter=how["delimiter"], quotechar=how["quote"])
    writer.writerow(["t", "n", "d"])
    for text, number, day in rows:
        plain = f"{number:,.2f}" if "thousands" in how else f"{number:.2f}"
        signs = {",": notation.thousands, ".": notation.decimal}
        number_text = plain.translate(str.maketrans(signs))
        writer.writerow([f"x{text}", number_text, day.strftime(how["date_format"]).zfill(10)])
    above = "".join(f"line {i}\n" for i in range(how["skip_lines"]))
    try:
        raw = (above + sink.getvalue()).encode(how["encoding"])
    except UnicodeEncodeError:
        how["encoding"] = "utf-8"
        raw = (above + sink.getvalue()).encode("utf-8")
    return rows, how, raw


@given(written_tables(), st.integers(1, 60))
def test_any_dialect(tmp_path_factory, case, size):
    """Texts, numbers and dates of any dialect are read as they are meant, whole and in pieces."""
    rows, how, raw = case
    path = tmp_path_factory.mktemp("dialect") / "t.csv"
    path.write_bytes(raw)
    types = {"t": "text", "n": "number", "d": "date"}
    table = shoal.read(path, **how, types=types)
    assert table["t"].values.to_pylist() == [f"x{text}" for text, _, _ in rows]
    assert [Decimal(str(v)) for v in table["n"].values.to_pylist()] == [n for _, n, _ in rows]
    assert table["d"].values.to_pylist() == [day for _, _, day in rows]
    pieces = CsvPieces(path, dialect=dialect_of(**how), types=types, size=size)
    list(pieces.first())
    parts = list(pieces.again())
    for name in "tnd":
        cells = [value for part in parts for value in part[name].values.to_pylist()]
        assert cells == table[name].values.to_pylist()
    again = path.with_name("again.csv")
    again.write_bytes(csv_bytes(table, np.arange(table.rows)))
    how["skip_lines"] = 0
    assert shoal.read(again, **how, types=types)["t"].values.equals(table["t"].values)


@given(NUMBERS, DATES, st.sampled_from(",."), st.booleans())
def test_a_notation_reads_what_it_writes(number, day, decimal, grouped):
    """Numbers, dates and intervals of them come back from any notation."""
    thousands = {",": ".", ".": ","}[decimal] if grouped else ""
    notation = Notation(decimal, thousands, "%d.%m.%Y")
    interval = f"[{number:.2f},{number + 1:.2f}]"
    for text in (f"{number:.2f}", str(day), interval, f"[{day},{day}]", "*"):
        assert notation.plain(notation.written(text)) == text


def test_plain_numbers_are_not_taken_where_a_comma_is_the_decimal_sign(tmp_path):
    """1.5 is no number where decimals have a comma: the column is in doubt, not guessed."""
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;1.5\n2,5;2.25\n3;7\n")
    table = shoal.read(path, decimal=",")
    assert table["a"].kind is Kind.DECIMAL
    assert table["b"].kind is Kind.TEXT
    assert table["b"].doubt == (
        "not numbers: 2 of 3 cells (lines 2, 3); mend them, declare what stands for missing with "
        "missing, their notation with decimal and thousands, or say what it is with types"
    )


def test_thousands_are_written_only_where_the_column_had_them(tmp_path):
    """Years of a file with points between thousands stay years."""
    path = tmp_path / "t.csv"
    path.write_text("year;cost\n1999;1.234,5\n2024;12,0\n")
    source = shoal.read(path, decimal=",", thousands=".").source
    assert dict(source.notations) == {"year": Notation(","), "cost": Notation(",", ".")}


@pytest.mark.parametrize(
    ("content", "how", "words"),
    [
        (b"a;b\n\xe4;1\n", {}, "encoding='cp1252'"),
        (b"a;b\n\x81;1\n", {"encoding": "cp1252"}, "say another encoding"),
        (b"x\ny\na;b\n1;2\n3;4;5\n", {"skip_lines": 2}, "t.csv, line 5"),
        (b"#c\na;b\n#d\n1;2\n3;4;5\n", {"comment": "#"}, "t.csv, line 5"),
        (b"ab  c\n1   2\n12  3\n", {}, "widths=[4, 1]"),
        (b"12345\n", {"widths": (2, 2)}, "line 1: 5 signs, the widths are 4"),
    ],
)
def test_refusals_name_the_line_and_the_option(tmp_path, content, how, words):
    """What cannot be read is said with the line of the file and the option that may help."""
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(shoal.InputError) as caught:
        shoal.read(path, **how)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"encoding": "latin-nine"}, {"encoding": "zip"}, {"decimal": ""}, {"decimal": ",,"},
        {"decimal": ",", "thousands": ","}, {"date_format": "%d.%m.%y"}, {"date_format": "%d.%m"},
        {"date_format": {"a": "%d%m%Y"}}, {"quote": "ab"}, {"skip_lines": -1}, {"comment": " "},
        {"widths": 5}, {"widths": "5,2"}, {"widths": (2.0,)}, {"date_format": 3}, {"decimal": 1},
        {"date_format": {"a": 1}}, {"skip_lines": "3"}, {"encoding": 8}, {"widths": (0, 3)},
        {"widths": (2,), "delimiter": ","}, {"date_format": {"zz": "%d.%m.%Y"}},
    ],
)  # fmt: skip
def test_dialects_that_leave_something_open_are_refused(tmp_path, wrong):
    """A format that could be read in two ways is an error of the request."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(shoal.RequestError):
        shoal.read(tmp_path / "t.csv", **wrong)


def test_other_line_ends_comments_and_widths(tmp_path):
    """Lines that end in a carriage return, comments, and columns of one width are read."""
    path = tmp_path / "t.txt"
    path.write_bytes(b"a,b\r1,x\r2,y\r")
    assert shoal.read(path)["a"].values.to_pylist() == [1, 2]
    path.write_text('# made by hand\na,b\n# more\n1,"x\n# y"\n2,y\n')
    table = shoal.read(path, comment="#")
    assert table["b"].values.to_pylist() == ["x\n# y", "y"]
    assert table.source.lines.tolist() == [2, 4, 6]
    path.write_text("name      age\nAnna, B.   34\nBernadett   1\nC           5\n")
    assert propose(path).options == {"widths": (10, 3)}
    table = shoal.read(path, widths=(10, 3))
    assert table["name"].values.to_pylist() == ["Anna, B.", "Bernadett", "C"]
    assert table["age"].values.to_pylist() == [34, 1, 5]


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["20.01.1942", "01.02.2000", "03.04.1999"], {"date_format": "%d.%m.%Y"}),
        (["01/20/1942", "01/02/2000", "03/04/1999"], {"date_format": "%m/%d/%Y"}),
        (["01/02/1942", "01/02/2000", "03/04/1999"], {}),
        (["20.01.1942 10:30", "01.02.2000 00:00", "2.3.1999 9:05"],
         {"date_format": "%d.%m.%Y %H:%M"}),
        (["1.234,5", "2,5", "3"], {"decimal": ",", "thousands": "."}),
        (["1,234.5", "2.5", "3"], {"thousands": ","}),
        (["1.5", "2.5", "3"], {}),
        (["1", "2", "3"], {}),
        (["x", "y", "1.5"], {}),
    ],
)  # fmt: skip
def test_proposals(tmp_path, cells, wanted):
    """A format is proposed where the cells leave no other, and not where they do."""
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "".join(f"{cell};z\n" for cell in cells))
    assert propose(path).options == wanted


def test_a_dialect_is_told_as_settings_and_back():
    """What reads a file is what its recipe says."""
    dialect = Dialect(";", "cp1252", "'", 3, "#", (), ",", ".", {"": "%d.%m.%Y", "b": "%m/%d/%Y"})
    assert dialect_of(**dialect.to_settings()) == dialect
    assert dialect_of() == Dialect()
