"""Grouping step of a run: partition and notes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import RequestError, in_shape, shown
from shoal.kernels.arrays import Integers
from shoal.measures.loss import group_means, information_loss
from shoal.methods.enforce.constraints import Constraints, check_possible
from shoal.methods.enforce.merging import merge
from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import REFINEMENT, find_refinement
from shoal.methods.solve import solve
from shoal.partition import Partition, Recoding, canonical_labels, rows_of_groups
from shoal.plan.notes import group_notes
from shoal.plan.plan import Plan
from shoal.progress import Reporter
from shoal.settings import Settings
from shoal.table.encode import canonical_order, encode
from shoal.table.encode_nodes import Coded
from shoal.table.levels import at_levels, with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Table


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions of a grouping: given groups, constraints, survey design.

    `given` (n) are groups to refine; the survey says what records weigh, and which of them may or
    must be together.
    """

    __repr__ = in_shape

    given: Integers | None = None
    constraints: Constraints | None = None
    survey: Survey = field(default_factory=Survey)

    def take(self, rows: Integers) -> Conditions:
        """Return the same for some rows, or for all in another order."""
        return Conditions(
            None if self.given is None else canonical_labels(self.given[rows]),
            self.constraints and self.constraints.take(rows),
            self.survey.take(rows),
        )


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
    groups = _Groups(settings, report, threads)
    ordered = conditions.take(order)
    partition = groups.in_strata(encoding, ordered)
    notes = group_notes(partition, report.stop)
    if ordered.given is not None:
        before = encoding.loss(ordered.given)
        notes.insert(0, f"the groups of {shown(settings.roles.group)} lost {before:.4f} % as they "
                       "came")  # fmt: skip
    if by_trees and partition.search is not None and settings.protect.column_weights:
        notes.append("the losses of the search count columns by their weights, others do not")
    if by_trees and conditions.survey.weights is not None:
        notes.append(f"{partition.method} groups by trees, which survey weights have no say in")
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
    recoding, kept = partition.recoding, order
    if recoding is not None:
        kept = order[recoding.kept(order.size)]
        recoding = replace(recoding, suppressed=np.sort(order[recoding.suppressed]))
    return replace(partition, labels=partition.labels[np.argsort(kept)], recoding=recoding)


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
    if conditions.constraints is not None:
        matrix = encode(table, weights=weights, coded=coded, k=k, threads=threads).matrix
    return Nodes(coded, weights, matrix)


def problem_of(encoding: Points | Nodes, settings: Settings, threads: int | None) -> Problem:
    """Return the problem that settings make of encoded records, without constraints."""
    protect, options = settings.protect, settings.search_options()
    return Problem(
        encoding, protect.k, protect.seed, protect.effort, protect.start, options,
        threads=threads, suppress=protect.suppress, k_of=settings.requirement.k_of,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups the records of a stratum with the method of the settings."""

    settings: Settings
    report: Reporter
    threads: int | None

    def in_strata(self, encoding: Points | Nodes, conditions: Conditions) -> Partition:
        """Group every stratum by itself, and join the partitions."""
        strata, given = conditions.survey.strata, conditions.given
        if strata is None:
            return self._group(encoding, conditions)
        if given is not None:
            pairs = np.unique(np.stack([given, strata]), axis=1)
            if pairs.shape[1] > int(given.max()) + 1:
                raise RequestError("groups that are given hold records of several strata")
        labels = np.empty(strata.size, dtype=np.int64)
        parts, made = [], 0
        for rows in rows_of_groups(strata):
            own = conditions.take(rows)
            if own.constraints is not None:
                check_possible(own.constraints.rules, rows.size)
            part = self._group(encoding.take(rows), own)
            labels[rows] = made + part.labels
            made += part.groups
            parts.append(part)
        methods, reasons = {part.method for part in parts}, {part.reason for part in parts}
        kept = [part.enforced for part in parts if part.enforced]
        enforcements = sorted({part.way for part in parts} - {"", "none"})
        return Partition(
            labels,
            parts[0].k,
            methods.pop() if len(methods) == 1 else self.settings.protect.method,
            encoding.loss(labels),
            parts[0].loss_name,
            reason=reasons.pop() if len(reasons) == 1 else "",
            enforced=f"within strata, the first: {kept[0]}" if kept else "",
            way=" and ".join(enforcements) or parts[0].way,
        )

    def _group(self, encoding: Points | Nodes, conditions: Conditions) -> Partition:
        survey, constraints = conditions.survey, conditions.constraints
        if isinstance(encoding, Points) and survey.together is not None:
            return self._by_unit(encoding, survey, survey.together, constraints)
        problem = replace(self._problem(encoding), constraints=constraints)
        protect = self.settings.protect
        if conditions.given is None:
            return solve(problem, protect.method, self.report)
        problem = replace(problem, start=conditions.given, effort="normal")
        method = find_refinement(protect.refine or REFINEMENT, problem.options)
        return solve(problem, method, self.report)

    def _problem(self, encoding: Points | Nodes) -> Problem:
        return problem_of(encoding, self.settings, self.threads)

    def _by_unit(
        self, points: Points, survey: Survey, together: Integers, constraints: Constraints | None
    ) -> Partition:
        """Group households or people, weighted by their records; groups that break a rule merge.

        What the records of one differ from their own mean by is lost in any grouping, so the least
        loss of the means is that of the records.
        """
        units = canonical_labels(together)
        own = np.ones(units.size) if survey.weights is None else survey.weights
        means = group_means(points.matrix, units, own)
        masses = np.bincount(units, own).astype(np.float64)
        problem = self._problem(Points(means, points.mixed, masses))
        partition = solve(problem, self.settings.protect.method, self.report)
        labels, kept, merged = partition.labels[units], "", ""
        if constraints is not None:
            labels = merge(points.matrix, labels, constraints.rules, self.report)
            gone = partition.groups - int(labels.max()) - 1
            kept = (
                f"{gone:,} of {partition.groups:,} groups of {survey.unit_name} were merged with "
                "others"
            )
            merged = "merge" if gone else "none"
        lost = information_loss(points.matrix, labels, survey.weights)
        return replace(partition, labels=labels, information_loss=lost, enforced=kept, way=merged)
