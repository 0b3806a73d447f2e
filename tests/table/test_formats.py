"""Files of statistics programs and spreadsheets, written by other programs' writers."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyreadstat
import pytest
import xlsxwriter

import shoal
from shoal.table.roles import Kind
from thorough import spread

FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 2.0, 1.0, 9.0],
        "edu": [1.0, 2.0, 3.0, 2.0, np.nan],
        "age": [30.0, 41.0, 77.0, 55.0, 60.0],
        "pay": [1.5, 2.25, np.nan, 4.0, 5.5],
        "name": ["a", "b", "ä", "", "e"],
    }
)
SEX = {1: "male", 2: "female", 9: "other"}
EDU = {1: "low", 2: "middle", 3: "high"}
BORN = [dt.date(1990, 1, 2), dt.date(1991, 3, 4), None, dt.date(1960, 7, 8), dt.date(2000, 2, 29)]


def by_sav(path):
    pyreadstat.write_sav(
        FRAME.assign(born=BORN), str(path), variable_value_labels={"sex": SEX, "edu": EDU},
        variable_measure={"sex": "nominal", "edu": "ordinal"}, missing_ranges={"age": [77]},
        compress=path.suffix == ".zsav",
    )  # fmt: skip


def by_dta(path):
    pyreadstat.write_dta(FRAME, str(path), variable_value_labels={"sex": SEX, "edu": EDU})


def by_pandas_dta(path):
    FRAME.assign(
        sex=pd.Categorical([SEX[int(code)] for code in FRAME["sex"]]),
        edu=pd.Categorical(
            [None if code != code else EDU[int(code)] for code in FRAME["edu"]],
            list(EDU.values()),
            ordered=True,
        ),
    ).to_stata(path, write_index=False, version=118)


def by_xpt(path):
    pyreadstat.write_xport(FRAME, str(path), file_format_version=8)


def by_por(path):
    pyreadstat.write_por(FRAME.drop(columns="name").rename(columns=str.upper), str(path))


@pytest.mark.parametrize("name", ["t.sav", "t.zsav"])
def test_spss(tmp_path, name):
    """Labels are the values of coded columns, in order where ordinal; user-missing is missing."""
    by_sav(tmp_path / name)
    table = shoal.read(tmp_path / name)
    assert table["sex"].values.to_pylist() == ["male", "female", "female", "male", "other"]
    assert table["sex"].order is None
    assert table["edu"].values.to_pylist() == ["low", "middle", "high", "middle", None]
    assert table["edu"].order == ("low", "middle", "high")
    assert table["age"].values.to_pylist() == [30, 41, None, 55, 60]
    assert table["age"].kind is Kind.INTEGER
    assert table["pay"].values.to_pylist() == [1.5, 2.25, None, 4.0, 5.5]
    assert table["name"].values.to_pylist() == ["a", "b", "ä", None, "e"]
    assert table["born"].values.to_pylist() == BORN


@pytest.mark.parametrize("write", [by_dta, by_pandas_dta])
def test_stata(tmp_path, write):
    """A Stata file, by whoever wrote it, has the same values."""
    write(tmp_path / "t.dta")
    table = shoal.read(tmp_path / "t.dta")
    assert table["sex"].values.to_pylist() == ["male", "female", "female", "male", "other"]
    assert table["edu"].values.to_pylist() == ["low", "middle", "high", "middle", None]
    assert table["age"].values.to_pylist() == [30, 41, 77, 55, 60]
    assert table["pay"].values.to_pylist() == [1.5, 2.25, None, 4.0, 5.5]


@pytest.mark.parametrize(("name", "write"), [("t.xpt", by_xpt), ("t.por", by_por)])
def test_sas_and_portable_files(tmp_path, name, write):
    """Formats without labels have their codes."""
    write(tmp_path / name)
    table = shoal.read(tmp_path / name)
    by_name = {own.lower(): own for own in table.names}
    assert table[by_name["age"]].values.to_pylist() == [30, 41, 77, 55, 60]
    assert table[by_name["pay"]].values.to_pylist() == [1.5, 2.25, None, 4.0, 5.5]
    assert table[by_name["sex"]].values.to_pylist() == [1, 2, 2, 1, 9]


def sheet_rows():
    yield ["age", "pay", "born", "name", "flag"]
    for i in range(5):
        pay = FRAME["pay"][i]
        yield [
            int(FRAME["age"][i]), None if pay != pay else float(pay), BORN[i],
            FRAME["name"][i] or None, i % 2 == 0,
        ]  # fmt: skip


def by_openpyxl(path):
    book = openpyxl.Workbook()
    for row in sheet_rows():
        book.active.append(row)
    book.save(path)


def by_xlsxwriter(path):
    with xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy"}) as book:
        sheet = book.add_worksheet("Table 1")
        for at, row in enumerate(sheet_rows()):
            for column, value in enumerate(row):
                if value is not None:
                    sheet.write(at, column, value)


@pytest.mark.parametrize("write", [by_openpyxl, by_xlsxwriter])
def test_excel(tmp_path, write):
    """Numbers, dates and texts of a sheet are read as what they are."""
    write(tmp_path / "t.xlsx")
    table = shoal.read(tmp_path / "t.xlsx")
    assert table["age"].values.to_pylist() == [30, 41, 77, 55, 60]
    assert table["pay"].values.to_pylist() == [1.5, 2.25, None, 4.0, 5.5]
    assert [None if d is None else str(d)[:10] for d in table["born"].values.to_pylist()] == [
        None if day is None else str(day) for day in BORN
    ]
    assert table["name"].values.to_pylist() == ["a", "b", "ä", None, "e"]
    assert table["flag"].values.to_pylist() == [True, False, True, False, True]


def test_sheets_headers_and_mixed_columns(tmp_path):
    """One of several sheets is named; a header stands below a title; mixed cells are in doubt."""
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["A report of 2024", None])
    book.active.append(["age", "code"])
    book.active.append([30, "A1"])
    book.active.append([31, 7])
    other = book.create_sheet("Other")
    other.append(["x"])
    other.append([1])
    book.save(path)
    with pytest.raises(shoal.RequestError, match="which with sheet"):
        shoal.read(path)
    with pytest.raises(shoal.RequestError, match="there is no sheet"):
        shoal.read(path, sheet="Another")
    table = shoal.read(path, sheet="Sheet")
    assert table.names == ["age", "code"]
    assert table["code"].values.to_pylist() == ["A1", "7"]
    assert "several kinds" in table["code"].doubt
    (tmp_path / "t.parquet").write_bytes(b"")
    with pytest.raises(shoal.RequestError, match="only spreadsheets"):
        shoal.read(tmp_path / "t.parquet", sheet="Sheet")


@pytest.mark.parametrize("name", ["t.sav", "t.dta", "t.xpt", "t.sas7bdat", "t.xlsx", "t.ods"])
def test_damaged_files(tmp_path, name):
    """A file that is not what its name says is refused in words."""
    (tmp_path / name).write_bytes(b"PK\x03\x04 this is none" * 20)
    with pytest.raises(shoal.InputError, match="not a whole"):
        shoal.read(tmp_path / name)


def test_an_encoding_that_a_file_does_not_name(tmp_path):
    """Texts that are not as a file names them are refused, and read as what they are said to be."""
    path = tmp_path / "t.dta"
    frame = pd.DataFrame({"town": ["D@sseldorf", "K@ln"] * 6, "age": range(12)})
    pyreadstat.write_dta(frame, str(path))
    path.write_bytes(path.read_bytes().replace(b"D@s", b"D\xfcs").replace(b"K@l", b"K\xf6l"))
    with pytest.raises(shoal.InputError, match=r"that the file names; say encoding='cp1252'"):
        shoal.read(path)
    with pytest.raises(shoal.InputError, match="not in the encoding shift_jis"):
        shoal.read(path, encoding="shift_jis")
    with pytest.raises(shoal.InputError, match="not in the encoding mac-roman"):
        shoal.read(path, encoding="mac-roman")  # its reader does not know it
    assert shoal.read(path, encoding="latin-1")["town"].values[0].as_py() == "Düsseldorf"
    options = {"quasi_identifiers": ["age"], "other": ["town"], "method": "mdav"}
    result = shoal.anonymize(path, 3, encoding="cp1252", **options)
    released = result.save(tmp_path / "out", format="dta")
    assert set(shoal.read(released)["town"].values.to_pylist()) == {"Düsseldorf", "Köln"}
    assert result.settings.input.encoding == "cp1252"
    assert shoal.measure(path, released).utility is not None  # reads it as the recipe says


def test_encodings_are_said_of_texts_and_statistics_only(tmp_path):
    """A file whose format has an encoding of its own cannot be said to have another."""
    (tmp_path / "t.parquet").write_bytes(b"")
    with pytest.raises(shoal.RequestError, match="csv files only"):
        shoal.read(tmp_path / "t.parquet", encoding="cp1252")


@pytest.mark.parametrize("ending", spread(["dta", "sav"], 1))
def test_a_column_without_values_is_what_the_file_says(tmp_path, ending):
    """Numbers of which none is there are numbers, and texts are texts, also when written again."""
    frame = {"n": [None] * 6, "t": [""] * 6, "age": [1.5, 2, 3, 4, 5, 6]}
    path = tmp_path / f"t.{ending}"
    write = {"dta": pyreadstat.write_dta, "sav": pyreadstat.write_sav}[ending]
    write(pl.DataFrame(frame, schema={"n": pl.Float64, "t": pl.String, "age": pl.Float64}), path)
    options = {"quasi_identifiers": ["age"], "other": ["n", "t"], "method": "mdav"}
    released = shoal.anonymize(path, 3, **options).save(tmp_path / "out", format=ending)
    for file in (path, released):
        kinds = [shoal.read(file)[name].kind for name in ("n", "t")]
        assert kinds == [Kind.FLOAT, Kind.TEXT]


def test_formats_of_kept_texts(tmp_path):
    """Stata shows a kept text as wide as before; the width of a grouped one tells nothing."""
    frame = pd.DataFrame({"town": list("abcdef"), "note": ["u", "v"] * 3})
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(frame, str(path), variable_format={"town": "%40s", "note": "%30s"})
    options = {"quasi_identifiers": ["town"], "other": ["note"], "method": "k-member"}
    released = shoal.anonymize(path, 3, **options).save(tmp_path / "out", format="dta")
    _, facts = pyreadstat.read_dta(str(released))
    assert facts.original_variable_types["note"] == "%30s"
    assert facts.original_variable_types["town"] != "%40s"


def test_a_survey_is_released(tmp_path):
    """From an SPSS file to a verified release: labels are generalized, in their order."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "edu": rng.integers(1, 4, 60).astype(float),
            "age": rng.integers(20, 70, 60).astype(float),
            "ill": rng.integers(1, 5, 60).astype(float),
        }
    )
    path = tmp_path / "s.sav"
    pyreadstat.write_sav(
        frame, str(path), variable_value_labels={"edu": EDU}, variable_measure={"edu": "ordinal"}
    )
    result = shoal.anonymize(path, k=4, quasi_identifiers=["edu", "age"], sensitive=["ill"])
    result.save(tmp_path / "out")
    assert shoal.verify(tmp_path / "out" / "release.csv", k=4).ok
    words = {cell for cell in result.table["edu"].values.to_pylist() if cell}
    assert any("low" in word or "high" in word for word in words)


def test_without_the_extra_nothing_is_imported_and_the_file_is_named(tmp_path):
    """Reading csv imports none of it; a file that needs it names the extra; none needs pandas."""
    pyreadstat.write_sav(pl.DataFrame({"age": [1.0, 2.0]}), tmp_path / "whole.sav")
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "t.sav").write_bytes(b"x")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    code = (
        "import sys\n"
        "class Hidden:\n"
        "    names = ['pandas']\n"
        "    def find_spec(self, name, *_):\n"
        "        if name in self.names: raise ImportError(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "import shoal\n"
        "shoal.read('t.csv')\n"
        "assert 'pyreadstat' not in sys.modules\n"
        "print(*shoal.read('whole.sav').names)\n"
        "Hidden.names += ['pyreadstat', 'python_calamine']\n"
        "del sys.modules['pyreadstat']\n"
        "for name in ('t.xlsx', 't.sav'):\n"
        "    try: shoal.read(name)\n"
        "    except shoal.InputError as error: print(error)\n"
        "from shoal.release.targets import Targets\n"
        "for name in ('t.xlsx', 't.sav', 'folder/'):\n"
        "    try: Targets.of(name)\n"
        "    except shoal.RequestError as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [
        "age",
        't.xlsx: this is an Excel file; pip install "shoal[formats]" to read it',
        't.sav: this is an SPSS file; pip install "shoal[formats]" to read it',
        'pip install "shoal[formats]" to write an Excel file',
        'pip install "shoal[formats]" to write an SPSS file',
    ]
