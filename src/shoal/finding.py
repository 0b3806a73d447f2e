"""The groups of a table, as they were asked for, and what is to be said of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from shoal.enforce.how import Keep, check_possible
from shoal.enforce.merging import merge
from shoal.errors import RequestError, shown
from shoal.measures.generalization import loss_rate
from shoal.measures.loss import group_means, information_loss
from shoal.partition import Partition, by_first_row, rows_of_groups
from shoal.plan.notes import group_notes
from shoal.progress import Reporter
from shoal.settings import Settings
from shoal.solving import improve, solve, solve_mixed
from shoal.table.code import Coded
from shoal.table.encode import canonical_order, encode
from shoal.table.survey import Survey
from shoal.table.table import Table

Floats = npt.NDArray[np.float64]
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
    survey: Survey | None = None,
) -> tuple[Partition, list[str]]:
    """Return the groups, and what is to be said of how they were found.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    With `keep`, the groups keep its rules; `survey` says what records weigh, and which of them may
    or must be together.
    """
    order = canonical_order(table)
    asked = _Asked(
        settings,
        None if given is None else given[order],
        keep and keep.taken(order),
        (survey or Survey()).taken(order),
        report,
        threads,
    )
    way: _Way
    if by_trees:
        assert coded is not None
        matrix = None
        if keep is not None:
            weights = settings.protect.column_weights
            matrix = encode(table, weights=weights, coded=coded, k=settings.protect.k).matrix[order]
        way = _Trees(asked, coded.taken(order), matrix)
    else:
        way = _Distances.of(asked, table, coded, order)
    partition = _within_strata(way, asked)
    told = group_notes(partition)
    if asked.given is not None:
        before = way.lost(asked.given)
        told.insert(0, f"the groups of {shown(settings.roles.group)} lost {before:.4f} % as they "
                       "came")  # fmt: skip
    if by_trees and partition.search is not None and settings.protect.column_weights:
        told.append("the losses of the search count columns by their weights, others do not")
    if by_trees and asked.survey.weights is not None:
        told.append(f"{partition.method} groups by trees, which survey weights have no say in")
    return _in_rows(partition, order), told


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of groups; records are in their canonical order."""

    settings: Settings
    given: Integers | None
    keep: Keep | None
    survey: Survey
    report: Reporter
    threads: int | None


class _Way(Protocol):
    """Groups some of the records, those of a stratum, and tells what a grouping of all loses."""

    rows: int

    def group(self, rows: Integers, given: Integers | None, keep: Keep | None) -> Partition: ...
    def lost(self, labels: Integers) -> float: ...


def _within_strata(way: _Way, asked: _Asked) -> Partition:
    """Group every stratum by itself, and join what was found."""
    strata = asked.survey.strata
    if strata is None:
        return way.group(np.arange(way.rows), asked.given, asked.keep)
    if asked.given is not None:
        pairs = np.unique(np.stack([asked.given, strata]), axis=1)
        if pairs.shape[1] > int(asked.given.max()) + 1:
            raise RequestError("groups that are given hold records of several strata")
    labels = np.empty(strata.size, dtype=np.int64)
    parts, made = [], 0
    for rows in rows_of_groups(strata):
        keep = asked.keep and asked.keep.taken(rows)
        if keep is not None:
            check_possible(keep.rules, rows.size)
        given = None if asked.given is None else by_first_row(asked.given[rows])
        part = way.group(rows, given, keep)
        labels[rows] = made + part.labels
        made += part.groups
        parts.append(part)
    methods, reasons = {part.method for part in parts}, {part.reason for part in parts}
    kept = [part.enforced for part in parts if part.enforced]
    ways = sorted({part.way for part in parts} - {"", "none"})
    return Partition(
        labels,
        parts[0].k,
        methods.pop() if len(methods) == 1 else asked.settings.protect.method,
        way.lost(labels),
        parts[0].loss_name,
        reason=reasons.pop() if len(reasons) == 1 else "",
        enforced=f"within strata, the first: {kept[0]}" if kept else "",
        way=" and ".join(ways) or parts[0].way,
    )


class _Trees:
    """Groups coded records by their trees; `matrix` says which groups are near each other."""

    def __init__(self, asked: _Asked, coded: Coded, matrix: Floats | None) -> None:
        self.asked, self.coded, self.matrix, self.rows = asked, coded, matrix, coded.rows

    def group(self, rows: Integers, given: Integers | None, keep: Keep | None) -> Partition:
        asked, protect = self.asked, self.asked.settings.protect
        return solve_mixed(
            self.coded if rows.size == self.rows else self.coded.taken(rows),
            protect.k,
            protect.method if given is None else str(protect.refine),
            asked.report,
            seed=protect.seed,
            start=protect.start if given is None else by_first_row(given),
            weights=protect.column_weights,
            changes=asked.settings.changes(),
            effort=protect.effort,
            threads=asked.threads,
            keep=keep,
            matrix=None if self.matrix is None else self.matrix[rows],
        )

    def lost(self, labels: Integers) -> float:
        return loss_rate(self.coded, labels)


class _Distances:
    """Groups the rows of a matrix, or households and people by the means of their rows."""

    def __init__(self, asked: _Asked, matrix: Floats, mixed: bool) -> None:
        self.asked, self.matrix, self.mixed = asked, matrix, mixed
        self.rows = matrix.shape[0]

    @classmethod
    def of(cls, asked: _Asked, table: Table, coded: Coded | None, order: Integers) -> _Distances:
        protect = asked.settings.protect
        weights = asked.survey.weights
        if weights is not None:  # as the rows of the table stand
            weights = weights[np.argsort(order)]
        encoded = encode(
            table, weights=protect.column_weights, coded=coded, k=protect.k, survey=weights
        )
        return cls(asked, encoded.matrix[order], encoded.mixed)

    def group(self, rows: Integers, given: Integers | None, keep: Keep | None) -> Partition:
        survey = self.asked.survey.taken(rows)
        matrix = self.matrix if rows.size == self.rows else self.matrix[rows]
        if survey.together is not None:
            return self._by_unit(matrix, survey, survey.together, keep)
        if given is None:
            return self._solve(matrix, keep, survey.weights)
        asked, protect = self.asked, self.asked.settings.protect
        first = by_first_row(given)  # whatever order the rows came in
        return improve(
            matrix, first, protect.k, protect.refine or "iterative", asked.report,
            seed=protect.seed, changes=asked.settings.changes(), threads=asked.threads,
            mixed=self.mixed, keep=keep, weights=survey.weights,
        )  # fmt: skip

    def _solve(self, matrix: Floats, keep: Keep | None, weights: Floats | None) -> Partition:
        asked, protect = self.asked, self.asked.settings.protect
        return solve(
            matrix,
            protect.k,
            protect.method,
            asked.report,
            seed=protect.seed,
            start=protect.start,
            changes=asked.settings.changes(),
            effort=protect.effort,
            threads=asked.threads,
            mixed=self.mixed,
            keep=keep,
            weights=weights,
        )

    def _by_unit(
        self, matrix: Floats, survey: Survey, together: Integers, keep: Keep | None
    ) -> Partition:
        """Group households or people, each as heavy as its records; groups that break a rule merge.

        What the records of one differ from their own mean by is lost in any grouping, so the least
        loss of the means is that of the records.
        """
        units = by_first_row(together)
        own = np.ones(units.size) if survey.weights is None else survey.weights
        means = group_means(matrix, units, own)
        masses = np.bincount(units, own).astype(np.float64)
        found = self._solve(means, None, masses)
        labels, kept, merged = found.labels[units], "", ""
        if keep is not None:
            labels = merge(matrix, labels, keep.rules, self.asked.report)
            gone = found.groups - int(labels.max()) - 1
            kept = f"{gone:,} of {found.groups:,} groups of {survey.who} were merged with others"
            merged = "merge" if gone else "none"
        lost = information_loss(matrix, labels, survey.weights)
        return replace(found, labels=labels, information_loss=lost, enforced=kept, way=merged)

    def lost(self, labels: Integers) -> float:
        return information_loss(self.matrix, labels, self.asked.survey.weights)


def _in_rows(partition: Partition, order: Integers) -> Partition:
    """Return a partition of ordered records as one of the records as they stand."""
    labels = np.empty_like(partition.labels)
    labels[order] = partition.labels
    return replace(partition, labels=labels)
