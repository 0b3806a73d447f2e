"""Groups while records leave them and come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import group_means
from shoal.methods.suppress.losses import Losses
from shoal.partition import canonical_labels, rows_of_groups

OUT = -1  # the label of a record that is left out
AROUND = 3  # groups that are looked at around a record
AT_ONCE = 20_000_000  # distances that are held


@dataclass(frozen=True)
class Change:
    """A change of some groups: records that leave the release or come back, and who is where.

    `gain` is how much less the others lose with it. `members` has the new rows of each group that
    changes: none where it is given up.
    """

    __repr__ = in_shape

    gain: float
    out: Integers
    back: Integers
    members: Mapping[int, Integers]

    @property
    def records(self) -> int:
        """How many more records are left out."""
        return int(self.out.size - self.back.size)


class Grouping:
    """Records in groups of at least k within strata, and those that are left out.

    `matrix` says which groups are near each other; what they lose is exact.
    """

    def __init__(
        self, losses: Losses, matrix: Floats, k: int, labels: Integers, strata: Integers | None
    ) -> None:
        self.exact, self.matrix, self.k = losses, matrix, k
        self.strata = np.zeros(labels.size, dtype=np.int64) if strata is None else strata
        self.regroup(np.arange(labels.size), labels)

    def regroup(self, rows: Integers, labels: Integers) -> None:
        """Take other groups of the records that are not left out; a label of OUT leaves one out."""
        self.labels: Integers = np.full(self.strata.size, OUT, dtype=np.int64)
        inside = labels != OUT
        some, own = rows[inside], canonical_labels(labels[inside])
        self.labels[some] = own
        self.members = [some[group] for group in rows_of_groups(own)]
        self.losses = self.exact.of(self.members)
        self.centers = group_means(self.matrix[some], own)

    @property
    def kept(self) -> Integers:
        """The rows that are released, in order."""
        return np.flatnonzero(self.labels != OUT)

    @property
    def left_out(self) -> Integers:
        """The rows that are left out, in order."""
        return np.flatnonzero(self.labels == OUT)

    @property
    def kept_labels(self) -> Integers:
        """The groups of the rows that are released."""
        return canonical_labels(self.labels[self.kept])

    @property
    def loss(self) -> float:
        """What the records lose that are not left out."""
        return float(self.losses.sum())

    def stratum(self, group: int) -> int:
        """Return the stratum of a group."""
        return int(self.strata[self.members[group][0]])

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out changes, none of which concerns a group of another."""
        for change in changes:
            self.labels[change.out] = OUT
            for group, rows in change.members.items():
                self.members[group] = rows
                self.labels[rows] = group
        self.regroup(self.kept, self.labels[self.kept])

    def near(self, points: Floats, strata: Integers, skip: Integers) -> Integers:
        """Return the groups of the same stratum that are nearest to each point, -1 for none.

        `skip` names a group for each point that is not looked at; -1: none.
        """
        own = self.strata[[group[0] for group in self.members]]
        squares = (self.centers * self.centers).sum(axis=1)
        most = min(AROUND, len(self.members))
        found = np.full((len(points), most), -1, dtype=np.int64)
        step = max(1, AT_ONCE // len(self.members))
        for first in range(0, len(points), step):
            some = slice(first, first + step)
            apart = squares - 2.0 * (points[some] @ self.centers.T)
            apart[strata[some, None] != own] = np.inf
            named = np.flatnonzero(skip[some] >= 0)
            apart[named, skip[some][named]] = np.inf
            nearest = np.argpartition(apart, most - 1, axis=1)[:, :most]
            far = np.isinf(np.take_along_axis(apart, nearest, axis=1))
            found[some] = np.where(far, -1, nearest)
        return found
