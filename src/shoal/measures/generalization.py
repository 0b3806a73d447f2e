"""What generalization costs: KAIM's ILoss, NCP, discernibility, class size, entropy.

A column of a group is released as its common ancestor, or, where there is no given hierarchy of its
numbers, as [least,greatest]; at one level of its hierarchy, where that holds for all records. A
cell that was missing loses nothing; a group with a missing cell and others releases the root, which
costs the others everything. A cell that is released as it was loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.table.encode_nodes import Coded, CodedColumn


@dataclass(frozen=True, eq=False, repr=False)
class Spans:
    """What a column's groups are: a node of the tree each, or the first and last of its values.

    `low` and `high` are -1 in a range with a missing cell. `nodes` are those of the tree always.
    """

    nodes: Integers
    low: Integers
    high: Integers
    starred: Flags


def spans(column: CodedColumn, labels: Integers) -> Spans:
    """Return the closest common generalization of every group in a column."""
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(labels))[:-1]))
    codes = (column.codes if column.lifted is None else column.lifted)[order]
    indices = column.values.indices[order]
    least, most = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    nodes = column.tree.common(least, most)
    low, high = np.minimum.reduceat(indices, starts), np.maximum.reduceat(indices, starts)
    high = np.where(low < 0, -1, high)
    starred = low < 0 if column.by_range else nodes == 0
    return Spans(nodes, low, high, starred)


def cell_losses(column: CodedColumn, labels: Integers, own: Spans | None = None) -> Floats:
    """Return ILoss of every cell: 0 unchanged or missing before, 1 everything lost.

    Numbers: (greatest - least + 1) / the same of the column, with the bounds a label prints;
    categories: values below the released node / values of the tree. `own` are the spans of the
    groups, where they are known.
    """
    own = spans(column, labels) if own is None else own
    if column.by_range:
        assert column.places is not None
        wide = column.places[own.high] - column.places[own.low] if column.places.size else 0.0
        lost = (1.0 - column.unit) * wide + column.unit
        lost = np.where(own.low == own.high, 0.0, lost)
        lost = np.where(own.starred, 1.0, lost)[labels]
    else:
        lost = column.losses[own.nodes][labels]
        lost = np.where(own.nodes[labels] == column.codes, 0.0, lost)
    return np.where(column.absent, 0.0, lost)


def loss_rate(
    coded: Coded, labels: Integers, deleted: float = 0, weights: Floats | None = None
) -> float:
    """Return KAIM's ILossRate in percent; a deleted record has lost all its cells.

    Records count by their `weights` (n), where there are some, and deleted ones by the average.
    """
    width = len(coded.columns)
    lost = sum(lost_cells(cell_losses(column, labels), weights) for column in coded.columns)
    return 100.0 * (lost + deleted * width) / ((coded.rows + deleted) * width)


def lost_cells(lost: Floats, weights: Floats | None) -> float:
    """Return the sum of what cells lose; by weights it is in cells of average weight."""
    if weights is None:
        return float(lost.sum())
    return float(lost @ weights) / float(weights.sum()) * lost.size


def _penalties(column: CodedColumn, labels: Integers, nodes: Spans) -> Floats:
    """Return the normalized certainty penalty of every cell (Xu and others 2006).

    Numbers: width of the released interval's values / that of the column; categories:
    (values below - 1) / (values of the tree - 1).
    """
    if column.by_range and column.places is not None and column.places.size:
        wide = column.places[nodes.high] - column.places[nodes.low]
        lost = np.where(nodes.starred, 1.0, wide)[labels]
    else:
        below = column.tree.values_below
        share = (below - 1.0) / max(int(below[0]) - 1, 1)
        lost = share[nodes.nodes][labels]
        lost = np.where(nodes.nodes[labels] == column.codes, 0.0, lost)
    return np.where(column.absent, 0.0, lost)


def _bits(column: CodedColumn, labels: Integers, nodes: Spans, counts: Integers) -> float:
    """Return how many bits are lost: of every cell, -log2 of its share of what is covered.

    (Gionis and Tassa 2009.) A value that makes up most of what its released form covers can be
    guessed, so little is lost with it.
    """
    if column.by_range:
        before = np.concatenate(([0], np.cumsum(counts)))
        covered = before[nodes.high + 1] - before[np.maximum(nodes.low, 0)]
        covered = np.where(nodes.starred, before[-1], covered)
    else:
        own = np.zeros(len(column.tree), dtype=np.int64)
        own[column.nodes] = counts
        before = np.concatenate(([0], np.cumsum(own)))
        covered = before[column.tree.ends[nodes.nodes]] - before[nodes.nodes]
    present = ~column.absent
    mine = counts[column.values.indices[present]]
    return float(np.log2(covered[labels][present] / mine).sum())


def column_costs(
    column: CodedColumn, labels: Integers, counts: Integers
) -> tuple[Floats, dict[str, float]]:
    """Return ILoss of every cell of a column, and sums over cells: of it, of NCP, and of bits.

    `counts` says how many of all records have each value of the column.
    """
    nodes = spans(column, labels)
    lost = cell_losses(column, labels, nodes)
    return lost, {
        "iloss": float(lost.sum()),
        "ncp": float(_penalties(column, labels, nodes).sum()),
        "bits": _bits(column, labels, nodes, counts),
    }


@dataclass(frozen=True)
class Costs:
    """The measures of a generalized release, for the report; only ILoss counts the deleted.

    `discernibility` is the sum of squared class sizes, a deleted record counted as all records
    (Bayardo), `average_class_size` their mean over k (LeFevre 2006): 1 is the least there can be.
    """

    iloss_rate: float
    ncp: float
    discernibility: int
    average_class_size: float
    non_uniform_entropy: float
    deleted: int

    def to_dict(self) -> dict[str, float]:
        """Return plain values for JSON."""
        return asdict(self)


def costs_of(
    columns: Sequence[Mapping[str, float]], sizes: Mapping[int, int], k: int, deleted: int = 0
) -> Costs:
    """Return all measures of a grouping, from the sums of its columns and the classes by size."""
    rows = sum(size * many for size, many in sizes.items())
    width = max(len(columns), 1)
    sums = {what: sum(one[what] for one in columns) for what in ("iloss", "ncp", "bits")}
    gone = deleted * len(columns)
    return Costs(
        100.0 * (sums["iloss"] + gone) / ((rows + deleted) * width),
        100.0 * sums["ncp"] / (rows * width),
        sum(size**2 * many for size, many in sizes.items()) + deleted * (rows + deleted),
        rows / sum(sizes.values()) / k,
        float(sums["bits"]),
        deleted,
    )
