"""The judge's readers of files that are read as a whole."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from pyarrow import feather

import shoal

FRAME = pd.DataFrame({"age": [1.0, 1.0, 2.0, 2.0], "sex": ["m", "m", None, None]})


def test_json_lines(tmp_path):
    """What a record does not say is missing; 1 and 1.0 are one number."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": "x"}\n\n{"a": 1.0, "b": "x"}\n{"b": null}\n{"a": null}\n')
    found = shoal.verify(path, k=2, quasi_identifiers=["a", "b"])
    assert (found.ok, found.records, found.classes) == (True, 4, 2)
    assert shoal.verify(path, k=1, quasi_identifiers=["a"]).reader == "DuckDB, after Python's json"


def test_json_lines_of_one_kind(tmp_path):
    """A column is what all its records say, also where the first ones say nothing or 1 for 1.0."""
    path = tmp_path / "t.jsonl"
    lines = ['{"a": 1}', "{}", '{"a": 1.0, "b": "x"}', '{"b": "x"}', '{"a": 1, "b": "x"}', "{}"]
    path.write_text("\n".join(lines))
    found = shoal.verify(path, k=1, quasi_identifiers=["a", "b"])
    assert (found.records, found.classes) == (6, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]\n", "line 1: not a JSON object"),
        ('{"a": 1}\n{"a": NaN}\n', "line 2: not a JSON object"),
        ('{"a": 1, "a": 2}\n', "different columns"),
        ('{"a": 1}\n{"a": "x"}\n', "several kinds"),
        ('{"a": {"b": 1}}\n', "several kinds, or lists"),
        ('{"a": 123456789012345678901234567890}\n', "too many digits"),
        ("\n", "no record"),
    ],
)
def test_json_lines_that_are_none(tmp_path, text, message):
    """Lines that are no records are refused by their number."""
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(shoal.InputError, match=message):
        shoal.verify(tmp_path / "t.jsonl", k=1, quasi_identifiers=["a"])


def test_workbooks(tmp_path):
    """One sheet is read; several, a header with a gap, and archives that unpack to much are not."""
    path = tmp_path / "t.xlsx"
    FRAME.to_excel(path, index=False)
    found = shoal.verify(path, k=2, quasi_identifiers=["age", "sex"])
    assert (found.ok, found.classes, found.reader) == (True, 2, "python-calamine")
    with pd.ExcelWriter(path) as writer:
        FRAME.to_excel(writer, sheet_name="a")
        FRAME.to_excel(writer, sheet_name="b")
    with pytest.raises(shoal.InputError, match="2 sheets"):
        shoal.verify(path, k=2, quasi_identifiers=["age"])
    book = openpyxl.Workbook()
    book.active.append(["age", None, "sex"])
    book.active.append([1, 2, "m"])
    book.save(path)
    with pytest.raises(shoal.InputError, match="name every column"):
        shoal.verify(path, k=1, quasi_identifiers=["age"])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sheet1.xml", bytes(70 * 2**20))
    for raw, message in (
        (content.getvalue(), "more than 200 times"),
        (b"PK\x03\x04 none", "not a whole"),
        (b"none", "not a whole"),
    ):
        path.write_bytes(raw)
        with pytest.raises(shoal.InputError, match=message):
            shoal.verify(path, k=1, quasi_identifiers=["age"])


def test_files_that_another_process_reads(tmp_path):
    """Codes that all have labels are read as these; a damaged file is refused."""
    path = tmp_path / "t.zsav"
    labels = {"age": {1: "young", 2: "old"}}
    pyreadstat.write_sav(FRAME, path, compress=True, variable_value_labels=labels)
    found = shoal.verify(
        path, k=2, quasi_identifiers=["sex"], sensitive=["age"], t=0.5,
        orders={"age": ["young", "old"]},
    )  # fmt: skip
    assert found.reader == "pyreadstat in a fresh process"
    assert found.models[0].found == pytest.approx(0.5)
    path = tmp_path / "t.feather"
    feather.write_feather(FRAME, path)
    assert shoal.verify(path, k=2, quasi_identifiers=["age", "sex"]).ok
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(shoal.InputError, match="not a whole file"):
        shoal.verify(path, k=2, quasi_identifiers=["sex"])


def test_columns_that_unpack_to_much(tmp_path):
    """A small file of a long column of nothing is no table; neither reader takes it."""
    path = tmp_path / "t.feather"
    feather.write_feather(pa.table({"age": np.ones(9_000_000)}), path, compression="zstd")
    with pytest.raises(shoal.InputError, match="more than 200 times"):
        shoal.verify(path, k=2, quasi_identifiers=["age"])
    with pytest.raises(shoal.InputError, match="more than 200 times"):
        shoal.read(path)
