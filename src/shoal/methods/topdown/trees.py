"""Hierarchies of all columns as three arrays, for kernels on sets of records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.kmember.forest import Forest

PARENT, END = 0, 1  # columns of the tree
HEIGHT, PLACE = 0, 1  # columns of the levels
ROOT, RANGED = 0, 1  # columns of the columns

GRAIN = 2.0**40  # losses are multiples of its inverse: sums over a group are exact, and so are ties


class Trees(NamedTuple):
    """The nodes of all columns one after the other.

    Nodes are numbered from the root down, those below a node right behind it. In a range the nodes
    after the root are the values in order, and the root is a missing cell.
    """

    tree: Integers  # (nodes, 2) parent, and one past the last node below
    levels: Floats  # (nodes, 2) what a cell loses that is released so; of a range, its place, and
    # of its root what a range of two values loses at least
    columns: Integers  # (columns, 2) root, and 1 where it is a range

    @property
    def fan(self) -> int:
        """The largest number of nodes right below one."""
        below = self.tree[:, PARENT][np.arange(self.tree.shape[0]) != self.tree[:, PARENT]]
        ranged = np.repeat(self.columns[:, RANGED], self._sizes()) == 1
        below = below[~ranged[below]]
        return int(np.bincount(below).max()) if below.size else 1

    def _sizes(self) -> Integers:
        """Return how many nodes each column has."""
        return np.diff(np.append(self.columns[:, ROOT], self.tree.shape[0]))


def trees_of(forest: Forest) -> Trees:
    """Return the arrays of a forest, losses in whole grains."""
    levels = np.round(np.stack([forest.heights, forest.places], axis=1) * GRAIN) / GRAIN
    return Trees(
        np.ascontiguousarray(np.stack([forest.parents, forest.ends], axis=1)),
        np.ascontiguousarray(levels),
        np.ascontiguousarray(np.stack([forest.first[:-1], forest.ranged], axis=1)),
    )
