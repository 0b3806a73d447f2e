"""Steps before grouping: each does what its twin does, and refuses what it cannot."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import stepping
from shoal import steps
from shoal.errors import RequestError
from shoal.table.roles import Kind
from shoal.table.steps.sequence import applied
from shoal.table.steps.step import Context


def after(step, columns, k=3, **context):
    """Return the columns after a step, as Python values."""
    table = step.apply(shoal.read(columns), Context(k, **context))
    return {column.name: column.values.to_pylist() for column in table.columns}


@given(st.lists(st.integers(-5_000, 5_000), min_size=1), st.integers(-3, 0))
def test_round(values, digits):
    """Whole numbers go to the nearest multiple, halves to the even one."""
    made = after(steps.Round("x", digits=digits), {"x": values})["x"]
    assert made == [stepping.half_even(value, 10**-digits) for value in values]


def test_round_of_decimals_and_floats(tmp_path):
    """Decimals keep as many digits as are asked for, floats are near them."""
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1.25,3\n2.35,4\n,5\n")
    made = steps.Round("x", digits=1).apply(shoal.read(path), Context(2))["x"]
    assert made.values.to_pylist() == [Decimal("1.2"), Decimal("2.4"), None]
    floats = after(steps.Round("x", to=0.25), {"x": [0.3, 0.9]})["x"]
    assert floats == [0.25, 1.0]


@given(st.lists(st.integers(0, 200), min_size=8, max_size=60), st.integers(0, 200))
def test_top_at_a_value(values, at):
    """Values above the threshold become their mean if k people are there; else that is refused."""
    step = steps.Top("x", at=at)
    beyond = sum(value > at for value in values)
    if 0 < beyond < 3:
        with pytest.raises(RequestError, match="fewer than k = 3"):
            after(step, {"x": values})
    else:
        assert after(step, {"x": values})["x"] == stepping.top_mean(values, at)


@given(st.lists(st.integers(0, 10**6), min_size=60, max_size=90), st.sampled_from([0.05, 0.2, 0.4]))
def test_the_threshold_of_a_share(values, share):
    """It is the order statistic, rounded down to a step as wide as the values k places around."""
    step = steps.Top("x", share=share, becomes="limit")
    limit = stepping.top_limit(values, share, 3)
    assert after(step, {"x": values})["x"] == [min(value, round(limit)) for value in values]
    low = steps.Bottom("x", share=share, becomes="limit")
    mirrored = after(low, {"x": [-value for value in values]})["x"]
    assert mirrored == [max(-value, -round(limit)) for value in values]


def test_the_threshold_of_a_share_hides_k_people():
    """Without any k of the records the threshold moves by one step of its rounding at most."""
    rng = np.random.default_rng(1)
    values = rng.lognormal(10, 1, 400).astype(int).tolist()
    limit = float(stepping.top_limit(values, 0.1, 5))
    for _ in range(50):
        left = rng.permutation(values)[5:].tolist()
        other = float(stepping.top_limit(left, 0.1, 5))
        assert abs(other - limit) <= 2_000


def test_people_are_counted_beyond_the_threshold():
    """Where records are of people, at least k people must lie beyond, not k records."""
    columns = {"x": [1, 2, 3, 9, 9, 9], "who": ["a", "b", "c", "d", "d", "d"]}
    assert after(steps.Top("x", at=5), columns)["x"][3:] == [9, 9, 9]
    with pytest.raises(RequestError, match="fewer than k = 3 people"):
        after(steps.Top("x", at=5), columns, person="who")


def test_a_label_makes_texts():
    """Values beyond become the label, others the texts that they are written as."""
    made = steps.Top("x", at=90, label="90 or more").apply(
        shoal.read({"x": [12, 95, None, 91]}), Context(5)
    )["x"]
    assert made.kind is Kind.TEXT
    assert made.values.to_pylist() == ["12", "90 or more", None, "90 or more"]


def test_dates_are_coded_at_a_date():
    """The threshold of dates is a date."""
    days = [date(1920, 5, 1), date(1950, 1, 1), date(1961, 2, 3)]
    made = after(steps.Bottom("born", at="1940-01-01", becomes="limit"), {"born": days})["born"]
    assert made == [date(1940, 1, 1), *days[1:]]
    with pytest.raises(RequestError, match="must be a date"):
        after(steps.Bottom("born", at="soon"), {"born": days})


@given(st.lists(st.dates(date(1900, 1, 1), date(2030, 12, 31)), min_size=1, max_size=30))
def test_dates(days):
    """Dates go to the first day of their period, birth dates to completed years."""
    for period in ("month", "quarter", "year", "decade"):
        made = after(steps.Coarsen("d", period), {"d": days})["d"]
        assert made == [stepping.first_day(day, period) for day in days]
    at = date(2031, 2, 28)
    made = after(steps.Derive("age", "d", at), {"d": days, "x": [1] * len(days)})
    assert list(made) == ["age", "x"]
    assert made["age"] == [stepping.age_at(day, at) for day in days]


def test_a_leap_day():
    """Who is born on February 29 is a year older on March 1 of a year without it."""
    born = {"d": [date(2004, 2, 29)]}
    assert after(steps.Derive("age", "d", "2023-02-28"), born)["age"] == [18]
    assert after(steps.Derive("age", "d", "2023-03-01"), born)["age"] == [19]
    assert after(steps.Derive("y", "d", what="year", keep=True), born) == {**born, "y": [2004]}
    with pytest.raises(RequestError, match="1 cells lie after"):
        after(steps.Derive("age", "d", "2000-01-01"), born)


@given(st.lists(st.sampled_from([*"aabbbbbcde", "other", None]), min_size=1, max_size=40))
def test_rare_categories(values):
    """Rare categories are merged, and no fewer records than k are."""
    if all(value is None for value in values):
        return
    made = after(steps.Rare("x"), {"x": values, "y": list(range(len(values)))})["x"]
    assert made == stepping.merged(values, 3, "other")


def test_recoding():
    """Listed values become others; those that are not are refused, kept or missing."""
    columns = {"x": ["a", "b", "c", None]}
    values = {"a": "A", "b": "A"}
    assert after(steps.Recode("x", {**values, "c": "C"}), columns)["x"] == ["A", "A", "C", None]
    assert after(steps.Recode("x", values, "keep"), columns)["x"] == ["A", "A", "c", None]
    assert after(steps.Recode("x", values, "missing"), columns)["x"] == ["A", "A", None, None]
    with pytest.raises(RequestError, match="1 of its values, in 1 records, are not listed"):
        after(steps.Recode("x", values), columns)
    assert after(steps.Recode("x", {"1": "one"}, "keep"), {"x": [1, 2]})["x"] == ["one", "2"]


def test_levels_and_prefixes(tmp_path):
    """A level is what a hierarchy has there, by a rule or a file; a prefix keeps first signs."""
    codes = {"zip": ["10115", "10117", "80331", None]}
    assert after(steps.Prefix("zip", 3), codes)["zip"] == ["101", "101", "803", None]
    made = after(steps.Level("zip", "prefixes:3,1", 2), codes)["zip"]
    assert made == ["1****", "1****", "8****", None]
    (tmp_path / "zip.csv").write_text("10115;Berlin;*\n10117;Berlin;*\n80331;Munich;*\n")
    made = after(steps.Level("zip", "zip.csv"), codes, folder=tmp_path)["zip"]
    assert made == ["Berlin", "Berlin", "Munich", None]
    with pytest.raises(RequestError, match="levels up to 2"):
        after(steps.Level("zip", "zip.csv", 3), codes, folder=tmp_path)
    with pytest.raises(RequestError, match="lose leading zeros"):
        after(steps.Prefix("x", 1), {"x": [1, 2]})


def test_columns_are_left_out():
    """A dropped column is gone; all of them cannot be."""
    assert after(steps.Drop("x"), {"x": [1], "y": [2]}) == {"y": [2]}
    with pytest.raises(RequestError, match="leaves no column"):
        after(steps.Drop(["x"]), {"x": [1]})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: steps.Round("x"), "say digits"),
        (lambda: steps.Round("x", digits=1, to=2), "say digits"),
        (lambda: steps.Round("x", digits="a"), "whole number"),
        (lambda: steps.Top("x"), "at which value, or for which share"),
        (lambda: steps.Top("x", share="60%"), "between 0 and 0.5"),
        (lambda: steps.Top("x", 1, becomes="limit", label="y"), "not both"),
        (lambda: steps.Coarsen("x", "week"), "month, quarter, year or decade"),
        (lambda: steps.Derive("age", "d"), "at which date"),
        (lambda: steps.Derive("d", "d", "2020-01-01"), "name of its own"),
        (lambda: steps.Rare("x", 1), "at least 2"),
        (lambda: steps.Level("x", "flat", 0), "at least 1"),
        (lambda: steps.Noise("x", 0), "above 0"),
        (lambda: steps.Noise("x", how="correlated"), "at least two columns"),
        (lambda: steps.Drop([]), "names of columns"),
        (lambda: steps.Drop(["x", "x"]), "twice"),
        (lambda: steps.Recode("x", {}), "must be a table"),
        (lambda: steps.Pram("x", 1), "below 1"),
        (lambda: steps.RankSwap("x", 0), "above 0"),
        (lambda: steps.RecordSwap("x", match="x"), "swapped and to match"),
    ],
)
def test_steps_check_themselves(make, said):
    """A step that cannot be is refused in one line when it is made."""
    with pytest.raises(RequestError, match=said) as caught:
        make()
    assert "\n" not in str(caught.value)


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), min_size=20, max_size=40))
def test_steps_of_different_columns_commute(rows):
    """Steps that look at one column each give the same in any order."""
    table = shoal.read({"x": [x for x, _ in rows], "y": [y for _, y in rows]})
    one, other = steps.Top("x", share="20%", becomes="limit"), steps.Round("y", digits=-1)
    both = [applied(order, table, Context(3)) for order in ([one, other], [other, one])]
    assert both[0]["x"].values.equals(both[1]["x"].values)
    assert both[0]["y"].values.equals(both[1]["y"].values)


def test_the_table_is_not_changed():
    """Steps make new tables; the given one keeps its cells."""
    table = shoal.read({"x": [1, 22, 33], "t": ["a", "b", "b"]})
    before = [column.values.to_pylist() for column in table.columns]
    applied([steps.Round("x", digits=-1), steps.Rare("t"), steps.Drop("x")], table, Context(2))
    assert [column.values.to_pylist() for column in table.columns] == before
