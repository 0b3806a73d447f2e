"""Local search of the 2020 thesis: pairs of groups in random order, first moves that gain.

A pass of LS visits all pairs, one of LSC those with a group that changed in the pass before. Where
only the pairs that are *due* are visited, a pass of LS leaves out the visits that change nothing:
neither group has changed since the last one. It makes the same moves in the same order as LS.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import ANY, inlined, loop, part
from shoal.kernels.nearest import slack
from shoal.methods.ils.moves import kept, may_shift
from shoal.methods.ils.state import (
    AGAIN,
    ALIVE,
    ALIVE_AT,
    AS_TARGET,
    AT,
    BY_SHIFTS,
    BY_SWAPS,
    CHANGED,
    DUE,
    GROWS,
    HAS_MOVED,
    LABEL,
    LARGEST,
    LEVEL,
    LOSS,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    MOVED,
    PAIRS,
    PASS,
    PASSES,
    RADIUS,
    SHIFTS,
    SHIFTS_TRIED,
    SIZE,
    SLOT,
    SWAPS,
    SWAPS_TRIED,
    TARGETS,
    WAITING,
    K,
    State,
    gap,
    move,
    note,
    number_at,
    place_of,
    refresh,
    shuffle,
)

SWAP, BACK, OVER = 0, 2, 3  # stages of a visit; between the first two: shift there
ALL = -1  # number of places that wait, where a pass goes through all of them


@inlined
def side_of(s: State) -> int:
    """Return the side of the square of places: each target with each group has one."""
    columns = s.counts[ALIVE]
    rows = columns if s.choices[AGAIN] == 1 else s.counts[TARGETS]
    side = int(math.sqrt(rows * columns))
    return side + (side * side < rows * columns)  # type: ignore[no-any-return]


@part
def begin_pass(s: State) -> None:
    """Make the changed groups (or all) the targets of a pass, in an order of its own. s IN/OUT."""
    lists, counts = s.lists, s.counts
    due = s.choices[DUE] == 1 and 4 * counts[CHANGED] < counts[ALIVE]
    source = ALIVE if s.choices[AGAIN] == 1 and not due else CHANGED
    size = counts[source]
    counts[PASS] += 1
    counts[TARGETS], counts[CHANGED], counts[AT] = size, 0, 0
    shuffle(s.order, side_of(s), s.random)
    counts[WAITING] = 0 if due else ALL
    for i in range(size):
        lists[TARGETS, i] = lists[source, i]
        enter(s, lists[TARGETS, i])
    s.pairs[min(counts[LEVEL], PASSES - 1), 1] += 1
    counts[LEVEL] += 1


@part
def enter(s: State, group: int) -> None:
    """Make a group a target; where places wait, those of its pairs with others do from now on.

    Without room for all of them, the pass goes through every place that is left. s IN/OUT.
    """
    groups, lists, counts, heap = s.groups, s.lists, s.counts, s.due
    groups[group, AS_TARGET] = counts[PASS]
    side = counts[ALIVE]
    for i in range(side if counts[WAITING] != ALL else 0):
        other = lists[ALIVE, i]
        if groups[other, AS_TARGET] == counts[PASS]:
            continue
        first, second = min(group, other), max(group, other)
        number = groups[first, ALIVE_AT] * side + groups[second, ALIVE_AT]
        place = place_of(s.order, number, side)
        if place < counts[AT]:
            continue
        if counts[WAITING] == heap.shape[0]:
            counts[WAITING] = ALL
            return
        at = counts[WAITING]
        counts[WAITING] += 1
        while at > 0 and heap[(at - 1) // 2] > place:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = place


@part
def next_place(heap: Integers, size: int) -> int:
    """Take the least of some places out of their heap. heap IN/OUT."""
    least, last, at = heap[0], heap[size - 1], 0
    while 2 * at + 1 < size - 1:
        child = 2 * at + 1
        if child + 1 < size - 1 and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return least  # type: ignore[no-any-return]


@inlined
def is_full(s: State) -> bool:
    """Tell whether a group has half of the room that there is for one, and may get more."""
    full = 2 * s.counts[LARGEST] > s.choices[MOST]
    return full and s.choices[GROWS] == 1  # type: ignore[no-any-return]


@part
def seek(s: State, side: int, stop: int) -> int:
    """Go on to the next pair that may gain; return its number, -1 where the places run out.

    side: of the square of places, stop: the place to go to at most. s IN/OUT.
    """
    groups, lists, counts, again = s.groups, s.lists, s.counts, s.choices[AGAIN] == 1
    order, columns, looked, found = s.order, counts[ALIVE], 0, -1 + ANY
    rows = columns if again else counts[TARGETS]
    at, waiting = counts[AT], counts[WAITING]
    while at < stop and waiting != 0 and found < 0:
        if waiting != ALL:
            at = next_place(s.due, waiting)
            waiting -= 1
        number = number_at(order, at, side)
        at += 1
        row = int(number / columns)
        if row >= rows:
            continue
        one = lists[ALIVE, row] if again else lists[TARGETS, row]
        two = lists[ALIVE, number - row * columns]
        both = again or groups[two, AS_TARGET] == counts[PASS]
        if one == two or (both and one > two):
            continue
        looked += 1
        if may_gain(s, one, two):
            found = number
    counts[AT], counts[WAITING] = at, waiting
    counts[PAIRS] += looked
    s.pairs[min(counts[LEVEL], PASSES) - 1, 0] += looked
    return found


@loop
def settle(s: State, budget: int) -> bool:
    """Go on with passes over pairs for a budget of places; tell whether nothing gains any more.

    It stops, too, where a group has grown to half of the room that there is for one. s IN/OUT.
    """
    lists, counts, again = s.lists, s.counts, s.choices[AGAIN] == 1
    while budget > 0 and not is_full(s):
        side = side_of(s)
        over = counts[AT] >= side * side if counts[WAITING] == ALL else counts[WAITING] == 0
        if counts[TARGETS] == 0 or over:
            if counts[CHANGED] == 0:
                counts[TARGETS] = counts[AT] = 0
                return True
            begin_pass(s)
            continue
        before = counts[AT]
        number = seek(s, side, min(side * side, before + budget))
        budget -= counts[AT] - before
        if number >= 0:
            row = number // counts[ALIVE]
            one = lists[ALIVE, row] if again else lists[TARGETS, row]
            two = lists[ALIVE, number % counts[ALIVE]]
            moves = improve_first(s, one, two)
            for turn in range(2 if moves > 0 else 0):
                group = one if turn == 0 else two
                note(s.groups, lists, counts, group)
                if counts[WAITING] != ALL and s.groups[group, AS_TARGET] != counts[PASS]:
                    enter(s, group)
    return False


# First moves of a pair that gain: swaps, then shifts there, then shifts back.
#
# So the 2020 thesis writes the visit of a pair (`update`, `updateC`): every record of one group is
# tried with every record of the other, and a swap that gains is made at once; then every record
# that its group can spare is tried as a shift. `moves` has the formulas, and takes the best move
# instead.


@inlined
def may_gain(s: State, one: int, two: int) -> bool:
    """Tell whether two groups are near enough for a swap or a shift to gain."""
    centers, k, most = s.centers, s.choices[K], s.choices[MOST]
    squared = gap(centers, one, centers, two, s.points.shape[1])
    both = centers[one, RADIUS] + centers[two, RADIUS]
    may = both * both > squared
    a, b = s.groups[one, SIZE], s.groups[two, SIZE]
    if not may and (a > k or b > k):
        between = math.sqrt(squared)
        may = may_shift(a, b, centers[one, RADIUS], between, k, most)
        may = may or may_shift(b, a, centers[two, RADIUS], between, k, most)
    return may  # type: ignore[no-any-return]


@inlined
def exchange(records: Integers, groups: Integers, lists: Integers, counts: Integers, x: int,
             y: int) -> None:  # fmt: skip
    """Let two records change places; centroids stay as they were. All IN/OUT."""
    for column in (LABEL, SLOT):
        records[x, column], records[y, column] = records[y, column], records[x, column]
    for turn in range(2):
        row = x if turn == 0 else y
        groups[records[row, LABEL], MEMBERS + records[row, SLOT]] = row
        for since in range(2):
            if records[row, HAS_MOVED + since] == 0:
                records[row, HAS_MOVED + since] = 1
                lists[MOVED + since, counts[MOVED + since]] = row
                counts[MOVED + since] += 1


@part
def improve_first(s: State, one: int, two: int) -> int:
    """Visit a pair of groups as the thesis does; return how many moves were made. s IN/OUT.

    In every stage each record (each pair of records) has its turn once. Left out are those that
    the bounds of `moves` rule out, which a plain loop would try in vain.
    """
    points, centers, groups, own, roots = s.points, s.centers, s.groups, s.own, s.roots
    counts, apart, width = s.counts, s.apart, s.points.shape[1]
    k, most = s.choices[K], s.choices[MOST] if s.choices[MAY_SHIFT] == 1 else 0
    applied, stage, i, j = 0, SWAP, 0, 0
    while stage < OVER:
        here, there = (two, one) if stage == BACK else (one, two)
        a, b = groups[here, SIZE], groups[there, SIZE]
        between = math.sqrt(gap(centers, here, centers, there, width))
        reach, radius = centers[here, RADIUS], centers[there, RADIUS]
        both = centers[here, LOSS] + centers[there, LOSS]
        least, change = -(1e-11 * both + slack(both, s.error)), 0.0
        x, y = -1 + ANY, -1 + ANY
        if stage == SWAP:
            weight = 1.0 / a + 1.0 / b
            opened = s.choices[MAY_SWAP] == 1 and reach + radius > between
            for other in range(b if opened else 0):
                row = groups[there, MEMBERS + other]
                apart[0, other] = np.inf
                if roots[row] + reach > between:
                    apart[0, other] = gap(points, row, centers, here, width) - own[row]
            while opened and i < a and x < 0:
                row = groups[here, MEMBERS + i]
                if roots[row] + radius > between:
                    away = gap(points, row, centers, there, width)
                    far = math.sqrt(away)
                    while j < b and x < 0:
                        other = groups[there, MEMBERS + j]
                        ends = far + roots[other]  # no farther is x from y
                        change = away - own[row] + apart[0, j]
                        if change - weight * ends * ends < least:
                            counts[SWAPS_TRIED] += 1
                            change -= weight * gap(points, row, points, other, width)
                            if change < least:
                                x, y = row, other
                        j += 1
                if x < 0:
                    i, j = i + 1, 0
        elif may_shift(a, b, reach, between, k, most):
            while i >= 0 and x < 0:  # from the last: the last one takes the place of who goes
                row = groups[here, MEMBERS + i]
                i -= 1
                counts[SHIFTS_TRIED] += 1
                change = b / (b + 1.0) * gap(points, row, centers, there, width)
                change -= a / (a - 1.0) * own[row]
                if change < least:
                    x = row
        if x < 0:
            stage += 1
            i = groups[two if stage == BACK else one, SIZE] - 1
        elif kept(s, here, there, x, y):
            if y >= 0:
                exchange(s.records, groups, s.lists, counts, x, y)
            else:
                move(s.records, groups, s.lists, counts, x, there)
            for turn in range(2):
                refresh(s, here if turn == 0 else there)
            counts[SWAPS if y >= 0 else SHIFTS] += 1
            s.sums[BY_SWAPS if y >= 0 else BY_SHIFTS] -= change
            applied += 1
    return applied
