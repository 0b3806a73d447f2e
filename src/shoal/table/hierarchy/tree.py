"""Paths -> Tree: nodes in preorder, so that what lies below a node is a range of numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from shoal.errors import InputError, RequestError, shown
from shoal.kernels.arrays import Flags, Integers
from shoal.table.hierarchy.values import Axis, Distinct
from shoal.table.ordinal import check_ranges
from shoal.table.roles import STAR

Path = Sequence[str]
Place = Callable[[int], str]
ROOT = STAR


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Labels, parents and ends of the nodes in preorder; node 0 is the root.

    The nodes below node i (itself included) are i, …, ends[i] - 1. `is_value` marks those that are
    values of the column; all leaves are.
    """

    labels: tuple[str, ...]
    parents: Integers
    ends: Integers
    is_value: Flags

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def nodes(self) -> dict[str, int]:
        """The number of every label's node."""
        return {label: node for node, label in enumerate(self.labels)}

    @cached_property
    def values_below(self) -> Integers:
        """How many values lie below each node, itself included if it is one."""
        before = np.concatenate(([0], np.cumsum(self.is_value)))
        below: Integers = before[self.ends] - before[np.arange(len(self))]
        return below

    @cached_property
    def heights(self) -> Integers:
        """The number of steps from each node down to the farthest leaf below it."""
        heights = np.zeros(len(self), dtype=np.int64)
        for node in range(len(self) - 1, 0, -1):
            above = self.parents[node]
            heights[above] = max(heights[above], heights[node] + 1)
        return heights

    def path(self, node: int) -> list[str]:
        """Return the labels from a node up to the root."""
        labels = [self.labels[node]]
        while node:
            node = int(self.parents[node])
            labels.append(self.labels[node])
        return labels

    def children(self, node: int) -> list[int]:
        """Return the nodes right below a node."""
        children, at = [], node + 1
        while at < self.ends[node]:
            children.append(at)
            at = int(self.ends[at])
        return children

    def common(self, low: Integers, high: Integers) -> Integers:
        """Return the lowest common ancestors of all nodes between low and high, pair by pair.

        That of a set of nodes is that of the first and the last of them in preorder.
        """
        node = np.array(low, dtype=np.int64)
        while True:
            open_ = self.ends[node] <= high
            if not open_.any():
                return node
            node[open_] = self.parents[node[open_]]


def _nowhere(_index: int) -> str:
    return ""


def from_paths(paths: Sequence[Path], name: str, place: Place = _nowhere) -> Tree:
    """Join paths of labels, each from a value up to the root, to a tree.

    A label repeated in the next level is one node. `place` says where a path stands ("line 3: ").
    """
    if not paths:
        raise InputError(f"{name}: the hierarchy is empty")
    above = _parents(paths, name, place)
    below: dict[str, list[str]] = {}
    for label, parent in above.items():
        below.setdefault(parent, []).append(label)
    labels: list[str] = []
    parents: list[int] = []
    ends: list[int] = []
    open_: list[tuple[str | None, int]] = [(paths[0][-1], -1)]
    while open_:
        label_, parent_ = open_.pop()
        if label_ is None:
            ends[parent_] = len(labels)
            continue
        node = len(labels)
        labels.append(label_)
        parents.append(parent_)
        ends.append(node + 1)
        open_.append((None, node))
        open_.extend((child, node) for child in reversed(below.get(label_, ())))
    known = {path[0] for path in paths}
    is_value = np.array([label in known for label in labels])
    return Tree(tuple(labels), np.array(parents), np.array(ends), is_value)


def _parents(paths: Sequence[Path], name: str, place: Place) -> dict[str, str]:
    """Return every label's parent; each label has one, and all end in one root."""
    levels, root = len(paths[0]), paths[0][-1]
    above: dict[str, str] = {}
    first: dict[str, int] = {}
    for index, path in enumerate(paths):
        if len(path) != levels or path[-1] != root:
            _refuse_ends(path, paths[0], name, place, index)
        steps = [label for label, parent in pairwise(path) if label != parent]
        steps.append(root)
        if len(set(steps)) < len(steps):
            twice = next(label for label in steps if steps.count(label) > 1)
            where = _where(name, place, index)
            raise InputError(f"{where}{shown(twice)} lies above itself: a cycle")
        for label, parent in pairwise(steps):
            known = above.get(label)
            if known is None:
                above[label], first[label] = parent, index
            elif known != parent:
                _refuse(above, first, label, parent, name, place, index)
    return above


def _where(name: str, place: Place, index: int) -> str:
    """Return the beginning of a message about a path."""
    return f"{name}, {place(index)}" if place(index) else f"{name}: "


def _refuse_ends(path: Path, other: Path, name: str, place: Place, index: int) -> None:
    """Raise InputError for a path that is longer or shorter than the first, or ends elsewhere."""
    where = _where(name, place, index)
    if len(path) != len(other):
        raise InputError(
            f"{where}{len(path)} levels, where {place(0) or 'the first has '}{len(other)}: ragged"
        )
    raise InputError(
        f"{where}ends in {shown(path[-1])}, {place(0) or 'the first '}in {shown(other[-1])}: "
        "no common root"
    )


def _refuse(
    above: dict[str, str],
    first: dict[str, int],
    label: str,
    parent: str,
    name: str,
    place: Place,
    index: int,
) -> None:
    """Raise InputError for a second parent or a cycle, with the places of both."""
    before, now = place(first[label]).removesuffix(": "), place(index).removesuffix(": ")
    both = f" ({before} and {now})" if before else ""
    chain = [parent]
    while chain[-1] in above and chain[-1] != label:
        chain.append(above[chain[-1]])
    if chain[-1] == label:
        ring = " → ".join(shown(step) for step in [label, *chain])
        raise InputError(f"{name}: a cycle: {ring}{both}")
    raise InputError(
        f"{name}: {shown(label)} has two parents, {shown(above[label])} and {shown(parent)}{both}"
    )


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
