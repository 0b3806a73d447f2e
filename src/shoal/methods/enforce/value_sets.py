"""Sets of values that earlier releases leave for people, as a rule for groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import RequestError, in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import AT, BASE, CODES, FORM, HEAD, SETS

MOST = 52  # values whose sets a float holds as bits, exactly


@dataclass(frozen=True, eq=False)
class ValueSets:
    """The values (n), from 0, of records, and the sets (n) that are left for them, as bits.

    Groups must have at least l values of the set of each of their records.
    """

    __repr__ = in_shape

    own: Integers
    sets: Integers
    l: int  # noqa: E741 - its name in the literature

    def __post_init__(self) -> None:
        if self.own.max(initial=0) >= MOST:
            raise RequestError(
                f"a sensitive column of a series has at most {MOST} values; this one has more"
            )

    @property
    def values(self) -> int:
        """The room that the rule needs."""
        return 0

    @property
    def codes(self) -> Integers:
        """The kind of each record: its place among the different ones."""
        return self._kinds()[1]

    def table(self) -> Floats:
        """Return the value and the set of each kind."""
        return self._kinds()[0].astype(np.float64).ravel()

    def head(self, at: int) -> Floats:
        """Return the head of the rule, whose table stands `at` a place."""
        head = np.zeros(HEAD)
        head[[FORM, AT, BASE]] = SETS, at, self.l
        head[CODES] = at + self.table().size
        return head

    def take(self, rows: Integers) -> ValueSets:
        """Return the same for some records, or for all in another order."""
        return ValueSets(self.own[rows], self.sets[rows], self.l)

    def _kinds(self) -> tuple[Integers, Integers]:
        pairs = np.stack([self.own, self.sets], axis=1)
        kinds, codes = np.unique(pairs, axis=0, return_inverse=True)
        return kinds, codes.reshape(-1).astype(np.int64)
