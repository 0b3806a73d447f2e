"""One-to-one linkage: originals are given to released records so that all distances are least.

All records of a class are equal, so that classes take as many originals as they have records
(Bertsekas and Castañon 1989, the auction algorithm for the transportation problem). Few records are
assigned exactly, along shortest augmenting paths (Jonker and Volgenant 1987, Computing 38), more by
the auction, whose sum of distances is at most n ε above the least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, jit
from shoal.measures.risk.linkage import Attack

EXACT = 600  # records that are assigned exactly
TIE = 1e-7  # of the mean distance: less than that is a tie
SCALE = 5.0  # from one ε of the auction to the next
LAST = 1e-3  # the last ε, in shares of the mean distance of an original from its nearest class
LEAST = 0.05  # of the median distance of all: below that the nearest are as good as equal


@dataclass(frozen=True, repr=False)
class Assigned:
    """The class of every original, the sum of distances, and by how much it may not be the least.

    `way` is what found it: "exactly" or "by an auction".
    """

    classes: Integers
    total: float
    slack: float
    way: str


def distances(attack: Attack) -> Floats:
    """Return the distance of every attacker from every class, all of them finite."""
    columns = [attack.met(side) for side in attack.quasi]
    parts = [np.sum([one.squares(part) for one in columns], axis=0) for part in attack.parts()]
    squares: Floats = np.concatenate([*parts, np.zeros((0, attack.seen.size))])
    apart = np.sqrt(squares)
    known = np.isfinite(apart)
    if not known.all():  # beyond what floats hold: farther than all others
        apart[~known] = 2.0 * float(apart[known].max(initial=0.5))
    return apart


def chances(kinds: Integers, own: Integers, sizes: Integers) -> Floats:
    """Return the chance that an original which is given to a class gets its own record.

    Originals of one kind are equal, and nobody can tell them apart: as many of them as belong to a
    class, of all of the kind, are expected to be among those that it is given. Returns (originals,
    classes); kinds (originals) are from 0 on.
    """
    there = np.zeros((int(kinds.max()) + 1, sizes.size))
    np.add.at(there, (kinds, own), 1.0)
    there /= np.bincount(kinds)[:, None] * sizes
    every: Floats = there[kinds]
    return every


def in_favor(apart: Floats, right: Floats) -> Floats:
    """Return distances of which those that tie are decided in favor of the attacker."""
    typical = float(apart.mean()) or 1.0
    return apart - TIE * typical * right


def assign(apart: Floats, sizes: Integers) -> Assigned:
    """Return an assignment of originals to classes with so many records each.

    apart IN (originals, classes). Requires at least as many records as originals.
    """
    return exactly(apart, sizes) if int(sizes.sum()) <= EXACT else by_auction(apart, sizes)


def exactly(apart: Floats, sizes: Integers) -> Assigned:
    """Return the assignment with the least sum of distances."""
    owner = np.repeat(np.arange(sizes.size), sizes)
    rows, columns = apart.shape[0], owner.size
    costs = np.ascontiguousarray(apart[:, owner])
    holder = np.full(columns + 1, -1, dtype=np.int64)
    work, marks = np.zeros((3, columns + 1)), np.zeros((2, columns + 1), dtype=np.int64)
    _shortest_paths(costs, holder, work, marks)
    chosen = np.empty(rows, dtype=np.int64)
    taken = np.flatnonzero(holder[:columns] >= 0)
    chosen[holder[taken]] = owner[taken]
    return Assigned(chosen, float(apart[np.arange(rows), chosen].sum()), 0.0, "exactly")


@jit
def _shortest_paths(costs: Floats, holder: Integers, work: Floats, marks: Integers) -> None:
    """Assign row after row along the shortest augmenting path (Jonker and Volgenant 1987).

    costs IN (rows, columns), at least as many columns; holder OUT (columns + 1): the row of each
    column, -1 where none. work (3, columns + 1): potentials of columns, least reduced costs, and
    potentials of rows; marks (2, columns + 1): the column before on the path, and what was seen.
    The last column stands for the row that begins a path.
    """
    rows, columns = costs.shape
    for row in range(rows):
        holder[columns] = row
        at = columns
        for j in range(columns + 1):
            work[1, j] = np.inf
            marks[1, j] = 0
        while True:
            marks[1, at] = 1
            own = holder[at]
            step, following = np.inf, -1
            for j in range(columns):
                if marks[1, j] == 0:
                    reduced = costs[own, j] - work[2, own] - work[0, j]
                    if reduced < work[1, j]:
                        work[1, j] = reduced
                        marks[0, j] = at
                    if work[1, j] < step:
                        step = work[1, j]
                        following = j
            for j in range(columns + 1):
                if marks[1, j] == 1:
                    work[2, holder[j]] += step
                    work[0, j] -= step
                else:
                    work[1, j] -= step
            at = following
            if holder[at] < 0:
                break
        while at != columns:
            before = marks[0, at]
            holder[at] = holder[before]
            at = before


def by_auction(apart: Floats, sizes: Integers) -> Assigned:
    """Return an assignment by auctions of ever smaller ε; requires as many originals as records.

    Where there are more records, originals that are 0 from every class take what is left.
    """
    rows = apart.shape[0]
    spare = int(sizes.sum()) - rows
    if spare:
        apart = np.concatenate([apart, np.zeros((spare, apart.shape[1]))])
    typical = max(float(apart[:rows].min(axis=1).mean()), LEAST * float(np.median(apart)))
    if typical <= 0.0:  # all are as good as equal
        typical = float(np.ptp(apart)) or 1.0
    epsilon = max(float(apart.max()) / 4.0, typical * LAST)
    prices = np.zeros(int(sizes.sum()))
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    chosen = np.full(apart.shape[0], -1, dtype=np.int64)
    apart = np.ascontiguousarray(apart)
    work = np.empty((2, max(sizes.size, 1)))
    while True:
        holder, queue = np.full(prices.size, -1, dtype=np.int64), np.arange(apart.shape[0])
        _auction(apart, starts, prices, chosen, np.stack([queue, holder]), work, epsilon)
        if epsilon <= typical * LAST:
            break
        epsilon = max(epsilon / SCALE, typical * LAST)
    total = float(apart[np.arange(rows), chosen[:rows]].sum())
    return Assigned(chosen[:rows], total, apart.shape[0] * epsilon, "by an auction")


@inlined
def _cheapest(starts: Integers, prices: Floats, work: Floats, c: int) -> None:
    """Find the cheapest record of a class and the next price in it. work OUT."""
    low, following = starts[c], np.inf
    for place in range(starts[c] + 1, starts[c + 1]):
        if prices[place] < prices[low]:
            following = prices[low]
            low = place
        elif prices[place] < following:
            following = prices[place]
    work[0, c] = low
    work[1, c] = following


@jit
def _auction(
    apart: Floats, starts: Integers, prices: Floats, chosen: Integers, held: Integers,
    work: Floats, epsilon: float,
) -> None:  # fmt: skip
    """Let originals bid for records until each has one. prices IN/OUT, chosen OUT: classes.

    The records of a class stand from starts[c] on. Whoever has none bids for the cheapest record of
    the best class: so much that the second best, maybe of the same class, is as good, and ε more.
    held IN/OUT (2, n): who waits, all at first, and who has each record, -1. work (2, classes): the
    cheapest record of each class and the next price in it.
    """
    rows, classes = apart.shape
    for c in range(classes):
        _cheapest(starts, prices, work, c)
    waiting = rows
    while waiting > 0:
        waiting -= 1
        i = held[0, waiting]
        best, first, second = 0, np.inf, np.inf
        for c in range(classes):
            cost = apart[i, c] + prices[int(work[0, c])]
            if cost < first:
                second, first, best = first, cost, c
            elif cost < second:
                second = cost
        second = min(second, apart[i, best] + work[1, best])
        if second == np.inf:  # there is one record only
            second = first
        place = int(work[0, best])
        prices[place] += second - first + epsilon
        if held[1, place] >= 0:
            held[0, waiting] = held[1, place]
            waiting += 1
        held[1, place] = i
        chosen[i] = best
        _cheapest(starts, prices, work, best)
