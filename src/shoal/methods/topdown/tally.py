"""What a set of records has in common in every column, as numbers that merge.

Of a column that varies: the least node, the greatest, and the mass of the records that have the
least. From these follows what the column loses when the set is released as one group, and those of
two sets give those of both.
"""

from __future__ import annotations

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import inlined, part
from shoal.methods.topdown.layout import (
    BIN,
    GREATEST,
    LEAST,
    LEASTS,
    LOOKED,
    MASS,
    RECORD,
    SIZE,
    WIDTH,
    Work,
)
from shoal.methods.topdown.trees import END, HEIGHT, PARENT, PLACE, RANGED, ROOT, Trees

NOWHERE = 2**62


@inlined
def common(tree: Integers, low: int, node: int) -> int:
    """Return the lowest node that a node and another one are below."""
    while node < low or node >= tree[low, END]:
        low = tree[low, PARENT]
    return low


@inlined
def clear(tallies: Integers, at: int, width: int) -> None:
    """Make a tally that of no records. tallies IN/OUT."""
    for a in range(width):
        tallies[at, a, LEAST], tallies[at, a, GREATEST], tallies[at, a, LEASTS] = NOWHERE, -1, 0
    tallies[at, width, SIZE] = tallies[at, width, MASS] = 0


@part
def merge(tallies: Integers, to: int, one: int, other: int, width: int) -> None:
    """Write the tally of both of two sets of records. tallies IN/OUT."""
    for a in range(width):
        least, more = tallies[one, a, LEAST], tallies[other, a, LEAST]
        many, others = tallies[one, a, LEASTS], tallies[other, a, LEASTS]
        greatest = max(tallies[one, a, GREATEST], tallies[other, a, GREATEST])
        if more < least:
            least, many = more, others
        elif more == least:
            many += others
        tallies[to, a, LEAST], tallies[to, a, GREATEST] = least, greatest
        tallies[to, a, LEASTS] = many
    tallies[to, width, SIZE] = tallies[one, width, SIZE] + tallies[other, width, SIZE]
    tallies[to, width, MASS] = tallies[one, width, MASS] + tallies[other, width, MASS]


@part
def price(w: Work, t: Trees, at: int) -> float:
    """Return what a set of records loses as one group: columns that do not vary lose nothing."""
    tree, levels, columns, tallies = t.tree, t.levels, t.columns, w.tallies
    width = w.counts[WIDTH]
    mass, total = tallies[at, width, MASS], 0.0
    for a in range(width):
        low, high = tallies[at, a, LEAST], tallies[at, a, GREATEST]
        if low == high:
            continue
        root, ranged = columns[w.active[a], ROOT], columns[w.active[a], RANGED]
        if ranged == 1 and low != root:
            total += (levels[high, PLACE] - levels[low, PLACE] + levels[root, PLACE]) * mass
        else:
            top = common(tree, low, high)
            same = tallies[at, a, LEASTS] if top == low else 0
            total += levels[top, HEIGHT] * (mass - same)
    return total


@part
def tally_set(w: Work, begin: int, end: int, at: int) -> None:
    """Write the tally of a set, and which columns vary in it. w IN/OUT."""
    codes, masses, places, tallies = w.codes, w.masses, w.places, w.tallies
    width, mass = 0, 0
    for i in range(begin, end):
        mass += masses[places[i, RECORD]]
    for j in range(codes.shape[1]):
        low = high = codes[places[begin, RECORD], j]
        many = 0
        for i in range(begin, end):
            row = places[i, RECORD]
            node = codes[row, j]
            if node < low:
                low, many = node, masses[row]
            elif node == low:
                many += masses[row]
            high = max(high, node)
        if low != high:
            w.active[width] = j
            tallies[at, width, LEAST], tallies[at, width, GREATEST] = low, high
            tallies[at, width, LEASTS] = many
            width += 1
    tallies[at, width, SIZE], tallies[at, width, MASS] = end - begin, mass
    w.counts[WIDTH] = width


@part
def tally_bins(w: Work, begin: int, end: int, count: int) -> None:
    """Write the tallies of the bins of a set. w IN/OUT."""
    codes, masses, places, tallies = w.codes, w.masses, w.places, w.tallies
    width = w.counts[WIDTH]
    for b in range(count):
        clear(tallies, b, width)
    for i in range(begin, end):
        row, b = places[i, RECORD], places[i, BIN]
        mass = masses[row]
        for a in range(width):
            node, least = codes[row, w.active[a]], tallies[b, a, LEAST]
            if node < least:
                tallies[b, a, LEAST], tallies[b, a, LEASTS] = node, mass
            elif node == least:
                tallies[b, a, LEASTS] += mass
            tallies[b, a, GREATEST] = max(tallies[b, a, GREATEST], node)
        tallies[b, width, SIZE] += 1
        tallies[b, width, MASS] += mass
    w.counts[LOOKED] += (end - begin) * width
