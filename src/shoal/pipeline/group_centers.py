"""Groups by distance of any table, and the one row that each releases: means and modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import group_means
from shoal.methods.problem import Points, Problem, check_size
from shoal.methods.registry import find
from shoal.methods.solve import solve
from shoal.partition import Partition, first_rows
from shoal.pipeline.microaggregate import checked_seed, encoded_table, group_size, microaggregate
from shoal.progress import Reporter
from shoal.release.aggregate import Aggregators, aggregate
from shoal.table.encode_nodes import code
from shoal.table.table import Table


def distance_groups(table: Table, k: int, method: str, seed: int, standardize: bool) -> Partition:
    """Group the records of a table by the distance that means and modes lose.

    `microaggregate` would let `auto` group texts and missing cells by hierarchies, which is for
    generalized values.
    """
    k = group_size(k)
    if find(method).info.on_nodes:
        return microaggregate(table, k, method=method, seed=seed)
    check_size(table.rows, k)
    encoded = encoded_table(table, k, standardize, None, None)
    problem = Problem(Points(encoded.matrix, encoded.mixed), k, checked_seed(seed))
    return solve(problem, method, Reporter.of(None))


def present_means(matrix: Floats, labels: Integers, k: int) -> Floats:
    """Return each group's means of the cells that are there, one row a group.

    One of fewer than k cells is NaN, as in `shoal.anonymize`: else it would tell who has a value.
    """
    means = np.full((int(labels.max()) + 1, matrix.shape[1]), np.nan)
    for place, column in enumerate(matrix.T):
        there = ~np.isnan(column)
        enough = np.bincount(labels[there], minlength=len(means)) >= k
        rows = there & enough[labels]
        if rows.any():
            groups, own = np.unique(labels[rows], return_inverse=True)
            means[groups, place] = group_means(column[rows, None], own)[:, 0]
    return means


def group_rows(table: Table, partition: Partition) -> Any:
    """Return what each group releases, one row a group, in the caller's type of dataframe.

    Means of numbers and dates, medians of ordinal columns, modes of texts; no value of a text
    where a cell of the group is missing.
    """
    texts = table.only(lambda column: not column.has_places)
    ways = {c.name: "mean" if c.has_places else "mode" for c in table.columns}
    coded = code(texts) if texts.columns else None
    released = aggregate(table, partition, Aggregators(ways), coded)
    return released.take(first_rows(partition.labels, partition.groups)).to_native()
