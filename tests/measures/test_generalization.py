"""The measures of a generalized release, against their definitions on small tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from mixed_tables import random_table
from naive import mixed as twin
from shoal.measures.generalization import cell_losses, column_costs, costs_of, loss_rate
from shoal.table.encode_nodes import code
from shoal.table.read import read


def grouping(rng, rows, k):
    """A random grouping into groups of k or more, numbered from 0."""
    labels = np.sort(np.arange(rows) % max(1, rows // k))
    return rng.permutation(labels)


def costs(coded, labels, k, deleted=0):
    """All measures of a grouping."""
    columns = [column_costs(one, labels, one.values.counts)[1] for one in coded.columns]
    return costs_of(columns, Counter(np.bincount(labels).tolist()), k, deleted)


@pytest.mark.parametrize("seed", range(40))
def test_measures_of_trees(seed, tmp_path):
    """ILoss, NCP, discernibility, class size and entropy are those of the twins."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path)
    rows = len(made.records)
    k = int(rng.integers(1, rows + 1))
    labels = grouping(rng, rows, k)
    coded = code(read(made.table), made.rules)
    deleted = int(rng.integers(0, 5))
    found = costs(coded, labels, k, deleted)
    given = (made.trees, [None] * len(made.trees), made.records, labels.tolist())
    assert found.iloss_rate == pytest.approx(100 * twin.iloss(*given, deleted))
    assert found.ncp == pytest.approx(100 * twin.ncp(made.trees, made.records, labels.tolist()))
    squares = twin.discernibility(labels.tolist())
    assert found.discernibility == squares + deleted * (rows + deleted)
    assert found.average_class_size == pytest.approx(twin.average_class_size(labels.tolist(), k))
    bits = twin.non_uniform_entropy(made.trees, made.records, labels.tolist())
    assert found.non_uniform_entropy == pytest.approx(bits, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_measures_of_ranges(seed, tmp_path):
    """NCP and entropy of numbers that are released as [least,greatest] are the twins' too."""
    rng = np.random.default_rng(100 + seed)
    made = random_table(rng, tmp_path, ranges=True)
    labels = grouping(rng, len(made.records), 3)
    found = costs(code(read(made.table), made.rules), labels, 3)
    assert found.ncp == pytest.approx(100 * twin.ncp(made.trees, made.records, labels.tolist()))
    bits = twin.non_uniform_entropy(made.trees, made.records, labels.tolist())
    assert found.non_uniform_entropy == pytest.approx(bits, abs=1e-9)


def test_iloss_of_numbers_by_hand():
    """(greatest - least + 1) / (the same of the column); a missing cell stars its group."""
    table = pa.table({"x": [20, 29, 31, 48, None, 40]})
    coded = code(read(table))
    labels = np.array([0, 0, 1, 1, 2, 2])
    lost = 100 * cell_losses(coded.columns[0], labels).mean()
    assert lost == pytest.approx(100 * (2 * 10 / 29 + 2 * 18 / 29 + 1) / 6)
    assert loss_rate(coded, labels) == pytest.approx(lost)
    assert loss_rate(coded, np.zeros(6, dtype=np.int64)) == pytest.approx(100 * 5 / 6)
    same = code(read(pa.table({"x": [5, 5, 7, 7]})))
    assert loss_rate(same, np.array([0, 0, 1, 1])) == 0.0


def test_a_deleted_record_costs_all_its_cells(tmp_path):
    """Rate = (ILoss of those left + m for each deleted) / (n m)."""
    made = random_table(np.random.default_rng(3), tmp_path, rows=12)
    coded = code(read(made.table), made.rules)
    labels = np.repeat(np.arange(4), 3)
    lost = loss_rate(coded, labels)
    assert loss_rate(coded, labels, 4) == pytest.approx((12 * lost + 4 * 100) / 16)
