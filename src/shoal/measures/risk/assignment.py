"""One-to-one linkage: originals are given to released records so that all distances are least.

All records of a class are equal, so that classes take as many originals as they have records
(Bertsekas and Castañon 1989, the auction algorithm for the transportation problem). Few records are
assigned exactly (`scipy.optimize.linear_sum_assignment`), more by the auction, whose sum of
distances is at most n ε above the least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.measures.risk.linkage import Attack

EXACT = 600  # records that are assigned exactly
SCALE = 5.0  # from one ε of the auction to the next
LAST = 1e-3  # the last ε, in shares of the mean distance of an original from its nearest class


@dataclass(frozen=True)
class Assigned:
    """The class of every original, the sum of distances, and by how much it may not be the least.

    `way` is what found it: "exactly" or "by an auction".
    """

    __repr__ = in_shape

    classes: Integers
    total: float
    slack: float
    way: str


def distances(attack: Attack) -> Floats:
    """Return the distance of every attacker from every class."""
    columns = [attack.met(side) for side in attack.quasi]
    parts = [np.sum([one.squares(part) for one in columns], axis=0) for part in attack.parts()]
    squares: Floats = np.concatenate([*parts, np.zeros((0, attack.seen.size))])
    return np.sqrt(squares)


def assign(apart: Floats, sizes: Integers) -> Assigned:
    """Return an assignment of originals to classes with so many records each.

    apart IN (originals, classes). Requires at least as many records as originals.
    """
    if int(sizes.sum()) <= EXACT:
        from scipy.optimize import linear_sum_assignment

        owner = np.repeat(np.arange(sizes.size), sizes)
        rows, columns = linear_sum_assignment(apart[:, owner])
        chosen = np.empty(apart.shape[0], dtype=np.int64)
        chosen[rows] = owner[columns]
        return Assigned(chosen, float(apart[rows, owner[columns]].sum()), 0.0, "exactly")
    return by_auction(apart, sizes)


def by_auction(apart: Floats, sizes: Integers) -> Assigned:
    """Return an assignment by auctions of ever smaller ε; requires as many originals as records.

    Where there are more records, originals that are 0 from every class take what is left.
    """
    rows = apart.shape[0]
    spare = int(sizes.sum()) - rows
    if spare:
        apart = np.concatenate([apart, np.zeros((spare, apart.shape[1]))])
    typical = float(apart[:rows].min(axis=1).mean()) or float(apart.mean()) or 1.0
    epsilon = max(float(apart.max()) / 4.0, typical * LAST)
    prices = np.zeros(int(sizes.sum()))
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    chosen = np.full(apart.shape[0], -1, dtype=np.int64)
    while True:
        _auction(apart, starts, prices, chosen, epsilon)
        if epsilon <= typical * LAST:
            break
        epsilon = max(epsilon / SCALE, typical * LAST)
    total = float(apart[np.arange(rows), chosen[:rows]].sum())
    return Assigned(chosen[:rows], total, apart.shape[0] * epsilon, "by an auction")


@jit
def _auction(
    apart: Floats, starts: Integers, prices: Floats, chosen: Integers, epsilon: float
) -> None:
    """Let originals bid for records until each has one. prices IN/OUT, chosen OUT: classes.

    The records of a class stand from starts[c] on. Whoever has none bids for the cheapest record of
    the best class: so much that the second best, maybe of the same class, is as good, and ε more.
    """
    rows, classes = apart.shape
    holder = np.full(prices.size, -1, dtype=np.int64)
    low = np.empty(classes, dtype=np.int64)  # the cheapest record of each class, and the next price
    following = np.empty(classes)
    for c in range(classes):
        low[c] = starts[c]
        following[c] = np.inf
        for place in range(starts[c] + 1, starts[c + 1]):
            if prices[place] < prices[low[c]]:
                following[c] = prices[low[c]]
                low[c] = place
            elif prices[place] < following[c]:
                following[c] = prices[place]
    queue = np.arange(rows)
    waiting = rows
    while waiting > 0:
        waiting -= 1
        i = queue[waiting]
        best, first, second = -1, np.inf, np.inf
        for c in range(classes):
            cost = apart[i, c] + prices[low[c]]
            if cost < first:
                second, first, best = first, cost, c
            elif cost < second:
                second = cost
        second = min(second, apart[i, best] + following[best])
        if second == np.inf:  # there is one record only
            second = first
        place = low[best]
        prices[place] += second - first + epsilon
        if holder[place] >= 0:
            queue[waiting] = holder[place]
            waiting += 1
        holder[place] = i
        chosen[i] = best
        low[best] = starts[best]
        following[best] = np.inf
        for other in range(starts[best] + 1, starts[best + 1]):
            if prices[other] < prices[low[best]]:
                following[best] = prices[low[best]]
                low[best] = other
            elif prices[other] < following[best]:
                following[best] = prices[other]
