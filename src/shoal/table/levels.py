"""Levels of hierarchies: what all records of a column are released as at one of them.

Level 0 are the values, the next one is what a hierarchy puts right above each, the last one is
`*`: the columns of a hierarchy's file, one after the other, and what `widths`, `cuts`, `prefixes`
and `dates` list. A tree whose branches differ in length says where a short one waits by naming a
label again, `Berlin;Berlin;Germany;*`: at level 1 it is still Berlin, while others are a district's
region. Automatic trees of numbers repeat the value at the bottom, so that the halves of all records
are the last level but one. A missing cell is `*` at every level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from shoal.errors import RequestError, shown
from shoal.kernels.arrays import Floats, Integers
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.hierarchy.tree import Balanced


def level_nodes(column: CodedColumn) -> Integers:
    """Return the node of every distinct value at every level; the last value is a missing cell.

    Ensures that values with one node have one node at every level above.
    """
    values, number = column.values, column.tree.nodes
    if not values.texts:
        return np.zeros((1, 1), dtype=np.int64)
    if isinstance(column.rule, Balanced):
        return _halves(column)
    paths = {path[0]: path for path in column.rule.paths(values)[0]}
    known = np.array([[number[label] for label in paths[text]] for text in values.texts])
    nodes = np.zeros((known.shape[1], known.shape[0] + 1), dtype=np.int64)
    nodes[:, :-1] = known.T
    for below, above in pairwise(nodes):
        if np.unique(np.stack([below, above]), axis=1).shape[1] > np.unique(below).size:
            raise RequestError(
                f"the hierarchy {column.rule} of column {shown(column.name)} has a label that some "
                "lines repeat more often than others: one level for all records needs it in the "
                "same levels of every line"
            )
    return nodes


def _halves(column: CodedColumn) -> Integers:
    """Return the nodes of an automatic tree by level: those of one depth, and values above it.

    It is what the paths say, which take long to make of many numbers.
    """
    parents = column.tree.parents
    depths = np.zeros(len(column.tree), dtype=np.int64)
    for node in range(1, depths.size):  # parents come first
        depths[node] = depths[parents[node]] + 1
    own = np.append(column.nodes, 0)
    levels = [own]
    for depth in range(int(depths[own].max()) - 1, -1, -1):
        own = np.where(depths[own] > depth, parents[own], own)
        levels.append(own)
    return np.stack(levels)


def level_losses(column: CodedColumn, nodes: Integers) -> Floats:
    """Return what a cell of every distinct value loses at every level (ILoss)."""
    losses = _losses(column, nodes)[nodes]
    losses[:, :-1][nodes[:, :-1] == column.nodes] = 0.0
    losses[:, -1] = 0.0  # a missing cell has nothing to lose
    return losses


def at_levels(coded: Coded, levels: Mapping[str, int]) -> Coded:
    """Return the columns at one level each."""
    columns = [_at_level(column, levels[column.name]) for column in coded.columns]
    return replace(coded, columns=tuple(columns))


def _at_level(column: CodedColumn, level: int) -> CodedColumn:
    nodes = level_nodes(column)
    lifted = nodes[level][column.values.indices]
    return replace(column, level=level, lifted=lifted, losses=_losses(column, nodes))


def with_used_values(coded: Coded) -> Coded:
    """Return the columns without distinct values that no record has; the trees keep all."""
    return replace(coded, columns=tuple(map(_with_used_values, coded.columns)))


def _with_used_values(column: CodedColumn) -> CodedColumn:
    own = column.values
    used = np.flatnonzero(own.counts)
    place = np.full(own.counts.size + 1, -1, dtype=np.int64)
    place[used] = np.arange(used.size)
    values = replace(
        own, texts=[own.texts[i] for i in used], values=[own.values[i] for i in used],
        counts=own.counts[used], indices=place[own.indices],
    )  # fmt: skip
    places = None if column.places is None else column.places[used]
    return replace(column, values=values, nodes=column.nodes[used], places=places)


def _losses(column: CodedColumn, nodes: Integers) -> Floats:
    """Return what nodes lose: of numbers without a given hierarchy what their ranges do."""
    if column.rule.given or column.places is None or not column.places.size:
        return column.losses
    size, present = len(column.tree), column.places.size
    values = np.broadcast_to(np.arange(present), nodes[:, :-1].shape)
    low, high = np.full(size, present - 1), np.zeros(size, dtype=np.int64)
    np.minimum.at(low, nodes[:, :-1], values)
    np.maximum.at(high, nodes[:, :-1], values)
    wide: Floats = column.places[high] - column.places[low]
    losses: Floats = (1.0 - column.unit) * wide + column.unit
    losses[0] = 1.0
    return losses
