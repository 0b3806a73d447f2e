"""What a combination of levels loses, or that it is not safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.kernels.rules import Rules
from shoal.methods.enforce.groups import MANY, MEMBERS, breaches, of_members, rows_of
from shoal.methods.fulldomain.classes import Classes
from shoal.methods.fulldomain.columns import Leveled
from shoal.partition import canonical_labels


@dataclass(frozen=True)
class Needs:
    """What classes need: k records, what `rules` ask of all records' classes, an own k by columns.

    At most `spare` records may be left out, those of smaller classes, where k is all that is asked.
    """

    __repr__ = in_shape

    k: int
    spare: int = 0
    rules: Rules | None = None
    k_of: Mapping[tuple[str, ...], int] = field(default_factory=dict)


class Judge:
    """Judges combinations of levels; suppressed records have lost all their cells.

    `survey` weights (n) say how much records count in the loss.
    """

    def __init__(
        self, columns: Sequence[Leveled], needs: Needs, survey: Floats | None = None
    ) -> None:
        self.columns, self.needs, self.classes = columns, needs, Classes(columns)
        self.often = np.bincount(self.classes.which, survey)
        names = [one.name for one in columns]
        self.whole = sum(one.weight for one in columns)
        self.own: list[tuple[int, list[int], Classes]] = []
        for some, k in needs.k_of.items():
            places = [names.index(name) for name in some]
            if k > needs.k:
                self.own.append((k, places, Classes([columns[j] for j in places])))

    def __call__(self, node: Sequence[int]) -> float | None:
        """Return what a combination loses beyond its cells by suppression; None: it is not safe."""
        labels, sizes = self.classes.at(node)
        small = sizes < self.needs.k
        gone = int(sizes[small].sum())
        if gone > self.needs.spare or small.all():
            return None
        if not all(self._holds(k, places, own, node) for k, places, own in self.own):
            return None
        if self.needs.rules is not None:
            every = labels[self.classes.which]
            return 0.0 if keeps(self.needs.rules, every) else None
        return self._suppressed(node, small[labels]) if gone else 0.0

    def _holds(self, k: int, places: Sequence[int], own: Classes, node: Sequence[int]) -> bool:
        return int(own.at([node[j] for j in places])[1].min()) >= k

    def _suppressed(self, node: Sequence[int], gone: Flags) -> float:
        """Return how much more is lost if some records are left out."""
        cells, often = self.classes.codes.cells[gone], self.often[gone]
        kept: Floats = np.full(often.size, float(self.whole))
        for j, (column, level) in enumerate(zip(self.columns, node, strict=True)):
            kept -= column.losses[level][cells[:, j]]
        return float(kept @ often)

    def labels(self, node: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the class of every record, from 0, and the rows of those in small classes."""
        labels, sizes = self.classes.at(node)
        every = labels[self.classes.which]
        small = (sizes < self.needs.k)[every]
        return canonical_labels(every[~small]), np.flatnonzero(small)


def keeps(rules: Rules, labels: Integers) -> bool:
    """Tell whether every class keeps the rules; large ones are judged one by one."""
    sizes = np.bincount(labels)
    some = np.flatnonzero((sizes <= MANY)[labels])
    if some.size:
        groups = rows_of(canonical_labels(labels[some]))
        members = groups[:, MEMBERS:]
        members[members >= 0] = some[members[members >= 0]]
        if (breaches(rules, groups) > 0.0).any():
            return False
    large = np.flatnonzero(sizes > MANY)
    return all(of_members(rules, np.flatnonzero(labels == group)) <= 0.0 for group in large)
