"""`shoal inspect`: no cell appears but on request."""

from __future__ import annotations

import json

import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

TEXT = "name;age;when\nCANARY;19.0;2026-03-01T12:00:00Z\n\u001b[31mred;;2026-03-02T12:00:00Z\n"


@pytest.fixture(params=["csv", "parquet", "feather", "csv.gz"])
def file(request, tmp_path):
    """The same two records in several formats."""
    path = tmp_path / f"t.{request.param}"
    plain = tmp_path / "plain.csv"
    plain.write_text(TEXT)
    options = pyarrow.csv.ParseOptions(delimiter=";")
    table = pyarrow.csv.read_csv(plain, parse_options=options)
    if request.param == "parquet":
        pq.write_table(table, path)
    elif request.param == "feather":
        pyarrow.feather.write_feather(table, path)
    else:
        import gzip

        raw = TEXT.encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def test_records_are_shown_on_request(shoal, file):
    """With --show-rows the first records are printed, safely; without it nothing of them is."""
    silent = shoal("inspect", file)
    assert silent.code == 0, silent.err
    assert "CANARY" not in silent.out
    told = shoal("inspect", file, "--show-rows", 5)
    assert told.code == 0, told.err
    assert "CANARY" in told.out
    assert "red" in told.out
    assert "\u001b" not in told.out
    rows = json.loads(shoal("inspect", file, "--show-rows", 1, "--json").out)["rows"]
    assert len(rows) == 1
    assert rows[0]["name"] == "CANARY"
    assert "rows" not in json.loads(shoal("inspect", file, "--json").out)


def test_what_was_settled_is_said(shoal, write):
    """Inspect says how cells were taken that another program wrote in its own way."""
    out = shoal("inspect", write("t.csv", TEXT)).out
    assert "age: whole numbers, written as 19.0 is" in out
    assert "when: times written with Z" in out


def test_what_is_left_open_is_said(shoal, write):
    """Where nothing can be proposed the question is printed, without an option line."""
    out = shoal("inspect", write("t.csv", "a;d\n1;01/02/1999\n2;03/04/2000\n")).out
    assert "to be settled:" in out
    assert "--date-format COLUMN=%d/%m/%Y" in out
    assert "read with these options" not in out
