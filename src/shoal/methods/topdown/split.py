"""Kernels that split sets of records until nothing gains."""

from __future__ import annotations

from shoal.kernels.jit import loop, part, steps
from shoal.methods.topdown.bins import bin_records
from shoal.methods.topdown.layout import (
    BEGIN,
    BIN,
    COLUMN,
    COST,
    KIND,
    LOOKED,
    MADE,
    NODE,
    OPEN,
    PART,
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
    Work,
)
from shoal.methods.topdown.tally import price, tally_set
from shoal.methods.topdown.trees import Trees
from shoal.methods.topdown.weigh import CUT, EACH, weigh_column

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
