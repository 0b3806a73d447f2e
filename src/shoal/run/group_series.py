"""Grouping step of a release of a series: partition, who is withheld, and notes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import PrivacyError, RequestError, in_shape
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.methods.series.counterfeits import Counterfeits
from shoal.methods.series.group import group_members
from shoal.partition import Partition, canonical_labels
from shoal.plan.notes import group_notes
from shoal.plan.plan import Plan
from shoal.progress import Reporter
from shoal.run.counterfeits import allowed_counterfeits
from shoal.run.group import encoding_of, find_groups
from shoal.run.membership import Membership
from shoal.run.overlap import overlap_note
from shoal.run.strata import Conditions, Groups
from shoal.table.encode import canonical_order
from shoal.table.encode_nodes import Coded
from shoal.table.table import Table


@dataclass(frozen=True, eq=False)
class SeriesGroups:
    """The partition of the rows that are kept, these rows, and notes.

    `exposed` people are withheld because kept columns would join records of theirs; the
    `counterfeits` are like some of the rows that are kept.
    """

    __repr__ = in_shape

    partition: Partition
    kept: Integers
    notes: list[str]
    exposed: int = 0
    counterfeits: Counterfeits = field(default_factory=Counterfeits.none)


def find_series_groups(
    table: Table,
    plan: Plan,
    coded: Coded | None,
    conditions: Conditions,
    who: Membership,
    report: Reporter,
    threads: int | None = None,
) -> SeriesGroups:
    """Group the records of a release of a series; whom no class is safe for is left out.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    Groups are so large that k people are left of them when no more than expected are in the next
    release.
    """
    k = math.ceil(plan.k / plan.settings.series.expect_overlap)
    if plan.k > table.rows:
        raise PrivacyError(
            f"{table.rows} records < k = {plan.k} are left when those are withheld for whom no "
            "class is safe; nothing was written"
        )
    if k > table.rows:
        raise RequestError(
            f"{table.rows} records < {k}, the size of groups that {option('expect_overlap')} asks "
            "for"
        )
    weights = who.column_weights or plan.settings.protect.column_weights
    asked = plan.settings.replace(protect={"k": k, "column_weights": weights})
    larger = replace(plan, settings=asked)
    barred = who.barred_rows
    if barred.size:
        rest = np.delete(np.arange(table.rows), barred)
        made = find_series_groups(
            table.take(rest), plan, None if coded is None else coded.take(rest),
            conditions.take(rest), who.take(rest), report, threads,
        )  # fmt: skip
        return replace(made, kept=rest[made.kept])
    false = Counterfeits.none()
    if who.members is None:
        partition, notes = find_groups(table, larger, coded, conditions, report, threads)
        kept = np.arange(table.rows)
    else:
        order = canonical_order(table)
        encoding = encoding_of(table, larger, coded, conditions, threads).take(order)
        problem = Groups(larger.settings, report, threads).problem(encoding)
        constraints = conditions.take(order).constraints
        problem = replace(problem, constraints=constraints)
        method = plan.settings.protect.method
        allowed = allowed_counterfeits(plan.settings.series.counterfeits, table.rows)
        own = group_members(problem, who.members.take(order), method, report, allowed)
        rows = np.delete(order, own.withheld)
        kept = np.sort(rows)
        labels = canonical_labels(own.partition.labels[np.argsort(rows)])
        partition = replace(own.partition, labels=labels)
        notes = group_notes(partition, report.stop)
        false = own.counterfeits.at(order)
    exposed = who.take(kept).exposed(partition.labels)
    if exposed.size == kept.size:
        raise PrivacyError(
            "kept columns would join every record with earlier releases below k; round them, drop "
            "them, or name those that change; nothing was written"
        )
    if exposed.size:
        labels = canonical_labels(np.delete(partition.labels, exposed))
        partition = replace(partition, labels=labels)
        kept = np.delete(kept, exposed)
    if k > plan.k:
        settings = plan.settings.replace(series={"expect_overlap": 1.0})
        usual = find_series_groups(
            table, replace(plan, settings=settings), coded, conditions, who, report.quiet(), threads
        )
        share = plan.settings.series.expect_overlap
        notes = [*notes, overlap_note(partition, usual.partition, plan.k, share)]
        partition = replace(partition, k=plan.k)  # which is what is promised
    return SeriesGroups(partition, kept, notes, exposed.size, false.among(kept))
