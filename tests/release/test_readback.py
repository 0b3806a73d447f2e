"""A written file that does not hold what was to be written is noticed, whatever differs."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.release.readback import holds_table
from shoal.release.write import release_bytes

CSV = """age,income,score,born,smokes,town
31,1000.50,0.1,1980-01-02,true,Aa
32,1000.25,1e300,1981-01-02,false,*
-7,9999999999.75,-0.0,1982-01-02,true,"B, b"
40,0.00,5e-324,1983-01-02,false,é
"""
NAMES = CSV.partition("\n")[0].split(",")
ORDER = np.array([2, 0, 3, 1])


@pytest.fixture
def table(tmp_path):
    """A table of all kinds that are compared."""
    (tmp_path / "in.csv").write_text(CSV, encoding="utf-8")
    return shoal.read(tmp_path / "in.csv")


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_what_is_written_is_held(table, tmp_path, kind):
    """A file in the meant order holds the table; in another it does not."""
    path = tmp_path / f"out.{kind}"
    path.write_bytes(release_bytes(table, ORDER, kind))
    assert holds_table(table, ORDER, NAMES, path, kind)
    assert not holds_table(table, ORDER[::-1], NAMES, path, kind)
    assert not holds_table(table, ORDER[:3], NAMES, path, kind)
    assert not holds_table(table, np.append(ORDER, 0), NAMES, path, kind)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("31,", "30,"), ("1000.50", "1000.5001"), ("9999999999.75", "9999999999.74"),
        ("1e+300", "1.0000000000000002e+300"), ("1980-01-02", "1980-01-03"), ("true", "false"),
        ("Aa", "aa"), ("*", ""), ("é", "e"), ("-7,", "*,"),
    ],
)  # fmt: skip
def test_a_cell_that_differs(table, tmp_path, old, new):
    """One cell that is not the meant one is noticed, in its last digit too."""
    text = release_bytes(table, ORDER, "csv").decode("utf-8")
    if old == "1e+300" and old not in text:
        old = "1e300"
    assert text.count(old) >= 1
    path = tmp_path / "out.csv"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert not holds_table(table, ORDER, NAMES, path, "csv")


@pytest.mark.parametrize("new", ["31.0", "+31", "031", "3.1e1"])
def test_other_ways_to_write_a_number(table, tmp_path, new):
    """A number that is written in another way is the same number: exact values decide."""
    text = release_bytes(table, ORDER, "csv").decode("utf-8")
    path = tmp_path / "out.csv"
    path.write_text(text.replace("31,", f"{new},", 1), encoding="utf-8")
    assert holds_table(table, ORDER, NAMES, path, "csv")


def test_parquet_of_floats_and_missing_cells(tmp_path):
    """Not-a-number equals itself, a missing cell does not equal a number."""
    values = pa.array([1.5, float("nan"), None, 0.1])
    days = pa.array([datetime.date(2000, 1, 1), None, None, datetime.date(2000, 1, 2)])
    table = shoal.read(pa.table({"a": values, "d": days}))
    order = np.arange(4)
    path = tmp_path / "out.parquet"
    path.write_bytes(release_bytes(table, order, "parquet"))
    assert holds_table(table, order, ["a", "d"], path, "parquet")
    assert not holds_table(table, np.array([0, 2, 1, 3]), ["a", "d"], path, "parquet")
    other = shoal.read(pa.table({"a": pa.array([1.5, float("nan"), 0.0, 0.1]), "d": days}))
    assert not holds_table(other, order, ["a", "d"], path, "parquet")
