"""What a released cell covers, and which cells of two releases may stand for one value."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from shoal.judge.cells import (
    comparable,
    file_lines,
    is_interval,
    is_single,
    may_cover,
    overlap,
    spelled,
    to_compare,
    uncovered,
)
from shoal.judge.engine import Engine

LINES = {
    "Berlin": {"Berlin", "East", "Germany", "*"},
    "Paris": {"Paris", "France", "*"},
    "5": {"5", "odd", "*"},
    "1.50": {"1.50", "half", "*"},
    "[20,30)": {"[20,30)", "young", "*"},
    "[30,inf)": {"[30,inf)", "old", "*"},
    "2026-03-31": {"2026-03-31", "spring", "*"},
}
WORDS = {word for words in LINES.values() for word in words if word.isalpha()} - set(LINES)


def covers(released, original, lines, order=()):
    """Whether a released text covers an original one."""
    return not uncovered([(released, original)], lines, order)


@pytest.mark.parametrize(
    ("released", "original", "answer"),
    [
        # the root, and the value itself
        ("*", "anything", True), ("*", "", True), ("*", None, True), ("*", "*", True),
        ("x", "x", True), ("x", "y", False), ("x", "X", False), ("x", "x ", False),
        ("", "", True), ("", "x", False), ("x", "", False),
        # a missing cell is covered by the root only
        ("x", None, False), ("", None, False), ("[0,10)", None, False), ("**", None, False),
        ("[-inf,inf)", None, False), (">=0", None, False), ("None", None, False),
        # words of the original's line, and of no other
        ("Germany", "Berlin", True), ("East", "Berlin", True), ("France", "Berlin", False),
        ("Berlin", "Germany", False), ("Berlin", "Paris", False), ("germany", "Berlin", False),
        ("Germany", "Bern", False), ("odd", "5", True), ("odd", "6", False), ("young", "25", True),
        ("young", "20", True), ("young", "30", False), ("old", "30", True), ("old", "29", False),
        ("young", "19.99", False), ("spring", "2026-03-31", True), ("spring", "2026-03-30", False),
        # half-open and closed intervals
        ("[20,30)", "20", True), ("[20,30)", "29.999", True), ("[20,30)", "30", False),
        ("[20,30)", "19", False), ("[20,30]", "30", True), ("[20,30]", "20", True),
        ("[20,30]", "31", False), ("[-10,-5)", "-10", True), ("[-10,-5)", "-5", False),
        ("[-10,-5)", "-7.5", True), ("[0.1,0.2)", "0.1", True), ("[0.1,0.2)", "0.2", False),
        ("[20,30)", "x", False), ("[20,30)", "", False), ("[a,b)", "a", False),
        ("[20;30)", "25", True), ("[30,20)", "25", False), ("[20,20)", "20", False),
        ("[20,20]", "20", True), ("[-inf,5)", "-1e300", True), ("[5,inf)", "1e300", True),
        ("[-∞,∞)", "0", True), ("[5,inf)", "4", False), ("[1e-9,1e20]", "0.1", True),
        ("(20,30)", "25", False), ("[20,30", "25", False), ("20,30)", "25", False),
        # below and from
        ("<18", "17", True), ("<18", "18", False), ("<18", "17.999", True), ("<18", "-5", True),
        (">=65", "65", True), (">=65", "64.9", False), (">=65", "1000", True), ("<18", "x", False),
        ("<-5", "-6", True), ("<-5", "-5", False), (">=-5", "-5", True), (">=0.1", "0.1", True),
        (">65", "66", False), ("<=18", "18", False),
        # masks
        ("12**", "1234", True), ("12**", "12ab", True), ("12**", "1334", False),
        ("12**", "123", False), ("12**", "12345", False), ("1*", "1", False), ("12*", "12*", True),
        ("12*", "123", True), ("123*", "123", False), ("**", "ab", True), ("**", "a", False),
        ("***", "ab", False), ("a*c", "abc", False), ("*b", "ab", False), ("é*", "éa", True),
        # the calendar
        ("2026", "2026-03-31", True), ("2026", "2025-12-31", False),
        ("2026-03", "2026-03-31", True), ("2026-03", "2026-04-01", False),
        ("2026-Q1", "2026-03-31", True),
        ("2026-Q1", "2026-04-01", False), ("2026-Q2", "2026-04-01", True),
        ("2026-Q4", "2026-12-31", True), ("2026-Q1", "2025-01-01", False),
        ("2026-Q0", "2026-01-01", False), ("2026-Q5", "2026-12-01", False),
        ("2026-03-31", "2026-03-31T23:59:59", True), ("2026-03-31", "2026-03-31 10:00", True),
        ("2026-03-31", "2026-04-01T00:00:00", False), ("2026-3", "2026-03-31", False),
        ("2026", "20260331", False), ("202", "2026-03-31", False), ("2026-0", "2026-03-31", False),
        ("2026", "2026", True), ("2026-03", "2026", False), ("2026", "2026.5", False),
        # intervals of dates and times
        ("[2026-01-01,2026-07-01)", "2026-01-01", True),
        ("[2026-01-01,2026-07-01)", "2026-07-01", False),
        ("[2026-01-01,2026-07-01]", "2026-07-01", True),
        ("[2026-01-01,2026-07-01)", "2026-06-30T23:59:59", True),
        ("[2026-01-01T12:00:00,2026-01-02T00:00:00)", "2026-01-01T11:59:59", False),
        ("[2026-01-01T12:00:00,2026-01-02T00:00:00)", "2026-01-01T12:00:00.000001", True),
        ("<2026-01-01", "2025-12-31", True), (">=2026-01-01", "2026-01-01", True),
        # numbers written differently
        ("5", "+5", True), ("5", "5.0", True), ("5.00", "5", True), ("1.5", "1.50", True),
        ("5", "05", True), ("5", " 5 ", True), ("5", "50e-1", True), ("5", "-5", False),
        ("0", "-0", True), ("0.1", "0.10", True), ("0.1", "0.1000000000000000055511151", False),
        ("5", "5x", False), ("half", "1.50", True),
    ],
)  # fmt: skip
def test_truth(released, original, answer):
    """A released text covers what a person would say it covers, and nothing else."""
    assert covers(released, original, LINES) is answer
    assert covers(released, original, {}) is (answer and released not in WORDS)


@pytest.mark.parametrize(
    "odd",
    ["1/0", "0/0", "1/2", "5/0", "-1/0", "nan", "inf", "1_0", "٣", "", " ", "-", "0x1", "1e", "[,)",
     "[1,2", "<", ">=", "2026-13-01", "2026-02-30", "2026-W01-1", "9999999-01-01", "*" * 50],
)  # fmt: skip
def test_odd_texts_are_judged(odd):
    """No text of a column, however odd, stops the judge: it covers itself, and nothing near it."""
    assert covers(odd, odd, {}) is True
    assert covers("*", odd, {odd: {odd, "*"}}) is True
    assert covers("word", odd, {"5": {"5", "word"}}) is False
    assert covers("word", "5", {odd: {odd, "word"}}) is False
    assert covers(odd, "word", {}) is False
    assert uncovered([("word", odd), ("*", odd)], {odd: {odd, "x"}}) == [("word", odd)]


def test_texts_like_huge_numbers():
    """A code such as 12E34567890 is a text: no power of ten of that size is worked out."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "from shoal.judge.cells import uncovered\n"
        "pairs = ('x', '12E34567890'), ('[0,5)', '1e-99999999999')\n"
        "print(*(not uncovered([pair], {}) for pair in pairs))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert ran.stdout.startswith("False"), ran.stderr[-300:]


def test_many_lines():
    """Twenty thousand values of a file are judged in seconds: no line is copied for each."""
    lines = {str(i): {str(i), f"g{i % 100}", "*"} for i in range(20_000)}
    start = time.process_time()
    assert uncovered([(f"g{i % 100}", str(i)) for i in range(20_000)], lines) == []
    assert time.process_time() - start < 4


def test_uncovered_pairs():
    """The pairs that do not fit are returned once; a number may be written in another way."""
    lines = {"1.0": {"1.0", "odd", "*"}, "2": {"2", "even", "*"}}
    pairs = [
        ("odd", "1"),
        ("odd", "+1"),
        ("odd", "2"),
        ("odd", "2"),
        ("even", "2.00"),
        ("odd", None),
    ]
    assert sorted(uncovered(pairs, lines), key=str) == [("odd", "2"), ("odd", None)]
    assert uncovered([("odd", "3")], lines) == [("odd", "3")]
    assert uncovered([], lines) == []


@pytest.mark.parametrize(
    "text",
    ["a;g;*\nb;h;*\n", "a,g,*\nb,h,*\n", "a\tg\t*\nb\th\t*\n", "\ufeffa;g;*\nb;h;*\n",
     "a;g;*\r\nb;h;*\r\n", "a;g;*\n\nb;h;*\n\n", '"a";"g";"*"\n"b";"h";"*"', "a;g;*\rb;h;*\r"],
)  # fmt: skip
def test_file_lines(write, text):
    """The judge reads a file's lines as they stand, whatever delimits and ends them."""
    found = file_lines(write("h.csv", text))
    assert {key: set(words) for key, words in found.items()} == {
        "a": {"a", "g", "*"},
        "b": {"b", "h", "*"},
    }


@pytest.mark.parametrize("interval", ["[0,10)", "[0,10]", "<10", ">=100"])
def test_a_file_cannot_widen_an_interval(interval):
    """A number outside of an interval is not covered, even if a hierarchy's line says so."""
    assert not covers(interval, "20", {"20": {"20", interval, "*"}})
    assert covers("[a,b)", "20", {"20": {"20", "[a,b)", "*"}}), "no bounds: a word"
    assert covers("[0,b)", "20", {"20": {"20", "[0,b)", "*"}})
    assert covers("[a,9)", "20", {"20": {"20", "[a,9)", "*"}})
    assert covers("<many", "20", {"20": {"20", "<many", "*"}})


def test_intervals_without_an_end():
    """Infinity is written as inf or ∞, with a sign or without, and is beyond every number."""
    for sign in ("inf", "∞", "+inf", "+∞"):
        assert covers(f"[5,{sign})", "7", {})
        assert not covers(f"[5,{sign})", "4", {})
        assert not covers(f"[5;-{sign.lstrip('+')})", "7", {})
    assert covers("[-∞,5)", "-1e300", {})
    assert not covers("[-∞,5)", "5", {})


def test_an_order_tells_ranges():
    """[mild,severe] is what lies between both, of values with commas and brackets too."""
    order = ["mild", "a,b", "severe", "5", "5.0"]
    assert covers("[mild,severe]", "a,b", {}, order)
    assert covers("[mild,a,b]", "a,b", {}, order)
    assert not covers("[mild,a,b]", "severe", {}, order)
    assert not covers("[severe,mild]", "a,b", {}, order)
    assert not covers("[mild,severe]", None, {}, [*order, ""])
    assert not covers("5.0", "5", {}, order), "two values of the order"
    assert covers("5.0", "5", {}, [])


def test_numbers_are_no_days():
    """An interval of numbers covers no date, nor one of dates a number, whatever both count to."""
    days = date(2026, 3, 31).toordinal()
    assert not covers("[0,1000000)", "2026-03-31", {})
    assert not covers("[2026-01-01,2026-07-01)", str(days), {})
    assert not covers("2026-03", str(days), {})
    assert covers("[-inf,inf)", "2026-03-31", {})


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("12**", "123*", True), ("12**", "1299", True), ("12**", "13**", False),
        ("12**", "12*", False), ("2026-03", "2026-03-31", True), ("2026-03", "2026-Q2", False),
        ("2026-Q1", "2026-03", True), ("2025-12", "2026-01-01", False), ("<18", "[10,20)", True),
        ("<18", "18", False), (">=65", "65", True), ("Europe", "France", False),
        ("[a,b]", "a", False), ("2026-13", "2026-13", True), ("9999-12", "9999-12-31", True),
        ("[2026-01-01,2026-02-01)", "2026-01-31", True), ("1e999", "[0,1]", False),
        ("2025-11", "2025-11-30", True), ("2025-11", "2025-12-01", False),
        ("2025-12", "2025-12-31", True), ("2025-01", "2025-01-01", True),
        ("2025-Q4", "2025-12", True), ("2025-Q4", "2025-10-01", True),
        ("2025-Q4", "2025-09-30", False), ("2025-Q4", "2026-01-01", False),
        ("2025-Q3", "2025-10", False), (">=65", "64", False), (">=65", "<65", False),
        (">=65", "<66", True), ("[0,10)", "10", False), ("[0,10]", "10", True),
        ("[0,10]", "[10,20)", True), ("[0,10)", "[10,20)", False), ("1e400", "1e400", True),
        ("1e400", ">=5", True), ("12*", "1**", True), ("1*", "2*", False), ("ab*", "abc", True),
        # a year is a number too, a day is all its moments
        ("2026", "2026-03", True), ("2026", "2026-Q4", True), ("2026", "2025-12-31", False),
        ("2026", "[2026-03-01,2026-04-01)", True), ("2026", "2026-03-31 10:00", True),
        ("2026-03-31", "2026-03-31T23:59:59", True), ("2026-03-31", "2026-04-01 00:00", False),
        ("2026-03-31T10:00", "[2026-03-31,2026-04-01)", True), ("2026", "2027", False),
        ("2026", "[0,3000)", True), ("2026-03-31", "[0,1000000)", False),
        # masks of numbers and dates beside intervals, with a sign at any place
        ("12**", "[1200,1250)", True), ("12**", "[1300,1400)", False), ("01**", "123", True),
        ("2026-0****", "[2026-03-01,2026-04-01)", True), ("2026-03-**", "2026-Q2", False),
        ("**345", "12345", True), ("**345", "123**", True), ("**345", "12346", False),
        ("1*", "10.5", True), ("1*", "20", False),
        # intervals as others write them
        ("(20,30]", "[30,40)", True), ("(20, 30]", "25", True), ("[20, 30[", "30", False),
        ("]20,30]", "31", False), ("<=18", "18", True), ("≤18", "19", False), (">65", "66", True),
        ("≥65", "64", False), (">65", "(60,65)", False),
        # spellings
        ("1.0", "1", True), ("1e0", "01", True), (" Ulm", "Ulm", True), ("", "x", True),
        ("2026-03-31 10:00:00", "2026-03-31T10:00:00.000", True), ("-0", "0", True),
        ("2026-03-31T12:00:00+02:00", "2026-03-31T10:00:00Z", True), ("1" * 5000, "1", False),
    ],
)  # fmt: skip
def test_cells_that_may_stand_for_one_value(one, other, wanted):
    """Cells of two releases overlap as what they stand for does, on either side."""
    first, second = comparable(one), comparable(other)
    assert overlap(first, second) is wanted
    assert overlap(second, first) is wanted


def test_columns_whose_cells_are_compared():
    """Cells are compared one by one where there are ranges, or years beside days or moments."""
    assert not to_compare(["1", "2026", None, "Ulm"])
    assert not to_compare(["2026-03-31", "2026-04-01"])
    for some in (["1", "[0,5)"], ["1*"], ["2026-03"], ["2026", "2026-03-31"],
                 ["2026-03-31", "2026-03-31T10:00:00"]):  # fmt: skip
        assert to_compare(some)


def test_what_may_be_of_a_person():
    """Ranges cover what they hold, means and words may cover anything, exact numbers do not."""
    assert may_cover("[20,30)", "25", exact=False)
    assert not may_cover("[20,30)", "30", exact=False)
    assert may_cover("24.5", "25", exact=False)
    assert not may_cover("24.5", "25", exact=True)
    assert may_cover("Europe", "France", exact=True)
    assert may_cover(None, "25", exact=True)
    assert is_single(["24.5", None, "Ulm"])
    assert is_single(["2026-03-31"])
    assert not is_single(["24.5", "[20,30)"])
    assert not is_single(["Ulm", None])


def test_cells_of_all_kinds_have_one_text():
    """Values of Parquet and texts of csv that say the same are equal: numbers, dates, structs."""
    table = pa.table({
        "f": [0.1, float("nan")], "g": pa.array([0.1, 1.0], pa.float32()), "b": [True, None],
        "d": [date(2026, 3, 31), None], "t": [datetime(2026, 3, 31, 10), None],
        "z": [datetime(2026, 3, 31, 10, tzinfo=UTC), None],
        "n": pa.array([10**18, None], pa.decimal128(38, 2)),
        "s": [{"low": 20, "high": 30}, {"low": 5, "high": 5}],
    })  # fmt: skip
    with Engine() as engine:
        engine.register("t", table)
        kinds = engine.rows("SELECT column_name, column_type FROM (DESCRIBE t)")
        first, second = engine.rows(
            f"SELECT {', '.join(spelled(name, kind) for name, kind in kinds)} FROM t"  # noqa: S608
        )
    assert [comparable(text) for text in first] == [
        "0.1", "0.1", "true", "2026-03-31", "2026-03-31T10:00:00", "2026-03-31T10:00:00",
        str(10**18), "[20,30]",
    ]  # fmt: skip
    assert [text and comparable(text) for text in second] == [None, "1", *[None] * 5, "5"]


def test_what_names_bounds():
    """Only intervals as Shoal writes them are believed to be bounds of a coverage."""
    assert all(map(is_interval, ("[0,1)", "[0;1]", "<5", ">=5", "[2026-01-01,2026-02-01)")))
    assert not any(map(is_interval, ("(0,1)", "<=5", ">5", "[a,b]", "5", "", "[1,2026-01-01]")))
