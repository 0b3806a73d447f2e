"""Searches within rules: never out of them, never worse, and no allowed move gains at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import search_tables
from mixed_tables import random_table
from naive import search as twin
from naive import trees as tree_twin
from rules_tables import KINDS, MODELS, draw_asked, keeps, rules_of, values_of
from shoal.methods.enforce.constraints import merge
from shoal.methods.enforce.swapping import of_labels, swap_in
from shoal.methods.ils.hierarchies.search import search_trees
from shoal.methods.ils.parameters import Search, Stop, Task
from shoal.methods.ils.search import search
from shoal.methods.registry import METHODS
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import spread

QUIET = Reporter(None)
TREES = METHODS["kaim+"].info.search


def ruled(seed, rows, folder):
    """Sensitive values and something that all of them keep, and few of them do not; its rules."""
    rng = np.random.default_rng([seed, 1])
    kind = KINDS[seed % len(KINDS)]
    few = 0
    while few < 3:
        values = values_of(kind, rng, rows, float(rng.choice([0.0, 0.2])))
        asked = draw_asked(rng, MODELS[int(rng.integers(len(MODELS)))], kind, values)
        some = [rng.choice(rows, min(4, rows // 2), replace=False) for _ in range(5)]
        few = sum(not keeps(kind, asked, [values[i] for i in part], values) for part in some)
        few *= keeps(kind, asked, values, values)

    def good(members):
        return keeps(kind, asked, [values[i] for i in members], values)

    return good, rules_of({"s": (kind, values)}, asked, folder)


def mended(matrix, labels, rules):
    """Groups that keep the rules: records swapped, and what is left merged."""
    swapped = swap_in(matrix, labels, rules, of_labels(rules, labels), QUIET)
    return merge(matrix, swapped, rules, QUIET)


def groups_of(labels):
    return [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]


@pytest.mark.parametrize("seed", spread(range(100), 40))
def test_search(seed, tmp_path):
    """From groups that keep the rules comes no worse grouping, none broken, and no move gains."""
    matrix, k = search_tables.table(seed, rows=30)
    good, rules = ruled(seed, len(matrix), tmp_path)
    labels = search_tables.random_groups(len(matrix), k, seed)
    start = mended(matrix, labels, rules)
    how = [Search(), METHODS["ilsmc+"].info.search, METHODS["ls"].info.search][seed % 3]
    how = replace(how, stop=Stop(iterations=[0, 30][seed % 2]), runs=1 + seed % 2)
    found, log = search(matrix, Task(k, start, how, seed, rules=rules), QUIET)
    again, _ = search(matrix, Task(k, start, how, seed, rules=rules), QUIET)
    assert np.array_equal(found, again)
    assert np.bincount(found).min() >= k
    assert all(good(group) for group in groups_of(found))
    assert twin.sse(matrix, found) <= twin.sse(matrix, start) + twin.tolerance(matrix)
    if twin.sst(matrix) > 1e-20:  # else all records are equal but for rounding
        assert log.loss_end <= log.loss_start + 1e-9
    most = max(4 * k, int(np.bincount(start).max()))
    every, change = twin.changes(matrix, found, k, most)
    for move, gain in zip(every, change, strict=True):
        if gain < -twin.tolerance(matrix):
            after = twin.moved(found, move)
            touched = {int(found[move[1]]), int(after[move[1]])}
            assert not all(good(np.flatnonzero(after == g).tolist()) for g in touched), move


def test_rules_are_in_the_way(tmp_path):
    """Some moves that would gain are not made: else the rules were never asked."""
    hindered = 0
    for seed in range(30):
        matrix, k = search_tables.table(seed, ("normal",), rows=30)
        _, rules = ruled(seed, len(matrix), tmp_path)
        start = mended(matrix, search_tables.random_groups(len(matrix), k, seed), rules)
        how = replace(Search(), stop=Stop(iterations=0))
        found, _ = search(matrix, Task(k, start, how, rules=rules), QUIET)
        hindered += twin.improves(matrix, found, k, max(4 * k, int(np.bincount(start).max())))
    assert hindered > 8, hindered


@pytest.mark.parametrize("seed", spread(range(100), 20))
def test_search_on_trees(seed, tmp_path):
    """On trees, too: none broken, none worse, and at the end no swap that is allowed gains."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path, ranges=seed % 2 == 0)
    records, rows = made.records, len(made.records)
    k = int(rng.integers(2, max(3, rows // 2)))
    good, rules = ruled(seed, rows, tmp_path)
    coded = code(read(made.table), made.rules)
    labels = search_tables.random_groups(rows, k, seed) if rows >= 2 * k else np.zeros(rows, int)
    start = mended(np.zeros((rows, 1)), labels.astype(np.int64), rules)
    options = replace(TREES, stop=Stop(iterations=[0, 100][seed % 2]), runs=1 + seed % 2)
    if rows < 2 * k:
        return
    found, log = search_trees(coded, Task(k, start, options, seed, rules=rules), QUIET)
    again, _ = search_trees(coded, Task(k, start, options, seed, rules=rules), QUIET)
    assert np.array_equal(found, again)
    assert np.bincount(found).min() >= k
    assert all(good(group) for group in groups_of(found))
    trees = [(tree, values) for tree, values in zip(made.trees, made.values, strict=True)]
    weights = [1] * len(trees)

    def loss(members):
        return tree_twin.group_loss(trees, weights, records, members)

    def total(labels):
        return sum(loss(group) for group in groups_of(labels))

    assert total(found) <= total(start)
    assert log.loss_end <= log.loss_start + 1e-9
    assert log.complete
    groups = groups_of(found)
    for one, here in enumerate(groups):
        for there in groups[one + 1 :]:
            before = loss(here) + loss(there)
            for x in here:
                for y in there:
                    a = [row for row in here if row != x] + [y]
                    b = [row for row in there if row != y] + [x]
                    if loss(a) + loss(b) < before - 1e-9:
                        assert not (good(a) and good(b))


def test_what_is_asked_was_asked_of_many(tmp_path):
    """The hundred tables have rules that random groups break, of every model."""
    broken = Counter()
    for seed in range(100):
        matrix, k = search_tables.table(seed, rows=30)
        good, _ = ruled(seed, len(matrix), tmp_path)
        labels = search_tables.random_groups(len(matrix), k, seed)
        broken[any(not good(group) for group in groups_of(labels))] += 1
    assert broken[True] > 40


@pytest.mark.parametrize("seed", spread(range(60), 8))
def test_penalties(seed, tmp_path):
    """Where breaking rules has a penalty, no more is lost and paid than before; no swap gains."""
    rng = np.random.default_rng(500 + seed)
    made = random_table(rng, tmp_path, ranges=seed % 2 == 0, rows=14)
    k, penalty = int(rng.integers(2, 5)), float(rng.choice([0.1, 1.0, 10.0]))
    _, rules = ruled(seed, 14, tmp_path)
    coded = code(read(made.table), made.rules)
    start = search_tables.random_groups(14, k, seed).astype(np.int64)
    options = replace(TREES, stop=Stop(iterations=[0, 50][seed % 2]))
    found, log = search_trees(
        coded, Task(k, start, options, seed, rules=rules, penalty=penalty), QUIET
    )
    trees = [(tree, values) for tree, values in zip(made.trees, made.values, strict=True)]

    def paid(labels):
        lost = tree_twin.total_loss(trees, [1] * len(trees), made.records, labels.tolist())
        return float(lost) + penalty * float(of_labels(rules, labels) @ np.bincount(labels))

    assert np.bincount(found).min() >= k
    assert paid(found) <= paid(start) + 1e-9
    assert log.loss_end == pytest.approx(100 * paid(found) / (14 * len(trees)), abs=1e-9)
    for x in range(14):
        for y in range(x):
            swapped = found.copy()
            swapped[[x, y]] = found[[y, x]]
            assert paid(swapped) > paid(found) - 1e-7


@pytest.mark.parametrize("seed", spread(range(60), 6))
def test_more_starts(seed, tmp_path):
    """With a second start the better of both ends is found: never more loss than from the first."""
    rng = np.random.default_rng(700 + seed)
    made = random_table(rng, tmp_path, rows=24)
    _, rules = ruled(seed, 24, tmp_path)
    coded = code(read(made.table), made.rules)
    some = [search_tables.random_groups(24, 3, own).astype(np.int64) for own in (seed, seed + 99)]
    one, two = (mended(np.zeros((24, 1)), labels, rules) for labels in some)
    if np.bincount(two).max() > max(12, np.bincount(one).max()):
        one, two = two, one
    options = replace(TREES, stop=Stop(iterations=40))
    task = Task(3, one, options, seed, rules=rules)
    alone, log = search_trees(coded, task, QUIET)
    both, best = search_trees(coded, replace(task, others=(two,)), QUIET)
    assert best.loss_end <= log.loss_end
    assert best.runs == log.runs
    assert (of_labels(rules, both) == 0).all()
    again = search_trees(coded, replace(task, others=(one,)), QUIET)[1]
    assert again.loss_end <= log.loss_end
    assert alone.size == both.size
