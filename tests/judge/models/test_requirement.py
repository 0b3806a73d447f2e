"""What may be asked of a release, and the rules that it becomes."""

from __future__ import annotations

import math

import pytest

from shoal.errors import RequestError
from shoal.judge.models import models_of
from shoal.judge.requirement import Requirement

REFUSED = [
    ({"l": 2, "l_kind": "other"}, "l_kind must be one of distinct, entropy, recursive"),
    ({"c": 2.0}, "say l too"),
    ({"l_kind": "entropy"}, "say l too"),
    ({"l_kind": "recursive", "c": 2.0}, "say l too"),
    ({"l": 2, "c": 2.0}, "needs c, and only that kind has one"),
    ({"l": 2, "l_kind": "entropy", "c": 2.0}, "needs c, and only that kind has one"),
    ({"l": 2, "l_kind": "recursive"}, "needs c, and only that kind has one"),
    *(({"l": 2, "l_kind": "recursive", "c": c}, "c must be a number above 0")
      for c in (0, -1, math.nan, math.inf, True, "2")),
    *(({"l": many}, "l must be a whole number of at least 1")
      for many in (0, 0.5, 1.5, -1, math.nan, math.inf, True, "2", {"s": 0}, {"r": 2, "s": 2.5})),
    *(({"l": many, "l_kind": "recursive", "c": 1}, "l must be a whole number")
      for many in (0, 1.5)),
    *(({"l": many, "l_kind": "entropy"}, "l must be a number of at least 1")
      for many in (0.99, 0, math.inf, True)),
    *(({"t": t}, "t must be a number between 0 and 1") for t in (-0.01, 1.01, math.nan, False)),
    *(({"alpha": a}, "alpha must be a number above 0, at most 1") for a in (0, -0.1, 1.01, True)),
    *(({"dominance": p}, "dominance must be a percentage above 0") for p in (0, -1, math.inf)),
    *(({what: {}}, f"{what} names no column") for what in ("l", "t", "alpha", "dominance")),
    *(({"k_of": {("a",): k}}, "k_of must be a whole number") for k in (0, -1, 1.5, True, "2")),
    ({"k_of": {(): 2}}, "k_of must be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_cannot_be_asked(asked, message):
    """Numbers out of their range, and parts of a model without the rest, are refused by name."""
    with pytest.raises(RequestError, match=message):
        Requirement(k=2, **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {}, {"l": 1}, {"l": 2.0}, {"l": {"s": 3}}, {"l": 1, "l_kind": "entropy"},
        {"l": 1.5, "l_kind": "entropy"}, {"l": 2, "l_kind": "recursive", "c": 0.001},
        {"l": 2, "l_kind": "recursive", "c": 1}, {"t": 0}, {"t": 1}, {"t": 0.5}, {"alpha": 1},
        {"alpha": 0.001}, {"dominance": 0.001}, {"dominance": 250}, {"k_of": {("a",): 1}},
        {"k_of": {("a", "b"): 7}},
    ],
)  # fmt: skip
def test_what_can_be_asked(asked):
    """The ends of every range may be asked, of all columns or by name."""
    requirement = Requirement(k=2, **asked)
    for what, value in asked.items():
        assert getattr(requirement, what) == value


@pytest.mark.parametrize(
    ("asked", "of_sensitive", "more"),
    [
        ({}, False, False),
        ({"l": 2}, True, True),
        ({"t": 0.0}, True, True),
        ({"alpha": 0.5}, True, True),
        ({"dominance": 10}, False, True),
        ({"k_of": {("a",): 3}}, False, False),
    ],
)
def test_what_is_more_than_k(asked, of_sensitive, more):
    """Models of sensitive columns ask for more than groups of k, and so does dominance."""
    requirement = Requirement(k=2, **asked)
    assert requirement.of_sensitive is of_sensitive
    assert requirement.more_than_k is more


def test_columns_that_there_are_not():
    """What is asked of a column must be asked of one that has the role; the nearest is named."""
    for what, value in (("l", 2), ("t", 0.1), ("alpha", 0.5)):
        with pytest.raises(RequestError, match="name at least one"):
            Requirement(k=2, **{what: value}).check([], ["a"])
        Requirement(k=2, **{what: value}).check(["s"], ["a"])
        Requirement(k=2, **{what: {"s": value}}).check(["r", "s"], ["a"])
        with pytest.raises(RequestError, match=f"{what} is given for 'a', which is no sensitive"):
            Requirement(k=2, **{what: {"a": value}}).check(["s"], ["a"])
    Requirement(k=2, dominance=10).check([], ["a"])
    Requirement(k=2, dominance={"a": 10}).check([], ["a"])
    with pytest.raises(RequestError, match="dominance is given for 's', which is no quasi"):
        Requirement(k=2, dominance={"s": 10}).check(["s"], ["a"])
    Requirement(k=2, k_of={("a", "b"): 3}).check([], ["a", "b", "c"])
    with pytest.raises(RequestError, match=r"k_of is given for 'agee', which is no quasi.*'age'"):
        Requirement(k=2, k_of={("agee",): 3}).check([], ["age"])


def test_what_is_asked_of_a_column():
    """A number holds for every column, numbers by name for those."""
    requirement = Requirement(k=2, l=3, t={"s": 0.25})
    assert [requirement.threshold("l", name) for name in "rs"] == [3, 3]
    assert [requirement.threshold("t", name) for name in "rs"] == [None, 0.25]
    assert requirement.threshold("alpha", "s") is None
    assert [*models_of(Requirement(k=2), "s")] == []
    assert [model.name for model in models_of(requirement, "r")] == ["distinct l-diversity"]
