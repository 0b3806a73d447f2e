"""What generalization costs: KAIM's ILoss, NCP, discernibility, class size, entropy.

A column of a group is released as its common ancestor, or, where nobody gave a hierarchy of its
numbers, as [least,greatest]. A cell that was missing loses nothing; a group with a missing cell and
others releases the root, which costs the others everything. A cell that is released as it was
loses nothing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Integers
from shoal.errors import in_shape
from shoal.table.code import Coded, CodedColumn


@dataclass(frozen=True, eq=False)
class Spans:
    """What a column's groups are: a node of the tree each, or the first and last of its values.

    `low` and `high` are -1 in a range with a missing cell. `nodes` are those of the tree always.
    """

    __repr__ = in_shape

    nodes: Integers
    low: Integers
    high: Integers
    starred: Flags


def spans(column: CodedColumn, labels: Integers) -> Spans:
    """Return the closest common generalization of every group in a column."""
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(labels))[:-1]))
    codes, found = column.codes[order], column.values.indices[order]
    least, most = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    nodes = column.tree.common(least, most)
    low, high = np.minimum.reduceat(found, starts), np.maximum.reduceat(found, starts)
    high = np.where(low < 0, -1, high)
    starred = low < 0 if column.by_range else nodes == 0
    return Spans(nodes, low, high, starred)


def cell_losses(column: CodedColumn, labels: Integers) -> Floats:
    """Return ILoss of every cell: 0 unchanged or missing before, 1 everything lost.

    Numbers: (greatest - least + 1) / the same of the column, with the bounds a label prints;
    categories: values below the released node / values of the tree.
    """
    found = spans(column, labels)
    if column.by_range:
        assert column.places is not None
        wide = column.places[found.high] - column.places[found.low] if column.places.size else 0.0
        lost = (1.0 - column.unit) * wide + column.unit
        lost = np.where(found.low == found.high, 0.0, lost)
        lost = np.where(found.starred, 1.0, lost)[labels]
    else:
        lost = column.losses[found.nodes][labels]
        lost = np.where(found.nodes[labels] == column.codes, 0.0, lost)
    return np.where(column.absent, 0.0, lost)


def loss_rate(coded: Coded, labels: Integers, deleted: int = 0) -> float:
    """Return KAIM's ILossRate in percent; a deleted record has lost all its cells."""
    width = len(coded.columns)
    lost = sum(float(cell_losses(column, labels).sum()) for column in coded.columns)
    return 100.0 * (lost + deleted * width) / ((coded.rows + deleted) * width)


def ncp(coded: Coded, labels: Integers) -> float:
    """Return the normalized certainty penalty in percent (Xu and others 2006).

    Numbers: width of the released interval's values / that of the column; categories:
    (values below - 1) / (values of the tree - 1).
    """
    total = 0.0
    for column in coded.columns:
        found = spans(column, labels)
        if column.by_range and column.places is not None and column.places.size:
            wide = column.places[found.high] - column.places[found.low]
            lost = np.where(found.starred, 1.0, wide)[labels]
        else:
            below = column.tree.values_below
            share = (below - 1.0) / max(int(below[0]) - 1, 1)
            lost = share[found.nodes][labels]
            lost = np.where(found.nodes[labels] == column.codes, 0.0, lost)
        total += float(np.where(column.absent, 0.0, lost).sum())
    return 100.0 * total / (coded.rows * len(coded.columns))


def discernibility(sizes: Integers, deleted: int = 0) -> int:
    """Return the sum of squared class sizes; a deleted record counts as all records (Bayardo)."""
    records = int(sizes.sum()) + deleted
    return sum(int(size) ** 2 for size in sizes) + deleted * records


def average_class_size(sizes: Integers, k: int) -> float:
    """Return the mean class size over k (LeFevre 2006); 1 is the least there can be."""
    return float(sizes.sum()) / sizes.size / k


def non_uniform_entropy(coded: Coded, labels: Integers) -> float:
    """Return how many bits are lost: of every cell, -log2 of its share of what is covered.

    (Gionis and Tassa 2009.) A value that makes up most of what its released form covers can be
    guessed, so little is lost with it.
    """
    bits = 0.0
    for column in coded.columns:
        found = spans(column, labels)
        counts = column.values.counts
        if column.by_range:
            before = np.concatenate(([0], np.cumsum(counts)))
            covered = before[found.high + 1] - before[np.maximum(found.low, 0)]
            covered = np.where(found.starred, before[-1], covered)
        else:
            own = np.zeros(len(column.tree), dtype=np.int64)
            own[column.nodes] = counts
            before = np.concatenate(([0], np.cumsum(own)))
            covered = before[column.tree.ends[found.nodes]] - before[found.nodes]
        present = ~column.absent
        mine = counts[column.values.indices[present]]
        bits += float(np.log2(covered[labels][present] / mine).sum())
    return bits


@dataclass(frozen=True)
class Costs:
    """The measures of a generalized release, for the report; only ILoss counts the deleted."""

    iloss_rate: float
    ncp: float
    discernibility: int
    average_class_size: float
    non_uniform_entropy: float
    deleted: int

    def to_dict(self) -> dict[str, float]:
        """Return plain values for JSON."""
        return asdict(self)


def costs(coded: Coded, labels: Integers, k: int, deleted: int = 0) -> Costs:
    """Return all measures of a grouping."""
    sizes = np.bincount(labels)
    return Costs(
        loss_rate(coded, labels, deleted) if coded.columns else 0.0,
        ncp(coded, labels) if coded.columns else 0.0,
        discernibility(sizes, deleted),
        average_class_size(sizes, k),
        non_uniform_entropy(coded, labels),
        deleted,
    )
