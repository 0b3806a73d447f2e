"""Two releases that meet, alone and with their original: against brute force of this file alone."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from naive import judging
from shoal.errors import InputError
from shoal.judge.composition import CompositionRequest, compose
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine
from shoal.judge.papers import Beside
from shoal.judge.people import place_people
from shoal.judge.reading import files_of, opened

CELLS = ["[0,10)", "[0,10]", "[10,20)", "[5,15)", "10", "10.0", "0", "20", "*", "", "x"]
POINTS = [*(str(half / 2) for half in range(-2, 50)), "x"]


def meet(one, other, quasi, sensitive=None, k=2, ours=None, theirs=None):
    """Return what two releases tell together."""
    with Engine([*files_of(one), *files_of(other)]) as engine:
        first = opened(engine, one, None, Written(), "release")
        second = opened(engine, other, None, Written(), "other")
        request = CompositionRequest(quasi, sensitive, k, ours, theirs, ("here", "there"))
        return compose(engine, first, second, request)


def place(one, other, original, quasi, k=2, key=(), in_order=(False, False), theirs=None):
    """Return who shares both classes, with the original."""
    with Engine([file for some in (one, other, original) for file in files_of(some)]) as engine:
        tables = zip((one, other, original), ("release", "other", "original"), strict=True)
        sources = [opened(engine, some, None, Written(), name) for some, name in tables]
        request = CompositionRequest(quasi, None, k, None, theirs)
        return place_people(engine, *sources, request, key, in_order)


def number(text):
    """A number, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def holds(cell, point):
    """Whether a cell may stand for a number, or a word."""
    if cell in ("*", "", point):
        return True
    if cell[0] == "[":
        low, high = cell[1:-1].split(",")
        at = number(point)
        if at is None:
            return False
        return float(low) <= at < float(high) or (cell[-1] == "]" and at == float(high))
    return number(cell) is not None and number(cell) == number(point)


def compatible(mine, theirs):
    """Whether two keys may stand for the same person: some point is in both cells, in each."""
    return all(
        a == b or any(holds(a, point) and holds(b, point) for point in POINTS)
        for a, b in zip(mine, theirs, strict=True)
    )


def table_of(rows, names):
    """A table of texts."""
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})


@pytest.mark.parametrize("cells", [CELLS, ["1", "2", "*"], [*CELLS[:3], "*"]])
def test_equals_brute_force(tmp_path, cells, thorough):
    """Smallest set, pairs, pairs and records below k are those of comparing all classes."""
    rng = random.Random(len(cells))
    for trial in range(150 if thorough else 6):
        releases = [
            [((rng.choice(cells), rng.choice(cells[-4:])), rng.choice("uvw"))
             for _ in range(rng.randint(1, 12))]
            for _ in range(2)
        ]  # fmt: skip
        files = [table_of([(*key, value) for key, value in rows], "pqs") for rows in releases]
        if trial % 4 == 0:
            lines = [f'"{p}","{q}","{s}"\n' for (p, q), s in releases[1]]
            files[1] = tmp_path / "other.csv"
            files[1].write_text("p,q,s\n" + "".join(lines))
        met = meet(*files, ["p", "q"], ["s"])
        sizes = judging.composition(*releases, compatible)
        assert (met.smallest, met.pairs) == (min(sizes, default=None), len(sizes))
        assert met.below == sum(size < 2 for size in sizes)
        assert met.records == at_risk(*releases, 2)


def at_risk(ours, theirs, k):
    """How many records of ours have a value that a pair of classes leaves to fewer than k."""
    risky = set()
    for mine in {key for key, _ in ours}:
        for its in {key for key, _ in theirs}:
            left = Counter(v for key, v in ours if key == mine)
            left &= Counter(v for key, v in theirs if key == its)
            if compatible(mine, its) and 0 < sum(left.values()) < k:
                risky |= {(mine, value) for value in left}
    return sum((key, value) in risky for key, value in ours)


def test_many_patterns_of_stars():
    """Releases with nearly as many patterns of stars as classes meet as comparing all tells."""
    rng = random.Random(7)
    columns = [f"q{i}" for i in range(7)]
    releases = [
        [(tuple(rng.choice("12*") for _ in columns), rng.choice("xyz")) for _ in range(60)]
        for _ in range(2)
    ]
    files = [table_of([(*key, value) for key, value in rows], [*columns, "s"]) for rows in releases]
    met = meet(*files, columns, ["s"], k=1)
    sizes = judging.composition(*releases, partial(judging.matches, "wildcard"))
    assert (met.pairs, met.smallest) == (len(sizes), min(sizes))


@pytest.mark.parametrize("kind", ["csv", "table"])
def test_different_files_compare(tmp_path, kind):
    """Cells of csv, Parquet and dataframes meet as what they say: numbers, flags, structs, days."""
    table = pa.table({
        "a": [1, 1, 2, 2], "b": [True, True, False, False], "f": [0.1] * 4,
        "i": [{"low": 20, "high": 30}] * 2 + [{"low": 5, "high": 5}] * 2,
        "d": pa.array([20000, 20000, None, None], pa.date32()), "s": [1.0, 2.0, 1.0, 2.0],
    })  # fmt: skip
    text = (
        'a,b,f,i,d,s\n1.0,true,0.10,"[20,30]",2024-10-04,1\n1,true,.1,"[25,27)",2024-10,2\n'
        "2,false,0.1,5,*,1\n2,false,0.1,5.0,,2.0\n"
    )
    (tmp_path / "t.csv").write_text(text)
    pq.write_table(table, tmp_path / "t.parquet")
    other = tmp_path / ("t.csv" if kind == "csv" else "t.parquet")
    met = meet(table, other, ["a", "b", "f", "i", "d"])
    assert met.sensitive == ("s",)
    assert met.columns == ("a", "b", "f", "i", "d")
    assert met.roles == ("here", "there")
    assert met.smallest == (1 if kind == "csv" else 2)  # csv writes four classes
    assert met.pairs == (4 if kind == "csv" else 2)


def test_no_sensitive_column_is_a_bound():
    """Without a sensitive column in both, the size of the smaller class is the bound."""
    one = table_of([("v1", "x")] * 4, "as")
    met = meet(one, table_of([("v1", "x")] * 3, "ar"), ["a"], ["s"], k=4)
    assert (met.smallest, met.below, met.sensitive) == (3, 1, ())
    assert meet(one, table_of([("1", "x")] * 4, "bs"), ["a"], ["s"], k=4).smallest == 4
    assert meet(one, table_of([("v2", "x")], "as"), ["a"], ["s"]).smallest is None
    with pytest.raises(InputError, match="it shares no column with this release"):
        meet(one, table_of([("1", "x")], "br"), ["a"], ["s"])


def test_too_many():
    """Too many pairs of cells are an error that says what to do."""
    cells = [(f"[{i};{i + 3})",) for i in range(1_500)]
    with pytest.raises(InputError, match=r"too many pairs of classes.*name more of the quasi"):
        meet(table_of(cells, "a"), table_of(cells, "a"), ["a"])


def test_not_quadratic_in_exact_columns():
    """Many classes whose cells are plain are looked up, not compared with each other."""
    table = pa.table({"a": [f"v{i // 2}" for i in range(20_000)], "s": ["x"] * 20_000})
    met = meet(table, table, ["a"], ["s"])
    assert (met.pairs, met.smallest) == (10_000, 2)


# --- what an attacker would try


def ages(cells, values):
    return table_of(list(zip(cells, values, strict=True)), "as")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("2026", "2026-03"), ("2026-03-31", "2026-03-31T10:00:00"), ("12**", "[1200,1250)"),
        ("[20,30)", "(25, 35]"), ("[20,30)", "]25,35]"), ("<18", "<=17"), ("**45", "12**"),
        ("[20,30)", "≥29"), ("20", "20.0"), ("2026", "[2026-03-01,2026-04-01)"),
    ],
)  # fmt: skip
def test_cells_that_others_write(ours, theirs):
    """Whoever writes the same another way is met: three records and three leave one candidate."""
    met = meet(ages([ours] * 3, "xyz"), ages([theirs] * 3, "xuv"), ["a"], ["s"], k=3)
    assert (met.smallest, met.below, met.records) == (1, 1, 1)


def test_spellings_of_sensitive_values_hide_nothing():
    """Flu and flu are one value where releases meet, and every spelling is one by itself."""
    met = meet(
        ages(["1"] * 3, ["Flu", "b", "c"]), ages(["1"] * 3, ["flu ", "d", "e"]), ["a"], ["s"]
    )
    assert (met.smallest, met.below) == (1, 1)
    kept = meet(ages(["1"] * 2, ["Flu", "flu"]), ages(["1"] * 2, ["Flu", "gout"]), ["a"], ["s"])
    assert kept.smallest == 1, "whose spelling was kept is found by it"


@pytest.mark.parametrize("sensitive", [None, ["s", "t"]])
def test_a_changed_column_hides_nothing(sensitive):
    """Where one of two sensitive columns was changed, records meet by the other, as when asked."""
    one = table_of([("1", v, str(at)) for at, v in enumerate("xyz")], "ast")
    other = table_of([("1", v, str(at + 10)) for at, v in enumerate("xuw")], "ast")
    met = meet(one, other, ["a"], sensitive)
    assert (met.smallest, met.sensitive) == (1, ("s",))


def test_all_columns_that_agree_are_known_together():
    """Sensitive columns that both releases keep narrow down together, more than each alone."""
    one = table_of([("1", *both) for both in ("xu", "yv", "xv", "yu")], "ast")
    other = table_of([("1", *both) for both in ("xu", "xu", "yv", "yv")], "ast")
    met = meet(one, other, ["a"], k=4)
    assert (met.smallest, met.below, met.records) == (2, 1, 2)
    assert met.sensitive == ("s", "t")
    assert meet(one, other, ["a"], ["s"], k=4).below == 0


@pytest.mark.parametrize(
    ("cells", "paper", "unjudged"),
    [
        (["24.5", "31"], None, ("a",)), (["24.5", "[30,35)"], None, ()), (["x", "y"], None, ()),
        (["2026-03-31", "x"], None, ("a",)), (["24.5", "31"], "range", ()),
        (["[20,25)", "31"], "median", ("a",)), (["2026-03", "2026-04"], None, ()),
    ],
)  # fmt: skip
def test_means_are_not_judged(cells, paper, unjudged):
    """Single numbers or dates may be means, unless a paper says what they are."""
    known = None if paper is None else Beside("report.json", ("a",), {"a": paper})
    table = ages(cells, "xy")
    assert meet(table, ages(["[20,25)", "2026-03"], "xy"), ["a"], ours=known).unjudged == unjudged
    assert meet(ages(["*", "*"], "xy"), table, ["a"], theirs=known).unjudged == unjudged


def test_what_one_groups_and_the_other_keeps():
    """A column that only the other release groups narrows down here: it is not judged."""
    one = table_of([("1", "5", "x")] * 2, "abs")
    paper = Beside("report.json", ("a", "b"), {"a": "range", "b": "range"})
    met = meet(one, one, ["a"], theirs=paper)
    assert (met.unjudged, met.sensitive) == (("a", "b"), ("s",))


# --- with the original


def people_of(seed):
    """Random people, two releases of intervals of one column each, and the class of everybody."""
    rng = random.Random(seed)
    rows = rng.randint(4, 30)
    table = {
        "id": [f"p{row}" for row in range(rows)],
        "age": [rng.randint(20, 50) for _ in range(rows)],
        "zip": [f"{rng.randint(0, 99):03}" for _ in range(rows)],
        "ill": [rng.choice("abc") for _ in range(rows)],
    }
    width, kept = rng.choice([3, 7, 10]), rng.choice([1, 2])
    age = [f"[{a // width * width},{a // width * width + width})" for a in table["age"]]
    mask = [code[:kept] + "*" * (3 - kept) for code in table["zip"]]
    one = {"id": table["id"], "age": age, "ill": table["ill"]}
    other = {"id": table["id"], "zip": mask, "ill": table["ill"]}
    return rng, table, one, other, list(zip(age, mask, strict=True))


def shuffled(rng, columns, names):
    """A release with some columns, its rows in another order."""
    rows = list(zip(*(columns[name] for name in names), strict=True))
    rng.shuffle(rows)
    return table_of(rows, names)


def test_people_are_placed_rightly(thorough):
    """Whoever is placed is placed rightly: with a key, in order, and by evidence alone."""
    sure = 0
    for seed in range(100 if thorough else 2):
        rng, table, one, other, pairs = people_of(seed)
        original = pa.table(table)
        counts = Counter(pairs)
        below = sum(counts[pair] < 3 for pair in pairs)
        exact = (len(pairs), min(counts.values()), below, 0)
        ask = partial(place, original=original, quasi=["age"], k=3)
        keyed = ask(*(shuffled(rng, some, list(some)) for some in (one, other)), key=["id"])
        assert (keyed.people, keyed.smallest, keyed.below, keyed.unknown) == exact
        assert keyed.how == ("by 'id'", "by 'id'")
        straight = [pa.table(some).drop_columns("id") for some in (one, other)]
        found = ask(*straight, in_order=(True, True))
        assert (found.people, found.smallest, found.below, found.unknown) == exact
        assert found.how[0] == "by the order of the rows"
        mixed = [shuffled(rng, some, list(some)[1:]) for some in (one, other)]
        for in_order in (False, True):  # not believed where cells do not cover the original's
            found = ask(*mixed, in_order=(in_order, in_order))
            assert found.people == len(pairs)
            assert found.below + found.unknown >= below
            if not found.unknown:
                assert (found.smallest, found.below) == exact[1:3]
                sure += 1
    assert sure > (3 if thorough else 1)


def test_people_who_are_in_one_release_only():
    """Whoever is not in both shares nothing; a kept column that was changed makes nobody absent."""
    original = pa.table({"age": range(20, 32), "n": [f"c{i}" for i in range(12)]})
    rows = [(f"[{20 + i // 6 * 6},{26 + i // 6 * 6})", f"c{i}") for i in range(12)]
    one = table_of(rows, ["age", "n"])
    found = place(one, one.slice(0, 6), original, ["age"], k=6)
    assert (found.people, found.smallest, found.below, found.unknown) == (6, 6, 0, 0)
    changed = table_of([(age, n.replace("c", "d")) for age, n in rows[:6]], ["age", "n"])
    assert place(one, changed, original, ["age"], k=6).unknown == 12


def test_means_are_no_evidence():
    """Shuffled means of few kept values place nobody, whatever the rows' order is said to be."""
    original = pa.table({"age": range(20, 32), "ill": ["x", "y"] * 6})
    means = pa.table({"age": [22.5] * 6 + [28.5] * 6, "ill": ["x", "y"] * 6})
    found = place(means, means, original, ["age"])
    assert (found.people, found.unknown, found.smallest) == (12, 12, None)
    exact = Beside("report.json", ("age",), {"age": "mean"})
    assert place(means, means, original, ["age"], theirs=exact).unknown == 12


def test_an_unchanged_copy_is_a_release():
    """A release of columns as they were has everybody in it, though nothing in it is grouped."""
    original = pa.table({"age": range(20, 32), "ill": ["x", "y"] * 6})
    one = table_of(
        [(f"[{20 + i // 6 * 6},{26 + i // 6 * 6})", v) for i, v in enumerate("xy" * 6)],
        ["age", "ill"],
    )
    assert place(one, original.select(["ill"]), original, ["age"]).people == 12


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("ill", "the original: 'ill' does not name people"),
        ("nobody", "the original: there is no column 'nobody' to know people by"),
        ("zip", "there is no column 'zip' to know people by"),
        ("id", "some of its 'id' are not in the original"),
    ],
)
def test_what_a_key_must_be(key, words):
    """A key is in all three files, names everybody once, and whom the original has."""
    original = table_of(
        [("p1", "30", "1", "x"), ("p2", "31", "2", "x")], ["id", "age", "zip", "ill"]
    )
    release = table_of([("p1", "*", "x"), ("p3", "*", "x")], ["id", "age", "ill"])
    with pytest.raises(InputError, match=words):
        place(release, release, original, ["age"], key=[key])
