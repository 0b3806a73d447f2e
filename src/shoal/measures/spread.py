"""The numbers that a column releases, in order, each with the ranks of its records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class Spread:
    """Distinct numbers, the least first: `begins` records are below each, `ends` not above."""

    __repr__ = in_shape

    values: Floats
    begins: Integers
    ends: Integers

    @classmethod
    def of(cls, values: Floats, counts: Integers) -> Spread:
        """Return numbers that so many records have each; not-a-number is none."""
        there = ~np.isnan(values)
        if not there.all():
            values, counts = values[there], counts[there]
        order = np.argsort(values)
        ordered, upto = values[order], np.cumsum(counts[order])
        last = np.ones(ordered.size, dtype=bool)
        last[:-1] = ordered[1:] != ordered[:-1]
        ends = upto[last]
        return cls(ordered[last], np.concatenate(([0], ends))[:-1], ends)

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.ends[-1]) if self.ends.size else 0

    def every(self) -> Floats:
        """Return the numbers of all records in order."""
        return np.repeat(self.values, self.ends - self.begins)

    def places(self, values: Floats) -> Integers:
        """Return the places of some of the numbers; the one after the last of not-a-number."""
        return np.searchsorted(self.values, values)

    def ranked(self, ranks: Integers) -> Floats:
        """Return the numbers of the records of some ranks, counted from 0."""
        ranked: Floats = self.values[np.searchsorted(self.ends, ranks, "right")]
        return ranked


def middle_ranks(below: Integers, upto: Integers, size: int) -> Floats:
    """Return ranks as shares of all: the mean rank of equal values, `below` of which are less."""
    ranks: Floats = (below + upto + 1) / 2.0 / max(size, 1)
    return ranks
