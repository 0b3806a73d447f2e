"""Records that no group was made for join the groups that they cost least."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.topdown.trees import END, HEIGHT, PARENT, PLACE, Trees


class Joining:
    """Groups of records: least node, greatest node and the mass of those that have it, by column.

    They stand in an order of what they hold, so that ties do not go by the order of records.
    """

    def __init__(
        self, trees: Trees, codes: Integers, labels: Integers, masses: Integers | None = None
    ) -> None:
        self.masses = np.ones(labels.size, dtype=np.int64) if masses is None else masses
        rows = np.flatnonzero(labels >= 0)
        order = rows[np.argsort(labels[rows], kind="stable")]
        begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
        self.trees, self.codes = trees, codes
        sizes = np.diff(np.append(begins, order.size))
        grouped = codes[order]
        least = np.minimum.reduceat(grouped, begins)
        greatest = np.maximum.reduceat(grouped, begins)
        own = self.masses[order]
        same = grouped == np.repeat(least, sizes, axis=0)
        leasts = np.add.reduceat(same * own[:, None], begins)
        held = np.add.reduceat(own, begins)
        self.numbers = numbers = np.lexsort((*greatest.T, *least.T, held))
        self.held, self.least = held[numbers], least[numbers]
        self.greatest, self.leasts = greatest[numbers], leasts[numbers]

    def join(self, row: int) -> int:
        """Take a record into the group that it costs least, of equal ones the first; return it."""
        node, mass = self.codes[row], self.masses[row]
        least = np.minimum(self.least, node)
        greatest = np.maximum(self.greatest, node)
        leasts = np.where(self.least == least, self.leasts, 0) + mass * (node == least)
        after = self._costs(least, greatest, leasts, self.held + mass)
        before = self._costs(self.least, self.greatest, self.leasts, self.held)
        group = int(np.argmin(after - before))
        self.least[group], self.greatest[group] = least[group], greatest[group]
        self.leasts[group] = leasts[group]
        self.held[group] += mass
        return int(self.numbers[group])

    def _costs(
        self, least: Integers, greatest: Integers, leasts: Integers, held: Integers
    ) -> Floats:
        """Return what groups of such masses lose, over all columns."""
        tree, levels, columns = self.trees
        total = np.zeros(held.size)
        for j, (root, ranged) in enumerate(columns):
            low, high = least[:, j], greatest[:, j]
            top = low.copy()
            while (above := high >= tree[top, END]).any():
                top[above] = tree[top[above], PARENT]
            same = np.where(top == low, leasts[:, j], 0)
            lost = levels[top, HEIGHT] * (held - same)
            if ranged:
                wide = levels[high, PLACE] - levels[low, PLACE] + levels[root, PLACE]
                wide = np.where(low == high, 0.0, wide) * held
                lost = np.where(low == root, lost, wide)
            total += lost
        return total
