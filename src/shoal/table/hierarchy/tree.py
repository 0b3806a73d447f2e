"""Paths -> Tree: nodes in preorder, so that what lies below a node is a range of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from shoal.errors import InputError, in_shape, shown
from shoal.kernels.arrays import Flags, Integers
from shoal.table.roles import STAR

Path = Sequence[str]
Place = Callable[[int], str]

ROOT = STAR


@dataclass(frozen=True, eq=False)
class Tree:
    """Labels, parents and ends of the nodes in preorder; node 0 is the root.

    The nodes below node i (itself included) are i, …, ends[i] - 1. `is_value` marks those that are
    values of the column; all leaves are.
    """

    __repr__ = in_shape

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
