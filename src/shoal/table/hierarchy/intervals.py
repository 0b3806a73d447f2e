"""Hierarchies of numbers and dates: half-open intervals [a,b) in one or more levels."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from shoal.errors import RequestError, shown
from shoal.table.hierarchy.axis import Axis
from shoal.table.hierarchy.tree import ROOT, Tree
from shoal.table.hierarchy.values import Distinct
from shoal.table.ordinal import check_ranges

ONE_VALUE = np.array([False, True])  # of the root and what is below it


@dataclass(frozen=True)
class Widths:
    """Intervals of equal widths, counted from an origin; each width a multiple of the one before.

    widths:5,10,20@0 puts 37 into [35,40), [30,40), [20,40).
    """

    widths: tuple[Fraction, ...]
    origin: str = ""
    given: bool = True
    shows_values: bool = False

    def __str__(self) -> str:
        start = f"@{self.origin}" if self.origin else ""
        return f"widths:{','.join(Axis('number').text(w) for w in self.widths)}{start}"

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the intervals of every value, the narrowest first."""
        axis = _axis(values, self)
        if axis.kind == "date" and any(width.denominator > 1 for width in self.widths):
            raise RequestError(f"the hierarchy {self} has parts of days; column is date")
        origin = axis.read(self.origin, str(self)) if self.origin else Fraction(0)
        paths = []
        for value, text in zip(values.values, values.texts, strict=True):
            number = axis.number(value)
            lows = [(number - origin) // width * width + origin for width in self.widths]
            labels = [
                _label(low, low + width, axis) for low, width in zip(lows, self.widths, strict=True)
            ]
            paths.append([text, *labels, ROOT])
        return paths, []


@dataclass(frozen=True)
class Cuts:
    """Intervals between cut points, one list a level; every list is a part of the one before.

    cuts:18,30,45,65/30,65 puts 20 into [18,30), then into <30.
    """

    levels: tuple[tuple[str, ...], ...]
    given: bool = True
    shows_values: bool = False

    def __str__(self) -> str:
        return "cuts:" + "/".join(",".join(level) for level in self.levels)

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the intervals of every value, the narrowest first."""
        axis = _axis(values, self)
        levels = [[axis.read(text, str(self)) for text in level] for level in self.levels]
        for level in levels:
            if any(a >= b for a, b in pairwise(level)):
                raise RequestError(f"{self}: the cut points of a level must rise")
        for fine, coarse in pairwise(levels):
            if not set(coarse) <= set(fine):
                raise RequestError(f"{self}: every cut point must be one of the level before too")
        return _between(values, axis, levels), []


@dataclass(frozen=True)
class Quantiles:
    """Intervals of equal frequency; each number of them divides the one before.

    quantiles:20,5 makes 20 intervals with about as many records each, then 5 of four each.
    """

    counts: tuple[int, ...]
    given: bool = True
    shows_values: bool = True

    def __str__(self) -> str:
        return f"quantiles:{','.join(map(str, self.counts))}"

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the intervals of every value, the narrowest first."""
        axis = _axis(values, self)
        return _between(values, axis, self._levels(values, axis)), []

    def as_cuts(self, values: Distinct) -> Cuts | None:
        """Return the rule that makes the same intervals of any values; None where there is one."""
        axis = _axis(values, self)
        levels = [tuple(map(axis.text, level)) for level in self._levels(values, axis) if level]
        return Cuts(tuple(levels)) if levels else None

    def _levels(self, values: Distinct, axis: Axis) -> list[list[Fraction]]:
        """Return the cut points of every level."""
        ends = np.cumsum(values.counts)
        total = int(ends[-1]) if ends.size else 0
        levels = []
        for count in self.counts:
            ranks = {-(-total * part // count) for part in range(1, count)}
            first = sorted({int(np.searchsorted(ends, rank, side="left")) + 1 for rank in ranks})
            levels.append([axis.number(values.values[i]) for i in first if i < len(values.values)])
        return levels


@dataclass(frozen=True)
class Balanced:
    """The default of numbers, dates and ordinal values: halves of halves of records.

    Labels are [low,high], both ends belong to it.
    """

    given: bool = False
    shows_values: bool = True

    def __str__(self) -> str:
        return "balanced"

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the nested halves that hold every value, the smallest first."""
        tree = self.tree(values)
        above = [tree.path(int(node)) for node in np.flatnonzero(tree.is_value)]
        depth = max(map(len, above), default=0)
        return [[*path[:1] * (depth - len(path)), *path] for path in above], []

    def tree(self, values: Distinct) -> Tree:
        """Return the tree of halves, which has two nodes below every one that is no value."""
        if values.order is None:
            _axis(values, self)
        else:
            check_ranges(values.name, values.texts)
        count = len(values.texts)
        if count == 1:
            return Tree((ROOT, values.texts[0]), np.array([-1, 0]), np.array([2, 2]), ONE_VALUE)
        ends = [0, *np.cumsum(values.counts).tolist()]
        labels: list[str] = []
        parents: list[int] = []
        sizes: list[int] = []
        open_ = [(0, count, -1)] if count else []
        while open_:
            low, high, parent = open_.pop()
            node = len(labels)
            parents.append(parent)
            sizes.append(high - low)
            if high - low == 1:
                labels.append(values.texts[low])
                continue
            labels.append(values.interval(low, high - 1) if node else ROOT)
            middle = bisect_left(ends, (ends[low] + ends[high]) / 2)
            middle = min(max(middle, low + 1), high - 1)
            open_ += [(middle, high, node), (low, middle, node)]
        own = np.array(sizes, dtype=np.int64)
        nodes = np.arange(own.size)
        return Tree(tuple(labels), np.array(parents), nodes + 2 * own - 1, own == 1)


def _label(low: Fraction, high: Fraction, axis: Axis) -> str:
    """Return [low,high); where the calendar ends, its last day belongs to it."""
    first, last = "0001-01-01", "9999-12-31"
    if axis.kind == "datetime":
        first, last = f"{first}T00:00:00", f"{last}T23:59:59.999999"
    try:
        begin = axis.text(low)
    except OverflowError:
        begin = first
    try:
        return f"[{begin},{axis.text(high)})"
    except OverflowError:
        return f"[{begin},{last}]"


def _axis(values: Distinct, rule: object) -> Axis:
    if not values.on_a_line or values.order is not None:
        kind = values.kind if values.order is None else "ordinal"
        raise RequestError(
            f"the hierarchy {rule} is for numbers and dates; column {shown(values.name)} is {kind}"
        )
    return values.axis


def _between(values: Distinct, axis: Axis, levels: list[list[Fraction]]) -> list[list[str]]:
    """Return the paths of values through the intervals between cut points."""
    paths = []
    for value, text in zip(values.values, values.texts, strict=True):
        number = axis.number(value)
        labels = []
        for cuts in levels:
            at = bisect_right(cuts, number)
            if not cuts:
                labels.append(ROOT)
            elif at == 0:
                labels.append(f"<{axis.text(cuts[0])}")
            elif at == len(cuts):
                labels.append(f">={axis.text(cuts[-1])}")
            else:
                labels.append(f"[{axis.text(cuts[at - 1])},{axis.text(cuts[at])})")
        paths.append([text, *labels, ROOT])
    return paths
