"""Whole numbers written as 19.0, and floats of 16 and 17 digits, as other programs write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.dialects.significant import significant
from shoal.table.inspect import inspect
from shoal.table.roles import Kind

MDAV = {"k": 3, "method": "mdav"}


def of_pandas(write, **columns):
    """Write columns as pandas does."""
    return write("t.csv", pd.DataFrame(columns).to_csv(index=False))


def test_whole_numbers_of_pandas_are_whole(write):
    """A column of whole numbers with a missing cell is one of integers, and written as it was."""
    path = of_pandas(write, age=[19, np.nan, 23, 30, 41, -5, 19], n=[1.0, 2, 3, 4, 5, 6, 8])
    table = shoal.read(path)
    assert table["age"].kind is table["n"].kind is Kind.INTEGER
    assert table["age"].values.to_pylist() == [19, None, 23, 30, 41, -5, 19]
    assert inspect(table).columns[0].written.startswith("whole numbers, written as 19.0")
    kept = {"other": ["age"], "keep_unique": ["age"]}
    result = shoal.anonymize(path, **MDAV, quasi_identifiers=["n"], **kept)
    assert result.data["n"].values.type == pa.int64()
    result.save(path.with_name("r"))
    cells = (path.with_name("r") / "release.csv").read_text().splitlines()[1:]
    assert all(line.split(",")[1].endswith(".0") for line in cells)
    assert sorted(line.split(",")[0] for line in cells) == sorted(
        line.split(",")[0] for line in path.read_text().splitlines()[1:]
    )
    assert any("'n': whole numbers, written as 19.0 is" in note for note in result.report.notes)


def test_plain_releases_have_no_point_in_whole_numbers(write):
    """In the plain dialect the same numbers are written without a point."""
    path = of_pandas(write, n=[float(i) for i in range(9)])
    shoal.anonymize_file(path, path.with_name("r.csv"), **MDAV, dialect="plain")
    assert all(cell.isdigit() for cell in path.with_name("r.csv").read_text().split()[1:])


@pytest.mark.parametrize("cells", ["19.0 20 21.0", "19.00 20.00", "19.0 20.5", "1e3 19.0"])
def test_other_spellings_are_what_they_were(write, cells):
    """Only a column whose every cell ends in one zero after the point is of whole numbers."""
    table = shoal.read(write("t.csv", "x\n" + cells.replace(" ", "\n") + "\n"))
    assert table["x"].kind in (Kind.DECIMAL, Kind.FLOAT)


def test_a_decimal_comma(write):
    """The zero may stand after the column's own decimal sign."""
    path = write(
        "t.csv", "x;y\n" + "".join(f"{1000 + i}.0;{i}\n".replace(".", ",") for i in range(9))
    )
    result = shoal.anonymize(path, **MDAV, decimal=",")
    assert result.data["x"].kind is Kind.INTEGER
    result.save(path.with_name("r"))
    lines = (path.with_name("r") / "release.csv").read_text().splitlines()[1:]
    assert all(line.split(";")[0].endswith(",0") for line in lines)


def test_noise_of_floats_is_rounded_away(write):
    """Sums of tenths, which floats hold with noise, release means of one decimal."""
    noisy = [0.1 * 3, 0.1 + 0.7, 1.1 + 2.2, 12.3, 4.35 * 10, 7.0, 0.2 + 0.1, 2.5, 9.9]
    path = of_pandas(write, x=noisy)
    assert "00000000000" in path.read_text()
    result = shoal.anonymize(path, **MDAV)
    result.save(path.with_name("r"))
    cells = (path.with_name("r") / "release.csv").read_text().split()[1:]
    assert all(len(cell.partition(".")[2]) == 1 for cell in cells)
    assert any("rounded to 1 digit after the point" in note for note in result.report.notes)
    exact = shoal.anonymize(path, **MDAV, decimals="none").data["x"].values.to_pylist()
    assert any(value != round(value, 1) for value in exact)


def test_measured_floats_have_fifteen_digits(write):
    """Means of floats of 17 digits have 15 of them, however small some values are."""
    values = np.append(np.random.default_rng(0).normal(10, 3, 30), [1 / 300, 1 / 700])
    path = of_pandas(write, x=values)
    shoal.anonymize(path, **MDAV).save(path.with_name("r"), keep_order=True)
    cells = (path.with_name("r") / "release.csv").read_text().split()[1:]
    assert {len(cell.partition(".")[2]) for cell in cells} == {13}
    assert shoal.verify(path.with_name("r") / "release.csv", k=3, quasi_identifiers=["x"]).ok
    exact = shoal.anonymize(path, **MDAV, decimals="none").data["x"].values.to_pylist()
    assert [float(cell) for cell in cells] == pytest.approx(exact, rel=1e-13)


@given(st.lists(st.floats(1e-6, 1e12), min_size=1, max_size=6), st.integers(0, 5))
def test_decimals_at_fifteen_digits(numbers, cut):
    """They are those of the numbers as they are printed with 15 digits."""
    texts = [np.format_float_positional(number, trim="-") for number in numbers]
    each = np.array([len(text.partition(".")[2]) for text in texts])
    whole = significant(pa.array(texts), each)
    cut = min(cut, len(texts))
    parts = [significant(pa.array(texts[:cut], pa.string()), each[:cut]),
             significant(pa.array(texts[cut:], pa.string()), each[cut:])]  # fmt: skip
    assert parts[0].joined(parts[1]).rounded(99) == whole.rounded(99)
    if whole.rounded(99) is not None:
        printed = [text if len(text.replace(".", "").strip("0")) <= 15 else
                   np.format_float_positional(float(f"{number:.15g}"), trim="-")
                   for text, number in zip(texts, numbers, strict=True)]  # fmt: skip
        wanted = max(len(text.partition(".")[2]) for text in printed)
        assert abs(whole.rounded(99) - wanted) <= 1  # the last digit may round to a zero


def test_longer_numbers_are_exact(write):
    """Numbers of 18 digits and more were no floats: their means keep every digit."""
    cells = [f"0.{i}23456789012345678" for i in range(1, 10)]
    result = shoal.anonymize(write("t.csv", "x\n" + "\n".join(cells) + "\n"), **MDAV)
    assert {len(str(value)) for value in result.data["x"].values.to_pylist()} == {20}
