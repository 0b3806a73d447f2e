"""Lists of rows, lists of dicts and dicts of columns: tables that come back as they came."""

from __future__ import annotations

import numpy as np
import pytest

import shoal

AGES, STAYS, WARDS = [34, 36, 35, 61, 63, 62], [2.0, 2.0, None, 9.0, 9.0, 9.0], list("aabbcc")
ROWS = [list(row) for row in zip(AGES, STAYS, WARDS, strict=True)]
FAST = {"method": "mdav"}


def test_rows_come_back_as_rows():
    """Of a list of lists columns are x0, x1, …; lists come back, and the caller's are unchanged."""
    given = [list(row) for row in ROWS]
    result = shoal.anonymize(given, 2, quasi_identifiers=["x0", "x2"], method="mdav")
    assert given == ROWS
    assert [row[1] for row in result.data] == STAYS
    assert all(isinstance(row, list) for row in result.data)
    assert shoal.verify(result.data, 2, quasi_identifiers=["x0", "x2"]).ok
    assert not shoal.verify(given, 2, quasi_identifiers=["x0", "x2"]).ok


def test_tuples_come_back_as_tuples():
    """Rows of a database's cursor, which are tuples, come back as tuples."""
    result = shoal.anonymize(
        [(age, ward) for age, ward in zip(AGES, WARDS, strict=True)], 3, **FAST
    )
    assert result.data == [(35, "*")] * 3 + [(62, "*")] * 3


def test_dicts_come_back_as_dicts():
    """A list of dicts keeps its names; a key that a dict lacks is a missing cell."""
    records = [dict(zip(("age", "stay"), row, strict=False)) for row in ROWS]
    del records[2]["stay"]
    result = shoal.anonymize(records, 3, method="mdav", quasi_identifiers="age")
    assert [record["age"] for record in result.data] == [35] * 3 + [62] * 3
    assert [record["stay"] for record in result.data] == STAYS
    assert shoal.verify(result.data, 3, quasi_identifiers=["age"]).ok


def test_columns_come_back_as_columns():
    """A dict of lists, arrays or ranges comes back as a dict of lists, with a column of groups."""
    result = shoal.anonymize(
        {"a": np.arange(6.0), "b": range(6)}, 3, method="mdav", group_column="class"
    )
    assert result.data["a"] == [1.0] * 3 + [4.0] * 3
    assert result.data["b"] == [1] * 3 + [4] * 3
    assert list(result.data) == ["a", "b", "class"]
    assert sorted(result.shuffled()["b"]) == sorted(result.data["b"])


def test_intervals_are_dicts():
    """A cell that is released as an interval is a dict of its ends, which the judge takes."""
    released = shoal.anonymize({"age": AGES}, 3, numbers="interval", **FAST).data
    assert released["age"] == [{"low": 34, "high": 36}] * 3 + [{"low": 61, "high": 63}] * 3
    rows = [[cell] for cell in released["age"]]
    assert shoal.verify(rows, 3, quasi_identifiers=["x0"]).ok


def test_every_door_takes_them(tmp_path):
    """microaggregate, measure, hierarchy, read and save take lists too."""
    numbers = [[age, 1.0] for age in AGES]
    assert shoal.microaggregate(numbers, 3).labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert shoal.read(numbers).names == ["x0", "x1"]
    assert shoal.hierarchy({"age": AGES}, "age", "widths:10").levels == 3
    result = shoal.anonymize(numbers, 3, method="mdav")
    assert shoal.measure(numbers, result.data, quasi_identifiers=["x0"]).k == 3
    path = result.save(tmp_path / "out", report=False)
    assert shoal.verify(path, 3, quasi_identifiers=["x0", "x1"]).ok


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the list has no rows"),
        ([1, 2], "row 0: every row must be a list"),
        ([[1], [2, 3]], "row 1: 2 cells, and 1 in row 0"),
        ([{"a": 1}, [2]], "row 0: every row must be a list or a tuple, or each a dict"),
        ([["CANARY"], [2]], "column 'x0': cells of several types"),
        ([[2**80], [2]], "column 'x0': cells of several types"),
        ({"a": [1], "b": [1, 2]}, "'a' has 1 cells, 'b' 2"),
        ({1: [1, 2]}, "names must be texts"),
        ({"a": "CANARY"}, "column 'a': the cells must be a list"),
        ({}, "no columns"),
    ],
)
def test_what_is_no_table(data, message):
    """What is no table is refused in one line that says where, and shows no cell."""
    with pytest.raises(shoal.InputError, match=message) as caught:
        shoal.anonymize(data, 2)
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("data", [[[1], [2, 3]], [{"a": {"low": 1}}, {"a": "CANARY"}], [3]])
def test_what_cannot_be_verified(data):
    """The judge refuses lists that are no table, and shows no cell."""
    with pytest.raises(shoal.InputError) as caught:
        shoal.verify(data, 2, quasi_identifiers=["a"])
    assert "CANARY" not in str(caught.value)


def test_a_table_is_no_list_of_rows():
    """A row or slice of a Table is refused in words that say where its records are."""
    table = shoal.anonymize(np.array([AGES, AGES[::-1]], float).T, 2, **FAST).data
    for wrong in (0, slice(2)):
        with pytest.raises(shoal.RequestError, match=r"numpy\.asarray"):
            table[wrong]
    assert np.asarray(table).shape == (6, 2)
