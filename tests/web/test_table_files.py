"""Tables between two workers of the desk: what was written is what is read."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import hospital
from shoal.table.dialects.propose import propose
from shoal.table.read import read
from shoal.web.held import load, store

FRAME = pd.DataFrame({"v": [1.0, 2.0, None], "t": pd.to_datetime(["2020-01-01"] * 3)})


def german(path):
    """An export with its own encoding, signs and dates."""
    hospital.export(path, 40)
    return read(path, **propose(path).options)


def quoted(path):
    """Cells in quotes, and rows out of order."""
    path.write_text('a,b\n"x",1\n"y, z",2.50\n,\n')
    return read(path).take(np.array([2, 0]))


def labeled(path):
    """An SPSS file with labels of values."""
    pyreadstat.write_sav(FRAME[["v"]], path, variable_value_labels={"v": {1: "one", 2: "two"}})
    return read(path)


def typed(path):
    """A Parquet file with moments."""
    FRAME.to_parquet(path)
    return read(path)


def alike(one, other):
    """Tell whether two fields are the same, and of one type."""
    if isinstance(one, pa.Array):
        return one.equals(other) and one.type == other.type
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return one == other and type(one) is type(other)


@pytest.mark.parametrize(("make", "name"), [(german, "h.csv"), (quoted, "q.csv"),
                                            (labeled, "s.sav"), (typed, "p.parquet")])  # fmt: skip
def test_a_table_comes_back_as_it_was(tmp_path, make, name):
    """Every field of every column and of the source, and the number of records beside."""
    table = make(tmp_path / name)
    store(tmp_path / "kept", table, 7)
    back, records = load(tmp_path / "kept")
    assert records == 7
    pairs = [*zip(table.columns, back.columns, strict=True), (table.source, back.source)]
    for one, other in pairs:
        for field in fields(one):
            assert alike(getattr(one, field.name), getattr(other, field.name)), field.name


def test_what_is_no_table_is_not_read(tmp_path):
    """Neither nothing, nor a broken file, nor another's Arrow file."""
    assert load(tmp_path / "none") is None
    (tmp_path / "broken").write_bytes(b"ARROW1 and more")
    assert load(tmp_path / "broken") is None
    with pa.ipc.new_file(tmp_path / "other", pa.schema([("a", pa.int64())])) as writer:
        writer.write_batch(pa.record_batch({"a": [1]}))
    assert load(tmp_path / "other") is None
