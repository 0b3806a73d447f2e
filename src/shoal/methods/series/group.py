"""Groups of a release of a series: first groups, completed, and a search from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import PrivacyError
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.enforce.constraints import Constraints, merge_to
from shoal.methods.enforce.rules import NEW, Kinds
from shoal.methods.families.local_search import descend, has_room
from shoal.methods.ils.parameters import Search
from shoal.methods.problem import Nodes, Problem
from shoal.methods.registry import AUTO, AUTO_MIXED
from shoal.methods.series.start import NOWHERE, Bucket, first_groups
from shoal.methods.solve import solve
from shoal.partition import Partition, canonical_labels, rows_of_groups
from shoal.progress import Reporter

# Counterfeits: records of nobody in the places that people of a signature left empty.
#
# Where people of a signature cannot be shown, as nobody takes the place of one who left, a record
# that is nobody's may take it (Xiao and Tao, m-Invariance, SIGMOD 2007, section 4). It stands in a
# group of at least k people, and so does not count for k.


@dataclass(frozen=True, eq=False, repr=False)
class Counterfeits:
    """A record of the group of each counterfeit (c), its value (c) and place of signature (c)."""

    like: Integers
    values: Integers
    bonds: Integers

    @classmethod
    def none(cls) -> Counterfeits:
        """Return no counterfeits."""
        nobody = np.zeros(0, dtype=np.int64)
        return cls(nobody, nobody, nobody)

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.like.size)

    def among(self, rows: Integers) -> Counterfeits:
        """Return those whose record is one of some rows, in order, by its place among them."""
        there = np.isin(self.like, rows)
        places = np.searchsorted(rows, self.like[there]).astype(np.int64)
        return Counterfeits(places, self.values[there], self.bonds[there])

    def at(self, rows: Integers) -> Counterfeits:
        """Return the same where record i is now the one of row `rows[i]`."""
        return replace(self, like=rows[self.like])

    def joined_to(self, labels: Integers) -> Integers:
        """Return labels of records with those of the counterfeits after them."""
        return np.concatenate((labels, labels[self.like]))

    def kinds_with(self, kinds: Kinds) -> Kinds:
        """Return kinds of records with those of the counterfeits after them."""
        own = np.concatenate((kinds.own, self.values))
        return replace(kinds, own=own, bond=np.concatenate((kinds.bond, self.bonds)))


def filled_up(
    kinds: Kinds, matrix: Floats, groups: Integers, buckets: Sequence[Bucket], allowed: int
) -> tuple[Integers, Counterfeits]:
    """Return groups with people of buckets that counterfeits fill up, and the counterfeits.

    `groups` (n) are NOWHERE for who is withheld. Buckets that need the fewest counterfeits a person
    come first; each goes to the nearest group, as long as no more are needed than are `allowed`.
    Values that no record of a group has cannot be written, and are not made.
    """
    groups = groups.copy()
    there = np.flatnonzero(groups != NOWHERE)
    members = rows_of_groups(canonical_labels(groups[there]))
    centers = np.array([matrix[there[rows]].mean(axis=0) for rows in members])
    written = set(kinds.own[there].tolist())
    like, values, bonds = [], [], []
    for rows, missing, bond in sorted(
        (_wanting(kinds, one) for one in buckets), key=lambda one: (len(one[1]) / len(one[0]), one)
    ):
        if len(missing) > allowed or not written.issuperset(missing):
            continue
        apart = ((centers - matrix[rows].mean(axis=0)) ** 2).sum(axis=1)
        first = int(there[members[int(np.argmin(apart))][0]])
        groups[rows] = groups[first]
        like += [first] * len(missing)
        values += missing
        bonds += [bond] * len(missing)
        allowed -= len(missing)
    made = (np.array(one, dtype=np.int64) for one in (like, values, bonds))
    return groups, Counterfeits(*made)


def _wanting(kinds: Kinds, bucket: Bucket) -> tuple[list[int], list[int], int]:
    """Return the people of a bucket who are bound to it, and the values that they lack."""
    rows = [row for row in bucket.rows.values() if kinds.bond[row] != NEW]
    shown = {int(kinds.own[row]) for row in rows}
    return rows, sorted(set(kinds.bonds[bucket.bond]) - shown), bucket.bond


AROUND = 64  # new people that a group chooses from


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """Who records are in a series: their kinds, and the classes (n) of the last release."""

    kinds: Kinds
    homes: Integers

    def take(self, rows: Integers) -> Members:
        """Return the same for some rows, or for all in another order."""
        return Members(self.kinds.take(rows), self.homes[rows])


@dataclass(frozen=True, eq=False, repr=False)
class Grouped:
    """The partition of the records that are kept, and the rows of those that are withheld.

    `counterfeits` are records of nobody that some of the groups have.
    """

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


def joined_by_new(
    kinds: Kinds, groups: Integers, left: Integers, matrix: Floats, k: int
) -> Integers:
    """Return the groups after new people in `left` joined those of fewer than k.

    A group takes as many of the nearest as it lacks, and at least l of different values; the group
    whose nearest are nearest comes first. Groups that find none stay as they are.
    """
    groups = groups.copy()
    there = np.flatnonzero(groups >= 0)
    if not there.size:
        return groups
    small = [there[rows] for rows in rows_of_groups(_numbered(groups[there])) if rows.size < k]
    free = set(left.tolist())
    queue = [(rows, matrix[rows].mean(axis=0)) for rows in small]
    while queue and free:
        pool = np.array(sorted(free))
        offers = []
        for rows, center in queue:
            apart = ((matrix[pool] - center) ** 2).sum(axis=1)
            near = np.argsort(apart, kind="stable")[:AROUND]
            chosen = _chosen(kinds, pool[near].tolist(), max(kinds.l, k - rows.size))
            if chosen:
                cost = float(((matrix[chosen] - center) ** 2).sum()) / len(chosen)
                offers.append((cost, rows, center, chosen))
        queue = []
        for _, rows, center, chosen in sorted(offers, key=lambda one: one[0]):
            if free.issuperset(chosen):
                groups[chosen] = groups[rows[0]]
                free.difference_update(chosen)
            else:
                queue.append((rows, center))
    return groups


def _numbered(groups: Integers) -> Integers:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _chosen(kinds: Kinds, near: Sequence[int], count: int) -> list[int]:
    """Return the nearest that have l different values between them; none where there are none."""
    chosen: list[int] = []
    values: set[int] = set()
    for row in near:
        value = int(kinds.own[row])
        needed = kinds.l - len(values)
        if value in values and count - len(chosen) <= needed:
            continue  # the places that are left are for other values
        chosen.append(row)
        values.add(value)
        if len(chosen) == count:
            return chosen if len(values) >= kinds.l else []
    return []
