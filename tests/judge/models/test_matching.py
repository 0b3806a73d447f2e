"""The three readings of missing cells, against brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive import judging
from shoal.judge.limits import limited
from shoal.judge.models import matching
from shoal.judge.models.matching import (
    NAN,
    READINGS,
    candidate_values,
    candidates,
    has_star,
    is_star,
    smallest,
    steps,
)

STARS = (None, "*", "")


def matches(reading, s, r):
    """Whether record s could be the person whose record is r, cell by cell."""
    for theirs, mine in zip(s, r, strict=True):
        star, wanted = theirs in STARS, mine in STARS
        if reading == "own" and theirs != mine:
            return False
        if reading == "root" and not (star or (theirs == mine and not wanted)):
            return False
        if reading == "wildcard" and not (star or wanted or theirs == mine):
            return False
    return True


@pytest.mark.parametrize("reading", READINGS)
def test_readings_equal_brute_force(reading):
    """On two thousand random tables the counts are those of comparing every pair of records."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        rows, width = int(rng.integers(1, 13)), int(rng.integers(1, 4))
        values = np.array(["a", "b", "*", None], dtype=object)
        records = [tuple(values[i] for i in rng.integers(0, 4, width)) for _ in range(rows)]
        found = candidates(Counter(records), reading)
        assert found == {r: sum(matches(reading, s, r) for s in records) for r in records}
        wide = [(*record, "same") for record in records]
        wider = candidates(Counter(wide), reading)
        assert {key[:-1]: count for key, count in wider.items()} == found


def test_readings_of_one_release():
    """Three equal rows and one with a missing cell: 1 by its own category, 4 as a wildcard."""
    table = pa.table({"a": ["x", "x", "x", None], "b": ["y"] * 4})
    found = {
        reading: shoal.verify(table, k=2, quasi_identifiers=["a", "b"], missing_as=reading)
        for reading in READINGS
    }
    assert {reading: verdict.k for reading, verdict in found.items()} == {
        "own": 1, "root": 1, "wildcard": 4,
    }  # fmt: skip
    assert not found["own"].ok
    assert found["wildcard"].ok
    assert "read as wildcard" in found["wildcard"].summary()
    assert "1 classes with 1 records" in found["own"].problems[0]
    with pytest.raises(shoal.RequestError, match="missing_as must be one of own, root, wildcard"):
        shoal.verify(table, k=2, quasi_identifiers=["a"], missing_as="any")


@pytest.mark.parametrize("reading", READINGS)
def test_values_of_candidates_equal_brute_force(reading):
    """Of every key the values are those of all records that match it, counted one by one."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        rows, width = int(rng.integers(1, 13)), int(rng.integers(1, 4))
        values = np.array(["a", "b", "*", None], dtype=object)
        records = [
            (tuple(values[i] for i in rng.integers(0, 4, width)), int(rng.integers(0, 3)))
            for _ in range(rows)
        ]
        classes = {key: Counter(v for k, v in records if k == key) for key, _ in records}
        found = candidate_values(classes, reading)
        assert found == {
            r: Counter(v for s, v in records if matches(reading, s, r)) for r in classes
        }


@pytest.mark.parametrize("reading", READINGS)
def test_the_smallest_equals_brute_force(reading):
    """The least number of candidates is that of all keys, in however few steps it was found."""
    rng = np.random.default_rng(3)
    for _ in range(500):
        rows, width = int(rng.integers(1, 20)), int(rng.integers(1, 4))
        values = np.array(["a", "b", "*", None], dtype=object)
        classes = Counter(tuple(values[i] for i in rng.integers(0, 4, width)) for _ in range(rows))
        least = min(candidates(classes, reading).values())
        assert smallest(classes, reading) == least
        assert smallest(classes, reading, 10**6) == least
        assert smallest(classes, reading, 0) in (least, None)
    assert smallest({}, reading) == 0


def test_steps_of_the_smallest():
    """It gives up after so many steps: all keys for a pattern of stars, all patterns for a key."""
    classes = {("a", "x"): 1, ("*", "y"): 5, ("b", "y"): 5}
    assert smallest(classes, "wildcard", 5) == 1, "3 keys and 2 patterns; the other keys are larger"
    assert smallest(classes, "wildcard", 4) is None
    assert smallest(classes, "own", 0) == 1
    assert smallest({("a",): 2, ("b",): 3}, "wildcard", 0) == 2, "without stars nothing is searched"


def test_what_a_star_is():
    """Missing, empty, suppressed and not-a-number cells say nothing; zero and texts do."""
    for cell in (None, "", "*", NAN, float("nan")):
        assert is_star(cell)
    for cell in (0, False, "a", " ", "**", 0.0):
        assert not is_star(cell)
    for cell in (None, "", "*", NAN):
        assert has_star(("a", cell))
    assert not has_star(("a", 0, False, " "))
    assert not has_star(())


def starred(rng, rows, width, values=3):
    """Random keys of which nearly every one has stars in places of its own."""
    cells = np.array([*"abcdefghij"[:values], "*", None, ""], dtype=object)
    return [tuple(cells[i] for i in rng.integers(0, cells.size, width)) for _ in range(rows)]


@pytest.mark.parametrize("reading", ["root", "wildcard"])
@pytest.mark.parametrize("block", [7, 4096])
def test_many_patterns_equal_brute_force(reading, block, monkeypatch, thorough):
    """Where classes meet as bits, counts and values are those of comparing all pairs."""
    monkeypatch.setattr(matching, "_meetings", None)  # which is not for so many patterns
    rng = np.random.default_rng(4)
    for _ in range(30 if thorough else 10):
        records = starred(rng, 60, 6) * 2
        matched = judging.candidates(records, reading)
        values = rng.integers(0, int(rng.choice([2, 90])), len(records)).tolist()
        classes = {key: Counter() for key in records}
        for key, value in zip(records, values, strict=True):
            classes[key][value] += 1
        with limited(block=block):
            counts = candidates(Counter(records), reading)
            found_values = candidate_values(classes, reading)
        assert counts == {key: len(found) for key, found in zip(records, matched, strict=True)}
        assert found_values == {
            key: Counter(values[i] for i in found)
            for key, found in zip(records, matched, strict=True)
        }


class Cell(str):
    """A text that counts how often it is looked up."""

    __slots__ = ()
    looked = 0

    def __hash__(self):
        """Count a look."""
        Cell.looked += 1
        return str.__hash__(self)

    __eq__ = str.__eq__


@pytest.mark.parametrize("reading", ["root", "wildcard"])
def test_work_does_not_grow_with_patterns(reading):
    """A thousand patterns of stars take a few looks a cell, not one for each other pattern."""
    rng = np.random.default_rng(5)
    classes = {tuple(map(Cell, key)): 1 for key in starred(rng, 1000, 14) if None not in key}
    classes |= {tuple(map(Cell, (*(c or "" for c in key),))): 1 for key in starred(rng, 1000, 14)}
    Cell.looked = 0
    candidates(classes, reading)
    assert Cell.looked <= 8 * len(classes) * 14
    Cell.looked = 0
    candidate_values({key: {0: 1} for key in classes}, reading)
    assert Cell.looked <= 8 * len(classes) * 14


def test_steps_and_counts_are_bounded():
    """More classes than may meet, or values than may be kept, are refused in words."""
    rng = np.random.default_rng(6)
    keys = starred(rng, 300, 8)
    table = pa.table({f"q{i}": [key[i] for key in keys] for i in range(8)} | {"s": range(300)})
    ask = {"quasi_identifiers": [f"q{i}" for i in range(8)], "missing_as": "wildcard", "k": 1}
    assert steps(set(keys), "own") == 0
    assert 8 * 300 <= steps(set(keys), "wildcard") <= 8 * 300 * 3
    assert shoal.verify(table, **ask).ok
    refused = pytest.raises(shoal.RequestError, match=r"more than 300 counts.*missing_as own")
    with limited(counts=300), refused:
        shoal.verify(table, sensitive=["s"], l=1, **ask)
    refused = pytest.raises(shoal.RequestError, match=r"too many classes to compare.*at most 2000")
    with limited(cells=2000), refused:
        shoal.verify(table, **ask)
