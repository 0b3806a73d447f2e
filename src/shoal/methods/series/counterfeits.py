"""Counterfeits: records of nobody in the places that people of a signature left empty.

Where people of a signature cannot be shown, as nobody takes the place of one who left, a record
that is nobody's may take it (Xiao and Tao, m-Invariance, SIGMOD 2007, section 4). It stands in a
group of at least k people, and so does not count for k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.enforce.kinds import NEW, Kinds
from shoal.methods.series.start import NOWHERE, Bucket
from shoal.partition import canonical_labels, rows_of_groups


@dataclass(frozen=True, eq=False)
class Counterfeits:
    """A record of the group of each counterfeit (c), its value (c) and place of signature (c)."""

    __repr__ = in_shape

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
