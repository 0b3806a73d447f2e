"""Releases in every format: written, verified on disk, read back, and silent about the rest."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest
from pyarrow import feather

import shoal as library
from shoal.pipeline.regions.budget import budget_for
from shoal.pipeline.regions.file import file_request
from shoal.pipeline.regions.run import release_file
from shoal.release.pack.certificate import load_certificate
from shoal.settings import RunOptions, build
from thorough import spread

LEVELS = {1: "low", 2: "middle", 3: "high"}
READERS = {
    "feather": "pyarrow in a fresh process", "jsonl": "DuckDB, after Python's json",
    "xlsx": "python-calamine", "dta": "pyreadstat in a fresh process",
}  # fmt: skip


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """An SPSS file with labels, a missing definition, a formula and a name."""
    rng = np.random.default_rng(0)
    rows = 30
    frame = pd.DataFrame(
        {
            "edu": rng.integers(1, 4, rows).astype(float),
            "age": rng.integers(20, 70, rows).astype(float),
            "ill": rng.integers(1, 4, rows).astype(float),
            "note": ["=1+1", "häufig"] * (rows // 2),
            "person": [f"secret {i}" for i in range(rows)],
        }
    )
    path = tmp_path_factory.mktemp("survey") / "survey_of_clinic_x.sav"
    pyreadstat.write_sav(
        frame, path, file_label="Clinic X", note="internal",
        column_labels={"edu": "Education", "ill": "Illness"},
        variable_value_labels={"edu": LEVELS, "ill": {1: "flu", 2: "gout", 3: "cold", 8: "rare"}},
        variable_measure={"edu": "ordinal"}, missing_ranges={"ill": [8]},
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def result(survey):
    """A release of it."""
    return library.anonymize(
        survey, k=3, l=2, quasi_identifiers=["edu", "age"], sensitive=["ill"], other=["note"],
        identifiers=["person"], method="mdav", aggregate={"edu": "range", "age": "mean"},
    )  # fmt: skip


def rows_of(table):
    return sorted(zip(*(table[name].values.to_pylist() for name in table.names), strict=True),
                  key=str)  # fmt: skip


@pytest.mark.parametrize("kind", spread(READERS, 2))
def test_every_format(result, tmp_path, kind):
    """The file is verified, says who read it back, holds the release, and can be read again."""
    path = result.save(tmp_path / "out", format=kind)
    assert path.name == f"release.{kind}"
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["release"]["read_back_by"] == READERS[kind]
    assert rows_of(library.read(path)) == rows_of(result.table)
    assert b"secret" not in path.read_bytes()
    assert b"linic" not in path.read_bytes()
    found = library.verify(path, k=31)
    assert (found.ok, found.k, found.reader) == (False, 3, READERS[kind])


def test_the_pack_of_an_spss_file(result, tmp_path):
    """Labels and missing definitions are written; dictionary, report and certificate know them."""
    folder = result.pack(tmp_path / "pack", format="sav", order_seed=1)
    _, facts = pyreadstat.read_sav(folder / "release.sav", user_missing=True)
    assert facts.column_names_to_labels["edu"] == "Education"
    assert facts.missing_ranges == {"ill": [{"lo": 8.0, "hi": 8.0}]}
    assert facts.variable_measure["edu"] == "ordinal"
    labels = facts.variable_value_labels["edu"]
    made = {code: label for code, label in labels.items() if code > 3}
    assert made
    assert all(label.startswith("[") for label in made.values())
    assert (facts.file_label, facts.notes) == (None, [])
    assert str(facts.creation_time).startswith("1980-01-01")
    held = json.loads((folder / "report.json").read_text())["release"]["held_as"]
    assert held["edu"].endswith("follow the largest code")
    assert (held["age"], held["note"]) == ("numbers", "strings")
    lines = pd.read_csv(folder / "dictionary.csv", index_col="column", keep_default_na=False)
    assert lines.loc["ill", "label"] == "Illness"
    assert lines.loc["ill", "value labels"] == "1 = flu | 2 = gout | 3 = cold"
    assert lines.loc["edu", "in the file"] == held["edu"]
    assert load_certificate(folder).verified.reader == READERS["dta"]


def test_a_file_changed_on_disk_is_noticed(result, tmp_path, monkeypatch):
    """Values that a writer cut are found by reading the file back."""
    from shoal.release import write

    whole = write.json_lines_bytes
    monkeypatch.setattr(
        write, "json_lines_bytes",
        lambda table, order: whole(table, order).replace(b'"age": 4', b'"age": 5'),
    )  # fmt: skip
    with pytest.raises(library.OutputError, match="not what was to be written"):
        result.save(tmp_path / "out", format="jsonl")
    assert not (tmp_path / "out").exists()


def test_no_metadata(result, tmp_path):
    """Workbooks have texts for formulas, no author and no time; Feather has no metadata."""
    book = result.save(tmp_path / "a", format="xlsx", order_seed=0)
    again = result.save(tmp_path / "b", format="xlsx", order_seed=0)
    assert book.read_bytes() == again.read_bytes()
    cells = [cell for row in openpyxl.load_workbook(book).active.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value == "=1+1"} == {"s"}
    with zipfile.ZipFile(io.BytesIO(book.read_bytes())) as parts:
        core = parts.read("docProps/core.xml").decode()
    assert "1980-01-01T00:00:00Z" in core
    assert "<dc:creator></dc:creator>" in core
    table = feather.read_table(result.save(tmp_path / "c", format="feather"))
    assert table.schema.metadata is None
    assert all(field.metadata is None for field in table.schema)


def test_files_larger_than_memory_are_written_in_pieces(tmp_path):
    """What is released region by region is written so, and another format is refused at once."""
    settings = build({"protect": {"k": 3}})
    request = file_request("t.csv", str(tmp_path / "r.xlsx"), settings, RunOptions())
    budget = budget_for(10**9, 3, 30.0)
    with pytest.raises(library.RequestError, match="released as csv, JSON lines, Parquet"):
        release_file(tmp_path / "t.csv", settings, budget, request)


def test_an_empty_text_is_a_missing_one(tmp_path):
    """Where a format does not tell an empty text from a missing one, both are missing."""
    frame = pd.DataFrame({"sex": ["m", "m", "", "", None, None] * 2, "age": range(12)})
    result = library.anonymize(frame, k=2, quasi_identifiers=["sex"], other=["age"],
                               keep_unique=["age"], method="hilbert")  # fmt: skip
    path = result.save(tmp_path / "out", format="xlsx")
    assert set(library.read(path)["sex"].values.to_pylist()) <= {"m", "*", None}
