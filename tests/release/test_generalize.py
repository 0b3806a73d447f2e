"""What a group releases in place of its cells: modes, medoids, means, generalizations."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal
from mixed_tables import random_table
from naive import distance as twin
from shoal.release.aggregate import medoids, modes
from shoal.table.encode import encode
from shoal.table.encode_nodes import code
from shoal.table.read import read


def groups_of(rng, rows):
    """A random grouping into groups of two to five or so."""
    return rng.permutation(np.sort(np.arange(rows) % max(1, rows // 3)))


@pytest.mark.parametrize("seed", range(30))
def test_modes(seed, tmp_path):
    """A group's mode is its most frequent value, of equally frequent ones the least."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path, ranges=True)
    labels = groups_of(rng, len(made.records))
    for j, column in enumerate(code(read(made.table), made.rules).columns):
        rows = modes(column, labels)
        for group, row in enumerate(rows.tolist()):
            cells = [made.records[i][j] for i in np.flatnonzero(labels == group)]
            if None in cells:
                assert row == -1
                continue
            most = max(Counter(cells).values())
            assert made.records[row][j] == min(c for c, n in Counter(cells).items() if n == most)


@pytest.mark.parametrize("seed", range(30))
def test_medoids(seed, tmp_path):
    """A group's medoid has the least sum of squared distances to the others."""
    rng = np.random.default_rng(100 + seed)
    made = random_table(rng, tmp_path, ranges=True)
    labels = groups_of(rng, len(made.records))
    apart = twin.distances(made.trees, made.records, 3)
    matrix = encode(read(made.table), hierarchies=made.rules, k=3).matrix
    found = medoids(matrix, labels, np.arange(labels.size))
    expected = [twin.medoid(apart, np.flatnonzero(labels == g)) for g in range(labels.max() + 1)]
    assert found.tolist() == expected


def test_medoids_forget_the_order_of_the_rows():
    """Of two records each is as near as the other: what they hold decides, not where they stand."""
    table = pa.table({"w": ["b", "a", "d", "c"], "x": [1, 1, 9, 9]})
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0]):
        found = shoal.anonymize(table.take(order), k=2, method="mdav", aggregate="medoid",
                                quasi_identifiers=["w", "x"])  # fmt: skip
        assert sorted(found.data["w"].to_pylist()) == ["a", "a", "c", "c"]


def test_medoid_of_weighted_columns():
    """The weights of the columns count in the medoid too."""
    table = pa.table({"x": [0, 4, 7, 10], "y": [9, 0, 9, 9]})
    for weights, value in (({"x": 1000.0}, 4), ({"y": 1000.0}, 7)):
        found = shoal.anonymize(table, k=4, aggregate="medoid", method="mdav",
                                column_weights=weights)  # fmt: skip
        assert found.data["x"].to_pylist() == [value] * 4


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_means_beside_missing_cells(kind):
    """A group with a missing cell has no mean; the others' means are exact, and types stay."""
    table = pa.table({"x": [1, 2, None, 4, 10, 20], "s": ["a", "a", "b", "b", "c", "c"]})
    data = table
    if kind == "polars":
        data = pytest.importorskip("polars").from_arrow(table)
    if kind == "pandas":
        data = table.to_pandas().astype({"x": "Int64"})
    found = shoal.anonymize(data, k=2, quasi_identifiers=["x", "s"], aggregate="mean",
                            column_weights={"s": 100.0})  # fmt: skip
    released = pa.table(found.data) if kind != "pandas" else pa.Table.from_pandas(found.data)
    cells = released["x"].to_pylist()
    assert cells == [2, 2, None, None, 15, 15]  # 1.5 is half to even
    assert type(found.data) is type(data)
    x, s = found.report.columns
    assert (x.unchanged, x.generalized, x.suppressed, x.missing) == (1, 3, 1, 1)
    assert (s.unchanged, s.released_as) == (6, "generalize")


def test_wrong_ways():
    """A text has no mean, a column that is not grouped no value of its own."""
    table = pa.table({"x": [1, 2, 3, 4], "s": ["a", "a", "b", "b"]})
    with pytest.raises(shoal.RequestError, match="column 's' is text, which has no mean"):
        shoal.anonymize(table, k=2, aggregate={"s": "mean"})
    with pytest.raises(shoal.RequestError, match="aggregate is given for 'z'"):
        shoal.anonymize(table, k=2, aggregate={"z": "mode"})
    with pytest.raises(shoal.RequestError, match="a hierarchy is given, but the groups release me"):
        shoal.anonymize(table.select(["x"]), k=2, hierarchies={"x": "widths:2"}, aggregate="mean")


def test_generalized_groups_of_a_numeric_method():
    """Groups of any method can be released as intervals, of a tree or [least,greatest]."""
    table = pa.table({"x": [1, 2, 8, 9]})
    found = shoal.anonymize(table, k=2, method="mdav", aggregate="generalize",
                            intervals="text")  # fmt: skip
    assert found.data["x"].to_pylist() == ["[1,2]", "[1,2]", "[8,9]", "[8,9]"]
    found = shoal.anonymize(table, k=2, method="mdav", aggregate="generalize",
                            hierarchies={"x": "widths:5"}, intervals="text")  # fmt: skip
    assert found.data["x"].to_pylist() == ["[0,5)", "[0,5)", "[5,10)", "[5,10)"]
    found = shoal.anonymize(table, k=2, method="kaim", aggregate="range",
                            hierarchies={"x": "widths:5"}, intervals="text")  # fmt: skip
    assert found.data["x"].to_pylist() == ["[1,2]", "[1,2]", "[8,9]", "[8,9]"]
    assert found.report.costs["iloss_rate"] == pytest.approx(100 * 2 / 9)
