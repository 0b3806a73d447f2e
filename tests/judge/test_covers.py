"""Whether a released value covers its original: by truth tables, and of random tables.

The random tables are judged by code of this file alone; it shares nothing with Shoal.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections import Counter
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest

import shoal
from shoal.judge.covers import file_lines, uncovered
from thorough import spread

LINES = {
    "Berlin": {"Berlin", "East", "Germany", "*"},
    "Paris": {"Paris", "France", "*"},
    "5": {"5", "odd", "*"},
    "1.50": {"1.50", "half", "*"},
    "[20,30)": {"[20,30)", "young", "*"},
    "[30,inf)": {"[30,inf)", "old", "*"},
    "2026-03-31": {"2026-03-31", "spring", "*"},
}


def covers(released, original, lines):
    """Whether a released text covers an original one."""
    return not uncovered([(released, original)], lines)


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


WORDS = {word for words in LINES.values() for word in words if word.isalpha()} - set(LINES)


def test_lines_of_another_kind_do_not_help():
    """Words of other lines never cover a value, however many lines there are."""
    lines = {f"v{i}": {f"v{i}", f"g{i % 7}", "*"} for i in range(50)}
    for i in range(50):
        for group in range(7):
            assert covers(f"g{group}", f"v{i}", lines) is (i % 7 == group)


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


@pytest.mark.parametrize("odd", ["1/0", "12/0", "nan", "2026-13-01", "1_0", "<", "[1,2"])
@pytest.mark.parametrize("rule", ["flat", "prefixes"])
def test_odd_texts_are_released(odd, rule):
    """A column with an odd text is released as any other."""
    table = pa.table({"a": [odd, odd, "x", "y", "x", "y"]})
    found = shoal.anonymize(table, k=2, hierarchies={"a": rule}, quasi_identifiers=["a"])
    assert sorted(found.data["a"].to_pylist()) == sorted([odd, odd, "x", "x", "y", "y"])


def test_texts_like_huge_numbers():
    """A code such as 12E34567890 is a text: no power of ten of that size is worked out."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "from shoal.judge.covers import uncovered\n"
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


def test_a_wrong_release_is_caught(monkeypatch):
    """A method's mistake, a label of another branch, is found before anything is released."""
    from shoal.release import aggregate as generalize

    right = generalize._labels

    def wrong(column, found):
        return [label.replace("12**", "13**") for label in right(column, found)]

    monkeypatch.setattr(generalize, "_labels", wrong)
    table = pa.table({"a": ["1234", "1256", "1334", "1356"]})
    with pytest.raises(shoal.PrivacyError, match="do not cover") as caught:
        shoal.anonymize(
            table, k=2, hierarchies={"a": "prefixes"}, quasi_identifiers=["a"], method="kaim"
        )
    assert caught.value.exit_code == 3
    assert "12" not in str(caught.value)


# --- csv cells that are written in ways of their own


CELLS = {
    "spaces around dates": ([" 2020-01-01", "2020-01-02 ", "2020-03-01", "2020-03-04"],
                            "dates:month", ["2020-01", "2020-01", "2020-03", "2020-03"]),
    "spaces around numbers": ([" 12", "13 ", "21", "22"], "prefixes", ["1*", "1*", "2*", "2*"]),
    "signs": (["+12", "13", "21", "22"], "prefixes", ["1*", "1*", "2*", "2*"]),
    "spaces and widths": ([" 12", "+13 ", "21", "22.0"], "widths:5",
                          ["[10,15)"] * 2 + ["[20,25)"] * 2),
    "exponents and widths": (["1e-1", "1.5e-1", "3e-1", "3.5e-1"], "widths:0.1",
                             ["[0.1,0.2)"] * 2 + ["[0.3,0.4)"] * 2),
}  # fmt: skip


@pytest.mark.parametrize("kind", CELLS)
def test_cells_of_their_own_writing(write, kind):
    """A value is what it is, however its cell writes it: the release is made and covers it."""
    cells, rule, expected = CELLS[kind]
    path = write("t.csv", "a,s\n" + "".join(f"{cell},x\n" for cell in cells))
    found = shoal.anonymize(path, k=2, quasi_identifiers=["a"], hierarchies={"a": rule})
    assert found.table["a"].values.to_pylist() == expected


def test_declared_numbers_with_leading_zeros(write):
    """007 declared a number is 7, and its mask is that of 7."""
    path = write("t.csv", "a,s\n012,x\n013,x\n021,x\n022,x\n")
    found = shoal.anonymize(path, k=2, quasi_identifiers=["a"], types={"a": "number"},
                            hierarchies={"a": "prefixes"})  # fmt: skip
    assert found.table["a"].values.to_pylist() == ["1*", "1*", "2*", "2*"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_every_unit(unit):
    """Times are masked and put into intervals whatever unit a dataframe counts them in."""
    base = datetime(2026, 1, 1)
    values = pa.array([base + timedelta(hours=h) for h in (1, 2, 30, 31)]).cast(pa.timestamp(unit))
    for rule, expected in (
        ("dates:day", ["2026-01-01", "2026-01-01", "2026-01-02", "2026-01-02"]),
        ("prefixes:10", None),
        ("widths:1", ["[2026-01-01T00:00:00,2026-01-02T00:00:00)"] * 2
         + ["[2026-01-02T00:00:00,2026-01-03T00:00:00)"] * 2),
    ):  # fmt: skip
        table = pa.table({"a": values})
        found = shoal.anonymize(table, k=2, quasi_identifiers=["a"], hierarchies={"a": rule})
        cells = found.data["a"].to_pylist()
        assert expected is None or cells == expected
        assert all(cell.lstrip("[").startswith("2026-01-01") for cell in cells[:2])
        assert all(cell.lstrip("[").startswith("2026-01-02") for cell in cells[2:])


# --- random tables, judged by code of this file alone


def place(text):
    """Where a bound lies: a number, or a day."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return Fraction(date.fromisoformat(text).toordinal())
    return Fraction(text)


def stands_for(cell, value, above):
    """Whether a released text stands for a value; `above` are the words of a file over a value."""
    if cell == "*":
        return True
    if value is None:
        return False
    text = str(value)
    if cell.endswith("*"):
        return len(cell) == len(text) and text.startswith(cell.rstrip("*"))
    if isinstance(value, str):
        return cell == value or cell in above.get(value, ())
    at = Fraction(value.toordinal() if isinstance(value, date) else str(value))
    if match := re.fullmatch(r"\[([^,]+),([^,]+)([\])])", cell):
        low, high = place(match[1]), place(match[2])
        return low <= at < high or (match[3] == "]" and at == high)
    if match := re.fullmatch(r"(<|>=)(.+)", cell):
        return at < place(match[2]) if match[1] == "<" else at >= place(match[2])
    if isinstance(value, date):
        quarter = f"{value.year}-Q{1 + (value.month - 1) // 3}"
        return cell in (text, text[:7], quarter, text[:4])
    return place(cell) == at


def random_column(rng, rows, folder, name, kind, unit):
    """Values of a kind, a rule for them or none, and the words of a file over each."""
    above = {}
    if kind == "integer":
        pool = [rng.randint(-30, 90) for _ in range(rng.randint(1, 12))]
        rule = rng.choice([None, "widths:5,10", "widths:7@3", "cuts:0,18,65/18", "quantiles:4,2",
                           "balanced", "flat", "prefixes"])  # fmt: skip
    elif kind == "float":
        pool = [round(rng.randint(-40, 40) * unit, 6) for _ in range(rng.randint(1, 12))]
        rule = rng.choice([None, "widths:0.5,2", "widths:0.1", "cuts:-0.3,0,0.3/0", "quantiles:4,2",
                           "balanced", "flat"])  # fmt: skip
    elif kind == "date":
        pool = [date(2024, 1, 1) + timedelta(days=rng.randint(0, 900)) for _ in range(8)]
        rule = rng.choice([None, "dates", "dates:month,year", "dates:quarter", "widths:30,90",
                           "cuts:2025-01-01", "quantiles:2", "balanced", "flat"])  # fmt: skip
    elif kind == "code":
        pool = [f"{rng.randint(0, 2999):0{rng.randint(1, 4)}}" for _ in range(8)]
        rule = rng.choice([None, "prefixes", "prefixes:2", "prefixes:3,1", "flat"])
    else:
        pool = rng.sample(["Ulm", "Bonn", "ulm", "Ulm ", "Gera", "a;b", 'q"q', "", "*", "ß"], 6)
        rule = rng.choice([None, "flat", "prefixes:1", "file"])
        if rule == "file":
            pool = [text for text in pool if text not in ("", "*")]
            above = {text: {f"g{i % 2}", f"top{i % 2 // 2}"} for i, text in enumerate(pool)}
            rule = str(folder / f"{name}.csv")
            lines = [f'"{text.replace(chr(34), chr(34) * 2)}";g{i % 2};top{i % 2 // 2};*\n'
                     for i, text in enumerate(pool)]  # fmt: skip
            (folder / f"{name}.csv").write_text("".join(lines))
    gaps = rng.choice([0.0, 0.0, 0.15, 0.6])
    values = [None if rng.random() < gaps else rng.choice(pool) for _ in range(rows)]
    values[rng.randrange(rows)] = rng.choice(pool)  # a column without any value has a test below
    types = {"integer": pa.int64(), "float": pa.float64(), "date": pa.date32()}
    return pa.array(values, types.get(kind, pa.string())), rule, above


WAYS = ["generalize", "generalize", "range", "mean", "median", "mode", "medoid"]


KINDS = ("integer", "float", "date", "text", "code")


def judge(seed, folder, kinds=KINDS, unit=0.25):
    """Make one random table and its release, and check all that a release promises."""
    rng = random.Random(seed)
    rows = rng.randint(4, 30)
    names = [f"c{i}" for i in range(rng.randint(1, 3))]
    made = {name: random_column(rng, rows, folder, name, rng.choice(kinds), unit) for name in names}
    table = pa.table({name: values for name, (values, _, _) in made.items()})
    table = table.append_column("row", pa.array(range(rows)))
    before = table.to_pydict()
    k, way = rng.randint(2, min(5, rows)), rng.choice(WAYS)
    incomplete = rng.choice(["keep", "keep", "keep", "delete"])
    whole = [all(before[name][row] is not None for name in names) for row in range(rows)]
    if incomplete == "delete" and sum(whole) < k:
        incomplete = "keep"
    method = rng.choice(["kaim", "k-member", "mdav", "v-mdav", "hilbert"])
    rules = {name: rule for name, (_, rule, _) in made.items() if rule is not None}
    if method not in ("kaim", "k-member") and way not in ("generalize", "range"):
        rules = {name: rule for name, rule in rules.items() if table[name].type == pa.string()}
    result = shoal.anonymize(
        table,
        k=k,
        quasi_identifiers=names,
        keep_unique=["row"],
        method=method,
        hierarchies=rules,
        aggregate=way,
        intervals="text",
        incomplete=incomplete,
        seed=seed,
        allow_empty=True,
    )
    assert table.to_pydict() == before, "the caller's data was changed"
    after, labels = result.data.to_pydict(), result.partition.labels.tolist()
    kept = [row for row in range(rows) if whole[row] or incomplete == "keep"]
    assert after["row"] == kept
    assert result.report.missing["deleted"] == rows - len(kept)
    tuples = Counter(zip(*(after[name] for name in names), strict=True))
    assert min(tuples.values()) >= k
    assert result.report.verification["k"] == min(tuples.values())
    for name in names:
        values = [before[name][row] for row in kept]
        texts = isinstance(next((v for v in values if v is not None), ""), str)
        for group in set(labels):
            members = [v for v, of in zip(values, labels, strict=True) if of == group]
            cells = {cell for cell, of in zip(after[name], labels, strict=True) if of == group}
            assert len(cells) == 1
            if way in ("mean", "median") and not texts:
                there = [member for member in members if member is not None]
                members = there if len(there) >= k else members
            check_cell(cells.pop(), members, way, texts, made[name][1], made[name][2])


def check_cell(cell, members, way, texts, rule, above):
    """Check what one group releases in one column; members that have a mean are present."""
    as_text = way in ("generalize", "range") or (texts and way in ("mean", "median"))
    if None in members:
        assert cell == ("*" if as_text or texts else None)
        return
    if as_text:
        assert all(stands_for(cell, value, above) for value in members), (cell, members)
        if len(set(members)) == 1:
            assert cell == str(members[0]), (cell, members)
        elif not texts and (way == "range" or rule is None):
            assert cell == f"[{min(members)},{max(members)}]"
    elif way == "mode":
        assert members.count(cell) == max(map(members.count, members))
    elif way == "medoid":
        assert cell in members
    else:
        assert min(members) <= cell <= max(members) or cell == pytest.approx(min(members))


@pytest.mark.parametrize("part", spread(range(20), 1))
def test_random_tables(tmp_path, part):
    """Every cell is covered, every group has k, a missing cell hides its group: 25 tables each."""
    for seed in range(25 * part, 25 * part + 25):
        try:
            judge(seed, tmp_path)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


def test_random_tables_of_tenths(tmp_path, thorough):
    """The same of tables whose floating-point numbers are tenths, which no float is."""
    for seed in range(1000, 1100 if thorough else 1040):
        try:
            judge(seed, tmp_path, ["float"], 0.1)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


TYPES = pa.int64(), pa.float64(), pa.date32(), pa.bool_(), pa.string()


@pytest.mark.parametrize(
    ("way", "kind", "method"),
    spread(product(sorted(set(WAYS)), TYPES, ("kaim", "k-member", "mdav")), 36, several=True),
)
def test_a_column_without_any_value(way, kind, method):
    """With allow_empty such a column is released empty or as stars, the others as ever."""
    table = pa.table({"a": pa.array([None] * 6, kind), "b": [1, 2, 3, 7, 8, 9]})
    found = shoal.anonymize(
        table, k=3, quasi_identifiers=["a", "b"], method=method, aggregate=way, allow_empty=True,
        intervals="text",
    )  # fmt: skip
    assert set(found.data["a"].to_pylist()) <= {None, "*"}
    assert len(set(found.data["b"].to_pylist())) == 2
    assert found.report.missing["cells"] == 6


@pytest.mark.parametrize("cell", ["", "*"])
def test_the_same_star_for_all(write, shoal, cell):
    """Whatever the reason a cell is suppressed for, csv says it in the same byte."""
    path = write("t.csv", f"a,b,c\n{cell},1,x\n{cell},,x\np,3,y\nq,,y\n,5,z\nr,6,z\n")
    for way in ("mean", "median", "mode", "medoid", "generalize", "range"):
        ran = shoal("anonymize", path, "-k", 2, "--quasi", "a,b", "--other", "c", "--method",
                    "kaim", "--aggregate", way, "-o", "-")  # fmt: skip
        assert ran.code == 0, ran.err
        rows = [line.split(",", 1) for line in ran.out.splitlines()[1:]]
        cells = {cell for first, rest in rows for cell in (first, rest.rsplit(",", 1)[0])}
        assert len(rows) == 6
        assert "*" in cells
        assert all(re.fullmatch(r"\*|[pqr]|\d|\"\[\d,\d\]\"", cell) for cell in cells), cells


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
