"""Grouping with a budget of records that may be left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.auto import pace
from shoal.methods.enforce.constraints import Constraints
from shoal.methods.problem import Nodes, Points
from shoal.methods.registry import find
from shoal.methods.suppress.choose import Regroup, Task, choose
from shoal.partition import Partition, Suppression
from shoal.run.strata import Conditions, Groups

ITERATIONS = 200  # of a search between two turns


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
    settings, k = groups.settings, groups.settings.protect.k
    matrix = encoding.matrix
    assert matrix is not None
    only_k = conditions.constraints is None
    thorough = only_k and encoding.rows < pace().large
    search = _Regrouping(groups, encoding, conditions, thorough)
    task = Task(
        encoding, matrix, k, min(budget, encoding.rows - k), conditions.survey.strata, only_k,
        thorough, settings.protect.effort, settings.protect.seed,
    )  # fmt: skip
    choice = choose(task, Regroup(search.anew, search.onward), groups.report)
    rest, own = encoding.without(choice.left_out), conditions.take(choice.kept)
    if not only_k:
        own = replace(own, constraints=rebuilt(choice.kept))
    partition = groups.in_strata(rest, own)
    loss = rest.loss(choice.labels) if only_k else np.inf
    if loss < partition.information_loss and find(settings.protect.method).info.is_search:
        partition = replace(partition, labels=choice.labels, information_loss=loss)
    others = partition.information_loss - rest.lost_with_others
    chosen = Suppression(choice.left_out, others, search.loss_of_all)
    return replace(partition, suppression=chosen, bound=None)


class _Regrouping:
    """Groups some rows: anew by the method, with little effort, or onward from labels."""

    def __init__(
        self, groups: Groups, encoding: Points | Nodes, conditions: Conditions, thorough: bool
    ) -> None:
        settings, report = groups.settings, groups.report.quiet()
        refine = "kaim+" if isinstance(encoding, Nodes) else "ilsmc+"
        limits = {"max_iterations": ITERATIONS, "time_limit": None, "runs": None, "start": None}
        quick = settings.replace(protect={"effort": "quick"})
        refining = settings.replace(protect={"refine": refine, **limits}, search={})
        self.quick = replace(groups, settings=quick, report=report)
        self.refining = replace(groups, settings=refining, report=report)
        self.encoding, self.conditions, self.thorough = encoding, conditions, thorough
        self.loss_of_all: float | None = None

    def anew(self, rows: Integers) -> Integers:
        """Return the groups of some rows by the method."""
        own = self.conditions.take(rows)
        labels = self.quick.in_strata(self.encoding.take(rows), own).labels
        if rows.size == self.encoding.rows:
            self.loss_of_all = self.encoding.loss(labels)
        return labels

    def onward(self, rows: Integers, labels: Integers) -> Integers:
        """Return groups that lose no more; the same where the choice is not thorough."""
        if not self.thorough:
            return labels
        own = replace(self.conditions.take(rows), given=labels)
        return self.refining.in_strata(self.encoding.take(rows), own).labels
