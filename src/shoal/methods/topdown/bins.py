"""Bins of a set by one column: the nodes right below what all have in common, or ranges."""

from __future__ import annotations

from shoal.kernels.jit import part
from shoal.methods.topdown.layout import (
    BIN,
    FINE,
    GREATEST,
    LEAST,
    NODE,
    QUANTILES,
    RECORD,
    SPARE,
    WIDTH,
    Work,
)
from shoal.methods.topdown.tally import common
from shoal.methods.topdown.trees import PARENT, RANGED, ROOT, Trees

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
