"""How statistics files hold released columns."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.release.statistics import held
from shoal.release.write import release_bytes
from shoal.table.files.variable import Variable
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

LEVELS = ((1, "low"), (2, "middle"), (3, "high"), (9, "refused"))
EDU = Variable("SPSS", "Education", LEVELS, coded=True, measure="ordinal", missing=((9, 9),))


def text(values, variable=None, protected=True):
    return Column("edu", Kind.TEXT, pa.array(values), variable=variable, protected=protected)


def test_what_a_release_made_gets_codes_after_the_largest():
    """Ranges and * are labelled codes after 9; of other values only those that are there."""
    made = held(text(["[low,middle]", "high", "*", None, "high"], EDU), "sav")
    assert made.values.to_pylist() == [11, 3, 10, None, 3]
    assert dict(made.labels) == {3: "high", 9: "refused", 10: "*", 11: "[low,middle]"}
    assert made.words == (
        "codes with value labels; 2 that the release made follow the largest code"
    )
    assert made.missing == ((9, 9),)
    assert made.label == "Education"


def test_a_kept_column_keeps_its_codebook():
    """Labels that no record has stay with a column whose values are as they were."""
    made = held(text(["high", "low"], EDU, protected=False), "dta")
    assert made.values.to_pylist() == [3, 1]
    assert tuple(made.labels.items()) == LEVELS
    assert made.words == "codes with value labels"


def test_codes_that_are_texts():
    """What a release made of text codes stands for itself; one spelled as a code is refused."""
    variable = Variable("SPSS", labels=(("A", "Alpha"), ("B", "Beta")), coded=True)
    made = held(text(["Alpha", "*", "Beta"], variable), "sav")
    assert made.values.to_pylist() == ["A", "*", "B"]
    assert dict(made.labels) == {"A": "Alpha", "B": "Beta", "*": "*"}
    with pytest.raises(shoal.RequestError, match="spelled as one of its codes"):
        held(text(["Alpha", "B"], variable), "sav")


def test_strings():
    """Intervals of a number are strings, and so are labels where a format has none."""
    number = Variable("SPSS", missing=((99, 99),))
    made = held(text(["[20,30]", "*", None], number), "sav")
    assert (made.words, made.missing) == ("strings", ())
    assert made.values.to_pylist() == ["[20,30]", "*", None]
    made = held(text(["low", "*"], EDU), "xpt")
    assert made.words == "strings: the labels of its codes"
    assert made.values.to_pylist() == ["low", "*"]


def number(values, variable=None, kind=Kind.INTEGER, protected=True):
    array = pa.array(values)
    return Column("n", kind, array, variable=variable, protected=protected)


def test_numbers_with_labels_of_some():
    """Labels of missing codes stay; a definition that released values fall under does not."""
    variable = Variable("SPSS", labels=((0, "none"), (99, "refused")), missing=((99, 99),))
    made = held(number([20, 30, None], variable), "sav")
    assert (dict(made.labels), made.missing) == ({99: "refused"}, ((99, 99),))
    made = held(number([20, 99], variable), "sav")
    assert made.missing == ()
    assert "without its missing definitions" in made.words
    made = held(number([0, 99], variable), "sav")
    assert dict(made.labels) == {}
    assert "without value labels" in made.words


def test_numbers_with_labels_that_are_no_categories():
    """Where two codes have one label, nobody takes numbers for categories, and labels stay."""
    variable = Variable("Stata", labels=((1, "wolof"), (2, "diola"), (3, "wolof")))
    made = held(number([1, 2, 3], variable, protected=False), "dta")
    assert (tuple(made.labels.items()), made.words) == (variable.labels, "numbers")
    made = held(number([1, 2, 2], variable), "dta")  # of a group's values, two are left
    assert dict(made.labels) == {}


@pytest.mark.parametrize(
    ("column", "kind", "message"),
    [
        (text(["a "]), "sav", "end in spaces"),
        (text(["a\0b"]), "dta", "NUL"),
        (text(["x" * 40_000]), "sav", "longer than 32,767 bytes"),
        (text(["x" * 200], EDU), "sav", "more than 120 bytes"),
        (number([2**60]), "dta", "more digits"),
        (number([1e300], kind=Kind.FLOAT), "xpt", "so large or small"),
        (number([1e-300], kind=Kind.FLOAT), "xpt", "so large or small"),
        (number([float("inf")], kind=Kind.FLOAT), "sav", "infinite"),
        (number([Decimal("12345678901234.5678")], kind=Kind.DECIMAL), "sav", "more digits"),
        (number([datetime(2020, 1, 1, 0, 0, 0, 1)], kind=Kind.DATETIME), "sav", "millisecond"),
        (number([[1]], kind=Kind.UNKNOWN), "dta", "no type"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_by_name(column, kind, message):
    """Nothing is cut, rounded or changed: the column is named, with what to do."""
    with pytest.raises(shoal.RequestError, match=message) as raised:
        held(column, kind)
    assert re.search("write (csv or )?Parquet", str(raised.value))


def table_of(*names):
    columns = tuple(Column(name, Kind.INTEGER, pa.array([1, 2])) for name in names)
    return Table(columns, Source("t", "array"))


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("a b",), "sav"), (("all",), "zsav"), (("x" * 65,), "sav"), (("age", "AGE"), "sav"),
        (("a-b",), "dta"), (("x" * 33,), "dta"), (("2020",), "dta"), (("größe",), "xpt"),
        (("age", "AGE"), "xpt"),
    ],
)  # fmt: skip
def test_names_are_refused_and_never_changed(names, kind):
    """A name that a format does not take is named, with the rule."""
    with pytest.raises(shoal.RequestError, match="rename"):
        release_bytes(table_of(*names), np.arange(2), kind)


def test_sheets_have_limits():
    """More rows than a sheet has, old dates, long numbers and blank records are refused."""
    many = Table(
        (Column("n", Kind.INTEGER, pa.nulls(1_048_576, pa.int64())),), Source("t", "array")
    )
    with pytest.raises(shoal.RequestError, match="1,048,576 rows"):
        release_bytes(many, np.arange(3), "xlsx")
    for column, message in (
        (number([10**15]), "15 digits"),
        (number([datetime(1890, 1, 1)], kind=Kind.DATETIME), "before 1900"),
        (text(["x" * 40_000]), "longer than 32,767"),
        (text([None, ""]), "no value at all"),
    ):
        with pytest.raises(shoal.RequestError, match=message):
            release_bytes(Table((column,), Source("t", "array")), np.arange(1), "xlsx")
