"""Constraints as numbers for kernels: the fast form of `judge/models/`.

One array holds everything, codes of values too. First stand a few counts, then for every sensitive
column a head of HEAD numbers, and behind them what the heads point to: distributions, magnitudes,
the codes of all records, and room to work. `breach` is called by its address: whoever has no rules
does not wait until it is compiled.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined
from shoal.kernels.pointing import by_address, call

COLUMNS, DOMINATED, ROWS, ROOM, HEADS = range(5)  # ROOM: where the room to work begins

# a head: what is asked of a column (0 where nothing is), how values are apart, how many count in
# all; a column has several where what is asked of it counts different codes
(
    LEAST, LOG, C, FROM, ALPHA, T, FORM, AT, SPAN, BASE, CODES, WHOLE,
    SHARES, KNOWN, KINDS, LIKE, DELTA, REACH, PLACES, HEAD,
) = range(20)  # fmt: skip

NO_FORM, TREE, LINE, SERIES, SETS = 0.0, 1.0, 2.0, 3.0, 4.0
GONE, TWICE = -1, -2  # codes: a missing value; a record that does not count, as its person does
PARENT, LENGTH, BELOW, NODE = range(4)  # of a node of a tree
OWN, GAIN, SHARE = range(3)  # of a value at SHARES: how often in all, and what it may gain
PERCENT, MAGNITUDES, DOMINANCE = range(3)  # of a column that the p % rule is for

NEAR = 1e-13  # what rounding may do to a number that is not exact
EXACT = 2.0**53  # below, whole numbers are: distances are quotients of such, rounded once


Rules = Floats
NONE: Rules = np.zeros(HEADS)
NOBODY = -1


def reordered(rules: Rules, order: Integers) -> Rules:
    """Return the rules for the records in another order, or for some of them.

    What t-closeness compares with stays the distribution of all.
    """
    found, columns = rules.copy(), int(rules[COLUMNS])
    starts = [rules[HEADS + j * HEAD + CODES] for j in range(columns)]
    first = HEADS + columns * HEAD
    starts += [rules[first + d * DOMINANCE + MAGNITUDES] for d in range(int(rules[DOMINATED]))]
    for start in starts:
        at = int(start)
        found[at : at + order.size] = rules[at + order]
    return found


@inlined
def line(rules: Rules, at: int, places: int, whole: float, room: int, size: int) -> float:
    """Return the earth mover's distance of sorted ranks from all, in a line of places.

    The ranks stand in the room; -1 is missing, and apart. rules[at:] has how many are missing in
    all, the cumulated counts of the others, and the sums of these, from 0 on.
    """
    missing, total, begin = 0, 0.0, 0
    while missing < size and rules[room + missing] < 0.0:
        missing += 1
    apart = abs(missing * whole - rules[at] * size) / (size * whole)
    there, every, counts, sums = float(size - missing), whole - rules[at], at + 1, at + 1 + places
    for i in range(missing, size + 1 if there > 0.0 and places > 1 else 0):
        end = places - 1 if i == size else int(rules[room + i])
        if end > begin:
            level = (i - missing) * every
            low, high = begin, end  # the first place where all are above the group
            while low < high:
                middle = (low + high) // 2
                if rules[counts + middle] * there > level:
                    high = middle
                else:
                    low = middle + 1
            total += level * (low - begin) - there * (rules[sums + low] - rules[sums + begin])
            total += there * (rules[sums + end] - rules[sums + low]) - level * (end - low)
            begin = end
    return max(apart, total / max(1.0, there * every * (places - 1)))  # type: ignore[no-any-return]


@inlined
def tree(
    rules: Rules, at: int, span: float, base: float, whole: float, room: int, size: int
) -> float:
    """Return the earth mover's distance of nodes from all, in a tree; counts stand in the room.

    span: twice the tree's height; base: what all records climb in it.
    """
    total, tally = base * size, room + 2 * int(rules[ROWS]) + 4
    for step in range(2 * size):
        node = int(rules[room + step % size])
        while node >= 0:
            place = at + NODE * node
            count = rules[tally + node]
            if step < size:
                rules[tally + node] = count + 1.0
            elif count > 0.0:
                below = rules[place + BELOW] * size
                total += rules[place + LENGTH] * (abs(count * whole - below) - below)
                rules[tally + node] = 0.0
            node = int(rules[place + PARENT])
    return total / (span * size * whole)


@inlined
def uneven(rules: Rules, head: int, room: int, size: int) -> float:
    """Return by how much sorted codes break what is asked of their counts. rules IN/OUT.

    Missing values count for nothing; where all are missing, no share is too large. A value's gain
    is (q - p) / p for its shares q and p in the group and in all (Cao and Karras 2012), its change
    |ln(q / p)| (Brickell and Shmatikov 2008). A range is wide enough if the greatest rank is at
    least the one that the least one reaches (Zhang and others 2007).
    """
    distinct, most, logs, run, kept = 0, 0, 0.0, 0, 0
    top, tops = int(rules[head + FROM]) - 1, room + size  # the largest counts but the first l - 1
    gone = 0
    while gone < size and rules[room + gone] < 0.0:
        gone += 1
    known = max(1, size - gone)
    left = float(size - gone)
    broken, shares, every = 0.0, int(rules[head + SHARES]), rules[head + KNOWN]
    for i in range(gone, size):
        run += 1
        if i + 1 < size and rules[room + i + 1] == rules[room + i]:
            continue
        distinct += 1
        if shares > 0:
            value = shares + SHARE * int(rules[room + i])
            alike = rules[value + OWN] * known
            more = (run * every - alike) / alike - rules[value + GAIN]
            broken += more if rules[head + LIKE] > 0.0 and more > 0.0 else 0.0
            more = abs(math.log(run * every / alike)) - rules[head + DELTA]
            broken += more + 1e-3 if rules[head + DELTA] > 0.0 and more > -NEAR else 0.0
        most = max(most, run)
        logs += run * math.log(run)
        at = kept
        while at > 0 and rules[tops + at - 1] < run:
            rules[tops + at] = rules[tops + at - 1]
            at -= 1
        rules[tops + at] = run
        kept = min(kept + 1, max(top, 0))
        run = 0
    for i in range(kept):
        left -= rules[tops + i]
    if rules[head + LEAST] > 0.0:
        broken += max(0.0, 1.0 - distinct / rules[head + LEAST])
    if rules[head + DELTA] > 0.0:
        broken += 1.0 - distinct / max(1.0, rules[head + KINDS])
    reach = int(rules[head + REACH])
    if reach > 0 and gone < size:
        short = rules[reach + int(rules[room + gone])] - rules[room + size - 1]
        broken += max(0.0, short / rules[head + PLACES])
    lacking = rules[head + LOG] - (math.log(known) - logs / known)
    broken += lacking if lacking > NEAR else 0.0
    if rules[head + FROM] > 0.0:
        more = most - rules[head + C] * left
        broken += (more + 1e-3) / known if more > -NEAR * known else 0.0
    if rules[head + ALPHA] > 0.0:
        broken += max(0.0, most / known - rules[head + ALPHA])
    return broken


@inlined
def series(rules: Rules, at: int, values: int, least: float, room: int, size: int) -> float:
    """Return how many records sorted kinds of members lack over a series of releases.

    A kind is the number of a bond times the values there are, plus the value; bond 0 is that of new
    people. rules[at:] has where the values of each bond begin, then them. Of a bond with values, a
    signature, each must be there equally often, and new people fill what is missing (m-invariance:
    Xiao and Tao 2007, definition 4); people of a bond without values, who were always together, and
    new people who fill nothing need least different values each.
    """
    tally = room + 2 * int(rules[ROWS]) + 4
    begin, lacking = 0, 0.0
    while begin < size:
        bond = int(rules[room + begin]) // values
        signed = bond > 0 and rules[at + bond + 1] > rules[at + bond]
        end, run, most, distinct = begin, 0, 0, 0.0
        while end < size and int(rules[room + end]) // values == bond:
            again = end > begin and rules[room + end] == rules[room + end - 1]
            run = run + 1 if again else 1
            distinct += 0.0 if again else 1.0
            most = max(most, run)
            if signed or bond == 0:
                rules[tally + int(rules[room + end]) % values] -= 1.0
            end += 1
        if signed:
            for place in range(int(rules[at + bond]), int(rules[at + bond + 1])):
                rules[tally + int(rules[at + place])] += most
        elif bond > 0:
            lacking += max(0.0, least - distinct)
        begin = end
    begin, different = 0, 0.0
    while begin < size:
        bond = int(rules[room + begin]) // values
        end = begin
        while end < size and int(rules[room + end]) // values == bond:
            place = tally + int(rules[room + end]) % values
            lacking += max(0.0, rules[place])
            different += 1.0 if rules[place] < 0.0 else 0.0
            rules[place] = 0.0
            end += 1
        for own in range(int(rules[at + bond]), int(rules[at + bond + 1]) if bond > 0 else 0):
            place = tally + int(rules[at + own])
            lacking += max(0.0, rules[place])
            rules[place] = 0.0
        begin = end
    return lacking + (max(0.0, least - different) if different > 0.0 else 0.0)


@inlined
def sets(rules: Rules, at: int, least: float, room: int, size: int) -> float:
    """Return how many values members lack of those that earlier releases leave for them.

    A code is the place of a value and of a set of values, as bits, in rules[at:]: of the values of
    all members at least so many must be in everybody's set.
    """
    there, lacking = 0, 0.0
    for i in range(size):
        there |= 1 << int(rules[at + 2 * int(rules[room + i])])
    for i in range(size):
        left = there & int(rules[at + 2 * int(rules[room + i]) + 1])
        count = 0.0
        while left > 0:
            left &= left - 1
            count += 1.0
        lacking += max(0.0, least - count)
    return lacking


@by_address("float64(CPointer(float64), CPointer(int64), int64, int64, int64)")
def breach(rules: Rules, members: Integers, size: int, leaving: int, entering: int) -> float:
    """Return by how much some records break the rules when one leaves and another enters.

    Either may be nobody, -1. 0: all are kept. rules IN/OUT: there is room to work in it.
    """
    broken, room = 0.0, int(rules[ROOM])
    columns = int(rules[COLUMNS])
    for j in range(columns + int(rules[DOMINATED])):
        of_values = j < columns
        head = HEADS + j * HEAD if of_values else HEADS + columns * HEAD + (j - columns) * DOMINANCE
        codes = int(rules[head + CODES]) if of_values else int(rules[head + MAGNITUDES])
        count, largest, second, rest = 0, 0.0, 0.0, 0.0
        for i in range(size + 1):
            row = entering if i == size else members[i]
            if row < 0 or (row == leaving and i < size):
                continue
            code, at = rules[codes + row], room + count
            if of_values and code <= TWICE:
                continue
            while of_values and at > room and rules[at - 1] > code:
                rules[at] = rules[at - 1]
                at -= 1
            rules[at] = code
            count += 1
            if code > largest:
                rest, second, largest = rest + second, largest, code
            elif code > second:
                rest, second = rest + second, code
            else:
                rest += code
        if count > 0 and of_values:
            broken += uneven(rules, head, room, count)
            form, at, span = rules[head + FORM], int(rules[head + AT]), rules[head + SPAN]
            apart, whole = 0.0, rules[head + WHOLE]
            if form == LINE:
                apart = line(rules, at, int(span), whole, room, count)
            elif form == TREE:
                apart = tree(rules, at, span, rules[head + BASE], whole, room, count)
            elif form == SERIES:
                broken += series(rules, at, int(span), rules[head + BASE], room, count)
            elif form == SETS:
                broken += sets(rules, at, rules[head + BASE], room, count)
            more = apart - rules[head + T]
            near = 0.0 if span * count * whole < EXACT else NEAR
            broken += more if more > near else 0.0
        elif count > 0:
            more = rules[head + PERCENT] / 100.0 * largest - rest
            broken += more / largest if more > NEAR * largest else 0.0
    return broken


def pointers(rules: Rules) -> tuple[int, int]:
    """Return what kernels call `breach` by: its address and that of the rules, 0 without any."""
    if not rules[COLUMNS] + rules[DOMINATED]:
        return 0, 0
    return breach.address, rules.ctypes.data


@inlined
def keeps(
    function: int, rules: int, groups: Integers, one: int, a: int, two: int, b: int, first: int,
    x: int, y: int,
) -> bool:  # fmt: skip
    """Tell whether two groups of a and b break the rules no more after x has left one for two.

    And y two for one; either may be nobody, -1. first: where the members begin.
    """
    change = 0.0
    for turn in range(4 if function != 0 else 0):
        group, size = (one, a) if turn % 2 == 0 else (two, b)
        leaving, entering = (x, y) if turn % 2 == 0 else (y, x)
        if turn >= 2:
            if change == 0.0:
                break
            leaving = entering = -1
        broken = call(function, rules, groups, group, first, size, leaving, entering)
        change += broken if turn < 2 else -broken
    return change <= 0.0
