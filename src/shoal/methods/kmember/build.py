"""Coded columns -> Forest: the flat arrays of a method, and the distinct records with counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, part
from shoal.methods.masses import masses_of, unit_of
from shoal.table.encode_nodes import Coded, CodedColumn


class Part(NamedTuple):
    """One column's share of a Forest."""

    codes: Integers
    parents: Integers
    ends: Integers
    heights: Floats
    leave: Floats
    rates: Floats
    places: Floats
    ranged: int


class Records(NamedTuple):
    """The distinct records: their nodes, how often each occurs, and which one every record is.

    `weights` are how much one of each counts, 1 on average; records that weigh differently differ.
    """

    codes: Integers
    counts: Integers
    which: Integers
    weights: Floats

    @property
    def weighed(self) -> bool:
        """Whether records weigh differently."""
        return bool(self.weights.size and self.weights.max() > 1.0)


def build(
    coded: Coded,
    form: str,
    weights: Mapping[str, float] | None = None,
    survey: Floats | None = None,
) -> tuple[Forest, Records]:
    """Return the forest of a method and the distinct records, by `survey` weights where given.

    `form` is root, paper (KAIM's cost), height (k-member's), or loss: what ILoss counts, with
    ranges where ranges are released.
    """
    parts = []
    for column in coded.columns:
        weight = (weights or {}).get(column.name, 1.0)
        by_range = column.by_range if form == "loss" else form == "height"
        by_range = by_range and column.places is not None
        unit = column.unit if form == "loss" else 0.0
        parts.append(_range(column, weight, unit) if by_range else _tree(column, form, weight))
    first = np.concatenate(([0], np.cumsum([part.parents.size for part in parts])))
    shifted = [part.parents + offset for part, offset in zip(parts, first, strict=False)]
    ends = [part.ends + offset for part, offset in zip(parts, first, strict=False)]
    forest = Forest(
        first.astype(np.int64),
        np.array([part.ranged for part in parts], dtype=np.int64),
        np.concatenate(shifted).astype(np.int64),
        np.concatenate(ends).astype(np.int64),
        np.concatenate([part.heights for part in parts]).astype(np.float64),
        np.concatenate([part.leave for part in parts]).astype(np.float64),
        np.concatenate([part.rates for part in parts]).astype(np.float64),
        np.concatenate([part.places for part in parts]).astype(np.float64),
    )
    codes = np.stack([p.codes + offset for p, offset in zip(parts, first, strict=False)], axis=1)
    masses = masses_of(survey, codes.shape[0])
    unit = unit_of(masses)
    if unit == 1:
        return forest, distinct(codes)
    found = distinct(np.column_stack((codes, masses)))
    own = np.ascontiguousarray(found.codes[:, :-1])
    return forest, found._replace(codes=own, weights=found.codes[:, -1] / unit)


def distinct(codes: Integers) -> Records:
    """Return equal records as one, in the order in which they first appear; each weighs 1."""
    if codes.shape[0] == 0:
        none = np.zeros(0, dtype=np.int64)
        return Records(codes, none, none, np.zeros(0))
    order = np.lexsort(codes.T)
    ordered = codes[order]
    new = np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))
    block = np.cumsum(new) - 1
    lowest = np.minimum.reduceat(order, np.flatnonzero(new))
    rank = np.argsort(np.argsort(lowest))
    which = np.empty(codes.shape[0], dtype=np.int64)
    which[order] = rank[block]
    unique = np.ascontiguousarray(codes[np.sort(lowest)])
    return Records(unique, np.bincount(which).astype(np.int64), which, np.ones(len(unique)))


def information(column: CodedColumn) -> Floats:
    """Return Info of every node: minus the sum of p log p over the values below it.

    p is a value's share of all records, those without the cell included.
    """
    rows = column.codes.size
    own = np.zeros(len(column.tree))
    shares = column.values.counts / max(rows, 1)
    own[column.nodes] = [-p * math.log(p) if p > 0 else 0.0 for p in shares]
    before = np.concatenate(([0.0], np.cumsum(own)))
    info: Floats = before[column.tree.ends] - before[np.arange(len(column.tree))]
    leaves = column.tree.ends == np.arange(len(column.tree)) + 1
    info[leaves] = own[leaves]
    return info


def _tree(column: CodedColumn, form: str, weight: float) -> Part:
    tree = column.tree
    size = len(tree)
    rates, leave = np.ones(size), np.zeros(size)
    if form == "loss":
        heights = weight * column.losses
    elif form == "height":
        heights = weight * tree.heights / max(int(tree.heights[0]), 1)
    else:
        rows = column.codes.size
        constant = math.log(rows) / rows if rows else 0.0
        heights = information(column)
        if form == "root":
            scale = float(heights[0]) + constant
            heights = weight * heights / scale if scale > 0 else np.zeros(size)
            leave = heights
        else:
            leave = heights
            below = heights + constant
            rates = np.divide(weight, below, out=np.zeros(size), where=below > 0)
    parents = np.maximum(tree.parents, 0)
    return Part(column.codes, parents, tree.ends, heights, leave, rates, np.zeros(size), 0)


def _range(column: CodedColumn, weight: float, unit: float) -> Part:
    """Return a column of numbers as a range: node 0 is missing, the others the values in order.

    `unit` is the share of one step, which ILoss adds to every width.
    """
    assert column.places is not None
    size = column.places.size + 1
    places = np.concatenate(([weight * unit], weight * (1.0 - unit) * column.places))
    heights = np.zeros(size)
    heights[0] = weight
    ends = np.arange(size) + 1
    ends[0] = size
    return Part(
        column.values.indices + 1, np.zeros(size, dtype=np.int64), ends, heights,
        np.zeros(size), np.ones(size), places, 1,
    )  # fmt: skip


# Hierarchies of all columns as flat arrays, and the cost of adding a node to a group.
#
# A column is a *tree*, where a group is its common ancestor g, or a *range*, where a group is a
# span of values low to high. With height h of a node (how much it loses), adding a record of node c
# to a group that weighs s costs, with t the common ancestor of g and c and w what the record
# weighs,
#
#     w * rate(c) * (h(t) - leave(c)) + s * rate(g) * (h(t) - h(g))
#
# KAIM has h = Info / (Info(root) + c0), rate 1, leave = h(c); its paper's form has h = Info and
# rate(v) = 1 / (Info(v) + c0). k-member has h = height(t) / height(tree), rate 1, leave 0. Of a
# range h is the span's share of the column's.


class Forest(NamedTuple):
    """All columns' nodes one after the other; `first[j]` is the root of column j.

    In a range the nodes after the root are the values in order, and the root is a missing cell.
    """

    first: Integers  # (columns + 1)
    ranged: Integers  # (columns): 1 where a column is a range
    parents: Integers  # (nodes)
    ends: Integers  # (nodes): one past the last node below
    heights: Floats  # (nodes): what a node loses, times the column's weight
    leave: Floats  # (nodes): what a record of this node has lost already
    rates: Floats  # (nodes)
    places: Floats  # (nodes): of a range, where a value lies, times the column's weight


@inlined
def span(f: Forest, j: int, low: int, high: int) -> float:
    """Return what a group loses in a column."""
    wide = f.places[high] - f.places[low]
    return f.heights[low] if f.ranged[j] == 0 or low == f.first[j] else wide  # type: ignore[no-any-return]


@part
def price(
    f: Forest, j: int, low: int, high: int, size: float, prices: Floats, others: Floats
) -> None:
    """Write what each node of column j costs a group, of a record that weighs 1.

    prices OUT (nodes); others OUT (nodes, or none): how much of it those lose that it joins.
    """
    weighed = others.shape[0] > 0
    first, end = f.first[j], f.first[j + 1]
    if f.ranged[j] == 1:
        a, b, all_ = f.places[low], f.places[high], f.heights[first]
        held = all_ if low == first else b - a
        for node in range(first, end):
            place = f.places[node]
            wide = max(b, place) - min(a, place)
            wide = all_ if first in (low, node) else wide
            more = size * (wide - held)
            prices[node] = (wide - f.leave[node]) + more
            if weighed:
                others[node] = more
        return
    held, rate = f.heights[low], size * f.rates[low]
    inner, outer = low, low
    while True:
        top = f.heights[outer]
        more = rate * (top - held)
        for side in range(2):  # what lies below `outer` and was not below `inner`
            begin = outer if side == 0 else f.ends[inner]
            stop = inner if side == 0 and inner != outer else f.ends[outer]
            for node in range(begin, stop):
                prices[node] = f.rates[node] * (top - f.leave[node]) + more
                if weighed:
                    others[node] = more
            if inner == outer:
                break
        if outer == first:
            return
        inner, outer = outer, f.parents[outer]


@part
def widen(f: Forest, codes: Integers, row: int, groups: Integers, group: int) -> None:
    """Take a record into a group. groups IN/OUT (groups, columns, 2): low and high."""
    for j in range(codes.shape[1]):
        node, first, low = codes[row, j], f.first[j], groups[group, j, 0]
        if f.ranged[j] == 0:
            while node < low or node >= f.ends[low]:
                low = f.parents[low]
            groups[group, j, 1] = low
        elif first in (low, node):
            low = first
            groups[group, j, 1] = first
        else:
            low = min(low, node)
            groups[group, j, 1] = max(groups[group, j, 1], node)
        groups[group, j, 0] = low
