"""Search of the lattice of levels for the combination that loses least."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import RequestError, in_shape
from shoal.kernels.arrays import Flags, Floats, Integers

Node = tuple[int, ...]

MOST = 10_000_000  # combinations that are held in memory
AHEAD = 4096  # combinations that are looked at at once for an open one


@dataclass(frozen=True, eq=False)
class Lattice:
    """All combinations of levels: by column, what all cells lose and how many forms there are.

    What cells lose is a bound on what a combination loses, and grows with every level.
    """

    __repr__ = in_shape

    sums: Sequence[Floats]
    kinds: Sequence[Integers]

    def __post_init__(self) -> None:
        combinations = math.prod(self.shape)
        if combinations > MOST:
            raise RequestError(
                f"the hierarchies have {combinations:,} combinations of levels, full-domain takes "
                f"up to {MOST:,}; give columns hierarchies of fewer levels (widths:10,50, a file)"
            )

    @property
    def shape(self) -> Node:
        """The number of levels of every column."""
        return tuple(own.size for own in self.sums)

    def bounds(self) -> Floats:
        """Return what cells lose at every combination."""
        total: Floats = np.zeros(())
        for own in self.sums:
            total = np.add.outer(total, own)
        return total

    def steepness(self, j: int, level: int) -> float:
        """Return what the next level of a column loses for the bits of forms that it merges."""
        more = self.sums[j][level + 1] - self.sums[j][level]
        return float(more / math.log2(self.kinds[j][level] / self.kinds[j][level + 1]))


def least(
    lattice: Lattice, judge: Callable[[Node], float | None], on_node: Callable[[int, int], None]
) -> Node:
    """Return the combination of least loss.

    `judge` says how much more than its cells a combination loses, None where it is not safe: then
    none below it is. The highest one must be safe. `on_node` is called with how many combinations
    are decided, and with that of all.
    """
    search = _Search(lattice, judge)
    while (first := search.first_open()) is not None:
        on_node(search.done, search.order.size)
        path = search.climb(first)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            if search.look(path[middle]):
                high = middle
            else:
                low = middle + 1
    return search.best


class _Search:
    """Combinations that are open: neither judged, nor below one that is not safe."""

    def __init__(self, lattice: Lattice, judge: Callable[[Node], float | None]) -> None:
        self.lattice, self.judge, self.bounds = lattice, judge, lattice.bounds()
        self.open: Flags = np.ones(lattice.shape, dtype=bool)
        self.order = np.argsort(self.bounds, axis=None, kind="stable")
        self.done, self.least = 0, math.inf
        self.best: Node = tuple(size - 1 for size in lattice.shape)
        self.look(self.best)

    def look(self, node: Node) -> bool:
        """Judge a combination; tell whether it is safe."""
        more = self.judge(node)
        if more is None:
            self.open[tuple(slice(0, level + 1) for level in node)] = False
            return False
        self.open[node] = False
        loss = float(self.bounds[node]) + more
        if loss < self.least:
            self.best, self.least = node, loss
        return True

    def first_open(self) -> Node | None:
        """Return the open combination of the least bound, None if none could lose less."""
        flags, bounds = self.open.reshape(-1), self.bounds.reshape(-1)
        while self.done < self.order.size:
            ahead = self.order[self.done : self.done + AHEAD]
            found = np.flatnonzero(flags[ahead])
            if not found.size:
                self.done += ahead.size
                continue
            self.done += int(found[0])
            at = self.order[self.done]
            if bounds[at] >= self.least:
                return None
            return tuple(map(int, np.unravel_index(at, self.lattice.shape)))
        return None

    def climb(self, node: Node) -> list[Node]:
        """Return a chain of open combinations upwards, each the least loss for what it merges."""
        path = [node]
        while True:
            steps = []
            for j, level in enumerate(node):
                above = (*node[:j], level + 1, *node[j + 1 :])
                if level + 1 < self.lattice.shape[j] and self._is_open(above):
                    steps.append((self.lattice.steepness(j, level), j, above))
            if not steps:
                return path
            node = min(steps)[2]
            path.append(node)

    def _is_open(self, node: Node) -> bool:
        return bool(self.open[node]) and float(self.bounds[node]) < self.least
