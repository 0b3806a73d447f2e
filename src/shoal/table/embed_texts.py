"""Texts as coordinates: squared distances of rows are lengths of paths in the column's tree.

One coordinate for every edge of the tree, the root of the edge's length for the values below it
and 0 for the others: the squared difference of two values is then the sum of the lengths of the
edges between them, exactly. An edge is as long as the loss falls along it (`CodedColumn.losses`,
of a leaf 0), so that in a flat tree all values are equally far apart; lengths by KAIM's information
lost as much or a little more. A block is scaled to inertia
1 over the present cells, which a standardized column of numbers has: no column counts more than
another because it has more values (Pagès 2004, factor analysis of mixed data).

Where texts have more edges than a matrix should have columns, the widest columns are folded: an
edge gets no coordinate of its own but a unit vector that is nearly orthogonal to all others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Floats, Integers
from shoal.table.encode_nodes import CodedColumn

WIDTH = 1024  # coordinates that all texts together may have before the widest are folded
BLOCK = 2048  # records whose coordinates are held beside the matrix


@dataclass(frozen=True, eq=False, repr=False)
class Edges:
    """The edges of a tree that tell a column's values apart.

    `roots` are the roots of their lengths, scaled to inertia 1; `shares` says how much of the
    present cells lies below each; `paths` has a row for every value, the edges from it to the root,
    filled up with -1.
    """

    roots: Floats
    shares: Floats
    paths: Integers

    def __len__(self) -> int:
        return int(self.roots.size)

    @property
    def inertia(self) -> Floats:
        """What each edge adds to the column's inertia."""
        parts: Floats = self.roots**2 * self.shares * (1.0 - self.shares)
        return parts


def edges(column: CodedColumn, survey: Floats | None = None) -> Edges:
    """Return the edges of a column's tree that have records on both sides, chains as one.

    With `survey` (n), what lies below an edge is counted by weights.
    """
    tree = column.tree
    size = len(tree)
    counts = np.zeros(size, dtype=np.int64)
    counts[column.nodes] = column.values.counts
    covered = _below(counts, tree.ends)
    present = int(covered[0])
    parents = np.maximum(tree.parents, 0)
    levels = np.where(tree.ends == np.arange(size) + 1, 0.0, column.losses)
    lengths = np.maximum(levels[parents] - levels, 0.0)
    top = np.where(covered == covered[parents], parents, np.arange(size))
    while not np.array_equal(top, top[top]):
        top = top[top]
    lengths = np.bincount(top, weights=lengths, minlength=size)
    lengths[(covered == 0) | (covered == present)] = 0.0
    first = np.flatnonzero((lengths > 0) & (covered[top[parents]] == present))
    if first.size == 2 and covered[first].sum() == present:  # below the one is not below the other
        lengths[first] = lengths[first].sum(), 0.0
    kept = np.flatnonzero(lengths)
    shares = covered[kept] / max(present, 1)
    if survey is not None and kept.size:
        there = column.values.indices >= 0
        own = np.bincount(column.values.indices[there], survey[there], column.nodes.size)
        weighed = np.zeros(size)
        weighed[column.nodes] = own
        shares = _below(weighed, tree.ends)[kept] / weighed.sum()
    inertia = float((lengths[kept] * shares * (1.0 - shares)).sum())
    number = np.full(size, -1, dtype=np.int64)
    number[kept] = np.arange(kept.size)
    return Edges(
        np.sqrt(lengths[kept] / inertia) if kept.size else np.zeros(0),
        shares,
        _paths(column.nodes, top, parents, number),
    )


def _below(counts: npt.NDArray[Any], ends: Integers) -> npt.NDArray[Any]:
    """Return how much lies at or below every node, whose descendants end where `ends` says."""
    before = np.concatenate(([0], np.cumsum(counts)))
    covered: npt.NDArray[Any] = before[ends] - before[:-1]
    return covered


def _paths(nodes: Integers, top: Integers, parents: Integers, number: Integers) -> Integers:
    """Return the edges above every value, as many columns as the longest path has."""
    steps, at = [], nodes
    while at.any():
        at = top[at]
        steps.append(number[at])
        at = parents[at]
    if not steps:
        return np.full((nodes.size, 0), -1, dtype=np.int64)
    return np.stack(steps, axis=1)


class Texts:
    """The blocks of all columns of text: how wide they are, and how to write one into a matrix.

    `scales` are what the coordinates of each column are multiplied by.
    """

    def __init__(
        self, columns: Sequence[CodedColumn], scales: Sequence[float], width: int = WIDTH,
        survey: Floats | None = None,
    ) -> None:  # fmt: skip
        self.columns = columns
        self.scales = scales
        self.edges = [edges(column, survey) for column in columns]
        self.exact, self.folded, self.prime = _shared_out([len(e) for e in self.edges], width)
        self.ranks = self._ranked()

    @property
    def width(self) -> int:
        """The number of coordinates of all blocks."""
        return sum(len(self.edges[j]) for j in self.exact) + 2 * self.prime

    def write(self, matrix: Floats) -> None:
        """Write the blocks into a matrix of zeros, as many columns as `width`."""
        at = 0
        for j in self.exact:
            edges, indices = self.edges[j], self.columns[j].values.indices
            if len(edges):
                block = _coordinates(edges) * self.scales[j]
                for some in _blocks(indices.size):
                    matrix[some, at : at + len(edges)] = block[indices[some]]
            at += len(edges)
        for j in self.folded:
            self._fold(j, matrix[:, at:])

    def _ranked(self) -> list[Integers]:
        """Return the vectors of the edges of folded columns, those of much inertia first.

        The first 2p vectors are orthogonal: among the heaviest edges nothing is lost.
        """
        if not self.folded:
            return []
        heavy = [self.edges[j].inertia * self.scales[j] ** 2 for j in self.folded]
        order = np.argsort(-np.concatenate(heavy), kind="stable")
        ranks = np.empty_like(order)
        ranks[order] = np.arange(order.size)
        return np.split(ranks, np.cumsum([len(part) for part in heavy])[:-1])

    def _fold(self, j: int, matrix: Floats) -> None:
        """Add a folded column to the coordinates that all folded ones share."""
        edges, indices = self.edges[j], self.columns[j].values.indices
        ranks, roots = self.ranks[self.folded.index(j)], edges.roots * self.scales[j]
        middle = np.zeros(2 * self.prime)
        for some in _blocks(len(edges)):
            parts = chirps(ranks[some], self.prime)
            middle += ((roots[some] * edges.shares[some])[:, None] * parts).sum(axis=0)
        order = np.argsort(indices, kind="stable")
        order = order[np.count_nonzero(indices < 0) :]
        for some in _blocks(order.size):
            rows = order[some]
            values, which = np.unique(indices[rows], return_inverse=True)
            block = np.tile(-middle, (values.size, 1))
            for step in edges.paths[values].T:
                on = np.flatnonzero(step >= 0)
                edge = step[on]
                block[on] += roots[edge][:, None] * chirps(ranks[edge], self.prime)
            matrix[rows] += block[which]


def _shared_out(sizes: Sequence[int], width: int) -> tuple[list[int], list[int], int]:
    """Return which columns keep all their coordinates, which are folded, and into which prime.

    Folded ones share 2p coordinates: the error of a sum of columns is then that of one. The
    narrowest are kept as long as they need no more than half of the width.
    """
    if sum(sizes) <= width:
        return list(range(len(sizes))), [], 0
    order = np.argsort(sizes, kind="stable").tolist()
    used = np.cumsum([sizes[j] for j in order])
    many = int(np.searchsorted(used, width // 2, side="right"))
    kept = int(used[many - 1]) if many else 0
    prime = next(p for p in range((width - kept) // 2, 2, -1) if _is_prime(p))
    while 2 * prime * prime < sum(sizes) - kept:  # every edge has a vector of its own
        prime = next(p for p in range(prime + 1, 2 * prime + 2) if _is_prime(p))
    return sorted(order[:many]), sorted(order[many:]), prime


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, math.isqrt(number) + 1))


def chirps(numbers: Integers, prime: int) -> Floats:
    """Return unit vectors of 2p numbers, 2p² of them: exp(2πi(ax² + bx)/p)/√p, and i times it.

    Those with one a are orthogonal; the inner product of any two others is at most 1/√p (a Gauss
    sum), so the squared distance of two values with one edge each is kept within 1/√p of itself.
    """
    places = np.arange(prime)
    a, rest = np.divmod(numbers, 2 * prime)
    b, turned = np.divmod(rest, 2)
    phases = (a[:, None] * (places * places % prime) + b[:, None] * places) % prime
    angles = 2.0 * math.pi * places / prime
    real, imaginary = np.cos(angles)[phases], np.sin(angles)[phases]
    flip = turned[:, None] == 1
    both = np.where(flip, -imaginary, real), np.where(flip, real, imaginary)
    vectors: Floats = np.concatenate(both, axis=1) / math.sqrt(prime)
    return vectors


def _coordinates(edges: Edges) -> Floats:
    """Return one row a value, and zeros for a missing cell: the mean of the present ones."""
    values, depth = edges.paths.shape
    below = np.zeros((values + 1, len(edges)))
    for step in range(depth):
        on = np.flatnonzero(edges.paths[:, step] >= 0)
        below[on, edges.paths[on, step]] = 1.0
    table: Floats = (below - edges.shares) * edges.roots
    table[-1] = 0.0
    return table


def _blocks(size: int) -> list[slice]:
    return [slice(at, min(at + BLOCK, size)) for at in range(0, size, BLOCK)]
