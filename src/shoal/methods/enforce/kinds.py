"""Kinds of records in a series of releases: the signature of a person, and her value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import AT, BASE, CODES, FORM, HEAD, SERIES, SPAN

NEW = -1  # the signature of who has none yet


@dataclass(frozen=True, eq=False)
class Kinds:
    """The values (n), from 0, and the signatures (n) of records; `signatures` are sets of values.

    Groups must hold every value of a signature equally often among the people who have it, where
    people without a signature may fill in; of those that are left no value may be more than 1 / l.
    """

    __repr__ = in_shape

    own: Integers
    signature: Integers
    signatures: Sequence[tuple[int, ...]]
    l: int  # noqa: E741 - its name in the literature

    @property
    def values(self) -> int:
        """How many values there are."""
        most = max((max(one) for one in self.signatures), default=-1)
        return max(most, int(self.own.max(initial=-1))) + 1

    @property
    def codes(self) -> Integers:
        """The kind of each record, as `kernels.rules.series` reads it."""
        return (self.signature + 1) * self.values + self.own

    @property
    def is_new(self) -> bool:
        """Whether nobody has a signature."""
        return bool((self.signature == NEW).all())

    def signature_table(self) -> Floats:
        """Return where the values of each signature begin, and them; that of NEW comes first."""
        starts = np.zeros(len(self.signatures) + 2)
        starts[1:] = starts.size + np.cumsum([0, *(len(one) for one in self.signatures)])
        return np.concatenate([starts, *(np.array(one, dtype=float) for one in self.signatures)])

    def head(self, at: int) -> Floats:
        """Return the head of the rule, whose table of signatures stands `at` a place."""
        head = np.zeros(HEAD)
        head[[FORM, AT, SPAN, BASE]] = SERIES, at, self.values, self.l
        head[CODES] = at + self.signature_table().size
        return head

    def take(self, rows: Integers) -> Kinds:
        """Return the kinds of some records, or of all in another order."""
        return replace(self, own=self.own[rows], signature=self.signature[rows])
