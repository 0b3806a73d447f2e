"""Groups of every stratum, with the method of the settings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import RequestError, in_shape
from shoal.kernels.arrays import Integers
from shoal.measures.loss import group_means, information_loss
from shoal.methods.enforce.constraints import Constraints, check_possible
from shoal.methods.enforce.merging import merge
from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import REFINEMENT, find_refinement
from shoal.methods.solve import solve
from shoal.partition import Partition, canonical_labels, rows_of_groups
from shoal.progress import Reporter
from shoal.settings import Settings
from shoal.table.survey import Survey


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
