"""Two releases of one table, for tests of what they tell together."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pyarrow as pa

import shoal as library

QUASI = ["age", "pay", "kids"]


@cache
def people_table():
    """Six hundred people."""
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "id": [f"p{row}" for row in range(600)],
            "age": rng.integers(18, 90, 600),
            "pay": rng.integers(10, 5000, 600),
            "kids": rng.integers(0, 9, 600),
            "ill": [f"w{one}" for one in rng.integers(0, 6, 600)],
        }
    )


def alone(one, other, k=5):
    """Return how many people share both classes with fewer than k - 1 others, by brute force."""
    pairs = list(zip(one.partition.labels.tolist(), other.partition.labels.tolist(), strict=True))
    counts = Counter(pairs)
    return sum(counts[pair] < k for pair in pairs)


def released(table, **more):
    given = {
        "k": 5, "quasi_identifiers": QUASI, "sensitive": ["ill"], "identifiers": ["id"],
        "method": "mdav", **more,
    }  # fmt: skip
    return library.anonymize(table, **given)


@cache
def two_of_means():
    """Two releases of means, by two weights of columns; nearly nobody shares both classes."""
    table = people_table()
    one = released(table, column_weights={"age": 50.0})
    other = released(table, column_weights={"pay": 50.0})
    assert alone(one, other) > 0.95 * 600
    return one, other


def write(folder, result, name, bare=True):
    """Save a release; bare is without anything beside it."""
    path = result.save(folder / name)
    if not bare:
        return path
    lone = folder / f"{name}.csv"
    lone.write_bytes(path.read_bytes())
    return lone
