"""Groups of columns that have a larger k of their own: whole groups joined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError
from shoal.judge.requirement import Requirement
from shoal.methods.enforce.constraints import merge_to
from shoal.partition import Partition, canonical_labels, rows_of_groups
from shoal.progress import Reporter
from shoal.table.encode import canonical_order, encode
from shoal.table.roles import Column
from shoal.table.table import Table

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def wider_groups(
    table: Table,
    partition: Partition,
    requirement: Requirement,
    report: Reporter,
    strata: Integers | None = None,
) -> dict[str, Partition]:
    """Return the groups of columns that have an own, larger k: whole groups joined, in strata.

    Those of a larger k are made of those of a smaller one; a column that is in several subsets has
    the largest groups.
    """
    partitions: dict[str, Partition] = {}
    order = canonical_order(table) if requirement.k_of else np.arange(0)
    labels = partition.labels[order] if requirement.k_of else order
    for columns, k in sorted(requirement.k_of.items(), key=lambda item: (item[1], item[0])):
        if k <= partition.k:
            continue
        some = table.only(partial(_is_named, columns))
        matrix = encode(some, k=k).matrix[order]
        if strata is None:
            labels = merge_to(matrix, labels, k, report)
        else:
            labels = _merged_in(strata[order], matrix, labels, k, report)
        back = np.empty_like(labels)
        back[order] = labels
        wider = Partition(back, k, partition.method)
        partitions |= dict.fromkeys(columns, wider)
    return partitions


def _merged_in(
    strata: Integers, matrix: Floats, labels: Integers, k: int, report: Reporter
) -> Integers:
    """Return groups of at least k records, made of whole groups of one stratum each."""
    merged, made = np.empty_like(labels), 0
    for rows in rows_of_groups(strata):
        if rows.size < k:
            raise RequestError(f"k_of: a stratum has {rows.size} records < {k}")
        merged[rows] = made + merge_to(matrix[rows], canonical_labels(labels[rows]), k, report)
        made = int(merged[rows].max()) + 1
    return merged


def _is_named(names: Sequence[str], column: Column) -> bool:
    return column.name in names
