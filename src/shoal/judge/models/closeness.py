"""t-closeness (Li, Li and Venkatasubramanian 2007), by the earth mover's distance.

In plain words: the sensitive values of a class are distributed as those of all records are, up to
t: so much of the values must be moved so far, at most, to make one distribution the other (the
earth mover's distance, between 0 and 1). How far it is from one value to another is stated:

- *equal*: 1 between any two, for categories;
- *ordered*: (j - i) / (m - 1) between the i-th and the j-th of m different values, for numbers,
  dates and values with an order. Values that are missing are apart: their share may differ by t
  at most, and those that are there are compared among themselves; the greater distance counts;
- *hierarchical*: the height of the lowest common ancestor over the height of the tree. A missing
  value is a branch of its own.

Precondition: `whole` says how often each value occurs in the whole release, `counts` in a class of
it. Postcondition: a distance is 0 for the whole and never more for a union of classes than for the
worst of them. Distances are quotients of whole numbers, rounded once: no t is missed by rounding.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

Counts = Mapping[Any, int]


class Distance(Protocol):
    """The earth mover's distance of a class from the whole."""

    name: str

    def __call__(self, counts: Counts) -> float:
        """Return the distance of a class with these counts."""
        ...


class Equal:
    """Every value is equally far from every other: half the sum of |p - q|."""

    name = "equal"

    def __init__(self, whole: Counts) -> None:
        self.whole = whole
        self.size = sum(whole.values())

    def __call__(self, counts: Counts) -> float:
        """Return the distance of a class with these counts."""
        size = sum(counts.values())
        if not size:
            return 0.0
        more = (c * self.size - self.whole.get(v, 0) * size for v, c in counts.items())
        return sum(excess for excess in more if excess > 0) / (size * self.size)


class Ordered:
    """Values in a row: the sum of |P - Q| over all but the last, of cumulated shares, by m - 1.

    `rank` gives what values are sorted by, and None for those that are missing.
    """

    name = "ordered"

    def __init__(self, whole: Counts, rank: Callable[[Any], Any]) -> None:
        self.rank = rank
        there: dict[Any, int] = {}
        self.missing = 0
        for value, count in whole.items():
            place = rank(value)
            if place is None:
                self.missing += count
            else:
                there[place] = there.get(place, 0) + count
        self.values = sorted(there)
        self.cumulated = list(accumulate(there[value] for value in self.values))
        self.summed = [0, *accumulate(self.cumulated)]
        self.size = self.cumulated[-1] if self.cumulated else 0

    def __call__(self, counts: Counts) -> float:
        """Return the distance of a class with these counts."""
        there: dict[Any, int] = {}
        missing = 0
        for value, count in counts.items():
            place = self.rank(value)
            if place is None:
                missing += count
            else:
                there[place] = there.get(place, 0) + count
        size = sum(there.values())
        every, whole = size + missing, self.size + self.missing
        apart = abs(missing * whole - self.missing * every) / (every * whole) if every else 0.0
        return max(apart, self._among(there, size))

    def _among(self, there: dict[Any, int], size: int) -> float:
        """Return the distance of values that are there; |P - Q| is summed piece by piece."""
        last = len(self.values) - 1
        if not size or last < 1:
            return 0.0
        total, begin, below = 0, 0, 0  # `below` records of the class lie before place `begin`
        for value in sorted(there):
            end = bisect_left(self.values, value)
            total += self._piece(begin, end, below, size)
            begin, below = end, below + there[value]
        total += self._piece(begin, last, below, size)
        return total / (size * self.size * last)

    def _piece(self, begin: int, end: int, below: int, size: int) -> int:
        """Return the sum of |below * n - cumulated * size| over the places from begin to end."""
        if end <= begin:
            return 0
        level = below * self.size
        turn = bisect_right(self.cumulated, level // size, begin, end)  # from here Q is above P
        first = level * (turn - begin) - size * (self.summed[turn] - self.summed[begin])
        second = size * (self.summed[end] - self.summed[turn]) - level * (end - turn)
        return first + second


class Hierarchical:
    """Values in a tree: over all its edges, how long they are times |P - Q| below them.

    `paths` gives the nodes above a value, the lowest first, without the root; `heights` how high
    they are, and `height` how high the root is. An edge is half as long as what it climbs.
    """

    name = "hierarchical"

    def __init__(
        self, whole: Counts, paths: Mapping[Any, Sequence[Any]], heights: Mapping[Any, int],
        height: int,
    ) -> None:  # fmt: skip
        self.paths, self.heights, self.height = paths, heights, max(1, height)
        self.size = sum(whole.values())
        self.below = self._below(whole)
        self.lengths = self._lengths(whole)
        self.all = sum(self.lengths[node] * count for node, count in self.below.items())

    def _below(self, counts: Counts) -> dict[Any, int]:
        below: dict[Any, int] = {}
        for value, count in counts.items():
            for node in (("value", value), *self.paths.get(value, ())):
                below[node] = below.get(node, 0) + count
        return below

    def _lengths(self, whole: Counts) -> dict[Any, int]:
        lengths: dict[Any, int] = {}
        for value in whole:
            nodes = [("value", value), *self.paths.get(value, ())]
            levels = [0, *(self.heights[node] for node in nodes[1:]), self.height]
            for node, low, high in zip(nodes, levels, levels[1:], strict=False):
                lengths[node] = high - low
        return lengths

    def __call__(self, counts: Counts) -> float:
        """Return the distance of a class with these counts."""
        size = sum(counts.values())
        if not size:
            return 0.0
        total = self.all * size
        for node, count in self._below(counts).items():
            whole = self.below[node] * size
            total += self.lengths[node] * (abs(count * self.size - whole) - whole)
        return total / (2 * self.height * size * self.size)
