"""Kernels that price the splits of a set and note the best.

gain = cost of the set - costs of its parts - price of the records that are left over, where a part
has fewer than k; score = gain / (sum over parts s of |s| log(|set| / |s|)) ** power.
"""

from __future__ import annotations

import math

from shoal.kernels.jit import inlined, part, steps
from shoal.kernels.random import uniform
from shoal.methods.topdown.bins import bin_records
from shoal.methods.topdown.layout import (
    COLUMN,
    COST,
    KIND,
    MASS,
    NODE,
    NOISE,
    POWER,
    PRICE,
    QUANTILES,
    SCORE,
    SIZE,
    WHICH,
    WIDTH,
    K,
    Work,
)
from shoal.methods.topdown.tally import clear, merge, price, tally_bins
from shoal.methods.topdown.trees import RANGED, Trees

ONE, CUT, EACH = 0, 1, 2  # one bin and the rest, what is below a cut and above, each large bin
TIE = 1e-9  # scores that differ by less, relative to them, are equal
LEAST_GAIN = 1e-9
WIDE = 64  # bins beyond which only large ones are held against the rest


@inlined
def entropy(size: int, whole: int) -> float:
    """Return what a part adds to the entropy of a split."""
    return size * math.log(whole / size) if size > 0 else 0.0


@part
def note(w: Work, gain: float, spread: float, column: int, kind: int, which: int) -> None:
    """Note a split if it is the best so far; of equal ones the first node counts. w IN/OUT."""
    sums, counts = w.sums, w.counts
    if gain <= LEAST_GAIN:
        return
    score = gain / spread ** sums[POWER]
    if sums[NOISE] > 0.0:
        score *= 1.0 + sums[NOISE] * uniform(w.random)
    best = sums[SCORE]
    earlier = (
        counts[COLUMN] == column and counts[KIND] == ONE and kind == ONE and which < counts[WHICH]
    )
    if score > best * (1.0 + TIE) or (earlier and score >= best * (1.0 - TIE)):
        sums[SCORE] = max(score, best)
        counts[COLUMN], counts[KIND], counts[WHICH] = column, kind, which


@inlined
def cost_of_part(w: Work, t: Trees, at: int) -> float:
    """Return what a part costs: its loss, or the price of all its records where it is small."""
    size = w.tallies[at, w.counts[WIDTH], SIZE]
    if size >= w.counts[K]:
        return price(w, t, at)
    return w.sums[PRICE] * w.tallies[at, w.counts[WIDTH], MASS] if size > 0 else 0.0


@steps
def weigh_two(w: Work, t: Trees, one: int, other: int, column: int, kind: int, which: int) -> None:
    """Price a split into two parts, and note it. w IN/OUT."""
    width = w.counts[WIDTH]
    sizes = w.tallies[one, width, SIZE], w.tallies[other, width, SIZE]
    gain = w.sums[COST] - cost_of_part(w, t, one)
    if gain > 0.0:
        gain -= cost_of_part(w, t, other)
        whole = sizes[0] + sizes[1]
        note(w, gain, entropy(sizes[0], whole) + entropy(sizes[1], whole), column, kind, which)


@steps
def weigh_each(w: Work, t: Trees, count: int, rest: int, column: int, size: int) -> None:
    """Price the split into all bins of k or more, and the other ones together. w IN/OUT."""
    tallies, width = w.tallies, w.counts[WIDTH]
    clear(tallies, rest, width)
    gain, spread, large = w.sums[COST], 0.0, 0
    for b in range(count):
        if tallies[b, width, SIZE] < w.counts[K]:
            merge(tallies, rest, rest, b, width)
        else:
            gain -= price(w, t, b)
            spread += entropy(tallies[b, width, SIZE], size)
            large += 1
    if large > 0:
        spread += entropy(tallies[rest, width, SIZE], size)
        note(w, gain - cost_of_part(w, t, rest), spread, column, EACH, 0)


@steps
def weigh_column(w: Work, t: Trees, begin: int, end: int, column: int, whole: int) -> None:
    """Price the splits of a set by a column. w IN/OUT.

    What stands before a bin and behind it is merged bin by bin, so that all splits take as long as
    there are bins.
    """
    tallies, width = w.tallies, w.counts[WIDTH]
    from_, before, rest = whole // 2, whole + 1, whole + 2  # all bins from one on, before it, other
    count = bin_records(w, t, begin, end, column, whole)
    if count < 2:
        return
    tally_bins(w, begin, end, count)
    clear(tallies, from_ + count, width)
    for b in range(count - 1, 0, -1):
        merge(tallies, from_ + b, from_ + b + 1, b, width)
    clear(tallies, before, width)
    ranged = t.columns[w.active[column], RANGED] == 1
    for b in range(count):
        if ranged:
            merge(tallies, before, before, b, width)
            if b < count - 1:
                weigh_two(w, t, before, from_ + b + 1, column, CUT, b)
        else:
            large = tallies[b, width, SIZE] * QUANTILES >= end - begin
            if count <= WIDE or large:
                merge(tallies, rest, before, from_ + b + 1, width)
                weigh_two(w, t, b, rest, column, ONE, tallies[b, width, NODE])
            merge(tallies, before, before, b, width)
    if not ranged and count > 2:
        weigh_each(w, t, count, rest, column, end - begin)
