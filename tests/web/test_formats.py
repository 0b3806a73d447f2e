"""The desk with files of statistics programs and spreadsheets."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pyreadstat

FRAME = pd.DataFrame(
    {
        "edu": np.random.default_rng(0).integers(1, 4, 30).astype(float),
        "age": np.random.default_rng(1).integers(20, 70, 30).astype(float),
        "ill": ["a", "b", "c"] * 10,
    }
)
RECIPE = {
    "protect": {"k": 3, "method": "mdav"},
    "roles": {"quasi_identifiers": ["edu", "age"], "sensitive": ["ill"]},
}


def test_spss_in_and_excel_out(desk, tmp_path):
    """Labels are values at the desk, and in the workbook that it gives."""
    path = tmp_path / "s.sav"
    labels = {"edu": {1: "low", 2: "middle", 3: "high"}}
    pyreadstat.write_sav(
        FRAME.rename(columns={"age": "v2"}), path, variable_value_labels=labels,
        column_labels=["", "Age in years", ""],
    )  # fmt: skip
    told = desk.looked(desk.upload("s.sav", path.read_bytes()))
    assert told["look"]["columns"][1]["label"] == "Age in years"
    assert "an age" in told["look"]["columns"][1]["reason"]
    pyreadstat.write_sav(FRAME, path, variable_value_labels=labels)
    file = desk.upload("s.sav", path.read_bytes())
    told = desk.looked(file)
    assert told["state"] == "ready", told
    assert told["look"]["delimiter"] is None
    assert [column["kind"] for column in told["look"]["columns"]] == ["text", "integer", "text"]
    job = desk.start(file, RECIPE, format="xlsx")
    assert desk.done(job)["state"] == "done"
    release = desk.ask("GET", f"/jobs/{job}/files/release.xlsx").body
    frame = pd.read_excel(io.BytesIO(release), engine="openpyxl")
    assert set(frame["edu"]) <= {"low", "middle", "high", "*"}
    assert sorted(frame["ill"]) == sorted(FRAME["ill"])


def test_a_sheet_is_chosen(desk):
    """Of a workbook of two sheets the first is read, both are named, and any can be chosen."""
    content = io.BytesIO()
    with pd.ExcelWriter(content) as writer:
        FRAME.to_excel(writer, sheet_name="data", index=False)
        FRAME.head(2).to_excel(writer, sheet_name="other", index=False)
    file = desk.upload("t.xlsx", content.getvalue())
    told = desk.looked(file)
    assert told["state"] == "ready", told
    assert told["look"]["sheets"] == ["data", "other"]
    assert told["look"]["records"] == 30
    assert told["reading"] == {"sheet": "data"}
    desk.post(f"/files/{file}/look", {"input": {"sheet": "other"}})
    assert desk.looked(file)["look"]["records"] == 2


def test_files_that_are_something_else(desk):
    """A workbook by its name alone, and an archive under the name of a table, are not taken."""
    for name, content in (("t.xlsx", b"a,b\n1,2\n"), ("t.sav", b"PK\x03\x04 an archive")):
        assert "whatever its name says" in desk.upload(name, content, 415)
