"""Feather, Arrow and JSON lines files are read as the tables that other programs wrote."""

from __future__ import annotations

import json
from datetime import date

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

import shoal
from shoal.table.dialects.dialect import PLAIN
from shoal.table.streams import in_pieces

TABLE = pa.table(
    {
        "age": [30, 41, None, 55] * 3,
        "pay": [1.5, 2.25, 3.0, 4.75] * 3,
        "born": [date(1990, 1, 2), None, date(1970, 5, 6), date(1960, 7, 8)] * 3,
        "sex": ["m", "w", "w", None] * 3,
    }
)


def by_feather(path):
    feather.write_feather(TABLE, path)


def by_pandas(path):
    TABLE.to_pandas(types_mapper=pd.ArrowDtype).to_feather(path)


def by_polars(path):
    pl.from_arrow(TABLE).write_ipc(path, compression="zstd")


def by_stream(path):
    with ipc.new_stream(path, TABLE.schema) as writer:
        writer.write_table(TABLE)


@pytest.mark.parametrize("write", [by_feather, by_pandas, by_polars, by_stream])
def test_arrow_files(tmp_path, write):
    """Whoever wrote the file, its values and kinds are those of the table."""
    path = tmp_path / "t.feather"
    write(path)
    table = shoal.read(path)
    for name in TABLE.column_names:
        assert table[name].values.to_pylist() == TABLE[name].to_pylist()
    assert [str(table[name].kind) for name in table.names] == ["integer", "float", "date", "text"]


def test_json_lines(tmp_path):
    """One record a line; what a record does not say is missing."""
    path = tmp_path / "t.jsonl"
    rows = [{"a": i, "s": f"x{i % 2}"} if i % 3 else {"a": i} for i in range(12)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = shoal.read(path)
    assert table["a"].values.to_pylist() == list(range(12))
    assert table["s"].values.to_pylist() == [row.get("s") for row in rows]
    result = shoal.anonymize(path, k=3, quasi_identifiers=["a"], other=["s"])
    assert result.partition.labels.size == 12
    result.save(tmp_path / "out")
    assert shoal.verify(tmp_path / "out" / "release.csv", k=3).ok


@pytest.mark.parametrize("name", ["t.feather", "t.jsonl"])
def test_damaged_files_and_what_csv_alone_has(tmp_path, name):
    """Half a file is refused, and so are options of text, and reading in pieces."""
    path = tmp_path / name
    path.write_bytes(b"ARROW1\0\0{")
    with pytest.raises(shoal.InputError, match="not a whole"):
        shoal.read(path)
    with pytest.raises(shoal.RequestError, match="csv files only"):
        shoal.read(path, decimal=",")
    with pytest.raises(shoal.RequestError, match="Parquet"):
        in_pieces(path, PLAIN, ("",), {})
