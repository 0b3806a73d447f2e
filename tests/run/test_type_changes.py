"""Types of released columns: those of the data where values allow, else named in a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli import app

DATA = {
    "age": [30, 31, 50, 52, 30, 33, 51, 53],
    "well": [True, False] * 4,
    "pay": [1.5, 2.5] * 4,
    "town": list("aabbaabb"),
}
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("make", FRAMES)
def test_columns_that_change_are_named(make):
    """Numbers that are generalized are named once, with the option that keeps them."""
    said = r"'age' \(.*now .*'well'.*'pay'.*; aggregate='mean' keeps 'age', 'well', 'pay'$"
    with pytest.warns(shoal.TypeChangeWarning, match=said) as caught:
        result = shoal.anonymize(make(DATA), k=4, method="kaim")
    assert [one.filename for one in caught] == [__file__]
    assert any("'age', 'well', 'pay' are generalized" in note for note in result.report.notes)


@pytest.mark.parametrize("make", FRAMES)
def test_the_option_keeps_types(make):
    """What the warning says does what it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = shoal.anonymize(make(DATA), k=4, method="kaim", aggregate="mean")
    assert not any("are generalized" in note for note in result.report.notes)


@pytest.mark.parametrize("asked", [{"aggregate": "range"}, {"numbers": "interval"}])
def test_the_option_keeps_types_whatever_was_asked(asked):
    """The advised option replaces the one that made intervals."""
    frame = pd.DataFrame(DATA)[["age", "pay"]]
    with pytest.warns(shoal.TypeChangeWarning, match="; aggregate='mean' keeps 'age', 'pay'$"):
        shoal.anonymize(frame, k=4, **asked)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.anonymize(frame, k=4, **{**asked, "aggregate": "mean"})


def test_nothing_is_advised_where_a_hierarchy_is_given():
    """Words of a given hierarchy were asked for."""
    frame = pd.DataFrame(DATA)[["age", "pay"]]
    with pytest.warns(shoal.TypeChangeWarning) as caught:
        result = shoal.anonymize(frame, k=4, hierarchies={"age": "widths:5,10"})
    assert "keeps 'age'" not in str(caught[0].message)
    assert not any("'age' are generalized" in note for note in result.report.notes)


def test_unrounded_means_of_whole_numbers():
    """Whole numbers whose means are asked for with all digits are floats, and named."""
    with pytest.warns(shoal.TypeChangeWarning, match="'age' .int64, now float64.; decimals=0"):
        shoal.anonymize(pd.DataFrame(DATA), k=4, method="mdav", decimals={"age": "none"})


def test_categories_stay_categories():
    """Categories that become fewer or others are categories still, ordered ones in their order."""
    frame = pd.DataFrame(
        {
            "age": DATA["age"],
            "pain": pd.Categorical(list("abababab"), categories=list("bac"), ordered=True),
            "town": pd.Categorical(list("abababab"), categories=list("abx")),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released = shoal.anonymize(frame, k=4, method="mdav").data
    assert released["pain"].cat.ordered
    assert list(released["pain"].cat.categories) in (["b", "a"], ["b"], ["a"])
    assert "x" not in released["town"].cat.categories
    frame = pl.DataFrame({"age": DATA["age"], "town": DATA["town"]})
    frame = frame.with_columns(pl.col("town").cast(pl.Categorical))
    assert shoal.anonymize(frame, k=4, method="mdav").data.schema == frame.schema


def test_values_of_categories_are_not_in_the_warning():
    """The type of an enumeration is named without its values."""
    frame = pl.DataFrame({"a": pl.Series(["CANARY", "b"] * 4, dtype=pl.Enum(["CANARY", "b"]))})
    with pytest.warns(shoal.TypeChangeWarning) as caught:
        shoal.anonymize(frame, k=8, method="kaim")
    assert "CANARY" not in str(caught[0].message)


def test_order_of_columns_and_caller_are_as_before():
    """Columns come back in their order, whatever their roles, and the caller's data unchanged."""
    frame = pd.DataFrame(DATA)
    before = pd.util.hash_pandas_object(frame).tolist()
    released = shoal.anonymize(
        frame, k=4, method="mdav", quasi_identifiers=["pay", "age"], other=["town", "well"]
    ).data
    assert list(released.columns) == list(DATA)
    assert released.dtypes.tolist() == frame.dtypes.tolist()
    assert pd.util.hash_pandas_object(frame).tolist() == before


def test_command_line_says_it_in_a_note(tmp_path):
    """The command line has a note and no Python warning."""
    pd.DataFrame(DATA).to_csv(tmp_path / "t.csv", index=False)
    words = ["anonymize", str(tmp_path / "t.csv"), "-k", "4", "--method", "kaim", "-o"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ran = CliRunner().invoke(app, [*words, str(tmp_path / "out.csv")])
    assert not ran.exit_code
    assert "are generalized" in ran.output.replace("\n", " ")


def test_missing_cells_of_nullable_types():
    """Nullable types hold the missing cells of groups and stay what they are."""
    for dtype in ("Int64", "Float64", "int64[pyarrow]"):
        ages = pd.Series([None, 31, 50, 52, 30, 33, 51, 53], dtype=dtype)
        frame = pd.DataFrame({"age": ages, "pay": np.arange(8.0)})
        released = shoal.anonymize(frame, k=4, method="mdav").data
        assert released["age"].dtype == ages.dtype
