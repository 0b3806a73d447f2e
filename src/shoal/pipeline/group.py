"""Grouping step of a run: partition and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import RequestError, shown
from shoal.kernels.arrays import Integers
from shoal.measures.loss import group_means, information_loss
from shoal.methods.auto import pace
from shoal.methods.enforce.constraints import Constraints, check_possible, merge
from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import REFINEMENT, find, find_refinement
from shoal.methods.solve import solve
from shoal.methods.suppress.choose import Regroup, Task, allowed, choose
from shoal.partition import Partition, Recoding, Suppression, canonical_labels, rows_of_groups
from shoal.pipeline.plan.constraints import build_constraints
from shoal.pipeline.plan.notes import group_notes
from shoal.pipeline.plan.plan import Plan
from shoal.progress import Reporter
from shoal.settings import Settings
from shoal.table.encode import canonical_order, encode
from shoal.table.encode_nodes import Coded
from shoal.table.levels import at_levels, with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Table

ITERATIONS = 200  # of a search between two turns


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
        partition = suppressed(
            groups, encoding, ordered, budget,
            lambda kept: build_constraints(table.take(order[kept]), plan),
        )  # fmt: skip
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


def suppressed(
    groups: Groups,
    encoding: Points | Nodes,
    conditions: Conditions,
    budget: int,
    rebuilt: Callable[[Integers], Constraints | None],
) -> Partition:
    """Return the partition of the records that are left when at most `budget` are left out.

    Those are chosen with groups that take little time; the others are then grouped as they would
    be without them, by constraints that are `rebuilt` for them. Of a search that finds no better
    groups than the choice did, the choice's are kept.
    """
    settings, matrix, strata = groups.settings, encoding.matrix, conditions.survey.strata
    assert matrix is not None
    k, only_k = settings.protect.k, conditions.constraints is None
    thorough = only_k and encoding.rows < pace().large
    anew, onward, before = _regrouping(groups, encoding, conditions, thorough)
    task = Task(
        encoding, matrix, k, min(budget, encoding.rows - k), strata, only_k, thorough,
        settings.protect.effort, settings.protect.seed,
    )  # fmt: skip
    choice = choose(task, Regroup(anew, onward), groups.report)
    rest, own = encoding.without(choice.left_out), conditions.take(choice.kept)
    if not only_k:
        own = replace(own, constraints=rebuilt(choice.kept))
    partition = groups.in_strata(rest, own)
    loss = rest.loss(choice.labels) if only_k else np.inf
    if loss < partition.information_loss and find(settings.protect.method).info.is_search:
        partition = replace(partition, labels=choice.labels, information_loss=loss)
    others = partition.information_loss - rest.lost_with_others
    chosen = Suppression(choice.left_out, others, before[-1] if before else None)
    return replace(partition, suppression=chosen, bound=None)


def _regrouping(
    groups: Groups, encoding: Points | Nodes, conditions: Conditions, thorough: bool
) -> tuple[
    Callable[[Integers], Integers], Callable[[Integers, Integers], Integers], Sequence[float]
]:
    """Return what groups some rows, with little effort, what goes on from labels, and losses.

    Where the choice is not thorough, going on changes nothing. A loss is that of all rows.
    """
    refine = "kaim+" if isinstance(encoding, Nodes) else "ilsmc+"
    limits = {"max_iterations": ITERATIONS, "time_limit": None, "runs": None, "start": None}
    own = groups.settings.replace(protect={"effort": "quick"})
    quick = replace(groups, settings=own, report=groups.report.quiet())
    own = groups.settings.replace(protect={"refine": refine, **limits}, search={})
    refining = replace(quick, settings=own)
    losses: list[float] = []

    def anew(rows: Integers) -> Integers:
        labels = quick.in_strata(encoding.take(rows), conditions.take(rows)).labels
        if rows.size == encoding.rows:
            losses.append(encoding.loss(labels))
        return labels

    def onward(rows: Integers, labels: Integers) -> Integers:
        if not thorough:
            return labels
        given = replace(conditions.take(rows), given=labels)
        return refining.in_strata(encoding.take(rows), given).labels

    return anew, onward, losses


@dataclass(frozen=True, eq=False, repr=False)
class Conditions:
    """Conditions of a grouping: given groups, constraints, survey design.

    `given` (n) are groups to refine; the survey says what records weigh, and which of them may or
    must be together.
    """

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


@dataclass(frozen=True, eq=False)
class Groups:
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
        problem = replace(self.problem(encoding), constraints=constraints)
        protect = self.settings.protect
        if conditions.given is None:
            return solve(problem, protect.method, self.report)
        problem = replace(problem, start=conditions.given, effort="normal")
        method = find_refinement(protect.refine or REFINEMENT, problem.options)
        return solve(problem, method, self.report)

    def problem(self, encoding: Points | Nodes) -> Problem:
        """Return the problem that the settings make of encoded records, without constraints."""
        protect, options = self.settings.protect, self.settings.search_options()
        return Problem(
            encoding, protect.k, protect.seed, protect.effort, protect.start, options,
            threads=self.threads, suppress=protect.suppress, k_of=self.settings.requirement.k_of,
        )  # fmt: skip

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
        problem = self.problem(Points(means, points.mixed, masses))
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
