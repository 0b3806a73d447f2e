"""Local recoding: every cell of a group becomes the group's closest common generalization."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.generalization import Spans, spans
from shoal.measures.loss import group_means
from shoal.release.intervals import ends_type
from shoal.table.encode_nodes import CodedColumn
from shoal.table.roles import STAR, Column, Kind, Written

BLOCK = 4096  # records whose differences are held at once


def generalized(column: Column, coded: CodedColumn, labels: Integers) -> Column:
    """Return the column to release: labels of the tree, [least,greatest] of an order, or *."""
    nodes = spans(coded, labels)
    texts = _ranges(coded, nodes) if coded.by_range else _labels(coded, nodes)
    values = pa.array(texts, type=pa.string()).take(pa.array(labels))
    return column.replace(
        kind=Kind.TEXT, values=values, cells=None, quoted=None, protected=True, written=Written(),
        order=None, ends=ends_type(column) if coded.by_range else None,
    )  # fmt: skip


def _labels(column: CodedColumn, nodes: Spans) -> list[str]:
    return [column.tree.labels[n] if n else STAR for n in nodes.nodes.tolist()]


def _ranges(column: CodedColumn, nodes: Spans) -> list[str]:
    values, written = column.values, []
    for low, high in zip(nodes.low.tolist(), nodes.high.tolist(), strict=True):
        if low < 0:
            written.append(STAR)
        else:
            written.append(values.texts[low] if low == high else values.interval(low, high))
    return written


def modes(coded: CodedColumn, labels: Integers, weights: Floats | None = None) -> Integers:
    """Return the row whose value stands for each group: a most frequent one, of equals the least.

    -1 where a cell of the group is missing.
    """
    codes = coded.values.indices
    key = labels * (codes.max(initial=0) + 2) + (codes + 1)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    counts = np.bincount(which, weights)
    groups = labels[first]
    best = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
    most = np.zeros(best.size)
    for row, group, count in zip(first.tolist(), groups.tolist(), counts.tolist(), strict=True):
        if count > most[group]:  # in the order of the values: of equals the least stays
            best[group], most[group] = row, count
    best[np.unique(labels[codes < 0])] = -1
    return best


def medoids(
    matrix: Floats, labels: Integers, order: Integers, weights: Floats | None = None
) -> Integers:
    """Return the row of each group with the least sum of squared distances to the others.

    That is the one nearest to the group's mean; of equals the first in an order of the rows.
    """
    apart = np.empty(labels.size)
    means = group_means(matrix, labels, weights)
    for begin in range(0, labels.size, BLOCK):
        some = slice(begin, begin + BLOCK)
        apart[some] = ((matrix[some] - means[labels[some]]) ** 2).sum(axis=1)
    near = order[np.lexsort((np.round(apart[order], 9), labels[order]))]  # it keeps the order
    first = np.concatenate(([0], np.cumsum(np.bincount(labels))[:-1]))
    best: Integers = near[first]
    return best
