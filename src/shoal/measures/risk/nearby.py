"""The classes that may be nearest to an attacker, found in sorted columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.result import Each

WIDER, LEAST = 1.0 + 1e-7, 1e-8  # a little more than what ties: all that is found is compared
AT_ONCE = 16  # attackers


class Nearby:
    """Classes in the order of every column.

    Nobody has to look farther than at the own class: a class that is nearer is nearer in every
    column than the own one is over all.
    """

    __repr__ = in_shape

    def __init__(
        self, attackers: Sequence[Floats], classes: Sequence[Floats], own: Integers, each: Each
    ) -> None:
        self.attackers, self.released, self.own = np.stack(attackers, axis=1), classes, own
        self.orders: list[Integers] = each(np.argsort, classes)
        pairs = zip(classes, self.orders, strict=True)
        self.sorted: list[Floats] = [values[order] for values, order in pairs]

    def _to_own(self, attacker: int) -> Floats:
        released = np.array([values[self.own[attacker]] for values in self.released])
        apart: Floats = np.abs(self.attackers[attacker] - released)
        return apart

    def distance_to_own(self, attacker: int) -> float:
        """Return the Euclidean distance of an attacker from the own class."""
        return float(np.sqrt((self._to_own(attacker) ** 2).sum()))

    def largest_to_own(self, attacker: int) -> float:
        """Return the largest difference of an attacker from the own class in any column."""
        return float(self._to_own(attacker).max())

    def within(self, attacker: int, reach: float) -> Integers:
        """Return the classes that are within reach in every column, in order."""
        reach = reach * WIDER + LEAST
        every = self.attackers[attacker].tolist()
        ends = [
            np.searchsorted(values, (x - reach, x + reach))
            for values, x in zip(self.sorted, every, strict=True)
        ]
        first = min(range(len(ends)), key=lambda j: int(ends[j][1] - ends[j][0]))
        classes = self.orders[first][ends[first][0] : ends[first][1]]
        for j, (values, x) in enumerate(zip(self.released, every, strict=True)):
            if j != first:
                classes = classes[np.abs(values[classes] - x) <= reach]
        return np.sort(classes)


@dataclass(frozen=True, eq=False, repr=False)
class ClassLists:
    """The classes of every value that a column releases, one value after the other."""

    order: Integers
    begins: Integers

    @classmethod
    def of(cls, codes: Integers, count: int) -> ClassLists:
        """Return the classes by the codes of their values."""
        begins = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=count))))
        return cls(np.argsort(codes, kind="stable"), begins)

    def classes(self, codes: Sequence[Integers]) -> Integers:
        """Return the classes of some values, each value once."""
        parts = [
            self.order[self.begins[code] : self.begins[code + 1]]
            for code in {int(one[0]) for one in codes}
        ]
        return np.concatenate(parts)


def most_frequent(lists: Sequence[Integers]) -> Integers:
    """Return the classes that are in most of the lists, in order."""
    classes, times = np.unique(np.concatenate(lists), return_counts=True)
    most: Integers = classes[times == times.max()]
    return most


def one_by_one(work: Callable[[int], Any], count: int, each: Each) -> list[Any]:
    """Return what is worked out of so many attackers, some of them at once."""
    parts = [range(begin, min(begin + AT_ONCE, count)) for begin in range(0, count, AT_ONCE)]
    return [one for some in each(lambda part: [*map(work, part)], parts) for one in some]
