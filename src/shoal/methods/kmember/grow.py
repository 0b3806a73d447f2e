"""Kernels that grow groups record by record and assign the left-over records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import ANY, jit, part
from shoal.kernels.random import Random, draw
from shoal.methods.kmember.forest import Forest, price, span, widen

RANDOM, FARTHEST, ORDERED = 0, 1, 2
TIE = 1e-9  # costs that differ by less, relative to 1 + cost, are equal


@part
def pick(
    codes: Integers, open_: Integers, count: int, prices: Floats, others: Floats, weights: Floats,
    sign: float,
) -> int:  # fmt: skip
    """Return the place in `open_` of the cheapest record (sign 1) or the dearest (sign -1).

    Of records that cost the same the one with the lowest number. By survey weights it is the cost
    for what a record weighs: of two that widen a group alike, the lighter one can wait.
    """
    weighed = others.shape[0] > 0
    best, least = 0 + ANY, np.inf
    for place in range(count):
        row = open_[place]
        bar = least + TIE * (1.0 + abs(least)) if place > 0 else np.inf
        cost, extra = 0.0, 1.0 / weights[row] - 1.0 if weighed else 0.0
        for j in range(codes.shape[1]):
            cost += sign * prices[codes[row, j]]
            if weighed:
                cost += extra * others[codes[row, j]]
            if cost > bar and sign > 0.0:
                break
        if cost < least - TIE * (1.0 + abs(least)) or place == 0:
            best, least = place, cost
        elif cost <= bar:
            least = min(least, cost)
            if row < open_[best]:
                best = place
    return best


@jit
def grow(
    f: Forest,
    codes: Integers,
    counts: Integers,
    open_: Integers,
    state: Integers,
    random: Random,
    order: Floats,
    groups: Integers,
    prices: Floats,
    others: Floats,
    weights: Floats,
    taken: Integers,
    k: int,
    start: int,
    budget: int,
) -> bool:
    """Make groups of k until fewer records are left, or the budget of looks is spent.

    codes (distinct, columns) IN; counts (distinct) IN/OUT: how many of each are left; open_
    (distinct) IN/OUT: those left, and `state` = [how many those are, records left, groups made, the
    last start]; order (distinct) IN: for ORDERED starts; groups (groups, columns, 2) OUT: low and
    high of each column; prices (nodes) and others (nodes, none where all weigh 1) scratch; weights
    (distinct) IN; taken (records) OUT: the distinct records in the
    order of their groups.
    Returns whether it is done.
    """
    while budget > 0:
        if state[1] < k:
            return True
        made = state[2]
        if start == ORDERED:
            at = _first(open_, state, order)
        elif start == FARTHEST and state[3] >= 0:
            at = _farthest(f, codes, open_, state, prices, others[:0], weights)
        else:
            at = _random(counts, open_, state, random)
        held = 0.0
        for size in range(k):
            if size > 0:
                for j in range(codes.shape[1]):
                    price(f, j, groups[made, j, 0], groups[made, j, 1], held, prices, others)
                at = pick(codes, open_, state[0], prices, others, weights, 1.0)
                budget -= state[0]
            row = open_[at]
            if size == 0:
                state[3] = row
                for j in range(codes.shape[1]):
                    groups[made, j, 0] = codes[row, j]
                    groups[made, j, 1] = codes[row, j]
            else:
                widen(f, codes, row, groups, made)
            taken[made * k + size] = row
            held += weights[row]
            counts[row] -= 1
            if counts[row] == 0:
                state[0] -= 1
                open_[at] = open_[state[0]]
        state[1] -= k
        state[2] += 1
    return False


@part
def _random(counts: Integers, open_: Integers, state: Integers, random: Random) -> int:
    """Return the place of a random record that is left, each as likely as any. random IN/OUT."""
    rank, place = draw(random, state[1]), 0 + ANY
    while rank >= counts[open_[place]]:
        rank -= counts[open_[place]]
        place += 1
    return place


@part
def _first(open_: Integers, state: Integers, order: Floats) -> int:
    """Return the place of the record that comes first in an order, of equals the lowest."""
    best = 0 + ANY
    for place in range(1, state[0]):
        row, other = open_[place], open_[best]
        if order[row] < order[other] or (order[row] == order[other] and row < other):
            best = place
    return best


@part
def _farthest(
    f: Forest, codes: Integers, open_: Integers, state: Integers, prices: Floats, others: Floats,
    weights: Floats,
) -> int:  # fmt: skip
    """Return the place of the record that is farthest from the last start, whatever it weighs."""
    for j in range(codes.shape[1]):
        node = codes[state[3], j]
        price(f, j, node, node, 1.0, prices, others)
    return pick(codes, open_, state[0], prices, others, weights, -1.0)


@jit
def join(
    f: Forest,
    codes: Integers,
    row: int,
    groups: Integers,
    sizes: Floats,
    weight: float,
) -> int:
    """Put a record into the group that it costs least; return which.

    groups IN/OUT; sizes IN/OUT: what they weigh.
    """
    best, least = 0 + ANY, np.inf
    for group in range(sizes.shape[0]):
        cost = 0.0
        for j in range(codes.shape[1]):
            node, first = codes[row, j], f.first[j]
            low, high = groups[group, j, 0], groups[group, j, 1]
            held = span(f, j, low, high)
            if f.ranged[j] == 0:
                top = low
                while node < top or node >= f.ends[top]:
                    top = f.parents[top]
                wide = f.heights[top]
            elif first in (low, node):
                wide = f.heights[first]
            else:
                wide = f.places[max(high, node)] - f.places[min(low, node)]
            own = weight * (f.rates[node] * (wide - f.leave[node]))
            cost += own + sizes[group] * f.rates[low] * (wide - held)
        if cost < least - TIE * (1.0 + abs(least)) or group == 0:
            best, least = group, cost
    widen(f, codes, row, groups, best)
    sizes[best] += weight
    return best
