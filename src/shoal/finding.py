"""The groups of a table, as they were asked for, and what is to be said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal.enforce.how import Keep
from shoal.errors import shown
from shoal.measures.generalization import loss_rate
from shoal.measures.loss import information_loss
from shoal.partition import Partition, by_first_row
from shoal.progress import Reporter
from shoal.request import said_of_groups
from shoal.settings import Settings
from shoal.solving import improve, solve, solve_mixed
from shoal.table.code import Coded
from shoal.table.encode import canonical_order, encode
from shoal.table.table import Table

Integers = npt.NDArray[np.int64]


def find_groups(
    table: Table,
    settings: Settings,
    coded: Coded | None,
    by_trees: bool,
    given: Integers | None,
    keep: Keep | None,
    report: Reporter,
    threads: int | None,
) -> tuple[Partition, list[str]]:
    """Return the groups, and what is to be said of how they were found.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    With `keep`, the groups keep its rules.
    """
    protect, k = settings.protect, settings.protect.k
    order = canonical_order(table)
    keep = keep and keep.taken(order)
    matrix = None
    if by_trees and keep is not None:
        matrix = encode(table, weights=protect.column_weights, coded=coded, k=k).matrix[order]
    if by_trees:
        assert coded is not None
        ordered = coded.taken(order)
        partition = solve_mixed(
            ordered,
            k,
            protect.method if given is None else str(protect.refine),
            report,
            seed=protect.seed,
            start=protect.start if given is None else by_first_row(given[order]),
            weights=protect.column_weights,
            changes=settings.changes(),
            effort=protect.effort,
            threads=threads,
            keep=keep,
            matrix=matrix,
        )
        told = said_of_groups(partition)
        if given is not None:
            told.insert(0, _came(settings, loss_rate(ordered, given[order])))
        if partition.search is not None and protect.column_weights:
            told.append("the losses of the search count columns by their weights, others do not")
        return _in_rows(partition, order), told
    encoded = encode(table, weights=protect.column_weights, coded=coded, k=k)
    matrix, mixed = encoded.matrix[order], encoded.mixed
    del encoded  # it may be large
    if given is None:
        partition = solve(
            matrix,
            k,
            protect.method,
            report,
            seed=protect.seed,
            start=protect.start,
            changes=settings.changes(),
            effort=protect.effort,
            threads=threads,
            mixed=mixed,
            keep=keep,
        )
        return _in_rows(partition, order), said_of_groups(partition)
    first = by_first_row(given[order])  # whatever order the rows came in
    partition = improve(
        matrix, first, k, protect.refine or "iterative", report, seed=protect.seed,
        changes=settings.changes(), threads=threads, mixed=mixed, keep=keep,
    )  # fmt: skip
    came = _came(settings, information_loss(matrix, first))
    return _in_rows(partition, order), [came, *said_of_groups(partition)]


def _came(settings: Settings, before: float) -> str:
    """Say what groups that were given lost before they were refined."""
    return f"the groups of {shown(settings.roles.group)} lost {before:.4f} % as they came"


def _in_rows(partition: Partition, order: Integers) -> Partition:
    """Return a partition of ordered records as one of the records as they stand."""
    labels = np.empty_like(partition.labels)
    labels[order] = partition.labels
    return replace(partition, labels=labels)
