"""Which records are left out, beside brute force and beside simple rules."""

from __future__ import annotations

import numpy as np
import pytest

from mixed_tables import random_table
from naive import suppressing
from shoal.measures.generalization import loss_rate
from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import find_refinement
from shoal.methods.solve import solve
from shoal.methods.suppress.choose import Regroup, Task, allowed, choose, least
from shoal.methods.suppress.removals import Losses
from shoal.partition import rows_of_groups
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import is_thorough

TABLES = 100 if is_thorough() else 12
QUIET = Reporter(None)


def regroup(encoding, k):
    """Groups by MDAV, refined; and groups that are refined."""

    def onward(rows, labels):
        problem = Problem(encoding.take(rows), k, start=np.array(labels))
        return solve(problem, find_refinement("iterative+"), QUIET).labels

    def anew(rows):
        return onward(rows, solve(Problem(encoding.take(rows), k), "mdav", QUIET).labels)

    return Regroup(anew, onward)


def loss_of(encoding, labels):
    """What the groups of records lose that are not left out."""
    kept = np.flatnonzero(labels >= 0)
    return Losses(encoding).of([kept[rows] for rows in rows_of_groups(labels[kept])]).sum()


def test_few_points_are_solved_exactly():
    """Of a few points no set of records and no groups of the others lose less: brute force."""
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows, k, budget = int(rng.integers(5, 9)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
        matrix = rng.standard_t(2, size=(rows, 2))
        points = [tuple(one) for one in matrix]
        labels = least(Losses(Points(matrix)), k, budget)
        assert (labels == -1).sum() <= budget
        assert np.bincount(labels[labels >= 0]).min() >= k

        def loss(some, points=points):
            return suppressing.squared([points[i] for i in some])

        best = suppressing.best_without(rows, k, budget, loss)
        assert loss_of(Points(matrix), labels) == pytest.approx(best), seed


def test_few_records_of_trees_are_solved_exactly(tmp_path):
    """Of a few records in hierarchies brute force finds nothing better."""
    for seed in range(TABLES // 2):
        rng = np.random.default_rng(seed)
        made = random_table(rng, tmp_path, ranges=False, inner=True)
        coded = code(read(made.table), made.rules)
        some = coded.take(np.arange(min(7, coded.rows)))
        if some.rows < 4:
            continue

        def loss(rows, some=some):
            own = some.take(np.array(rows))
            whole = loss_rate(own, np.zeros(own.rows, dtype=np.int64))
            return whole / 100.0 * own.rows * len(own.columns)

        labels = least(Losses(Nodes(some)), 2, 2)
        best = suppressing.best_without(some.rows, 2, 2, loss)
        assert loss_of(Nodes(some), labels) == pytest.approx(best), seed


def test_what_a_group_loses_without_a_record_is_exact():
    """The closed form with and without survey weights is the loss of the others."""
    rng = np.random.default_rng(3)
    matrix, group = rng.normal(size=(9, 3)), np.array([8, 1, 4, 2])
    for weights in (None, rng.uniform(1, 9, 9)):
        losses = Losses(Points(matrix, weights=weights))
        (found,) = losses.without([group])
        others = [np.delete(group, at) for at in range(4)]
        assert found == pytest.approx(losses.of(others))


@pytest.mark.parametrize("strata", [None, 3])
def test_the_budget_holds_and_outliers_go_first(strata):
    """Never more than the budget is left out, all strata keep groups of k, far records go first."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(120, 3))
    matrix[:4] *= 40.0
    own = None if strata is None else np.arange(120) % strata
    encoding = Points(matrix)

    def anew(rows):
        labels = np.zeros(rows.size, dtype=np.int64)
        parts = np.zeros(rows.size, dtype=np.int64) if own is None else own[rows]
        for part in range(parts.max() + 1):
            some = np.flatnonzero(parts == part)
            made = solve(Problem(encoding.take(rows[some]), 4), "mdav", QUIET).labels
            labels[some] = made + labels.max() + 1
        return labels

    task = Task(encoding, matrix, 4, 6, own)
    found = choose(task, Regroup(anew, lambda _, labels: labels), QUIET)
    assert {0, 1, 2, 3} <= set(found.left_out.tolist())
    assert found.left_out.size <= 6
    assert np.array_equal(np.sort(np.append(found.kept, found.left_out)), np.arange(120))
    assert np.bincount(found.labels).min() >= 4
    if own is not None:
        pairs = {(int(g), int(s)) for g, s in zip(found.labels, own[found.kept], strict=True)}
        assert len(pairs) == found.labels.max() + 1


def test_less_is_lost_than_by_simple_rules():
    """The records chosen leave less loss than the farthest, the worst grouped, and random ones."""
    rng = np.random.default_rng(1)
    matrix = rng.standard_t(3, size=(300, 4))
    encoding, k, budget = Points(matrix), 5, 9
    ways = regroup(encoding, k)
    found = choose(Task(encoding, matrix, k, budget), ways, QUIET)
    labels = np.full(300, -1)
    labels[found.kept] = found.labels
    losses, whole = Losses(encoding), ways.anew(np.arange(300))
    groups = rows_of_groups(whole)
    worst = np.zeros(300)
    for rows, without in zip(groups, losses.without(groups), strict=True):
        worst[rows] = losses.of([rows])[0] - without
    for score in (((matrix - matrix.mean(0)) ** 2).sum(1), worst, rng.random(300)):
        kept = np.sort(np.argsort(-score)[budget:])
        simple = np.full(300, -1)
        simple[kept] = ways.anew(kept)
        assert loss_of(encoding, labels) < loss_of(encoding, simple)


def test_a_share_is_rounded_down():
    """A budget is never more records than its share, and no less."""
    assert [allowed(0.01, n) for n in (99, 100, 199, 1080)] == [0, 1, 1, 10]
    assert allowed(0.07, 100) == 7
