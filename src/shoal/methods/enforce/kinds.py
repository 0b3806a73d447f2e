"""Kinds of records in a series of releases: what a person is bound by, and her value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import AT, BASE, CODES, FORM, HEAD, SERIES, SPAN

NEW = -1  # the bond of who is in no earlier release


@dataclass(frozen=True, eq=False)
class Kinds:
    """The values (n), from 0, and the bonds (n) of records; NEW people have none.

    A bond is a signature, a set of values that the people who have it must show equally often in
    every group; or it is empty, of people who were together in all earlier releases: those of them
    in a group need l different values. New people fill what signatures lack; the others of a group
    need l different values, too.
    """

    __repr__ = in_shape

    own: Integers
    bond: Integers
    bonds: Sequence[tuple[int, ...]]
    l: int  # noqa: E741 - its name in the literature

    @property
    def values(self) -> int:
        """How many values there are."""
        most = max((max(one) for one in self.bonds if one), default=-1)
        return max(most, int(self.own.max(initial=-1))) + 1

    @property
    def codes(self) -> Integers:
        """The kind of each record, as `kernels.rules.series` reads it."""
        return (self.bond + 1) * self.values + self.own

    @property
    def signed(self) -> Integers:
        """Which records have a signature, as 0 and 1."""
        has = np.array([*(bool(one) for one in self.bonds), False], dtype=np.int64)
        return has[self.bond]

    def table(self) -> Floats:
        """Return where the values of each bond begin, and them; that of NEW comes first."""
        starts = np.zeros(len(self.bonds) + 2)
        starts[1:] = starts.size + np.cumsum([0, *(len(one) for one in self.bonds)])
        return np.concatenate([starts, *(np.array(one, dtype=float) for one in self.bonds)])

    def head(self, at: int) -> Floats:
        """Return the head of the rule, whose table of bonds stands `at` a place."""
        head = np.zeros(HEAD)
        head[[FORM, AT, SPAN, BASE]] = SERIES, at, self.values, self.l
        head[CODES] = at + self.table().size
        return head

    def take(self, rows: Integers) -> Kinds:
        """Return the kinds of some records, or of all in another order."""
        return replace(self, own=self.own[rows], bond=self.bond[rows])
