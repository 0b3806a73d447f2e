"""Means of groups of which cells are missing: nobody's value is told by fewer than k of them.

Whoever knows all other members of a group subtracts them from the mean. Were it the mean of k - 1
present cells, or of one, a smaller crowd would hide its last member than was promised; and a cell
that stayed missing beside the means of others would tell who had none.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest

import shoal as library
from thorough import spread

K = 4


def with_gaps(seed, rows=90, share=0.25):
    """Numbers and a text of which a part is missing, and whose record each is."""
    rng = np.random.default_rng(seed)

    def gaps(values):
        return [None if rng.random() < share else value for value in values]

    return pl.DataFrame(
        {
            "who": [f"P{i % 60:02}" for i in range(rows)],
            "age": gaps(rng.integers(18, 90, rows).tolist()),
            "pay": gaps(np.round(rng.lognormal(8, 1, rows), 2).tolist()),
            "town": gaps(rng.choice(["Aa", "Bo"], rows).tolist()),
        }
    )


def learned(before, after, labels, who, k):
    """Return the groups that release a value of fewer than k people, or tell who misses one."""
    told = []
    for name in ("age", "pay"):
        groups = defaultdict(list)
        for row, label in enumerate(labels):
            groups[label].append(row)
        for rows in groups.values():
            shown = {after[name][row] for row in rows}
            behind = {who[row] for row in rows if before[name][row] is not None}
            if len(shown) > 1 or (shown != {None} and len(behind) < k):
                told.append((name, len(shown), len(behind)))
    return told


@pytest.mark.slow
@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("method", spread(["mst", "hilbert", "auto"], 1))
def test_no_mean_of_fewer_than_k(method, people):
    """Every released number is of at least k present cells, of k people where they are counted."""
    released = 0
    for seed in range(6):
        table = with_gaps(seed)
        who = table["who"].to_list() if people else list(range(table.height))
        roles = {"person": "who"} if people else {"drop": ["who"]}
        result = library.anonymize(
            table, k=K, method=method, effort="quick",
            quasi_identifiers=["age", "pay", "town"], **roles,
        )  # fmt: skip
        labels = result.partition.labels.tolist()
        assert not learned(table, result.data, labels, who, K)
        released += result.data["age"].null_count() < table.height
    assert released > 0


def test_k_minus_one_are_present():
    """A group with k - 1 present cells of a column releases none of it; with k their mean."""
    ages = [20, 22, 24, None, None, 60, 62, 64, 66, None]
    table = pl.DataFrame({"age": ages, "zip": [1, 1, 1, 1, 1, 9, 9, 9, 9, 9]})
    result = library.anonymize(table, k=K, by=["zip"], quasi_identifiers=["age"])
    assert result.data["age"].to_list() == [None] * 5 + [63] * 5
    private = result.report
    assert {c.name: c.filled for c in private.columns} == {"age": 1, "zip": 0}
