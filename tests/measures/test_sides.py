"""What released texts cover, and what the two sides of a column are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.measures.cell_texts import cover, span
from shoal.measures.reading import both_sides
from shoal.measures.sides import Numbers
from shoal.table.hierarchy.values import Axis
from shoal.table.read import read


def sides(before, after, paired=True, **changes):
    """Both sides of one column."""
    tables = [read(pa.table({"x": values})) for values in (before, after)]
    pairs = (np.arange(len(before)), np.arange(len(after))) if paired else None
    return both_sides(tables[0]["x"].replace(**changes), tables[1]["x"], None, pairs)


def test_open_ends():
    """An end that is open lies beyond every number."""
    for text, mark in (("<5", "<"), ("[-inf,5)", "<"), (">=5", ">"), ("[5,inf)", ">")):
        low, high, found = span(text, Axis("number"), {})
        assert found == mark
        assert (low < -(10**300)) == (mark == "<")
        assert (high > 10**300) == (mark == ">")
    found = sides([1, 5, 9], ["<5", ">=5", ">=5"])
    assert found.low.tolist() == [1, 5, 5]
    assert found.high.tolist() == [5, 9, 9]


def test_ranks_with_commas():
    """Values of an order may hold commas; a range is taken apart where both parts are values."""
    ranks = {"a": Fraction(0), "b,c": Fraction(1), "d": Fraction(2)}
    assert span("[a,b,c]", Axis("rank"), ranks) == (0, 1, "]")
    assert span("b,c", Axis("rank"), ranks) == (1, 1, "")
    assert span("[a,x]", Axis("rank"), ranks) is None
    assert span("a-b", Axis("rank"), ranks) is None
    found = sides(["lo", "mid", "hi"], ["[lo,mid]", "[lo,mid]", "hi"], order=("lo", "mid", "hi"))
    assert isinstance(found, Numbers)
    assert found.before.tolist() == [0, 1, 2]
    assert found.after.tolist() == [0.5, 0.5, 2]


def test_masks():
    """A mask covers what is as long and begins so; an unknown text covers nobody knows what."""
    values = ["123", "124", "133", "12"]
    place = {value: i for i, value in enumerate(values)}
    assert cover("12*", values, place).tolist() == [0, 1]
    assert cover("1**", values, place).tolist() == [0, 1, 2]
    assert cover("12", values, place).tolist() == [3]
    assert cover("9**", values, place) is None
    assert cover("north", values, place) is None


def test_stars_and_missing_cells():
    """A star and a missing cell say nothing; they have lost everything."""
    found = sides([1, None, 3], ["[1,3]", "*", None])
    assert np.isnan(found.before).tolist() == [False, True, False]
    assert np.isnan(found.low).tolist() == [False, True, True]
    assert found.losses.tolist() == [1.0, 1.0, 1.0]
    words = sides(["a", None, "b"], ["a", "*", None])
    assert words.before.tolist() == [0, -1, 1]
    assert words.after.tolist() == [words.forms.index("a"), -1, -1]
