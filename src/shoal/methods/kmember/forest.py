"""Hierarchies of all columns as flat arrays, and the cost of adding a node to a group.

A column is a *tree*, where a group is its common ancestor g, or a *range*, where a group is a span
of values low to high. With height h of a node (how much it loses), adding a record of node c to a
group that weighs s costs, with t the common ancestor of g and c and w what the record weighs,

    w * rate(c) * (h(t) - leave(c)) + s * rate(g) * (h(t) - h(g))

KAIM has h = Info / (Info(root) + c0), rate 1, leave = h(c); its paper's form has h = Info and
rate(v) = 1 / (Info(v) + c0). k-member has h = height(t) / height(tree), rate 1, leave 0. Of a range
h is the span's share of the column's.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, part


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
