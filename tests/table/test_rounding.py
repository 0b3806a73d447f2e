"""Kept columns rounded to multiples of a step: half to even, in their own type, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as library
from large_files import LITTLE, PADDING, padded
from shoal.errors import RequestError
from shoal.settings import load
from shoal.table.rounding import round_column, rounded


def column(values):
    """A column of Arrow values."""
    return library.read(pa.table({"a": values}))["a"]


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=20), st.integers(1, 5000))
def test_whole_numbers(values, step):
    """Every number becomes the nearest multiple, of two the even one."""
    found = round_column(column(pa.array(values)), step).values.to_pylist()
    assert found == [round(Fraction(value, step)) * step for value in values]


def test_decimals_of_a_csv_file(write):
    """Fixed-point cells are written with the digits of the step; missing ones stay missing."""
    path = write("t.csv", "a,o\n1,12.25\n1,\n1,12.75\n1,0.10\n")
    table = rounded(library.read(path), {"o": 0.5})
    assert table["o"].values.to_pylist() == [Decimal("12.0"), None, Decimal("13.0"), Decimal("0.0")]
    result = library.anonymize(
        path, k=2, quasi_identifiers=["a"], round={"o": 5}, keep_unique=["o"]
    )
    folder = path.parent / "out"
    result.save(folder, keep_order=True)
    assert (folder / "release.csv").read_text() == "a,o\n1,10\n1,\n1,15\n1,0\n"
    assert load(folder.with_name(f"{folder.name}.private") / "run.toml").release.round == {"o": 5}
    assert result.report.rounded == {"o": 5}
    assert "'o' is rounded to multiples of 5" in result.report.notes
    assert not any("kept" in one for one in result.report.totals)  # a cell is missing


def test_dates_and_times():
    """Dates go by days, times by days too."""
    days = [dt.date(1970, 1, 1), dt.date(1970, 1, 4), dt.date(1970, 1, 5), None]
    assert round_column(column(days), 7).values.to_pylist() == [
        dt.date(1970, 1, 1), dt.date(1970, 1, 1), dt.date(1970, 1, 8), None,
    ]  # fmt: skip
    times = [dt.datetime(2024, 5, 1, 13), dt.datetime(2024, 5, 2, 11)]
    assert round_column(column(times), 1).values.to_pylist() == [dt.datetime(2024, 5, 2)] * 2


@pytest.mark.parametrize("library_", [pd, pl])
def test_dataframes(library_):
    """A dataframe keeps its types; the caller's own is not changed."""
    frame = library_.DataFrame({"a": [1, 1, 2, 2], "o": [1.04, 2.06, 3.5, 4.5], "i": [4, 5, 6, 15]})
    found = library.anonymize(
        frame, k=2, quasi_identifiers=["a"], round={"o": 0.1, "i": 10}, keep_unique=["o"]
    ).data
    assert found["o"].to_list() == [1.0, 2.1, 3.5, 4.5]
    assert found["i"].to_list() == [0, 0, 10, 20]
    assert found["i"].dtype == frame["i"].dtype
    assert frame["o"].to_list() == [1.04, 2.06, 3.5, 4.5]


def test_what_is_refused(write):
    """Steps that are none, columns that are not kept, and what has no numbers."""
    path = write("t.csv", "a,b,o,t\n" + "1,2,3,x\n" * 4)
    rest = {"k": 2, "quasi_identifiers": ["a"]}
    for asked, said in [
        ({"round": {"a": 5}}, "means decimals rounds"),
        ({"round": {"o": 0}}, "above 0"),
        ({"round": {"o": -1}}, "above 0"),
        ({"round": {"o": 0.3}}, "finer"),
        ({"round": {"t": 5}}, "numbers and dates"),
        ({"round": {"oo": 5}}, "has no column"),
        ({"round": {"b": 5}, "identifiers": ["b"], "count": "records"}, "columns that are kept"),
        ({"round": {"b": 5}, "drop": ["b"]}, "columns that are kept"),
        ({"keep_unique": ["a"]}, "keep_unique"),
    ]:
        with pytest.raises(RequestError, match=said):
            library.anonymize(path, **rest, **asked)


def test_on_the_command_line(write, shoal, tmp_path):
    """`--round o=10 --keep-unique u`, and the recipe repeats it."""
    path = write("t.csv", "a,o,u\n" + "".join(f"{i // 3},{i + 3},{i}\n" for i in range(9)))
    ran = shoal("anonymize", path, "-k", "3", "--quasi", "a", "--round", "o=10", "--keep-unique",
                "u", "-o", tmp_path / "r.csv", "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    first = sorted((tmp_path / "r.csv").read_text().splitlines())
    again = shoal(
        "run", tmp_path / "r.private" / "run.toml", "-o", tmp_path / "b.csv", "--no-report"
    )
    assert again.code == 0, again.err
    assert sorted((tmp_path / "b.csv").read_text().splitlines()) == first
    wrong = shoal("anonymize", path, "-k", "3", "--quasi", "a", "--round", "o=x", "-o", "-")
    assert wrong.code == 2


def test_region_by_region(write, shoal, tmp_path):
    """Files larger than memory are rounded the same way, decimals too."""
    rows = "".join(f"{i % 30},{i / 8:.3f},{i}\n" for i in range(400))
    path = padded(write("t.csv", f"a,o,u\n{rows}"))
    common = ("anonymize", path, "-k", "3", "--quasi", "a", "--round", "o=10", "--drop",
              f"u,{PADDING}", "--keep-order", "--no-report")  # fmt: skip
    ran = shoal(*common, "--memory", LITTLE, "-o", tmp_path / "r.csv")
    assert ran.code == 0, ran.err
    found = pd.read_csv(tmp_path / "r.csv", dtype=str)
    assert found.o.tolist() == [str(round(Fraction(i, 80)) * 10) for i in range(400)]
    ran = shoal("anonymize", path, "-k", "3", "--quasi", "a", "--other", "o,u", "--drop", PADDING,
                "--memory", LITTLE, "-o", tmp_path / "x.csv", "--no-report")  # fmt: skip
    assert ran.code == 2
    assert "'o'" in ran.err
