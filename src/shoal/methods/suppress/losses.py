"""Exact losses of any groups of records, of points and of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.generalization import cell_losses
from shoal.measures.loss import group_means
from shoal.methods.problem import Nodes, Points

CELLS = 4_000_000  # cells that are judged at once


class Losses:
    """What groups lose by survey weights: SSE of points, ILoss of nodes by column weights."""

    def __init__(self, encoding: Points | Nodes) -> None:
        self.encoding = encoding
        if isinstance(encoding, Points):
            self.width = encoding.matrix.shape[1]
        else:
            own = encoding.column_weights or {}
            self.column_weights = [own.get(name, 1.0) for name in encoding.coded.names]
            self.width = len(self.column_weights)

    def of(self, groups: Sequence[Integers]) -> Floats:
        """Return what each of some groups of rows loses; a row may be in several."""
        found = np.zeros(len(groups))
        sizes = np.array([group.size for group in groups], dtype=np.int64)
        ends = np.cumsum(sizes)
        most, first = max(1, CELLS // max(self.width, 1)), 0
        while first < len(groups):
            before = ends[first] - sizes[first]
            last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
            rows = np.concatenate([groups[i] for i in range(first, last)])
            labels = np.repeat(np.arange(last - first), sizes[first:last])
            found[first:last] = self._of_labels(rows, labels)
            first = last
        return found

    def _of_labels(self, rows: Integers, labels: Integers) -> Floats:
        """Return what the groups of some rows lose."""
        count = int(labels[-1]) + 1
        encoding = self.encoding
        if isinstance(encoding, Points):
            points = encoding.matrix[rows]
            own = None if encoding.weights is None else encoding.weights[rows]
            apart = points - group_means(points, labels, own)[labels]
            squared = (apart * apart).sum(axis=1)
            lost = squared if own is None else squared * own
            return np.bincount(labels, lost, minlength=count).astype(np.float64)
        some = encoding.coded.take(rows)
        total = np.zeros(count)
        for column, weight in zip(some.columns, self.column_weights, strict=True):
            lost = cell_losses(column, labels)
            lost = lost if encoding.weights is None else lost * encoding.weights[rows]
            total += weight * np.bincount(labels, lost, minlength=count)
        return total

    def without(self, groups: Sequence[Integers]) -> list[Floats]:
        """Return what each group loses without each of its members in turn.

        Of n points that is SSE - n / (n - 1) of the member's squared distance to the mean; by
        survey weights w, which sum up to W, w W / (W - w) of it (Späth 1980, Cluster Analysis
        Algorithms: the exchange method).
        """
        if isinstance(self.encoding, Points):
            return [self._without_points(self.encoding, group) for group in groups]
        rest = [own for group in groups for own in _each_left_out(group)]
        every = self.of(rest) if rest else np.zeros(0)
        return np.split(every, np.cumsum([group.size for group in groups])[:-1])

    def _without_points(self, points: Points, group: Integers) -> Floats:
        """Return what a group of points loses without each."""
        matrix = points.matrix[group]
        own = np.ones(group.size) if points.weights is None else points.weights[group]
        whole = own.sum()
        apart = matrix - own @ matrix / whole
        squared = own * (apart * apart).sum(axis=1)
        others = np.maximum(whole - own, np.finfo(float).tiny)
        left: Floats = squared.sum() - squared * whole / others
        return np.maximum(0.0, left)


def _each_left_out(group: Integers) -> Iterator[Integers]:
    """Yield a group without each of its members."""
    others = np.arange(group.size - 1)
    yield from group[others + (others >= np.arange(group.size)[:, None])]
