"""Splitting from the top down, beside its twin and by its own figures."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import shoal
from mixed_tables import random_table
from naive import top_down as twin
from naive import trees as tree_twin
from shoal.measures.generalization import loss_rate
from shoal.methods.topdown.grouping import Joining, cut_up, records_of, top_down
from shoal.methods.topdown.split import WEIGHED
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import spread

QUIET = Reporter(None)


def sets(labels):
    """The groups as a set of sets of rows."""
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)}


@pytest.mark.parametrize("seed", spread(range(300), 20))
def test_groups_are_those_of_the_twin(seed, tmp_path):
    """On small tables of every kind the groups are those of the definition, or cost the same."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path, ranges=seed % 2 == 0, inner=seed % 3 == 0,
                        rows=int(rng.integers(4, 40)))  # fmt: skip
    k = int(rng.integers(2, 6))
    coded = code(read(made.table), made.rules)
    rows = len(made.records)
    survey = None if seed % 2 else [Fraction(int(w)) for w in rng.choice([1, 2, 3, 40], rows)]
    own = None if survey is None else np.array([float(w) for w in survey])
    found = top_down(coded, k, QUIET, survey=own)
    trees = list(zip(made.trees, made.values, strict=True))
    weights = [1.0] * len(trees)

    def rank(j, label):
        return coded.columns[j].tree.nodes.get(label, 0)

    wanted = twin.top_down(trees, weights, made.records, k, rank, survey)
    labels = np.empty(len(made.records), dtype=int)
    for number, rows in enumerate(wanted):
        labels[rows] = number
    ours, theirs = (
        float(tree_twin.total_loss(trees, weights, made.records, one.tolist(), survey))
        for one in (found, labels)
    )
    assert sets(found) == sets(labels) or ours == pytest.approx(theirs, abs=1e-9)
    assert np.bincount(found).min() >= min(k, len(made.records))


def wide(rows=3_000, towns=400, seed=0):
    """A table with a flat column of many texts, one of floats, one of few texts, and gaps."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, towns, rows)
    gaps = rng.random(rows) < 0.1
    pay = np.round(town % 7 + rng.normal(size=rows), 3)
    return pa.table({
        "town": [f"t{i:03d}" for i in town],
        "region": [f"r{i % 9}" for i in town],
        "pay": pa.array([None if gap else float(x) for x, gap in zip(pay, gaps, strict=True)]),
    })  # fmt: skip


def test_wide_trees_and_missing_cells():
    """Hundreds of children, floats and gaps: groups of k or more that lose less than kaim's."""
    coded = code(read(wide()))
    labels = top_down(coded, 5, QUIET)
    assert np.bincount(labels).min() >= 5
    kaim = shoal.microaggregate(wide(), 5, method="kaim").labels
    assert loss_rate(coded, labels) < loss_rate(coded, np.asarray(kaim))


def test_the_order_of_rows_and_columns_is_of_no_importance():
    """Rows and columns in another order are in the same groups."""
    table = wide(rows=700)
    order = np.random.default_rng(3).permutation(700)
    other = table.take(order).select(["pay", "town", "region"])
    one = top_down(code(read(table)), 4, QUIET)
    two = top_down(code(read(other)), 4, QUIET)
    assert {frozenset(order[list(rows)].tolist()) for rows in sets(two)} == sets(one)


@pytest.mark.parametrize("width", [WEIGHED, WEIGHED + 1, 3 * WEIGHED])
def test_many_columns(width):
    """Of more columns than are weighed: groups of k or more, the same whatever the order of rows,
    that lose less than those of a chain of equal size."""
    rng = np.random.default_rng(width)
    hidden = rng.normal(size=(300, 2))
    cells = np.round(hidden @ rng.normal(size=(2, width)) + rng.normal(size=(300, width)) / 4, 1)
    names = [f"c{j}" for j in range(width)]
    table = pa.table({
        name: cells[:, j] if j % 2 else [f"t{x:.0f}" for x in cells[:, j]]
        for j, name in enumerate(names)
    })  # fmt: skip
    coded = code(read(table))
    labels = top_down(coded, 4, QUIET)
    sizes = np.bincount(labels)
    assert sizes.min() >= 4
    assert sizes.size > 30  # it splits as long as it can
    order = rng.permutation(300)
    other = top_down(code(read(table.take(order))), 4, QUIET)
    assert {frozenset(order[list(rows)].tolist()) for rows in sets(other)} == sets(labels)
    chained = np.empty(300, dtype=int)
    chained[np.argsort(cells[:, 1])] = np.arange(300) // 4
    assert loss_rate(coded, labels) < loss_rate(coded, chained)


def test_column_weights_decide_what_is_kept():
    """A column that counts ten times as much loses less of itself."""
    table = wide(rows=900)
    lost = {}
    for weight in (0.1, 1.0, 10.0):
        found = shoal.anonymize(
            table, 5, method="top-down", column_weights={"region": weight}, numbers="interval"
        )
        columns = {column.name: column for column in found.report.columns}
        lost[weight] = columns["region"].information_loss
    assert lost[10.0] < lost[1.0] < lost[0.1]


@pytest.mark.parametrize("seed", spread(range(60), 12))
def test_cutting_up_adds_no_loss(seed, tmp_path):
    """Groups that are too large become groups of k to `most`, and lose no more."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path, ranges=seed % 2 == 0, rows=60)
    coded = code(read(made.table), made.rules)
    k = int(rng.integers(2, 7))
    most = int(rng.integers(2 * k - 1, 4 * k))
    labels = np.sort(rng.integers(0, 2, 60)).astype(np.int64)
    trees, codes = records_of(coded)
    cut = cut_up(trees, codes, labels, k, most)
    sizes = np.bincount(cut)
    assert k <= sizes.min()
    assert sizes.max() <= most
    assert loss_rate(coded, cut) <= loss_rate(coded, labels) + 1e-9
    assert all(len(set(labels[list(rows)])) == 1 for rows in sets(cut))


@pytest.mark.parametrize("seed", spread(range(60), 12))
def test_who_is_left_joins_where_it_costs_least(seed, tmp_path):
    """A record joins a group that it costs least, by a count from scratch."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path, ranges=seed % 2 == 0, inner=seed % 3 == 0, rows=20)
    coded = code(read(made.table), made.rules)
    trees, codes = records_of(coded)
    labels = np.append(rng.permutation(np.arange(18) % 4), [-1, -1]).astype(np.int64)
    joining = Joining(trees, codes, labels)
    twins = list(zip(made.trees, made.values, strict=True))

    def loss(rows):
        return float(tree_twin.group_loss(twins, [1.0] * len(twins), made.records, rows))

    for row in (18, 19):
        costs = {}
        for group in range(4):
            rows = np.flatnonzero(labels == group).tolist()
            costs[group] = loss([*rows, row]) - loss(rows)
        labels[row] = joining.join(row)
        assert costs[labels[row]] == pytest.approx(min(costs.values()), abs=1e-9)


def test_all_records_equal_and_fewer_than_twice_k():
    """Equal records, and fewer than 2k, are one group."""
    table = pa.table({"a": ["x"] * 9, "b": [1] * 9})
    assert set(top_down(code(read(table)), 3, QUIET)) == {0}
    assert set(top_down(code(read(wide(rows=9))), 5, QUIET)) == {0}
