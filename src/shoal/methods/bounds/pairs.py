"""The pair bound: a linear programme over the pairs of records that share a group.

Groups may be taken for groups of exactly k: all subsets of k of a group of m records, each to the
same share, cover every record once and cost m (k - 1) / (k (m - 1)) of the group's SSE together,
which is no more than all of it. Let x(i, j) be the share in which two records are together, and
D(i, j) their squared distance. Every grouping then costs at least the least of

    sum of D(i, j) x(i, j) over i != j, by 2k,    0 <= x <= 1,    sum over j of x(i, j) = k - 1.

Any prices u of records bound it from below, for what is left of D - u - u is paid only where it is
below 0:

    2 (k - 1) sum of u(i) + sum over i != j of min(0, D(i, j) - u(i) - u(j)),    by 2k.

A record's price is best, the others' given, between the (k - 1)-th and the k-th least D(i, j) -
u(j). All prices go part of the way there at once, by ever shorter steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.kernels.nearest import sift_down
from shoal.measures.loss import ROUNDED

STEPS = 60
STRIDE, HALVED = 0.3, 30  # the first step as a share of the way, and after how many it is half


@jit
def weigh_pairs(
    gaps: Floats, prices: Floats, keys: Floats, items: Integers, short: Floats, aims: Floats
) -> None:
    """Write what the pairs of each record cost below their prices, and the price that suits it.

    gaps IN (n, n), prices IN (n); short OUT (n) and aims OUT (n); work space: keys (k), items (k).
    Requires n > k > 1.
    """
    rows, k = gaps.shape[0], keys.shape[0]
    for row in range(rows):
        for i in range(k):
            keys[i] = np.inf
        total, own = 0.0, prices[row]
        for other in range(rows):
            left = gaps[row, other] - prices[other]
            if other == row:
                continue
            if left < own:
                total += left - own
            if left < keys[0]:
                keys[0] = left
                sift_down(keys, items, k, 0)
        below = keys[1]
        if k > 2:
            below = max(below, keys[2])
        short[row], aims[row] = total, 0.5 * (keys[0] + below)


def weigh(gaps: Floats, k: int, prices: Floats) -> tuple[float, Floats]:
    """Return what prices prove, and where each should go."""
    short, aims = np.empty(prices.size), np.empty(prices.size)
    weigh_pairs(gaps, prices, np.empty(k), np.zeros(k, dtype=np.int64), short, aims)
    below = float(short.sum())
    value = 2.0 * (k - 1) * float(prices.sum()) + below
    value -= ROUNDED * (2.0 * k * float(np.abs(prices).sum()) - below)
    return max(value / (2.0 * k), 0.0), aims


def least_by_pairs(
    gaps: Floats, k: int, over: Callable[[], bool] = lambda: False
) -> tuple[float, Floats]:
    """Return a sum of squares that no grouping falls short of, and the prices that prove it, (n).

    gaps (n, n) are squared distances, 2k records or more. It ends early when the time is over.
    """
    prices = np.array([0.5 * np.partition(row, k - 1)[k - 1] for row in gaps])  # 0 is its own
    least, best = -1.0, prices
    for step in range(STEPS):
        if step and over():
            break
        value, aims = weigh(gaps, k, prices)
        if value > least:
            least, best = value, prices
        prices = prices + STRIDE / (1.0 + step / HALVED) * (aims - prices)
    return least, best
