"""Group values: exact, rounded once, half to even, in the column's own kind."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import shoal
from shoal.partition import Partition
from shoal.release.aggregate import Aggregators, aggregate
from shoal.release.write import csv_cells


def released(write, cells, labels, how="mean", decimals=None):
    """The cells of one csv column after it was released in the given groups."""
    table = shoal.read(write("t.csv", "x\n" + "\n".join(cells) + "\n"))
    partition = Partition(np.array(labels), 1)
    return csv_cells(aggregate(table, partition, Aggregators(how, decimals))["x"], ",").to_pylist()


CASES = [
    (["1", "2"], ["2", "2"]),  # 1.5: half to even
    (["2", "3"], ["2", "2"]),  # 2.5: half to even
    (["-1", "-2"], ["-2", "-2"]),
    (["-2", "-3"], ["-2", "-2"]),
    (["0.3", "0.4"], ["0.4", "0.4"]),  # 0.35 exactly, though no float is
    (["0.1", "0.2"], ["0.2", "0.2"]),
    (["1", "2.25"], ["1.62", "1.62"]),  # 1.625
    (["1.50", "1.5"], ["1.50", "1.50"]),
    (["9007199254740993", "9007199254740993"], ["9007199254740993"] * 2),
    (["9223372036854775807", "9223372036854775805"], ["9223372036854775806"] * 2),
    (["99999999999999999999", "99999999999999999997"], ["99999999999999999998"] * 2),
    (["true", "false"], ["false", "false"]),  # a tie is false
    (["True", "True"], ["True", "True"]),
    (["2024-02-28", "2024-03-01"], ["2024-02-29", "2024-02-29"]),
    (["2024-02-28", "2024-02-29"], ["2024-02-29"] * 2),  # 19781.5 days: to even
    (["2024-01-01T10:00", "2024-01-01T11:01"], ["2024-01-01T10:30"] * 2),
    (["2024-01-01 10:00:00", "2024-01-01 10:00:05"], ["2024-01-01 10:00:02"] * 2),
    (["2024-01-01T10:00:00.1", "2024-01-01T10:00:00.4"], ["2024-01-01T10:00:00.2"] * 2),
    (["1e308", "1.7e308"], ["1.4e+308"] * 2),
    (["1.7e308", "1.7e308"], ["1.7e+308"] * 2),
    (["1.1e22", "1.2e22"], ["1.2e+22"] * 2),
    (["1.1e22", "1.25e22"], ["1.18e+22"] * 2),
    (["1e-320", "3e-320"], ["2e-320"] * 2),
    (["1e3", "2.5"], ["501.2", "501.2"]),
    (["1900-01-01", "1900-01-03"], ["1900-01-02"] * 2),
]


@pytest.mark.parametrize(("cells", "expected"), CASES)
def test_one_group(write, cells, expected):
    """A group's mean is exact, rounded half to even, and written as the column writes."""
    assert released(write, cells, [0, 0]) == expected


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=9),
    st.integers(0, 4),
)
def test_decimals_equal_exact_arithmetic(tmp_path_factory, numbers, decimals):
    """Means of fixed-point numbers equal those of exact fractions, whatever the digits."""
    texts = [naive.rounded(Fraction(number, 10**decimals), decimals) for number in numbers]
    path = tmp_path_factory.mktemp("a") / "t.csv"
    path.write_text("x\n" + "\n".join(texts) + "\n")
    table = aggregate(shoal.read(path), Partition(np.zeros(len(texts)), 1), Aggregators("mean"))
    expected = naive.rounded_mean(texts, decimals)
    found = csv_cells(table["x"], ",").to_pylist()
    assert [float(cell) for cell in found] == [float(expected)] * len(texts)
    assert {cell.lstrip("-") for cell in found} == {expected.lstrip("-")}


def test_median(write):
    """The median of a group: its middle, or the mean of both middles, rounded half to even."""
    assert released(write, ["1", "2", "9"], [0, 0, 0], "median") == ["2"] * 3
    assert released(write, ["1", "2", "3", "9"], [0] * 4, "median") == ["2"] * 4
    assert released(write, ["1", "4", "3", "9"], [0] * 4, "median") == ["4"] * 4
    dates = ["2024-01-01", "2024-01-03", "2024-12-31"]
    assert released(write, dates, [0] * 3, "median") == ["2024-01-03"] * 3
    values = np.random.default_rng(0).normal(size=6)
    found = shoal.anonymize(values[:, None], k=6, aggregate="median").table
    assert found["x0"].values.to_pylist() == [median(values)] * 6


def test_median_of_numbers_beyond_fixed_point(write):
    """Numbers with exponents have exact medians too, of one middle or of two, rounded once."""
    assert released(write, ["1e22", "5e22", "2e22"], [0] * 3, "median") == ["2e+22"] * 3
    assert released(write, ["1e22", "9e22", "2e22", "4e22"], [0] * 4, "median") == ["3e+22"] * 4
    cells = ["1.1e22", "1.25e22", "7e22", "0.1e22"]
    assert released(write, cells, [0] * 4, "median") == ["1.18e+22"] * 4
    assert released(write, ["1e22", "3e22"], [0, 1], "median") == ["1e+22", "3e+22"]


def test_a_missing_cell_empties_its_group_only(write):
    """A group of which less than k cells are present has no value; the others have their own."""
    cells = ["1", "", "5", "3", "", "7", "9", ""]
    table = shoal.read(write("t.csv", "x,y\n" + "".join(f"{cell},1\n" for cell in cells)))
    partition = Partition([0, 0, 1, 1, 0, 2, 2, 2], 2)
    for how in ("mean", "median"):
        found = aggregate(table, partition, Aggregators(how))["x"].values.to_pylist()
        assert found == [None, None, 4, 4, None, 8, 8, 8]


def test_decimals_option(write):
    """`decimals` rounds from the exact mean, once, and never adds digits."""
    cells = ["1.2449", "1.2451"]  # 1.2450: rounded twice it would be 1.25
    assert released(write, cells, [0, 0], decimals=2) == ["1.24", "1.24"]
    assert released(write, cells, [0, 0], decimals=9) == ["1.2450", "1.2450"]
    assert released(write, ["15", "16"], [0, 0], decimals=2) == ["16", "16"]
    assert released(write, cells, [0, 0], decimals={"y": 1}) == ["1.2450", "1.2450"]
    assert released(write, cells, [0, 0], decimals={"x": 0}) == ["1", "1"]
    long = ["9." + "9" * 37] * 2
    assert released(write, long, [0, 0], decimals=0) == ["10", "10"]
    carried = ["9" * 36 + ".96"] * 2  # 38 digits before and after
    assert released(write, carried, [0, 0], decimals=1) == ["1" + "0" * 36 + ".0"] * 2


def test_floats_of_a_dataframe_are_not_rounded():
    """A dataframe's floats are the group's mean, unless decimals are asked for."""
    values = [0.1, 0.2, 0.4]
    matrix = np.array(values)[:, None]
    exact = float(sum(map(Fraction, values)) / 3)
    found = shoal.anonymize(matrix, k=3).table["x0"].values.to_pylist()
    assert found == [pytest.approx(exact, rel=1e-15)] * 3
    assert len(set(found)) == 1
    rounded = shoal.anonymize(matrix, k=3, decimals=1).table["x0"].values.to_pylist()
    assert rounded == [0.2] * 3


def test_whole_days_of_a_dataframe_stay_whole():
    """Times that are whole days or minutes do not get digits they never had."""
    import polars as pl

    days = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 9)]
    frame = pl.DataFrame({"t": days})
    assert shoal.anonymize(frame, k=3).data["t"].to_list() == [dt.datetime(2024, 1, 4)] * 3
    hours = pl.DataFrame({"t": [dt.datetime(2024, 1, 1, h) for h in (1, 2, 2)]})
    assert shoal.anonymize(hours, k=3).data["t"][0] == dt.datetime(2024, 1, 1, 2)
    minutes = pl.DataFrame({"t": [dt.datetime(2024, 1, 1, 0, m) for m in (0, 1, 1)]})
    assert shoal.anonymize(minutes, k=3).data["t"][0] == dt.datetime(2024, 1, 1, 0, 1)


def test_identifiers_go_and_the_rest_stays(write):
    """Identifiers are dropped, sensitive and other columns are the very same cells."""
    text = 'n,a,s,o\n"p, q",1,x,"007"\n"r ""s""",3,"y\nz",08.50\nt,5,,"a""b"\n'
    path = write("t.csv", text)
    result = shoal.anonymize(path, k=3, quasi_identifiers=["a"], sensitive=["s"],
                             identifiers=["n"], keep_unique=["o"])  # fmt: skip
    assert result.table.names == ["a", "s", "o"]
    assert csv_cells(result.table["o"], ",").to_pylist() == ['"007"', "08.50", '"a""b"']
    assert csv_cells(result.table["s"], ",").to_pylist() == ["x", '"y\nz"', ""]
    assert csv_cells(result.table["a"], ",").to_pylist() == ["3", "3", "3"]


def test_group_members_agree_and_the_mean_is_kept(write):
    """Every group has one value, and unrounded means keep the column's mean."""
    rng = np.random.default_rng(1)
    result = shoal.anonymize(rng.normal(size=(200, 3)), k=4)
    matrix = np.asarray(result.table)
    for rows in result.partition.members():
        assert len(np.unique(matrix[rows], axis=0)) == 1
    before = [column.mean_before for column in result.report.columns]
    assert matrix.mean(axis=0) == pytest.approx(before, abs=1e-12)
