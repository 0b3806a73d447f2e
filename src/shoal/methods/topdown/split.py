"""Kernels that split sets of records until nothing gains."""

from __future__ import annotations

import math

from shoal.kernels.jit import inlined, loop, part, steps
from shoal.kernels.random import uniform
from shoal.methods.topdown.bins import (
    BEGIN,
    BIN,
    COLUMN,
    COST,
    KIND,
    LOOKED,
    MADE,
    MASS,
    NODE,
    NOISE,
    OPEN,
    PART,
    POWER,
    PRICE,
    QUANTILES,
    RANGED,
    RECORD,
    SCORE,
    SIZE,
    SPARE,
    STOP,
    TO,
    WAITING,
    WHICH,
    WIDTH,
    K,
    Trees,
    Work,
    bin_records,
    clear,
    merge,
    price,
    tally_bins,
    tally_set,
)

ONE, CUT, EACH = 0, 1, 2  # one bin and the rest, what is below a cut and above, each large bin
TIE = 1e-9  # scores that differ by less, relative to them, are equal
LEAST_GAIN = 1e-9
WIDE = 64  # bins beyond which only large ones are held against the rest
WEIGHED = 24  # columns by which a set may be split, at most: each takes as long as all of them


@part
def number_parts(w: Work, begin: int, end: int, count: int) -> int:
    """Give every bin of a split the number of its part (TO); return how many. w IN/OUT."""
    tallies, counts, width = w.tallies, w.counts, w.counts[WIDTH]
    parts = 2
    if counts[KIND] == EACH:
        parts = 1  # the first holds the small bins
        for b in range(count):
            tallies[b, width, SIZE] = 0
        for i in range(begin, end):
            tallies[w.places[i, BIN], width, SIZE] += 1
    for b in range(count):
        number = 0
        if counts[KIND] == EACH:
            if tallies[b, width, SIZE] >= counts[K]:
                number = parts
                parts += 1
        elif counts[KIND] == CUT:
            number = 1 if b > counts[WHICH] else 0
        else:
            number = 1 if tallies[b, width, NODE] == counts[WHICH] else 0
        tallies[b, width, TO] = number
    return parts


@steps
def divide(w: Work, t: Trees, begin: int, end: int, whole: int) -> None:
    """Carry out the split that was noted: parts go to the stack, small ones are open. w IN/OUT."""
    tallies, counts, places, stack = w.tallies, w.counts, w.places, w.stack
    width, first = counts[WIDTH], whole // 2  # the tallies of parts stand behind those of bins
    parts = number_parts(w, begin, end, bin_records(w, t, begin, end, counts[COLUMN], whole))
    for p in range(parts):
        tallies[first + p, width, SIZE] = 0
    for i in range(begin, end):
        places[i, PART], places[i, SPARE] = tallies[places[i, BIN], width, TO], places[i, RECORD]
        tallies[first + places[i, PART], width, SIZE] += 1
    at = begin
    for p in range(parts):
        size = tallies[first + p, width, SIZE]
        tallies[first + p, width, TO] = at
        if size >= counts[K]:
            stack[counts[WAITING], BEGIN], stack[counts[WAITING], STOP] = at, at + size
            counts[WAITING] += 1
        at += size
    for i in range(begin, end):
        own = first + places[i, PART]
        places[tallies[own, width, TO], RECORD] = places[i, SPARE]
        tallies[own, width, TO] += 1
        if tallies[own, width, SIZE] < counts[K]:
            w.open[counts[OPEN]] = places[i, SPARE]
            counts[OPEN] += 1


@steps
def choose(w: Work, t: Trees, begin: int, end: int, whole: int) -> bool:
    """Find the best split of a set, and what it costs as it is; tell if there is one. w IN/OUT.

    Of many columns that vary only every second, third, ... is looked at: others in other sets.
    """
    counts, sums = w.counts, w.sums
    tally_set(w, begin, end, whole)
    sums[COST], sums[SCORE] = price(w, t, whole), 0.0
    if sums[COST] > 0.0 and end - begin > counts[K]:
        step = (counts[WIDTH] + WEIGHED - 1) // WEIGHED
        for column in range((end - begin) % step, counts[WIDTH], step):
            weigh_column(w, t, begin, end, column, whole)
    return sums[SCORE] > 0.0  # type: ignore[no-any-return]


@loop
def split(w: Work, t: Trees, budget: int) -> float:
    """Split the sets on the stack until none of their parts can be; return what they cost.

    w IN/OUT: what cannot be split is a group, with a number in `labels`. Stops after `budget` looks
    at cells; what is on the stack then is still to be split.
    """
    counts, stack, total = w.counts, w.stack, 0.0
    whole = w.tallies.shape[0] - 4
    counts[LOOKED] = 0
    while counts[WAITING] > 0 and counts[LOOKED] < budget:
        counts[WAITING] -= 1
        begin, end = stack[counts[WAITING], BEGIN], stack[counts[WAITING], STOP]
        if choose(w, t, begin, end, whole):
            divide(w, t, begin, end, whole)
        else:
            for i in range(begin, end):
                w.labels[w.places[i, RECORD]] = counts[MADE]
            counts[MADE] += 1
            total += w.sums[COST]
    return total


# Kernels that price the splits of a set and note the best.
#
# gain = cost of the set - costs of its parts - price of the records that are left over, where a
# part has fewer than k; score = gain / (sum over parts s of |s| log(|set| / |s|)) ** power.


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
