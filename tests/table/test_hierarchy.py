"""Hierarchies: every rule value by value, every kind of file, and the released node of a group."""

from __future__ import annotations

import csv
import io
import random
from datetime import date, datetime
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import mixed
from shoal.judge.values import read_tree
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import examples


def of(values, rule=None):
    """The hierarchy of a column of a dataframe."""
    return shoal.hierarchy(pa.table({"a": values}), "a", rule)


def above(values, rule):
    """What a rule puts above every value: its path without itself and without the root."""
    paths = of(values, rule).paths
    assert all(path[-1] == "*" for path in paths)
    return {path[0]: list(path[1:-1]) for path in paths}


@pytest.fixture
def csv_of(write):
    """The hierarchy of a column of a csv file, which alone has decimals as they are written."""

    def read(cells, rule=None, **declared):
        path = write("data.csv", "a\n" + "".join(f"{cell}\n" for cell in cells))
        return shoal.hierarchy(shoal.read(path, **declared), "a", rule)

    return read


def released(values, rule, k, method="kaim", **more):
    """The released cells of a dataframe's one column."""
    table = pa.table({"a": values, "b": [0] * len(values)})
    found = shoal.anonymize(
        table, k=k, quasi_identifiers=["a", "b"], method=method, hierarchies={"a": rule}, **more
    )
    return found.data["a"].to_pylist()


# --- rules for numbers


@pytest.mark.parametrize(
    ("rule", "value", "labels"),
    [
        ("widths:5,10,20", 37, ["[35,40)", "[30,40)", "[20,40)"]),
        ("widths:5,10,20", 35, ["[35,40)", "[30,40)", "[20,40)"]),
        ("widths:5,10,20", 40, ["[40,45)", "[40,50)", "[40,60)"]),
        ("widths:5,10,20", 0, ["[0,5)", "[0,10)", "[0,20)"]),
        ("widths:5,10,20", -1, ["[-5,0)", "[-10,0)", "[-20,0)"]),
        ("widths:5,10,20", -5, ["[-5,0)", "[-10,0)", "[-20,0)"]),
        ("widths:5,10,20", -6, ["[-10,-5)", "[-10,0)", "[-20,0)"]),
        ("widths:5,10,20", -20, ["[-20,-15)", "[-20,-10)", "[-20,0)"]),
        ("widths:10@5", 4, ["[-5,5)"]),
        ("widths:10@5", 5, ["[5,15)"]),
        ("widths:10@-3", -4, ["[-13,-3)"]),
        ("widths:10@0.5", 0, ["[-9.5,0.5)"]),
        ("widths:1", 7, ["[7,8)"]),
        ("widths:0.5", 7, ["[7,7.5)"]),
        ("widths:2.5,5", 7, ["[5,7.5)", "[5,10)"]),
        ("widths: 5 , 10 ", 7, ["[5,10)", "[0,10)"]),
        ("widths:1000000000000000000000", 7, ["[0,1000000000000000000000)"]),
        ("cuts:18,30,65/30", 17, ["<18", "<30"]),
        ("cuts:18,30,65/30", 18, ["[18,30)", "<30"]),
        ("cuts:18,30,65/30", 29, ["[18,30)", "<30"]),
        ("cuts:18,30,65/30", 30, ["[30,65)", ">=30"]),
        ("cuts:18,30,65/30", 64, ["[30,65)", ">=30"]),
        ("cuts:18,30,65/30", 65, [">=65", ">=30"]),
        ("cuts:18,30,65/30", -7, ["<18", "<30"]),
        ("cuts:18,30,45,65/30,65/65", 44, ["[30,45)", "[30,65)", "<65"]),
        ("cuts:5", 5, [">=5"]),
        ("cuts:5", 4, ["<5"]),
        ("cuts:-5,5", -5, ["[-5,5)"]),
        ("cuts:-5,5", -6, ["<-5"]),
        ("cuts:0.5", 0, ["<0.5"]),
    ],
)
def test_intervals(rule, value, labels):
    """A whole number lies in the half-open interval that begins at or below it."""
    assert above([value, value], rule) == {str(value): labels}


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("widths:0.5", {"-0.5": "[-0.5,0)", "-0.1": "[-0.5,0)", "0.0": "[0,0.5)", "0.1": "[0,0.5)",
                        "0.4": "[0,0.5)", "0.5": "[0.5,1)", "1.0": "[1,1.5)"}),
        ("widths:0.1", {"-0.3": "[-0.3,-0.2)", "0.1": "[0.1,0.2)", "0.3": "[0.3,0.4)",
                        "0.6": "[0.6,0.7)", "0.7": "[0.7,0.8)"}),
        ("cuts:0.1,0.3", {"0.0": "<0.1", "0.1": "[0.1,0.3)", "0.2": "[0.1,0.3)", "0.3": ">=0.3"}),
        ("widths:0.1@0.05", {"0.1": "[0.05,0.15)", "0.2": "[0.15,0.25)"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("source", ["csv", "dataframe"])
def test_intervals_of_decimals(csv_of, source, rule, labels):
    """0.3 lies at the boundary 0.3, whether it comes as text or as a floating-point number."""
    if source == "csv":
        paths = csv_of(labels, rule).paths
    else:
        paths = of([float(text) for text in labels], rule).paths
    found = {path[0]: path[1] for path in paths}
    assert found == labels


def test_boundaries_of_floats_are_released():
    """A group of floating-point numbers at a boundary is released by an interval that holds it."""
    assert released([0.3, 0.35, 0.9, 0.95], "widths:0.1", 2) == ["[0.3,0.4)"] * 2 + ["[0.9,1)"] * 2
    assert released([0.1, 0.2, 0.3, 0.4], "cuts:0.3", 2) == ["<0.3"] * 2 + [">=0.3"] * 2
    assert released([0.05, 0.06, 0.1, 0.15], "quantiles:2", 2) == ["<0.1"] * 2 + [">=0.1"] * 2


def test_intervals_of_long_numbers(csv_of):
    """Numbers of 31 digits keep all of them in their interval."""
    long = "123456789012345678901234567890"
    (path,) = csv_of([f"{long}.7", f"{long}.7"], "widths:0.5").paths
    assert path == (f"{long}.7", f"[{long}.5,{long[:-1]}1)", "*")


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("widths:7", ["[2026-01-01,2026-01-08)"]),
        ("widths:7@2025-12-29", ["[2025-12-29,2026-01-05)"]),
        ("widths:1,365", ["[2026-01-01,2026-01-02)", "[2025-12-18,2026-12-18)"]),
        ("cuts:2026-01-01", [">=2026-01-01"]),
        ("cuts:2025-07-01,2026-01-02/2026-01-02", ["[2025-07-01,2026-01-02)", "<2026-01-02"]),
        ("cuts:2026-01-02,2027-01-01", ["<2026-01-02"]),
    ],
)
def test_intervals_of_dates(rule, labels):
    """Widths of dates are days, counted from 1970-01-01 or from the date that is said."""
    assert above([date(2026, 1, 1)] * 2, rule) == {"2026-01-01": labels}


def test_intervals_of_times():
    """Widths of times are days and parts of them."""
    noon = datetime(2026, 1, 1, 12)
    paths = of([noon, noon], "widths:0.5,1").paths
    assert paths[0][1:] == (
        "[2026-01-01T12:00:00,2026-01-02T00:00:00)",
        "[2026-01-01T00:00:00,2026-01-02T00:00:00)",
        "*",
    )
    assert of([noon, noon], "cuts:2026-01-01T12:00:00").paths[0][1] == ">=2026-01-01T12:00:00"


@pytest.mark.parametrize("rule", ["widths:0.5", "widths:1.5", "widths:1/3"])
def test_a_part_of_a_day_is_no_width_of_dates(rule):
    """Dates have no parts: a width that is no whole number of days is refused."""
    with pytest.raises(shoal.ShoalError):
        of([date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 3)], rule)


@pytest.mark.parametrize("rule", ["widths:10", "widths:100000", "widths:10000000", "quantiles:2"])
@pytest.mark.parametrize("days", [(date(9999, 12, 30), date.max), (date.min, date(1, 1, 2))])
def test_ends_of_the_calendar(days, rule):
    """Intervals beyond the first or last day of the calendar are told in words, or made."""
    try:
        paths = of(days, rule).paths
    except shoal.ShoalError:
        return
    assert all(path[-1] == "*" for path in paths)


@pytest.mark.parametrize(
    "rule",
    ["widths:", "widths:x", "widths:0", "widths:-5", "widths:5,7", "widths:5,5", "widths:10,5",
     "widths:inf", "widths:nan", "widths:1/0", "widths:5,", "widths:5@x", "widths:5@1@2",
     "cuts:", "cuts:x", "cuts:5,5", "cuts:6,5", "cuts:5/6", "cuts:5,6/", "cuts:/5", "cuts:5,",
     "cuts:nan", "cuts:1,2/1,3", "quantiles:", "quantiles:0", "quantiles:1", "quantiles:-4",
     "quantiles:2.5", "quantiles:20,6", "quantiles:5,20", "quantiles:4,4", "quantiles:x",
     "prefixes:0", "prefixes:2,3", "prefixes:2,2", "prefixes:x", "prefixes:-1", "prefixes:1.5",
     "dates:week", "dates:year,month", "dates:month,month", "dates", "flat:3", "balanced:2",
     "Widths:5", "widths 5", "", " ", "nowhere.csv", "x" * 300, "x\0y", "."],
)  # fmt: skip
def test_rules_that_are_none(rule):
    """What is said wrongly of a hierarchy is an error in one line of words."""
    with pytest.raises((shoal.RequestError, shoal.InputError)) as caught:
        of([1, 2], rule)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rule", ["widths:5", "cuts:5", "quantiles:2", "balanced"])
@pytest.mark.parametrize("values", [["x", "y"], [True, False]])
def test_rules_of_numbers_for_others(rule, values):
    """Texts and booleans have no intervals; the message says which column and what it is."""
    with pytest.raises(shoal.RequestError, match="column 'a' is"):
        of(values, rule)


@pytest.mark.parametrize("values", [["2026-01-01"], [20260101], [True]])
def test_dates_are_for_dates(values):
    """The calendar needs dates, not texts that look like them."""
    with pytest.raises(shoal.RequestError, match="for dates"):
        of(values, "dates")


def test_quantiles_of_equal_sizes():
    """Twenty intervals of a hundred distinct numbers hold five each, and five hold twenty each."""
    values = list(range(1000, 1100))
    random.Random(0).shuffle(values)
    paths = of(values, "quantiles:20,5").paths
    for level, size in ((1, 5), (2, 20)):
        labels = [path[level] for path in paths]
        assert sorted(labels.count(label) for label in set(labels)) == [size] * (100 // size)
    assert [path[2] for path in paths if path[0] in ("1019", "1020", "1099")] == [
        "<1020", "[1020,1040)", ">=1080",
    ]  # fmt: skip


def inside(label, number):
    """Whether an interval, written as rules write them, holds a number."""
    if label == "*":
        return True
    if label[0] == "<":
        return number < int(label[1:])
    if label[:2] == ">=":
        return number >= int(label[2:])
    low, high = label[1:-1].split(",")
    return int(low) <= number and (number < int(high) or (label[-1] == "]" and number == int(high)))


@given(
    st.lists(st.integers(-40, 40), min_size=1, max_size=60),
    st.sampled_from([(2,), (3,), (4, 2), (12, 4, 2), (20, 5), (100, 10, 2)]),
)
def test_quantiles_are_nested_and_even(values, counts):
    """Levels nest, equal numbers stay together, and distinct numbers spread evenly."""
    paths = of(values, f"quantiles:{','.join(map(str, counts))}").paths
    assert [int(path[0]) for path in paths] == sorted(set(values))
    for path in paths:
        assert len(path) == len(counts) + 2
        assert all(inside(label, int(path[0])) for label in path[1:])
    for level in range(1, len(counts) + 1):
        for label in {path[level] for path in paths}:
            assert len({path[level + 1] for path in paths if path[level] == label}) == 1
        labels = [path[level] for path in paths]
        blocks = [labels.count(label) for label in dict.fromkeys(labels)]
        assert len(blocks) <= counts[level - 1]
        if len(set(values)) == len(values) and len(values) >= counts[level - 1]:
            assert len(blocks) == counts[level - 1]
            assert max(blocks) - min(blocks) <= 1


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=60), st.booleans())
def test_balanced_halves(values, said):
    """Balanced intervals are closed, nested, and bounded by values that they hold.

    Records are coded by the tree of these paths.
    """
    found = of(values, "balanced" if said else None)
    paths = found.paths
    [coded] = code(read(pa.table({"a": values})), {"a": "balanced"} if said else {}).columns
    assert coded.tree.labels == found.tree.labels
    for part in ("parents", "ends", "is_value"):
        assert getattr(coded.tree, part).tolist() == getattr(found.tree, part).tolist()
    assert [coded.tree.labels[node] for node in coded.codes] == list(map(str, values))
    ordered = sorted(set(values))
    assert [int(path[0]) for path in paths] == ordered
    for path in paths:
        blocks = []
        for label in path[:-1]:
            low, _, high = label.strip("[]").partition(",")
            blocks.append({n for n in ordered if int(low) <= n <= int(high or low)})
            assert int(low) in blocks[-1]
            assert int(high or low) in blocks[-1]
        assert all(a <= b for a, b in pairwise(blocks))
        assert path[-1] == "*"


# --- rules for texts and dates


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("prefixes", {"1234": ["123*", "12**", "1***"], "1299": ["129*", "12**", "1***"]}),
        ("prefixes:3,2", {"1234": ["123*", "12**"], "9": ["9", "9"]}),
        ("prefixes:9", {"1234": ["1234"]}),
        ("prefixes", {"a": ["a", "a"], "ab": ["ab", "a*"], "abc": ["ab*", "a**"]}),
        ("prefixes:2", {"a": ["a"], "ab": ["ab"], "abc": ["ab*"], "abcd": ["ab**"]}),
        ("prefixes:1", {"a*": ["a*"], "ab": ["a*"], "*b": ["**"], "**": ["**"]}),
        ("prefixes:2", {"": [""], "xyz": ["xy*"]}),
        ("prefixes:2,1", {"é€z": ["é€*", "é**"], "日本語": ["日本*", "日**"]}),
        ("prefixes:1", {" a": [" *"], "a ": ["a*"]}),
        ("prefixes:2", {"a\nb": ["a\n*"], "a;b": ["a;*"]}),
        ("flat", {"": [], "x": [], "X": [], "x ": []}),
    ],
)
def test_texts(rule, labels):
    """A text keeps its first signs, and as many stars as it has signs more."""
    assert above(list(labels), rule) == labels


def test_prefixes_of_numbers():
    """Whole numbers are masked as they are written."""
    assert above([1234, -12], "prefixes:2") == {"-12": ["-1*"], "1234": ["12**"]}


def test_a_star_is_the_root():
    """A text that is a star itself cannot be told from the root, and is released as it."""
    assert of(["*", "x"]).paths == (("*", "*"), ("x", "*"))
    assert released(["*", "*", "x", "x"], "flat", 2) == ["*", "*", "x", "x"]


def test_masks_of_values_with_stars():
    """A value that looks like a mask is released only where it covers all of its group."""
    cells = ["12*", "123", "12*", "124", "9zz", "9zz"]
    found = released(cells, "prefixes", 2)
    for cell, text in zip(found, cells, strict=True):
        assert cell == "*" or (len(cell) == 3 and text.startswith(cell.rstrip("*"))), (cell, text)


@pytest.mark.parametrize(
    ("rule", "day", "labels"),
    [
        ("dates", "2026-03-31", ["2026-03-31", "2026-03", "2026-Q1", "2026"]),
        ("dates:month,quarter,year", "2026-03-31", ["2026-03", "2026-Q1", "2026"]),
        ("dates:quarter", "2026-04-01", ["2026-Q2"]),
        ("dates:quarter", "2026-12-31", ["2026-Q4"]),
        ("dates:year", "2024-02-29", ["2024"]),
        ("dates:day,year", "0999-10-01", ["0999-10-01", "0999"]),
        ("dates:month,quarter", "0001-01-01", ["0001-01", "0001-Q1"]),
        ("dates:month", "9999-12-31", ["9999-12"]),
    ],
)
def test_calendar(rule, day, labels):
    """A date lies in its month, that in its quarter, that in its year, all of four digits."""
    assert above([date.fromisoformat(day)] * 2, rule) == {day: labels}


def test_early_dates_are_released():
    """Dates before the year 1000 are released by the calendar as any others."""
    days = [date(999, 1, 1), date(999, 1, 2), date(999, 5, 1), date(999, 5, 2)]
    assert released(days, "dates:month,year", 2) == ["0999-01"] * 2 + ["0999-05"] * 2


def test_calendar_of_times():
    """A time lies in its day; times of one day are released as the day."""
    times = [datetime(2026, 3, 31, 23, 59), datetime(2026, 3, 31), datetime(2026, 4, 1)] * 2
    paths = of(times, "dates").paths
    assert [path[1:] for path in paths] == [
        ("2026-03-31", "2026-03", "2026-Q1", "2026", "*"),
        ("2026-03-31", "2026-03", "2026-Q1", "2026", "*"),
        ("2026-04-01", "2026-04", "2026-Q2", "2026", "*"),
    ]
    assert set(released(times[:2], "dates", 2)) == {"2026-03-31"}


def test_calendar_of_another_zone():
    """A time with a zone lies in the day of UTC, in which it is written too."""
    at = datetime.fromisoformat("2025-12-31T23:30:00+00:00")  # 2026 in Berlin
    values = pa.array([at, at], pa.timestamp("us", tz="Europe/Berlin"))
    assert above(values, "dates:year").popitem()[1] == ["2025"]


def test_defaults():
    """Where no rule is said, numbers and dates are halved, texts and booleans lie flat."""
    assert of([1, 2, 3, 4]).rule == of([date(2026, 1, 1), date(2026, 1, 2)]).rule == "balanced"
    assert of(["x", "y"]).rule == of([True, False]).rule == "flat"
    assert of([True, False]).paths == (("false", "*"), ("true", "*"))


def test_five_thousand_values(tmp_path):
    """A flat tree of five thousand values is made, written, read again and drawn in short."""
    values = [f"v{i:04}" for i in range(5000)]
    found = of(values)
    assert len(found.paths) == len(found.counts) == 5000
    assert found.draw().count("\n") <= 20
    assert "4,988 more" in found.draw()
    file = tmp_path / "h.csv"
    file.write_text(found.to_csv())
    assert shoal.hierarchy(file).paths == found.paths
    assert of(values, str(file)).uncovered == ()
    assert len(of(values, str(file)).tree) == 5001


def test_long_texts_are_drawn():
    """A tree of a thousand and a half levels is drawn without an end of the stack."""
    found = of(["x" * 1500, "y"], f"prefixes:{','.join(map(str, range(1499, 0, -1)))}")
    assert len(found.paths[0]) == 1501
    assert found.draw(3).count("\n") >= 3
    assert found.draw().count("\n") >= 1499


def test_a_line_that_is_there_twice_is_told_of(write):
    """A file may repeat a line; its summary and the notes of a run say which."""
    file = write("a.csv", "x;g;*\ny;g;*\nx;g;*\nx;g;*\n")
    said = "a.csv: line 3 repeats line 1, and 1 more repeat another"
    assert said in shoal.hierarchy(file).summary()
    table = pa.table({"a": ["x", "y"] * 4})
    assert said in shoal.hierarchy(table, "a", str(file)).summary()
    notes = shoal.anonymize(table, k=2, hierarchies={"a": str(file)}).report.notes
    assert said in notes
    assert "repeats" not in shoal.hierarchy(write("b.csv", "x;g;*\ny;g;*\n")).summary()


@pytest.mark.parametrize("text", ["HUGE;g;*\n", "x,g,*\nHUGE,g,*\n", "x;HUGE;*\n"])
def test_a_huge_cell_is_the_reason(write, text):
    """A cell beyond the limit is named as what is wrong, and no hierarchy to the judge."""
    file = write("a.csv", text.replace("HUGE", "h" * 140_000))
    with pytest.raises(shoal.InputError, match=r"line [12]: a cell of more than 131072"):
        shoal.hierarchy(file)
    with pytest.raises(shoal.InputError, match="no hierarchy"):
        read_tree(file, "a")


def test_counts_and_missing_cells():
    """Counts are records by value; a missing cell has none and no path."""
    found = of(["x", None, "y", "x", None], "flat")
    assert found.counts == {"x": 2, "y": 1}
    assert found.paths == (("x", "*"), ("y", "*"))
    with pytest.raises(shoal.InputError, match="every cell is missing"):
        of(pa.array([None, None], pa.string()), "flat")


def test_unknown_column():
    """A column that is not there is named with those that are, be there one or many."""
    for table in (pa.table({"age": [1, 2]}), pa.table({"age": [1, 2], "b": [1, 2]})):
        with pytest.raises(shoal.RequestError, match=r"no column 'agee'.*did you mean 'age'"):
            shoal.hierarchy(table, "agee")
        with pytest.raises(shoal.RequestError, match="no column 'agee'"):
            shoal.hierarchy(table, "agee", "widths:5")


# --- files


GOOD = {
    "semicolons": b"a;g;*\nb;g;*\nc;h;*\n",
    "commas": b"a,g,*\nb,g,*\nc,h,*\n",
    "tabs": b"a\tg\t*\nb\tg\t*\nc\th\t*\n",
    "byte order mark": b"\xef\xbb\xbfa;g;*\nb;g;*\nc;h;*\n",
    "Windows line ends": b"a;g;*\r\nb;g;*\r\nc;h;*\r\n",
    "old line ends": b"a;g;*\rb;g;*\rc;h;*\r",
    "no line end": b"a;g;*\nb;g;*\nc;h;*",
    "trailing blank lines": b"a;g;*\nb;g;*\nc;h;*\n\n\r\n\n",
    "blank lines between": b"a;g;*\n\nb;g;*\n\nc;h;*\n",
    "quotes around all": b'"a";"g";"*"\n"b";"g";"*"\n"c";"h";"*"\n',
    "a line twice": b"a;g;*\nb;g;*\na;g;*\nc;h;*\n",
}


@pytest.mark.parametrize("kind", GOOD)
def test_files(write, kind):
    """Delimiters, marks, line ends, blank lines and quotes change nothing of the tree."""
    found = shoal.hierarchy(write("h.csv", GOOD[kind]))
    assert sorted(set(found.paths)) == [("a", "g", "*"), ("b", "g", "*"), ("c", "h", "*")]
    assert sorted(found.tree.labels) == ["*", "a", "b", "c", "g", "h"]
    assert released(["a", "b", "c", "c"], str(write("h.csv", GOOD[kind])), 2) == [
        "g", "g", "c", "c",
    ]  # fmt: skip


@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_labels_with_delimiters(write, sign):
    """Labels in quotes may hold delimiters, quotes and line breaks, on any line of the file."""
    odd = ["a;b", "a,b", "a\tb", 'a"b', "a\nb", "a\r\nb", " a ", "ä€", "[1,2]"]
    for first in odd:
        labels = [first, *(label for label in odd if label != first)]
        text = io.StringIO()
        writer = csv.writer(text, delimiter=sign, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerows([label, "g;,\t", "*"] for label in labels)
        file = write("h.csv", text.getvalue())
        assert [path[0] for path in shoal.hierarchy(file).paths] == labels
        assert released([*labels, *labels], str(file), len(labels) * 2) == ["g;,\t"] * 2 * len(odd)


@pytest.mark.parametrize("odd", ["a\u2028b", "a\x85b", "a\x0bb", "a\x0cb", "a\x1eb", "\u00a0"])
def test_labels_with_odd_signs(write, odd):
    """Signs that only some take for line breaks are a part of their label, unquoted too."""
    file = write("h.csv", f"{odd};g{odd};*\nb;g{odd};*\n")
    assert shoal.hierarchy(file).paths == ((odd, f"g{odd}", "*"), ("b", f"g{odd}", "*"))
    assert released([odd, "b"], str(file), 2) == [f"g{odd}"] * 2


def test_repeated_labels(write):
    """A label repeated in the next level is one node, and a value may be it."""
    file = write(
        "h.csv",
        "United-States;United-States;North America;*\nCanada;Canada;North America;*\n"
        "Peru;Andes;South America;*\nAndes;Andes;South America;*\n",
    )
    found = shoal.hierarchy(file)
    assert len(found.tree) == 7
    cells = ["United-States", "Canada", "Peru", "Andes"]
    assert released(cells, str(file), 2) == ["North America"] * 2 + ["Andes"] * 2
    assert released(["Andes", "Andes", "Peru", "Peru"], str(file), 2) == [
        "Andes", "Andes", "Peru", "Peru",
    ]  # fmt: skip


def test_any_root_is_a_star(write):
    """The root is released as a star whatever the file calls it."""
    file = write("h.csv", "a;g;Earth\nb;g;Earth\nc;h;Earth\n")
    assert released(["a", "b", "c"], str(file), 3) == ["*"] * 3
    assert released(["a", "b", None], str(file), 3) == ["*"] * 3
    assert released(["a", "b"], str(file), 2) == ["g", "g"]


def test_values_that_the_data_lacks(write):
    """More values in the file than in the data are no error, and are counted."""
    file = write("h.csv", "a;g;*\nb;g;*\nz;g;*\ny;h;*\n")
    found = of(["a", "b", "a"], str(file))
    assert (found.counts, found.uncovered) == ({"a": 2, "b": 1}, ())
    assert "2 of the data's values have a place" in found.summary()
    assert "2 values do not occur in the data" in found.summary()
    assert released(["a", "b"], str(file), 2) == ["g", "g"]


def test_uncovered_values(write):
    """Values of the data without a place are listed, whole and in order."""
    file = write("h.csv", "b;g;*\n")
    found = of(["c", "b", "a", None], str(file))
    assert (found.uncovered, found.counts) == (("a", "c"), {"b": 1})
    assert "2 values have no place: 'a', 'c'" in found.summary()


@pytest.mark.parametrize("written", ["1", "1.0", "+1", "01", "1.", "1e0", " 1", "1.00", "10e-1"])
@pytest.mark.parametrize("kind", ["integer", "float", "decimal"])
def test_numbers_written_differently(write, csv_of, written, kind):
    """1, 1.0 and +1 are one number in file and data, and a group takes its label from the file."""
    file = write("h.csv", f"{written};odd;*\n2;even;*\n3;odd;*\n")
    if kind == "decimal":
        found = csv_of(["1.0", "3.0", "2.0"], str(file))
    else:
        cast = int if kind == "integer" else float
        values = [cast(n) for n in (1, 3, 2, 2)]
        found = of(values, str(file))
        assert [cell.rstrip("0").rstrip(".") for cell in released(values, str(file), 2)] == [
            "odd", "odd", "2", "2",
        ]  # fmt: skip
    assert found.uncovered == ()
    assert len(found.tree) == 6


def test_a_number_is_a_group_too(write):
    """A number that stands for others stays one node, however the data writes it."""
    file = write("h.csv", "1.0;1.0;*\n2;1.0;*\n3;x;*\n4;x;*\n")
    first, second, *rest = released([1, 2, 3, 4], str(file), 2)
    assert first == second in ("1", "1.0")
    assert rest == ["x", "x"]


def test_texts_are_not_numbers(write):
    """In a column of text 1 and 1.0 are two values, of which the file may know one."""
    file = write("h.csv", "1;odd;*\n")
    assert of(["1", "1.0", "01"], str(file)).uncovered == ("01", "1.0")


def test_words_for_a_column_of_numbers(write):
    """A file of words is no hierarchy of numbers: the line is named."""
    file = write("h.csv", "1;odd;*\nmany;odd;*\n")
    with pytest.raises(shoal.InputError, match=r"h\.csv, line 2"):
        of([1, 2], str(file))


@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_files_of_intervals(write, sign):
    """Half-open intervals hold their lower end and not their upper one, in any order of lines."""
    rows = [("[20,30)", "young", "*"), ("[-inf,20)", "young", "*"), ("[30,inf)", "old", "*")]
    text = "".join(sign.join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    file = write("h.csv", text)
    found = of([-5, 19, 20, 29, 30, 10**12], str(file))
    assert {path[0]: path[1:] for path in found.paths} == {
        "-5": ("[-inf,20)", "young", "*"),
        "19": ("[-inf,20)", "young", "*"),
        "20": ("[20,30)", "young", "*"),
        "29": ("[20,30)", "young", "*"),
        "30": ("[30,inf)", "old", "*"),
        "1000000000000": ("[30,inf)", "old", "*"),
    }
    cells = released([-5, 19, 20, 29, 30, 10**12], str(file), 2)
    assert cells == ["[-inf,20)"] * 2 + ["[20,30)"] * 2 + ["[30,inf)"] * 2
    assert released([19, 20, 30, 31], str(file), 2) == ["young"] * 2 + ["[30,inf)"] * 2


def test_files_of_intervals_between_tabs(write):
    """The comma of an interval is no delimiter where tabs stand between the levels."""
    file = write("h.csv", "[0,10)\tlow\t*\n[10,20)\thigh\t*\n")
    assert shoal.hierarchy(file).paths == (("[0,10)", "low", "*"), ("[10,20)", "high", "*"))


def test_files_of_intervals_leave_none_out(write):
    """Numbers outside of all intervals have no place; the upper end is outside."""
    file = write("h.csv", "[0,10);x;*\n[10,20);y;*\n")
    assert of([-1, 0, 9, 10, 19, 20], str(file)).uncovered == ("-1", "20")
    assert of([9.75, 10.0, 19.75], str(file)).paths[0] == ("9.75", "[0,10)", "x", "*")


def test_files_of_intervals_of_dates(write):
    """Intervals of dates hold dates."""
    file = write("h.csv", "[2026-01-01,2026-07-01);first;*\n[2026-07-01,2027-01-01);second;*\n")
    days = [date(2026, 1, 1), date(2026, 6, 30), date(2026, 7, 1), date(2026, 12, 31)]
    cells = released(days, str(file), 2)
    assert cells == ["[2026-01-01,2026-07-01)"] * 2 + ["[2026-07-01,2027-01-01)"] * 2
    assert of([date(2027, 1, 1)], str(file)).uncovered == ("2027-01-01",)


BAD = {
    "ragged": ("a;g;*\nb;*\n", r"h\.csv, line 2: 2 levels, where line 1: 3"),
    "ragged long": ("a;g;*\n\nb;g;h;*\n", r"h\.csv, line 3: 4 levels, where line 1: 3"),
    "two parents":
        ("a;g;*\nb;g;*\na;h;*\n", r"'a' has two parents, 'g' and 'h' \(line 1 and line 3\)"),
    "two parents of a group": ("a;g;x;*\nb;g;y;*\n", r"'g' has two parents, 'x' and 'y'"),
    "cycle": ("a;b;*\nb;a;*\n", r"a cycle: 'b' → 'a' → 'b' \(line 1 and line 2\)"),
    "cycle in a line": ("a;b;a;*\n", r"h\.csv, line 1: 'a' lies above itself"),
    "root below": ("a;*;b;*\n", r"h\.csv, line 1: '\*' lies above itself"),
    "no root": ("a;x\nb;y\n", r"h\.csv, line 2: ends in 'y', line 1: in 'x': no common root"),
    "overlap": ("[0,9);*\n[8,20);*\n", r"'\[0,9\)' \(line 1\) and '\[8,20\)' \(line 2\) overlap"),
    "gap": ("[0,7);*\n[8,20);*\n", r"'\[0,7\)' \(line 1\) and '\[8,20\)' \(line 2\) leave a gap"),
    "same interval": ("[0,7);*\n[0,7.0);*\n", r"'\[0,7\)' .*and '\[0,7\.0\)' .*overlap"),
    "empty label": ("a;;*\n", r"h\.csv, line 1: an empty label"),
    "empty value": ("a;g;*\n;g;*\n", r"h\.csv, line 2: an empty label"),
    "empty root": ("a;g;\n", r"h\.csv, line 1: an empty label"),
    "empty": ("", r"h\.csv, line 1: an empty file"),
    "one column": ("a\nb\n", r"h\.csv, line 1: no ; , or tab"),
    "text after a quote": ('a;g;*\n"b"x;g;*\n', r"h\.csv, line 2"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_files_that_are_no_trees(write, kind):
    """What is no tree is refused with its lines, alone and with data alike."""
    text, message = BAD[kind]
    file = write("h.csv", text)
    with pytest.raises(shoal.InputError, match=message) as caught:
        shoal.hierarchy(file)
    assert "\n" not in str(caught.value)
    with pytest.raises(shoal.InputError, match=message):
        of([1, 2] if "[" in text else ["a", "b"], str(file))


@pytest.mark.parametrize("lines", ["\na;g;*\n", "a;g;*\n   \n"])
def test_lines_without_anything(write, lines):
    """A line of spaces, or a blank one at the top, is skipped or named, never misread."""
    try:
        told = str(shoal.hierarchy(write("h.csv", lines)).paths)
    except shoal.InputError as error:
        told = str(error)
    assert told == "(('a', 'g', '*'),)" or told.startswith("h.csv, line ")
    assert "empty file" not in told  # there is something in it


def test_hierarchy_needs_to_know_what_of():
    """A rule without data, and data without a column, are refused in words."""
    for arguments in (("dates",), (pa.table({"a": [1]}),), ("widths:5",), (None,)):
        with pytest.raises((shoal.RequestError, shoal.InputError)):
            shoal.hierarchy(*arguments)


# --- there and back


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([1, 12, 23, 34], "widths:5,10,20"),
        ([-15, -5, 5], "widths:10,20"),
        ([5, 25], "widths:10"),
        ([5, 25, 1000], "widths:10,100"),
        ([5, 18, 30, 64, 65], "cuts:18,30,65/30"),
        (list(range(40)), "quantiles:20,5"),
        ([3, 1, 4, 1, 5, 9, 2, 6], "balanced"),
        ([0.25, 0.5, 1e20, 1e-9], "balanced"),
        ([0.1, 0.3, 0.7], "widths:0.1,0.5"),
        (["1234", "1299", "2"], "prefixes"),
        (["x", "y", "z"], "flat"),
        ([date(2026, 3, 31), date(2027, 1, 1)], "dates"),
        ([date(2026, 3, 31), date(2027, 1, 1)], "widths:7"),
        ([datetime(2026, 3, 31, 23), datetime(2027, 1, 1)], "dates:day,year"),
        ([True, False], "flat"),
        (["a;b", "a,b", "a\tb", 'a"b', " a ", "'a'", "=1+1"], "flat"),
        (["a", "a\nb"], "flat"),
        (["a\nb", "c"], "flat"),
        (["a\rb", "c"], "flat"),
        (["a\u2028b", "a\x85b", "a\x0bb"], "flat"),
        (["*", "x"], "flat"),
        (["12*", "123", "1"], "prefixes"),
    ],
)
def test_there_and_back(tmp_path, values, rule):
    """What build writes is a tree by check, covers its column, and is the same tree."""
    built = of(values, rule)
    file = tmp_path / "h.csv"
    file.write_bytes(built.to_csv().encode())
    alone, again = shoal.hierarchy(file), of(values, str(file))
    assert again.uncovered == ()
    for found in (alone, again):
        assert found.paths == built.paths
        assert found.tree.labels == built.tree.labels
        assert np.array_equal(found.tree.parents, built.tree.parents)
    assert again.counts == built.counts


@pytest.mark.parametrize("rule", ["flat", "prefixes"])
def test_there_and_back_of_an_empty_text(tmp_path, rule):
    """A column with an empty text is refused by build, or its file is accepted by check."""
    built = of(["", "xy"], rule)
    file = tmp_path / "h.csv"
    try:
        file.write_bytes(built.to_csv().encode())
    except shoal.ShoalError:
        return
    assert shoal.hierarchy(file).paths == built.paths


# --- random trees

# Of each delimiter, the signs that labels may hold without misleading who looks for it.
SIGNS = {";": "ab ;,\t\"'é*<[=1.-", ",": "ab ,\t\"'é*<[=1.-", "\t": "ab \t\"'é*<[=1.-"}


@st.composite
def trees(draw, signs):
    """Paths of one length that form a tree, with labels of odd signs, some repeated upward."""
    depth = draw(st.integers(1, 4))
    words = st.text(st.sampled_from(signs), min_size=1, max_size=4).filter(lambda text: text != "*")
    labels = draw(st.lists(words, min_size=4, max_size=24, unique=True))
    rng = draw(st.randoms(use_true_random=False))
    paths, parents = [["*"]], {"*": None}
    for level in range(depth):
        grown = []
        for path in paths:
            more = rng.randint(2 if level == 0 else 1, 3)
            if rng.random() < 0.2 and path[0] != "*":
                grown.append([path[0], *path])  # the label stands for itself once more
                more -= 1
            for _ in range(more):
                if labels:
                    label = labels.pop()
                    parents[label] = path[0]
                    grown.append([label, *path])
        paths = grown or paths
        if not labels:
            break
    longest = max(map(len, paths))
    paths = [[path[0]] * (longest - len(path)) + path for path in paths]
    known = {label for path in paths for label in path}
    rng.shuffle(paths)
    return paths, {label: parent for label, parent in parents.items() if label in known}


@examples(150)
@given(st.data(), st.sampled_from(list(SIGNS)))
def test_released_node_is_the_lowest(tmp_path_factory, data, sign):
    """Every released label covers its whole group, and no node below it does."""
    paths, parents = data.draw(trees(SIGNS[sign]))
    text = io.StringIO()
    csv.writer(text, delimiter=sign, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(paths)
    folder = tmp_path_factory.getbasetemp()
    file = folder / "random.csv"
    file.write_text(text.getvalue(), newline="")
    leaves = [path[0] for path in paths]
    cells = data.draw(
        st.lists(st.sampled_from([*leaves, None]), min_size=2, max_size=25).filter(any)
    )
    k = data.draw(st.integers(2, min(5, len(cells))))
    method = data.draw(st.sampled_from(["kaim", "kaim-paper", "k-member"]))
    found = shoal.anonymize(
        pa.table({"a": pa.array(cells, pa.string())}),
        k=k, quasi_identifiers=["a"], method=method, hierarchies={"a": str(file)},
    )  # fmt: skip
    labels = found.partition.labels.tolist()
    expected = mixed.generalize([parents], [(cell,) for cell in cells], labels)
    assert found.data["a"].to_pylist() == [cell for (cell,) in expected]
    for group in set(labels):
        members = [cell for cell, of_ in zip(cells, labels, strict=True) if of_ == group]
        assert len(members) >= k
        (label,) = {expected[row][0] for row, of_ in enumerate(labels) if of_ == group}
        assert all(mixed.covers(parents, label, cell) for cell in members)
        lower = [node for node, parent in parents.items() if parent == label]
        assert not any(all(mixed.covers(parents, node, c) for c in members) for node in lower)
