"""State of a search on hierarchies: groups, and what moves need to know of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, part
from shoal.kernels.pointing import call
from shoal.kernels.random import Random
from shoal.methods.ils.hierarchies.layout import (
    ALIVE,
    ALIVE_AT,
    AROUND,
    BREACH,
    CELL,
    CHANGED,
    CORE_HELD,
    CORE_HIGH,
    CORE_LOW,
    CORE_OWN,
    COST,
    CURRENT,
    FOUND,
    FREE,
    GROUPS,
    HEAD,
    HELD,
    HIGH,
    KEYS,
    LABEL,
    LIVING,
    LOSS,
    LOW,
    MASS,
    MEMBERS,
    MOST,
    NODE,
    OWN,
    PENALTY,
    QUEUE,
    QUEUED,
    RULES,
    SIZE,
    SLACK,
    SLOT,
    SPAN,
    SPARE,
    SURE,
    WAITING,
    WAITS,
    K,
)
from shoal.methods.topdown.bins import HEIGHT, PLACE, RANGED, ROOT, Trees, common

NONE = -1
FAR = 2**62


class State(NamedTuple):
    """Trees, records and groups; all arrays but the first three are changed in place.

    Behind the groups stand provisional ones, which a perturbation forms. One flat tuple of few
    arrays: every kernel is compiled for all of them.
    """

    tree: Integers  # the three arrays of Trees
    levels: Floats
    columns: Integers
    cells: Integers  # (records, columns + 1, CELL) its group without it: LOW, HIGH, OWN; its node;
    # behind the columns its mass
    spans: Integers  # (groups, columns, SPAN) what is released: LOW, HIGH, OWN; what is sure of it
    costs: Floats  # (groups, columns + 1, 2) what a column costs, and costs for sure; all of them
    gains: Floats  # (records) what its group would gain without it
    records: Integers  # (records, 2) group, and place among its members
    groups: Integers  # (groups, MEMBERS + most)
    counts: Integers
    sums: Floats
    random: Random
    pool: Integers  # (pooled records, 2) work space: records, and their provisional groups


def make(
    trees: Trees, codes: Integers, masses: Integers, k: int, most: int, around: int, random: int
) -> State:
    """Return a state for groups of k to `most` records, without any groups yet."""
    rows, width = codes.shape
    pooled = (around + 1) * most
    formed = pooled // k
    groups = rows // k + formed
    counts = np.zeros(FOUND + max(formed, around + 1), dtype=np.int64)
    counts[K], counts[MOST], counts[AROUND], counts[GROUPS] = k, most, around, rows // k
    cells = np.zeros((rows, width + 1, CELL), dtype=np.int64)
    cells[:, :width, NODE], cells[:, width, MASS] = codes, masses
    return State(
        tree=trees.tree,
        levels=trees.levels,
        columns=trees.columns,
        cells=cells,
        spans=np.zeros((groups, width, SPAN), dtype=np.int64),
        costs=np.zeros((groups, width + 1, 2)),
        gains=np.zeros(rows),
        records=np.zeros((rows, 2), dtype=np.int64),
        groups=np.zeros((groups, MEMBERS + most), dtype=np.int64),
        counts=counts,
        sums=np.zeros(KEYS + around + 1),
        random=np.array([random], dtype=np.uint64),
        pool=np.zeros((pooled, 2), dtype=np.int64),
    )


def load(s: State, labels: Integers) -> None:
    """Take over a grouping: numbers from 0, each from k to MOST times; all are to be looked at.

    s OUT, labels IN. What the groups cost is written when they are looked at for the first time.
    """
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    living, total = sizes.size, int(s.counts[GROUPS])
    slots = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    s.records[:, LABEL] = labels
    s.records[order, SLOT] = slots
    s.groups[:] = 0
    s.groups[labels[order], MEMBERS + slots] = order
    s.groups[:living, SIZE] = sizes
    for column in (ALIVE, ALIVE_AT, QUEUE):
        s.groups[:living, column] = np.arange(living)
    s.groups[: total - living, FREE] = np.arange(total - 1, living - 1, -1)
    s.groups[:living, QUEUED] = WAITS
    s.counts[LIVING], s.counts[SPARE] = living, total - living
    s.counts[HEAD], s.counts[WAITING] = 0, living
    s.costs[:] = 0.0
    s.sums[CURRENT] = 0.0


def line_up(s: State) -> None:
    """Queue the groups that lose most first. s IN/OUT."""
    living = int(s.counts[LIVING])
    lost = s.costs[:living, -1, LOSS]
    s.groups[:living, QUEUE] = np.argsort(-lost, kind="stable")


@inlined
def cost(levels: Floats, columns: Integers, j: int, low: int, high: int, others: int) -> float:
    """Return what a column costs of which members of mass `others` lose something: their ILoss.

    In a tree the common ancestor is released (low and high are that node), in a range
    [least,greatest]; where a cell is missing (the root), everything is lost.
    """
    root = columns[j, ROOT]
    if columns[j, RANGED] == 1 and low != root:
        wide = levels[high, PLACE] - levels[low, PLACE] + levels[root, PLACE]
        found = 0.0 if low == high else wide
    else:
        found = levels[low, HEIGHT]
    return found * others


@part
def joined(
    tree: Integers, levels: Floats, columns: Integers, j: int, low: int, high: int, own: int,
    held: int, node: int, mass: int,
) -> float:  # fmt: skip
    """Return what a column of a group costs that holds a mass, with one record more."""
    root = columns[j, ROOT]
    if columns[j, RANGED] == 1 and low != root and node != root:  # noqa: PLR1714 - compiles faster
        low, high = min(low, node), max(high, node)
        found = cost(levels, columns, j, low, high, held + mass)
    else:
        top = common(tree, low, node)
        same = (own if top == low else 0) + (mass if top == node else 0)
        found = levels[top, HEIGHT] * (held + mass - same)
    return found


@inlined
def penalty(s: State, group: int, leaving: int, entering: int) -> float:
    """Return what a group pays for breaking rules when a record leaves and one enters (-1: none).

    All its members pay the same. Nothing where no move may break them.
    """
    price, paid = s.sums[PENALTY], 0.0
    if price > 0.0:
        size, first, rules = s.groups[group, SIZE], MEMBERS, s.counts[RULES]
        broken = call(s.counts[BREACH], rules, s.groups, group, first, size, leaving, entering)
        size += (1 if entering >= 0 else 0) - (1 if leaving >= 0 else 0)
        paid = price * broken * size
    return paid


@part
def measure(s: State, group: int) -> None:
    """Write everything that follows from a group's members, its penalty included. s IN/OUT."""
    tree, levels, columns, cells, groups = s.tree, s.levels, s.columns, s.cells, s.groups
    spans, costs, gains = s.spans, s.costs, s.gains
    size, width = groups[group, SIZE], columns.shape[0]
    loss, sure = 0.0, 0.0
    held, heaviest = 0, 0
    for i in range(size):
        row = groups[group, MEMBERS + i]
        gains[row] = 0.0
        mass = cells[row, width, MASS]
        held, heaviest = held + mass, max(heaviest, mass)
    groups[group, HELD] = held
    for j in range(width):
        low, lows, second, seconds = FAR, 0, FAR, 0  # nodes and masses
        several = False  # have the least
        high, highs, below = NONE, 0, NONE
        for i in range(size):
            row = groups[group, MEMBERS + i]
            node, mass = cells[row, j, NODE], cells[row, width, MASS]
            if node < low:
                second, seconds, low, lows = low, lows, node, mass
                several = False
            elif node == low:
                lows += mass
                several = True
            elif node < second:
                second, seconds = node, mass
            elif node == second:
                seconds += mass
            if node > high:
                below, high, highs = high, node, 1
            elif node == high:
                highs += 1
            elif node > below:
                below = node
        for i in range(-2, size):  # the whole, what is sure, and the group without each member
            from_, many, to, others = low, lows, high, held
            row, node = 0, NONE
            if i == -1:
                from_, many = (low, lows) if several else (second, seconds)
                to = high if highs > 1 else below
                # one member that is what the others generalize to may be among those that stay
                alone = lows if spans[group, j, OWN] > 0 and not several else 0
                others = held - heaviest - alone
            elif i >= 0:
                row = groups[group, MEMBERS + i]
                node, mass = cells[row, j, NODE], cells[row, width, MASS]
                if node == low:
                    from_, many = (low, lows - mass) if several else (second, seconds)
                if node == high and highs == 1:
                    to = below
                others = held - mass
            if from_ > to:  # of two members nothing is sure
                spans[group, j, CORE_LOW] = NONE
                costs[group, j, SURE] = 0.0
                continue
            top = from_
            if columns[j, RANGED] == 0:
                top = to = common(tree, from_, to)
            own = (
                many
                if top == from_ and (columns[j, RANGED] == 0 or from_ == columns[j, ROOT])
                else 0
            )
            found = cost(levels, columns, j, top, to, max(0, others - own))
            if i == -2:
                spans[group, j, LOW], spans[group, j, HIGH], spans[group, j, OWN] = top, to, own
                costs[group, j, COST] = found
                loss += found
            elif i == -1:
                spans[group, j, CORE_LOW], spans[group, j, CORE_HIGH] = top, to
                spans[group, j, CORE_OWN], spans[group, j, CORE_HELD] = own, others
                costs[group, j, SURE] = found
                sure += found
            else:
                cells[row, j, LOW], cells[row, j, HIGH], cells[row, j, OWN] = top, to, own
                gains[row] += costs[group, j, COST] - found
    loss += penalty(s, group, NONE, NONE)
    s.sums[CURRENT] += loss - costs[group, width, LOSS]
    costs[group, width, LOSS], costs[group, width, SLACK] = loss, loss - sure


@inlined
def put(s: State, row: int, group: int) -> None:
    """Make a record a member of a group. s IN/OUT."""
    at = s.groups[group, SIZE]
    s.groups[group, MEMBERS + at] = row
    s.groups[group, SIZE] = at + 1
    s.records[row, LABEL], s.records[row, SLOT] = group, at


@inlined
def close(s: State, group: int) -> None:
    """Give back the number of a group. s IN/OUT."""
    counts, groups, width = s.counts, s.groups, s.columns.shape[0]
    counts[LIVING] -= 1
    at, last = groups[group, ALIVE_AT], groups[counts[LIVING], ALIVE]
    groups[at, ALIVE], groups[last, ALIVE_AT] = last, at
    groups[counts[SPARE], FREE] = group
    counts[SPARE] += 1
    groups[group, SIZE] = 0
    s.sums[CURRENT] -= s.costs[group, width, LOSS]
    s.costs[group, width, LOSS] = 0.0


@inlined
def open_group(s: State) -> int:
    """Return the number of a new group. s IN/OUT."""
    counts, groups = s.counts, s.groups
    counts[SPARE] -= 1
    group = groups[counts[SPARE], FREE]
    groups[counts[LIVING], ALIVE], groups[group, ALIVE_AT] = group, counts[LIVING]
    counts[LIVING] += 1
    return group  # type: ignore[no-any-return]


@part
def queue(groups: Integers, counts: Integers, group: int) -> None:
    """Note that a group has changed. groups IN/OUT, counts IN/OUT."""
    if groups[group, QUEUED] == 0:
        groups[(counts[HEAD] + counts[WAITING]) % counts[GROUPS], QUEUE] = group
        counts[WAITING] += 1
    groups[group, QUEUED] = CHANGED
