"""Groups of a release of a series: first groups, completed, and a search from them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import PrivacyError, in_shape
from shoal.kernels.arrays import Integers
from shoal.methods.enforce.constraints import Constraints
from shoal.methods.enforce.kinds import Kinds
from shoal.methods.enforce.merging import merge_to
from shoal.methods.families.descent import descend, has_room
from shoal.methods.ils.parameters import Search
from shoal.methods.problem import Nodes, Problem
from shoal.methods.registry import AUTO, AUTO_MIXED
from shoal.methods.series.company import joined_by_new
from shoal.methods.series.counterfeits import Counterfeits, filled_up
from shoal.methods.series.start import NOWHERE, Bucket, first_groups
from shoal.methods.solve import solve
from shoal.partition import Partition, canonical_labels
from shoal.progress import Reporter


@dataclass(frozen=True, eq=False)
class Members:
    """Who records are in a series: their kinds, and the classes (n) of the last release."""

    __repr__ = in_shape

    kinds: Kinds
    homes: Integers

    def take(self, rows: Integers) -> Members:
        """Return the same for some rows, or for all in another order."""
        return Members(self.kinds.take(rows), self.homes[rows])


@dataclass(frozen=True, eq=False)
class Grouped:
    """The partition of the records that are kept, and the rows of those that are withheld.

    `counterfeits` are records of nobody that some of the groups have.
    """

    __repr__ = in_shape

    partition: Partition
    withheld: Integers
    counterfeits: Counterfeits = field(default_factory=Counterfeits.none)


def group_members(
    problem: Problem, members: Members, method: str, report: Reporter, allowed: int = 0
) -> Grouped:
    """Return groups that keep the rule of the series, and who had to be withheld for it.

    The constraints of the problem hold the rule. In the first release of all people a method makes
    the groups; else they begin with the classes of the last release. At most so many counterfeits
    are made as are `allowed`.
    """
    grouped, lacking = _grouped(problem, members, method, report)
    if not allowed or not lacking:
        return grouped
    matrix = problem.encoding.matrix
    assert matrix is not None
    every = np.arange(members.homes.size)
    groups = np.full(every.size, NOWHERE, dtype=np.int64)
    groups[np.delete(every, grouped.withheld)] = grouped.partition.labels
    groups, made = filled_up(members.kinds, matrix, groups, lacking, allowed)
    kept = np.flatnonzero(groups != NOWHERE)
    labels = canonical_labels(groups[kept])
    lost = problem.encoding.take(kept).loss(labels, problem.threads)
    partition = replace(grouped.partition, labels=labels, information_loss=lost)
    return Grouped(partition, np.flatnonzero(groups == NOWHERE), made)


def _grouped(
    problem: Problem, members: Members, method: str, report: Reporter
) -> tuple[Grouped, list[Bucket]]:
    """Return groups of people alone, and the buckets of whom had to be withheld."""
    matrix, constraints = problem.encoding.matrix, problem.constraints
    assert matrix is not None
    assert constraints is not None
    kinds = members.kinds
    groups, withheld, lacking = first_groups(kinds, members.homes, matrix)
    left = np.setdiff1d(np.flatnonzero(groups == NOWHERE), withheld)
    groups = joined_by_new(kinds, groups, left, matrix, problem.k)
    left = left[groups[left] == NOWHERE]
    own = None
    if np.unique(kinds.own[left]).size < kinds.l:
        withheld = np.sort(np.concatenate((withheld, left)))
    elif left.size >= 2 * problem.k:
        own = solve(taken(problem, left), method, report)
        groups[left] = int(groups.max()) + 1 + own.labels
    else:
        groups[left] = int(groups.max()) + 1
    kept = np.setdiff1d(np.arange(groups.size), withheld)
    if own is not None and left.size == kept.size:
        return Grouped(own, withheld), lacking
    if kept.size < problem.k:
        raise PrivacyError(
            f"{kept.size} records < k = {problem.k} are left when those are withheld for whom no "
            "class is safe; nothing was written"
        )
    rest = taken(problem, kept)
    assert rest.encoding.matrix is not None
    labels = merge_to(rest.encoding.matrix, canonical_labels(groups[kept]), problem.k, report)
    return Grouped(_searched(rest, labels, method, report), withheld), lacking


def taken(problem: Problem, rows: Integers) -> Problem:
    """Return the problem of some of its records."""
    constraints = problem.constraints
    return replace(
        problem,
        encoding=problem.encoding.take(rows),
        constraints=None if constraints is None else constraints.take(rows),
    )


def _searched(problem: Problem, labels: Integers, method: str, report: Reporter) -> Partition:
    """Return the groups after a search from them, by moves that break no rule.

    Points go down to a local optimum, under the name of the method that groups new people.
    """
    constraints, encoding = problem.constraints, problem.encoding
    assert isinstance(constraints, Constraints)
    if isinstance(encoding, Nodes) and has_room(labels, problem.k) and labels.max() > 0:
        return solve(replace(problem, start=labels), AUTO_MIXED, report)
    if not isinstance(encoding, Nodes) and has_room(labels, problem.k) and labels.max() > 0:
        labels = descend(problem, labels, report, Search(), constraints.rules)
    name = AUTO if method == "auto" else method
    return Partition(
        labels, problem.k, name, encoding.loss(labels, problem.threads), encoding.loss_name
    )
