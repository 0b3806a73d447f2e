"""Bins of a set by one column: the nodes right below what all have in common, or ranges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, part
from shoal.kernels.random import Random
from shoal.methods.kmember.build import Forest

PARENT, END = 0, 1  # columns of the tree
HEIGHT, PLACE = 0, 1  # columns of the levels
ROOT, RANGED = 0, 1  # columns of the columns
GRAIN = 2.0**40  # losses are multiples of its inverse: sums over a group are exact, and so are ties
RECORD, BIN, PART, SPARE = range(4)  # columns of the places
BEGIN, STOP = 0, 1  # columns of the stack
LEAST, GREATEST, LEASTS = 0, 1, 2  # of a column of a tally; LEASTS is a mass
SIZE, NODE, TO = 0, 1, 2  # of a tally, in the row behind its columns
MASS = TO  # while splits are weighed; where parts go is known afterwards
# places in the counts: sets on the stack, records left over, groups made, cells looked at; the
# split that is best so far: column, kind, and which bin or node; columns that vary, and k
WAITING, OPEN, MADE, LOOKED, COLUMN, KIND, WHICH, WIDTH, K = range(9)
# places in the sums: price of mass 1 that is left over, power of the entropy, noise on scores;
# score of the best split so far, what the set costs
PRICE, POWER, NOISE, SCORE, COST = range(5)
QUANTILES = 16  # bins of a range
FINE = 4 * QUANTILES  # steps that they are made of
NOWHERE = 2**62
SMALL = 48  # records: every value of a range is a bin


@part
def bin_by_children(w: Work, t: Trees, begin: int, end: int, j: int, top: int) -> int:
    """Give every record the bin of the node below `top` that holds it, or of `top` itself.

    w IN/OUT. Returns how many there are, in the order in which they appear.
    """
    codes, places, bins, tallies, tree = w.codes, w.places, w.bins, w.tallies, t.tree
    count, width = 0, w.counts[WIDTH]
    for i in range(begin, end):
        node = codes[places[i, RECORD], j]
        if bins[node] < 0:
            child = node
            while child != top and tree[child, PARENT] != top:
                child = tree[child, PARENT]
            if bins[child] < 0:
                bins[child] = count
                tallies[count, width, NODE] = child
                count += 1
            bins[node] = bins[child]
        places[i, BIN] = bins[node]
    for i in range(begin, end):
        bins[codes[places[i, RECORD], j]] = -1
    for b in range(count):
        bins[tallies[b, width, NODE]] = -1
    return count


@part
def bin_by_values(w: Work, begin: int, end: int, j: int) -> int:
    """Give every record the bin of its value, in their order. w IN/OUT. Returns how many."""
    codes, places, bins = w.codes, w.places, w.bins
    for i in range(begin, end):
        node, at = codes[places[i, RECORD], j], i
        while at > begin and places[at - 1, SPARE] > node:
            places[at, SPARE] = places[at - 1, SPARE]
            at -= 1
        places[at, SPARE] = node
    count, last = 0, -1
    for i in range(begin, end):
        node = places[i, SPARE]
        if node != last:
            bins[node] = count
            count += 1
        last = node
    for i in range(begin, end):
        places[i, BIN] = bins[codes[places[i, RECORD], j]]
    for i in range(begin, end):
        bins[places[i, SPARE]] = -1
    return count


@part
def bin_by_ranks(w: Work, begin: int, end: int, j: int, root: int, high: int) -> int:
    """Give every record one of some ranges of about as many, a missing cell one of its own.

    They are made of FINE steps of equal widths. w IN/OUT. Returns how many there are.
    """
    codes, places, tallies = w.codes, w.places, w.tallies
    least, missing = high, 0
    for i in range(begin, end):
        node = codes[places[i, RECORD], j]
        if node == root:
            missing = 1
        else:
            least = min(least, node)
    wide = high - least + 1
    fine = min(wide, FINE)
    for step in range(fine):
        tallies[step, 0, LEAST] = 0
    for i in range(begin, end):
        node = codes[places[i, RECORD], j]
        places[i, BIN] = -1
        if node != root:
            places[i, BIN] = (node - least) * fine // wide
            tallies[places[i, BIN], 0, LEAST] += 1
    each = (end - begin) // QUANTILES + 1
    count, held = missing, 0
    for step in range(fine):
        many = tallies[step, 0, LEAST]
        if held > 0 and held + many // 2 >= each:
            count += 1
            held = 0
        held += many
        tallies[step, 0, GREATEST] = count
    for i in range(begin, end):
        step = places[i, BIN]
        places[i, BIN] = 0 if step < 0 else tallies[step, 0, GREATEST]
    return count + 1


@part
def bin_records(w: Work, t: Trees, begin: int, end: int, column: int, whole: int) -> int:
    """Give every record of a set its bin of a column that varies; return how many there are.

    `whole` is where the tally of the set is. w IN/OUT.
    """
    j, low, high = (
        w.active[column],
        w.tallies[whole, column, LEAST],
        w.tallies[whole, column, GREATEST],
    )
    root = t.columns[j, ROOT]
    if t.columns[j, RANGED] == 0:
        return bin_by_children(w, t, begin, end, j, common(t.tree, low, high))
    if end - begin <= SMALL:
        return bin_by_values(w, begin, end, j)
    return bin_by_ranks(w, begin, end, j, root, high)


# What a set of records has in common in every column, as numbers that merge.
#
# Of a column that varies: the least node, the greatest, and the mass of the records that have the
# least. From these follows what the column loses when the set is released as one group, and those
# of two sets give those of both.
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


class Work(NamedTuple):
    """Records to split, and room to work in; all arrays but the first two are changed in place."""

    codes: Integers  # (records, columns) nodes
    masses: Integers  # (records)
    places: Integers  # (records, 4) a record, those of one set side by side; its bin and part
    tallies: Integers  # (2 bins + 4, columns + 1, 3) of bins, of all from one on, of sets
    bins: Integers  # (nodes) the bin of a node, or -1
    active: Integers  # (columns) those that vary in the set
    stack: Integers  # (records // k + 2, 2) sets to split
    open: Integers  # (records) those left over
    labels: Integers  # (records) groups made
    counts: Integers
    sums: Floats
    random: Random


def make(trees: Trees, codes: Integers, k: int, seed: int, masses: Integers | None = None) -> Work:
    """Return room for splitting records into parts of at least k; without masses each has 1."""
    rows, width = codes.shape
    bins = max(trees.fan + 2, FINE + 1)
    counts = np.zeros(K + 1, dtype=np.int64)
    counts[K] = k
    return Work(
        codes=codes,
        masses=np.ones(rows, dtype=np.int64) if masses is None else masses,
        places=np.zeros((rows, SPARE + 1), dtype=np.int64),
        tallies=np.zeros((2 * bins + 4, width + 1, LEASTS + 1), dtype=np.int64),
        bins=np.full(trees.tree.shape[0], -1, dtype=np.int64),
        active=np.zeros(width, dtype=np.int64),
        stack=np.zeros((rows // k + 2, 2), dtype=np.int64),
        open=np.zeros(rows, dtype=np.int64),
        labels=np.full(rows, -1, dtype=np.int64),
        counts=counts,
        sums=np.zeros(COST + 1),
        random=np.array([seed], dtype=np.uint64),
    )


class Trees(NamedTuple):
    """The nodes of all columns one after the other.

    Nodes are numbered from the root down, those below a node right behind it. In a range the nodes
    after the root are the values in order, and the root is a missing cell.
    """

    tree: Integers  # (nodes, 2) parent, and one past the last node below
    levels: Floats  # (nodes, 2) what a cell loses that is released so; of a range, its place, and
    # of its root what a range of two values loses at least
    columns: Integers  # (columns, 2) root, and 1 where it is a range

    @property
    def fan(self) -> int:
        """The largest number of nodes right below one."""
        below = self.tree[:, PARENT][np.arange(self.tree.shape[0]) != self.tree[:, PARENT]]
        ranged = np.repeat(self.columns[:, RANGED], self._sizes()) == 1
        below = below[~ranged[below]]
        return int(np.bincount(below).max()) if below.size else 1

    def _sizes(self) -> Integers:
        """Return how many nodes each column has."""
        return np.diff(np.append(self.columns[:, ROOT], self.tree.shape[0]))


def trees_of(forest: Forest) -> Trees:
    """Return the arrays of a forest, losses in whole grains."""
    levels = np.round(np.stack([forest.heights, forest.places], axis=1) * GRAIN) / GRAIN
    return Trees(
        np.ascontiguousarray(np.stack([forest.parents, forest.ends], axis=1)),
        np.ascontiguousarray(levels),
        np.ascontiguousarray(np.stack([forest.first[:-1], forest.ranged], axis=1)),
    )
