"""Local recoding: every cell of a group becomes the group's closest common generalization."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.measures.generalization import Spans, spans
from shoal.table.code import Coded, CodedColumn
from shoal.table.roles import STAR, Column, Kind, Written

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


BLOCK = 256  # records whose distances to all of their group are held at once


def generalized(column: Column, coded: CodedColumn, labels: Integers) -> Column:
    """Return the column to release: labels of the tree, [least,greatest] of an order, or *."""
    found = spans(coded, labels)
    texts = _ranges(coded, found) if coded.by_range else _labels(coded, found)
    values = pa.array(texts, type=pa.string()).take(pa.array(labels))
    return column.having(
        kind=Kind.TEXT, values=values, cells=None, quoted=None, protected=True, written=Written(),
        order=None,
    )  # fmt: skip


def _labels(column: CodedColumn, found: Spans) -> list[str]:
    return [column.tree.labels[n] if n else STAR for n in found.nodes.tolist()]


def _ranges(column: CodedColumn, found: Spans) -> list[str]:
    texts, written = column.values.texts, []
    for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True):
        if low < 0:
            written.append(STAR)
        else:
            written.append(texts[low] if low == high else f"[{texts[low]},{texts[high]}]")
    return written


def modes(coded: CodedColumn, labels: Integers) -> Integers:
    """Return the row whose value stands for each group: a most frequent one, of equals the least.

    -1 where a cell of the group is missing.
    """
    found = coded.values.indices
    key = labels * (found.max(initial=0) + 2) + (found + 1)
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    groups = labels[first]
    best = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
    most = np.zeros(best.size, dtype=np.int64)
    for row, group, count in zip(first.tolist(), groups.tolist(), counts.tolist(), strict=True):
        if count > most[group]:  # in the order of the values: of equals the least stays
            best[group], most[group] = row, count
    best[np.unique(labels[found < 0])] = -1
    return best


def medoids(coded: Coded, members: list[Integers]) -> Integers:
    """Return the row of each group that is nearest to all others of it, of equals the lowest.

    The distance of two records is the sum over columns of what their common generalization loses.
    """
    best = np.empty(len(members), dtype=np.int64)
    for group, rows in enumerate(members):
        total = np.zeros(rows.size)
        for begin in range(0, rows.size, BLOCK):
            some = slice(begin, begin + BLOCK)
            for column in coded.columns:
                total[some] += _apart(column, rows[some], rows).sum(axis=1)
        best[group] = rows[int(np.round(total, 9).argmin())]
    return best


def _apart(column: CodedColumn, some: Integers, rows: Integers) -> Floats:
    """Return what the common generalization of every pair of records loses in a column."""
    if column.by_range:
        assert column.places is not None
        places = np.append(column.places, 0.0)
        a, b = column.values.indices[some][:, None], column.values.indices[rows][None, :]
        lost = np.where((a < 0) != (b < 0), 1.0, np.abs(places[a] - places[b]))
        return np.where((a < 0) & (b < 0), 0.0, lost)
    first, second = np.broadcast_arrays(column.codes[some][:, None], column.codes[rows][None, :])
    low, high = np.minimum(first, second).ravel(), np.maximum(first, second).ravel()
    lost = column.losses[column.tree.common(low, high)].reshape(first.shape)
    return np.where(first == second, 0.0, lost)
