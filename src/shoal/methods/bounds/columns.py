"""Pool of columns: groups of records with their cost, each once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.cuts import NOBODY
from shoal.methods.bounds.losses import Losses


class Columns:
    """Distinct groups of at most `width` records, in the order in which they came.

    `members` has a group's rows in ascending order, then NOBODY.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._members = np.full((1024, width), NOBODY, dtype=np.int64)
        self._costs = np.zeros(1024)
        self._places: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def members(self) -> Integers:
        """(columns, width)"""
        return self._members[: len(self)]

    @property
    def costs(self) -> Floats:
        """(columns) what each loses."""
        return self._costs[: len(self)]

    @property
    def sizes(self) -> Integers:
        """(columns) records of each."""
        sizes: Integers = (self.members != NOBODY).sum(axis=1)
        return sizes

    def add(self, groups: Integers, losses: Losses) -> int:
        """Add groups of one size, (groups, size), those that are new; return how many were."""
        if groups.size == 0:
            return 0
        groups = np.sort(groups, axis=1)
        before, size = len(self), groups.shape[1]
        for group in groups:
            at = len(self._places)
            if self._places.setdefault(group.tobytes(), at) == at:
                if at == self._costs.size:
                    self._members = np.concatenate([self._members, np.full_like(self._members, -1)])
                    self._costs = np.concatenate([self._costs, np.zeros_like(self._costs)])
                self._members[at, :size] = group
        new = self._members[before : len(self), :size]
        self._costs[before : len(self)] = losses.of_groups(new)
        return len(self) - before

    def add_grouping(self, labels: Integers, losses: Losses) -> int:
        """Add the groups of a grouping that are no larger than `width`."""
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        ends = np.cumsum(sizes)
        added = 0
        for size in np.unique(sizes[sizes <= self.width]):
            starts = (ends - sizes)[sizes == size]
            added += self.add(order[starts[:, None] + np.arange(size)], losses)
        return added

    def place(self, group: Integers) -> int:
        """Return the number of a column; its rows must be in ascending order."""
        return self._places[group.tobytes()]

    def keep(self, which: Iterable[int] | Integers) -> None:
        """Forget all columns but some."""
        chosen = np.asarray(which, dtype=np.int64)
        members, costs = self.members[chosen], self.costs[chosen]
        self._members = np.full((max(1024, chosen.size), self.width), NOBODY, dtype=np.int64)
        self._costs = np.zeros(self._members.shape[0])
        self._members[: chosen.size], self._costs[: chosen.size] = members, costs
        sizes = (members != NOBODY).sum(axis=1)
        self._places = {
            group[:size].tobytes(): at
            for at, (group, size) in enumerate(zip(members, sizes, strict=True))
        }

    def reduced(self, duals: Floats) -> Floats:
        """Return what each costs beyond the duals of its records."""
        padded = np.append(duals, 0.0)  # NOBODY is the last one
        costs: Floats = self.costs - padded[self.members].sum(axis=1)
        return costs
