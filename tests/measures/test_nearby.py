"""Linkage attacks that look at few classes find what those find that look at all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from shoal.measures.reading import both_sides
from shoal.measures.result import side_by_side
from shoal.measures.risk.linkage import Attack, by_distance_and_blocks, by_ranks
from shoal.measures.risk.nearby import ClassLists, Nearby, most_frequent
from shoal.report.public.cells import PublicAttack
from shoal.table.read import read

EACH = partial(side_by_side, threads=2)
FEW, ALL = 0, 10**9  # classes from which on only those nearby are looked at


def attack_on(seed, kind, decimals, *, wrong=False, rows=240, width=4):
    """An attack on means of groups of 3, with some decimals; some may be looked for in vain."""
    rng = np.random.default_rng(seed)
    before = rng.normal(size=(rows, width)).round(decimals)
    order = np.argsort(before[:, 0] + before[:, 1], kind="stable")
    classes = np.empty(rows, dtype=np.int64)
    classes[order] = np.arange(rows) // 3
    sums = np.stack([np.bincount(classes, weights=column) for column in before.T], axis=1)
    after = (sums / np.bincount(classes)[:, None])[classes].round(decimals)
    pairs = np.arange(rows), np.arange(rows)
    sides = tuple(
        both_sides(*(read(pa.table({f"c{j}": part[:, j]}))[f"c{j}"] for part in (before, after)),
                   None, pairs)
        for j in range(width)
    )  # fmt: skip
    seen = np.unique(classes, return_index=True)[1]
    own = rng.permutation(classes) if wrong else classes
    return kind(sides, seen, np.bincount(classes), np.arange(rows), own)


@pytest.mark.parametrize("kind", [Attack, PublicAttack])
@pytest.mark.parametrize("decimals", [0, 1, 6])
@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.slow
def test_the_chances_are_the_same(kind, decimals, wrong):
    """Of continuous numbers and of ties, whoever the own class is, by all three attacks."""
    for seed in range(4):
        attack = attack_on([seed, decimals], kind, decimals, wrong=wrong)
        few, every = (
            (*by_distance_and_blocks(attack, EACH, many), by_ranks(attack, EACH, many))
            for many in (FEW, ALL)
        )
        for one, other in zip(few, every, strict=True):
            assert one == pytest.approx(other, rel=1e-12, abs=0)
        assert wrong or every[0].any()
        assert wrong or every[1].any()


def test_gaps_and_intervals_are_looked_at_as_a_whole():
    """A class that says nothing is next to everybody, and an attacker may have no number."""
    attack = attack_on(5, Attack, 1)
    side = attack.quasi[1]
    silent = np.where(np.arange(240) % 11 == 0, np.nan, side.after)
    gaps = np.where(np.arange(240) % 7 == 0, np.nan, side.before)
    wide = {"low": side.after - 0.2, "high": side.after + 0.2, "is_single": False}
    for changed in ({"low": silent, "high": silent}, {"before": gaps}, wide):
        quasi = (attack.quasi[0], replace(side, **changed), *attack.quasi[2:])
        other = replace(attack, quasi=quasi)
        few, every = (by_distance_and_blocks(other, EACH, many) for many in (FEW, ALL))
        assert np.array_equal(few, every)
        assert np.array_equal(by_ranks(other, EACH, FEW), by_ranks(other, EACH, ALL))


def test_no_attackers_and_one_class():
    """Nobody attacks, or there is nothing to tell apart."""
    attack = attack_on(1, Attack, 2)
    none = replace(attack, rows=attack.rows[:0], own=attack.own[:0])
    assert [one.size for one in by_distance_and_blocks(none, EACH, FEW)] == [0, 0]
    assert by_ranks(none, EACH, FEW).size == 0
    one = replace(attack, seen=attack.seen[:1], counts=np.array([240]), own=attack.own * 0)
    for chances in (*by_distance_and_blocks(one, EACH, FEW), by_ranks(one, EACH, FEW)):
        assert chances == pytest.approx(1 / 240)


def test_within_reach():
    """Classes within reach in every column are those of the definition, in order."""
    rng = np.random.default_rng(3)
    people, classes = rng.normal(size=(20, 3)), rng.normal(size=(500, 3)).round(1)
    near = Nearby(list(people.T), list(classes.T), np.zeros(20, dtype=np.int64), EACH)
    for attacker in range(20):
        apart = np.abs(classes - people[attacker])
        for reach in (0.0, 0.3, 1.0, 100.0):
            wanted = np.flatnonzero((apart <= reach).all(axis=1))
            assert near.within(attacker, reach).tolist() == wanted.tolist()
        assert near.distance_to_own(attacker) == pytest.approx(np.sqrt((apart[0] ** 2).sum()))
        assert near.largest_to_own(attacker) == apart[0].max()


def test_lists_of_classes():
    """Classes by the values they release, and those that most lists have."""
    lists = ClassLists.of(np.array([2, 0, 2, 1, 0]), 3)
    assert lists.classes((np.array([2]), np.array([0]))).tolist() in ([0, 2, 1, 4], [1, 4, 0, 2])
    assert lists.classes((np.array([1]), np.array([1]))).tolist() == [3]
    assert most_frequent([np.array([4, 1]), np.array([1, 7]), np.array([7])]).tolist() == [1, 7]
