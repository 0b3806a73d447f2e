"""Grouping step of a run: partition and notes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from shoal.errors import shown
from shoal.kernels.arrays import Integers
from shoal.methods.enforce.constraints import Constraints
from shoal.methods.problem import Nodes, Points
from shoal.methods.registry import find
from shoal.methods.suppress.choose import allowed
from shoal.partition import Partition, Recoding
from shoal.plan.constraints import build_constraints
from shoal.plan.notes import group_notes
from shoal.plan.plan import Plan
from shoal.progress import Reporter
from shoal.run.strata import Conditions, Groups
from shoal.run.suppress import suppressed
from shoal.table.encode import canonical_order, encode
from shoal.table.encode_nodes import Coded
from shoal.table.levels import at_levels, with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Table


def find_groups(
    table: Table,
    plan: Plan,
    coded: Coded | None,
    conditions: Conditions,
    report: Reporter,
    threads: int | None = None,
) -> tuple[Partition, list[str]]:
    """Return the partition, and notes on how it was found.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    """
    settings, by_trees = plan.settings, plan.by_hierarchies
    order = canonical_order(table)
    encoding = encoding_of(table, plan, coded, conditions, threads).take(order)
    groups = Groups(settings, report, threads)
    ordered = conditions.take(order)
    budget = allowed(settings.protect.suppress, table.rows)
    if budget and plan.k > 1 and not find(settings.protect.method).info.recodes:
        rebuilt = partial(_rebuilt, table, plan, order)
        partition = suppressed(groups, encoding, ordered, budget, rebuilt)
    else:
        partition = groups.in_strata(encoding, ordered)
    notes = group_notes(partition, report.stop)
    if ordered.given is not None:
        before = encoding.loss(ordered.given)
        notes.insert(0, f"the groups of {shown(settings.roles.group)} lost {before:.4f} % as they "
                       "came")  # fmt: skip
    if by_trees and partition.search is not None and settings.protect.column_weights:
        notes.append("the losses of the search count columns by their weights, others do not")
    return _in_rows(partition, order), notes


def recoded(
    recoding: Recoding, table: Table, coded: Coded, survey: Survey
) -> tuple[Table, Coded, Survey]:
    """Return the records that a recoding keeps, coded at its levels."""
    coded = at_levels(coded, recoding.levels)
    if not recoding.suppressed.size:
        return table, coded, survey
    kept = recoding.kept(table.rows)
    return table.take(kept), with_used_values(coded.take(kept)), survey.take(kept)


def _in_rows(partition: Partition, order: Integers) -> Partition:
    """Return the partition of records in some order as one of the rows of the table."""
    recoding, suppression = partition.recoding, partition.suppression
    kept = np.delete(order, partition.suppressed)
    gone = np.sort(order[partition.suppressed])
    return replace(
        partition, labels=partition.labels[np.argsort(kept)],
        recoding=recoding and replace(recoding, suppressed=gone),
        suppression=suppression and replace(suppression, suppressed=gone),
    )  # fmt: skip


def _rebuilt(table: Table, plan: Plan, order: Integers, kept: Integers) -> Constraints | None:
    """Return the constraints of the records that are kept: t compares with these alone."""
    return build_constraints(table.take(order[kept]), plan)


def encoding_of(
    table: Table, plan: Plan, coded: Coded | None, conditions: Conditions, threads: int | None
) -> Points | Nodes:
    """Return the encoding of the records, in the order of the rows."""
    weights, k = plan.settings.protect.column_weights, plan.k
    if not plan.by_hierarchies:
        survey = conditions.survey.weights
        encoded = encode(table, weights=weights, coded=coded, k=k, survey=survey, threads=threads)
        return Points(encoded.matrix, encoded.mixed, survey)
    assert coded is not None
    matrix = None
    protect = plan.settings.protect
    if conditions.constraints is not None or protect.suppress or plan.begins_twice:
        matrix = encode(table, weights=weights, coded=coded, k=k, threads=threads).matrix
    return Nodes(coded, weights, matrix, weights=conditions.survey.weights)
