"""Shifts and swaps of records between groups, and the bound that says which can gain.

A shift of x from A to B changes the loss by L(B + x) - L(B) - gain(x), a swap of x and y by
L(A - x + y) + L(B - y + x) - L(A) - L(B). Whoever leaves B, what all others have in common stays:
no swap that brings x into B can gain where that, with x and less L(B), costs as much as gain(x).
Where breaking the rules has a penalty, both groups are relieved of theirs at best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import ANY, inlined, part, steps
from shoal.kernels.pointing import call
from shoal.methods.ils.hierarchies.layout import (
    BREACH,
    BY_SHIFTS,
    CORE_HELD,
    CORE_HIGH,
    CORE_LOW,
    CORE_OWN,
    COST,
    CURRENT,
    FOUND,
    HELD,
    HIGH,
    KEYS,
    LABEL,
    LOOKED,
    LOW,
    MASS,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    NODE,
    OWN,
    PARTNER,
    PENALTY,
    RULES,
    SHIFTS,
    SHIFTS_TRIED,
    SIZE,
    SLACK,
    SLOT,
    SURE,
    SWAPS_TRIED,
    TIE,
    K,
)
from shoal.methods.ils.hierarchies.state import State, cost, joined, measure, penalty, put, queue
from shoal.methods.topdown.bins import RECORD, Trees, make
from shoal.methods.topdown.grouping import split_all
from shoal.progress import Reporter

ORDERS = 3
NEIGHBORS = 256  # records of an order that are looked at
LEAF = NEIGHBORS // 4  # records that stand in any order
NOISE = 0.6  # on scores: each may be so much larger
QUIET = Reporter(None)


@inlined
def entry(s: State, row: int, group: int, bar: float) -> float:
    """Return what it costs a group to take a record in; some number >= bar where it is more."""
    tree, levels, columns, spans = s.tree, s.levels, s.columns, s.spans
    held, mass, total = s.groups[group, HELD], s.cells[row, columns.shape[0], MASS], 0.0
    for j in range(columns.shape[0]):
        low, high, own = spans[group, j, LOW], spans[group, j, HIGH], spans[group, j, OWN]
        node = s.cells[row, j, NODE]
        total += joined(tree, levels, columns, j, low, high, own, held, node, mass)
        total -= s.costs[group, j, COST]
        if total >= bar:
            break
    return total


@inlined
def fits(s: State, group: int, leaving: int, entering: int) -> bool:
    """Tell whether a group keeps the rules when a record leaves and one enters (-1: none)."""
    rules, size = s.counts[RULES], s.groups[group, SIZE]
    broken = call(s.counts[BREACH], rules, s.groups, group, MEMBERS, size, leaving, entering)
    return broken == 0.0


@inlined
def penalized(s: State, one: int, two: int, x: int, y: int, change: float) -> float:
    """Return a change of the loss with that of the penalties, as x goes from one to two and y back.

    inf where no move may break the rules and this one does.
    """
    if s.sums[PENALTY] > 0.0:
        change += penalty(s, one, x, y) + penalty(s, two, y, x)
        change -= penalty(s, one, -1, -1) + penalty(s, two, -1, -1)
    elif s.counts[BREACH] != 0 and not (fits(s, one, x, y) and fits(s, two, y, x)):
        change = np.inf
    return change


@inlined
def may_swap(s: State, row: int, group: int, bar: float) -> bool:
    """Tell whether a swap that brings a record into a group might change the loss to below bar."""
    tree, levels, columns, spans = s.tree, s.levels, s.columns, s.spans
    least = -s.costs[group, columns.shape[0], SLACK] - s.gains[row]
    mass = s.cells[row, columns.shape[0], MASS]
    for j in range(columns.shape[0]):
        if least >= bar:
            break
        low, high = spans[group, j, CORE_LOW], spans[group, j, CORE_HIGH]
        own, held = spans[group, j, CORE_OWN], spans[group, j, CORE_HELD]
        node = s.cells[row, j, NODE]
        if low >= 0:
            found = joined(tree, levels, columns, j, low, high, own, held, node, mass)
            least += max(0.0, found - s.costs[group, j, SURE])
    return least < bar  # type: ignore[no-any-return]


@inlined
def exchange(s: State, x: int, y: int, bar: float) -> float:
    """Return how a swap of two records changes the loss; some number >= bar where it is more.

    What both groups gain as the two leave, less what each pays for the other: column by column
    more, so that most swaps are given up after a few.
    """
    tree, levels, columns, cells = s.tree, s.levels, s.columns, s.cells
    change, width = -s.gains[x] - s.gains[y], columns.shape[0]
    for j in range(width):
        if change >= bar:
            break
        for side in range(2):
            row, other = (x, y) if side == 0 else (y, x)
            held = s.groups[s.records[row, LABEL], HELD] - cells[row, width, MASS]
            low, high, own = cells[row, j, LOW], cells[row, j, HIGH], cells[row, j, OWN]
            node, mass = cells[other, j, NODE], cells[other, width, MASS]
            change -= cost(levels, columns, j, low, high, held - own)
            change += joined(tree, levels, columns, j, low, high, own, held, node, mass)
    return change  # type: ignore[no-any-return]


@part
def move(s: State, x: int, group: int, y: int) -> None:
    """Move a record to another group, and one of that group (or none, -1) to its. s IN/OUT."""
    groups, records, before = s.groups, s.records, s.sums[CURRENT]
    old, at = records[x, LABEL], records[x, SLOT]
    if y < 0:
        groups[old, SIZE] -= 1
        last = groups[old, MEMBERS + groups[old, SIZE]]
        groups[old, MEMBERS + at], records[last, SLOT] = last, at
        put(s, x, group)
    else:
        groups[old, MEMBERS + at] = y
        groups[group, MEMBERS + records[y, SLOT]] = x
        records[x, LABEL], records[x, SLOT] = group, records[y, SLOT]
        records[y, LABEL], records[y, SLOT] = old, at
    for side in range(2):
        changed = old if side == 0 else group
        measure(s, changed)
        queue(groups, s.counts, changed)
    kind = 0 if y < 0 else 1
    s.counts[SHIFTS + kind] += 1
    s.sums[BY_SHIFTS + kind] += before - s.sums[CURRENT]


@part
def find_nearest(s: State, near: Near, row: int, many: int, wanted: int, bar: float) -> int:
    """Of the `many` groups listed, find those that a record would cost least, below bar.

    Full ones are left out. Returns how many there are. s IN/OUT: the groups in counts[FOUND:], the
    costs in sums[KEYS:].
    """
    sums, counts, groups, listed = s.sums, s.counts, s.groups, 0
    for i in range(many):
        group = near.listed[i]
        if groups[group, SIZE] >= counts[MOST]:
            continue
        price = entry(s, row, group, bar)
        if price < bar:
            at = min(listed, wanted - 1)
            while at > 0 and sums[KEYS + at - 1] > price:
                sums[KEYS + at], counts[FOUND + at] = sums[KEYS + at - 1], counts[FOUND + at - 1]
                at -= 1
            sums[KEYS + at], counts[FOUND + at] = price, group
            listed = min(listed + 1, wanted)
            if listed == wanted:
                bar = sums[KEYS + wanted - 1]
    counts[SHIFTS_TRIED] += many
    counts[LOOKED] += many
    return listed


@part
def find_swap(s: State, near: Near, x: int, many: int, best: float) -> float:
    """Return what the best swap with the `many` groups listed changes, if below `best`.

    s IN/OUT: FOUND, PARTNER.
    """
    groups, counts = s.groups, s.counts
    one = s.records[x, LABEL]
    paid = penalty(s, one, -1, -1)
    for i in range(many):
        group = near.listed[i]
        if may_swap(s, x, group, best + paid):
            relief = paid + penalty(s, group, -1, -1)
            for m in range(groups[group, SIZE]):
                y = groups[group, MEMBERS + m]
                change = exchange(s, x, y, best + relief)
                if change < best + relief:
                    change = penalized(s, one, group, x, y, change)
                    if change < best:
                        best, counts[FOUND], counts[PARTNER] = change, group, y
            counts[SWAPS_TRIED] += groups[group, SIZE]
            counts[LOOKED] += 2 * groups[group, SIZE]
    counts[LOOKED] += many
    return best


@inlined
def improve_record(s: State, near: Near, x: int) -> bool:
    """Apply the best shift or swap of a record, if one gains; tell whether one did. s IN/OUT."""
    counts, group = s.counts, s.records[x, LABEL]
    tie = -TIE * s.columns.shape[0] * counts[MOST]
    counts[PARTNER] = -1
    many, best = list_near(s, near, x, 0 + ANY, near.orders.shape[0]), tie
    if (
        s.groups[group, SIZE] > counts[K]
        and counts[MAY_SHIFT] == 1
        and find_nearest(s, near, x, many, 1 + ANY, s.gains[x] + tie + penalty(s, group, -1, -1))
        > 0
    ):
        to = counts[FOUND]
        best = min(best, penalized(s, group, to, x, -1, s.sums[KEYS] - s.gains[x]))
    if counts[MAY_SWAP] == 1:
        best = find_swap(s, near, x, many, best)
    if best < tie:
        move(s, x, counts[FOUND], counts[PARTNER])
    return best < tie  # type: ignore[no-any-return]


@steps
def look(s: State, near: Near, group: int, changed: bool) -> None:
    """Improve a group with those near it by the moves that are allowed. s, near IN/OUT.

    First the moves of its own records; of a group that has changed then the shifts of others'
    records that gain by coming: no one else would see them.
    """
    groups, counts = s.groups, s.counts
    m = 0
    while m < groups[group, SIZE]:
        if not improve_record(s, near, groups[group, MEMBERS + m]):
            m += 1
    tie = TIE * s.columns.shape[0] * counts[MOST]
    others = changed and counts[MAY_SHIFT] == 1 and counts[BREACH] == 0
    many = 0
    if others:
        many = list_near(s, near, groups[group, MEMBERS], 0 + ANY, near.orders.shape[0])
    for i in range(many):
        other = near.listed[i]
        m = 0
        while (
            m < groups[other, SIZE]
            and groups[other, SIZE] > counts[K]
            and groups[group, SIZE] < counts[MOST]
        ):
            row = groups[other, MEMBERS + m]
            bar = s.gains[row] - tie
            m += 1
            counts[LOOKED] += 1
            if bar > 0.0 and entry(s, row, group, bar) < bar:
                move(s, row, group, -1 + ANY)
                m = 0


# Which groups are near a record: those of its neighbors in several orders of all records.
#
# Each order is that in which splitting from the top down leaves the records, with other scores, so
# that neighbors that one order keeps apart meet in another. A look at so many neighbors takes as
# long in large tables as in small ones. Tables of no more records than that have one order, and all
# groups are near each other.


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
