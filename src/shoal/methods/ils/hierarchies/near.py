"""Which groups are near a record: those of its neighbors in several orders of all records.

Each order is that in which splitting from the top down leaves the records, with other scores, so
that neighbors that one order keeps apart meet in another. A look at so many neighbors takes as long
in large tables as in small ones. Tables of no more records than that have one order, and all groups
are near each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import part
from shoal.methods.ils.hierarchies.layout import LABEL
from shoal.methods.ils.hierarchies.state import State
from shoal.methods.topdown.grouping import split_all
from shoal.methods.topdown.layout import RECORD, make
from shoal.methods.topdown.trees import Trees
from shoal.progress import Reporter

ORDERS = 3
NEIGHBORS = 256  # records of an order that are looked at
LEAF = NEIGHBORS // 4  # records that stand in any order
NOISE = 0.6  # on scores: each may be so much larger
QUIET = Reporter(None)


class Near(NamedTuple):
    """Orders of records, and room to list groups in."""

    orders: Integers  # (orders, records)
    where: Integers  # (orders, records) the place of each record in an order
    listed: Integers  # (groups + 1) the groups found last
    stamps: Integers  # (groups + 1) when a group was listed last; the last is the number of lists


def order_records(
    trees: Trees, codes: Integers, k: int, masses: Integers | None, seed: int
) -> Integers:
    """Return an order of records in which similar ones are near each other."""
    work = make(trees, codes, max(k, LEAF), 2 * seed + 1, masses)
    split_all(work, trees, np.arange(codes.shape[0]), np.inf, QUIET, NOISE)
    return work.places[:, RECORD].copy()


def near_of(orders: Integers, groups: int) -> Near:
    """Return the neighbors by some orders, for up to so many groups."""
    where = np.empty_like(orders)
    for order, places in zip(orders, where, strict=True):
        places[order] = np.arange(order.size)
    room = np.zeros(groups + 1, dtype=np.int64)
    return Near(np.ascontiguousarray(orders), where, room, room.copy())


@part
def list_near(s: State, near: Near, row: int, first: int, last: int) -> int:
    """List the groups of a record's neighbors in some orders, without its own; return how many.

    near IN/OUT.
    """
    orders, stamps, listed = near.orders, near.stamps, near.listed
    rows, own, count = orders.shape[1], s.records[row, LABEL], 0
    stamps[stamps.shape[0] - 1] += 1
    now = stamps[stamps.shape[0] - 1]
    stamps[own] = now
    for number in range(first, last):
        begin = max(0, min(near.where[number, row] - NEIGHBORS // 2, rows - NEIGHBORS))
        for place in range(begin, min(rows, begin + NEIGHBORS)):
            group = s.records[orders[number, place], LABEL]
            if stamps[group] != now:
                stamps[group] = now
                listed[count] = group
                count += 1
    return count
