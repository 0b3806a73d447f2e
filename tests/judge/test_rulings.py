"""Sizes of classes in a table, and what is said of a release without records."""

from __future__ import annotations

import math
import random
from functools import partial

import pyarrow as pa
import pytest

import shoal
from naive import judging, spelling
from shoal.judge.values import read_tree


def _classes(sizes):
    """A table with so many classes of each size."""
    every = [size for size, many in sizes.items() for _ in range(many)]
    cells = [number for number, size in enumerate(every) for _ in range(size)]
    return pa.table({"a": pa.array(cells, pa.int64())})


@pytest.mark.parametrize(
    ("sizes", "least", "median", "largest"),
    [
        ({3: 1}, 3, 3, 3),
        ({1: 1, 4: 1}, 1, 2.5, 4),
        ({1: 1, 4: 2}, 1, 4, 4),
        ({2: 2, 4: 1, 9: 1}, 2, 3, 9),
        ({9: 1, 2: 3}, 2, 2, 9),
        ({5: 2, 7: 2}, 5, 6, 7),
        ({}, 0, 0, 0),
    ],
)
def test_sizes_by_hand(sizes, least, median, largest):
    """The median of class sizes is the middle one, or the mean of both."""
    found = shoal.verify(_classes(sizes), k=1, quasi_identifiers=["a"]).sizes
    assert (found.least, found.median, found.largest) == (least, median, largest)


def test_the_table_of_sizes_has_twenty_rows():
    """Up to twenty sizes have their own row; of more, the last row counts all others."""
    twenty = dict.fromkeys(range(1, 21), 2)
    asked = {"k": 1, "quasi_identifiers": ["a"]}
    assert shoal.verify(_classes(twenty), **asked).sizes.table == tuple(
        (size, 2) for size in range(1, 21)
    )
    table = shoal.verify(_classes({**twenty, 21: 1}), **asked).sizes.table
    assert table == (*((size, 2) for size in range(1, 20)), ("and more", 3))


def test_a_release_without_records():
    """A release without records keeps nothing: what is found is 0."""
    empty = pa.table({"a": pa.array([], pa.int64()), "s": pa.array([], pa.string())})
    found = shoal.verify(
        empty, k=1, quasi_identifiers=["a"], sensitive=["s"], l=1, k_of={"a": 1}
    )  # fmt: skip
    assert not found.ok
    assert found.k == 0
    assert [one.found for one in found.k_of] == [0]
    assert [one.found for one in found.models] == [0]


def test_at_most_twenty_values_are_ruled_out():
    """Somebody who rules out up to 19 values is looked at, whatever l is asked."""
    table = pa.table({"a": [1] * 30, "s": list(range(30))})
    for wanted, many in ((2, 1), (20, 19), (21, 20), (22, 20), (30, 20)):
        found = shoal.verify(table, k=2, quasi_identifiers=["a"], sensitive=["s"], l=wanted)
        posterior = found.models[0].posterior
        assert len(posterior) == many
        assert math.isclose(posterior[-1], 1 / (31 - many))


def test_the_height_of_a_tree(write):
    """A tree is as high as its lines have words above the value, the root included."""
    path = write("t.csv", "x;g;*\ny;g;*\n")
    tree = read_tree(path, "t")
    assert tree.height == 2
    assert tree.lines == {"x": ("g",), "y": ("g",)}


def test_what_a_model_says_in_words():
    """Of l-diversity it is said how sure somebody is who rules values out; of others it is not."""
    table = pa.table({"a": [1] * 4 + [2] * 4, "s": list("wxyzxxxx")})

    def said(**asked):
        return shoal.verify(table, k=2, quasi_identifiers=["a"], sensitive=["s"], **asked).summary()

    text = said(l=2)
    assert "records whose class has a single known value: 50 %" in text
    assert "surest of a value, after ruling out 0 others: 100 %" in text
    assert "after ruling out 0 to 1 others: 100 %, 100 %" in said(l=3)
    assert "surest" not in said(l=1)
    assert "single known value" in said(l=1)
    text = said(alpha=0.5)
    assert "surest" not in text
    assert "single known value" not in text
    assert "below 2" in said(l=2, l_kind="recursive", c=2)
    assert "too few values" in said(l=2, l_kind="recursive", c=2)
    assert "asked: 0.5" in text


def test_readings_are_told_where_they_differ():
    """What missing cells match is said where it changes the smallest class, and only there."""
    said = "smallest candidate set by what a missing cell"
    plain = pa.table({"a": ["x", "x", "y", "y"]})
    assert said not in shoal.verify(plain, k=2, quasi_identifiers=["a"]).summary()
    starred = pa.table({"a": ["x", "x", None, None]})
    assert said in shoal.verify(starred, k=2, quasi_identifiers=["a"]).summary()


def test_delimiters_within_quotes_separate_nothing(write):
    """The sign between columns is found outside of quotes; two such signs must be told apart."""
    for header, record, name in (("a;b", "1;2", "b"), ("a", "1", "a"), ('"a;b",c,d', "1,2,3", "c")):
        path = write("t.csv", f"{header}\n{record}\n")
        assert shoal.verify(path, k=1, quasi_identifiers=[name]).records == 1
    path = write("t.csv", "a;b,c\n1;2,3\n")
    with pytest.raises(shoal.InputError, match="say with delimiter"):
        shoal.verify(path, k=1, quasi_identifiers=["a"])


def test_closeness_takes_the_larger_distance(tmp_path, thorough):
    """Of ordered and hierarchical values, t is that of values or of forms, whichever is larger."""
    order = ["lo", "LO ", "mid", "hi", "HI"]
    lines = [("lo", "A", "*"), ("LO ", "B", "*"), ("mid", "A", "*"), ("hi", "B", "*"),
             ("HI", "A", "*")]  # fmt: skip
    (tmp_path / "t.csv").write_text("".join(";".join(line) + "\n" for line in lines))
    paths = {line[0]: line for line in lines}
    rng = random.Random(4)
    larger = set()
    for _ in range(300 if thorough else 6):
        cells = [rng.choice(order) for _ in range(rng.randint(2, 12))]
        half = rng.randint(1, len(cells))
        table = pa.table({"a": [int(i >= half) for i in range(len(cells))], "s": cells})
        asked = {"k": 1, "quasi_identifiers": ["a"], "sensitive": ["s"], "t": 0.1}
        first = {spelling.form(word): word for word in reversed(order) if word in cells}
        least = {spelling.form(word): word for word in sorted(order, reverse=True) if word in cells}
        for how in ("order", "tree"):
            if how == "order":
                found = shoal.verify(table, **asked, orders={"s": order})
                named = [[order.index(w) for w in cells],
                         [order.index(first[spelling.form(w)]) for w in cells]]  # fmt: skip
                apart = judging.ordered_distance
            else:
                found = shoal.verify(table, **asked, hierarchies={"s": tmp_path / "t.csv"})
                named = [cells, [least[spelling.form(w)] for w in cells]]
                apart = partial(judging.hierarchical_distance, lines=list(paths.values()))
            both = [
                max(float(apart(part, every)) for part in (every[:half], every[half:]) if part)
                for every in named
            ]
            assert found.models[0].found == pytest.approx(max(both))
            larger.add((how, both[1] > both[0] + 1e-9))
    assert ("order", True) in larger
    assert ("tree", True) in larger


def test_both_readings_of_missing_cells():
    """Both are told, in words and in JSON; the one that is asked for is the verdict."""
    table = pa.table({"a": [1] * 4 + [2] * 4, "s": ["x", None, "x", "", "x", "y", "y", "*"]})
    asked = {"k": 2, "quasi_identifiers": ["a"], "sensitive": ["s"]}
    for reading, good in (("ignored", False), ("value", True)):
        found = shoal.verify(table, **asked, l=2, missing_sensitive=reading)
        assert found.ok == good
        told = found.to_dict()["models"][0]["readings"]
        assert told == {"ignored": {"found": 1, "ok": False}, "value": {"found": 2, "ok": True}}
        assert "left out: 1 (broken), as a value of their own: 2 (kept)" in found.summary()
        assert found.models[0].certain == pytest.approx(2 / 8)
    found = shoal.verify(table, **asked, alpha=0.6)
    assert found.models[0].found == 1
    assert found.models[0].readings["value"].found == 0.5
    with pytest.raises(shoal.RequestError, match="missing_sensitive"):
        shoal.verify(table, **asked, l=2, missing_sensitive="own")
