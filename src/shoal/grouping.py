"""Grouping alone: a matrix or a table in, a Partition out."""

from __future__ import annotations

from typing import Any

from shoal.errors import RequestError
from shoal.partition import Partition
from shoal.progress import Callback, Reporter
from shoal.recipes import check_size, find, solve
from shoal.settings import whole
from shoal.table.encode import encode
from shoal.table.read import read


def microaggregate(
    X: Any,
    k: int,
    *,
    method: str = "mdav",
    seed: int = 0,
    standardize: bool = True,
    start: Any = None,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> Partition:
    """Group similar records so that every group has at least k, and return the groups.

    X is an n×d array of numbers, a dataframe or a Table (its quasi-identifiers are used). The
    rows keep their order: the same rows in another order may give other groups where distances
    tie. `start`, `max_iterations` and `time_limit` are for methods that search. The callback gets
    a `Progress`; when it returns True the run is canceled.

    >>> import numpy as np, shoal
    >>> groups = shoal.microaggregate(np.array([[1.0], [2.0], [9.0], [8.0]]), 2)
    >>> groups.labels.tolist()
    [0, 0, 1, 1]
    """
    k, seed = whole(k, "k"), whole(seed, "seed")
    if k < 1:
        raise RequestError(f"k must be at least 1, not {k}")
    if seed < 0:
        raise RequestError("seed must not be negative")
    recipe = find(method)
    for name, value in (
        ("start", start), ("max_iterations", max_iterations), ("time_limit", time_limit)
    ):  # fmt: skip
        if value is not None:
            raise RequestError(f"{name} is for methods that search; {recipe.name} does not")
    table = read(X)
    check_size(table.rows, k)
    encoded = encode(table, standardize=standardize)
    return solve(encoded.matrix, k, recipe.name, Reporter(callback))
