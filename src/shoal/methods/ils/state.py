"""State of a search: groups of records, with the incumbent and the best to return to.

A group's number is its own while it lives; numbers of dissolved groups are given again. Which
records moved since the incumbent (to which a rejected step returns), and since the best
grouping, is kept in two lists: going back costs what was changed, not a copy of everything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import ANY, inlined, jit, part
from shoal.kernels.nearest import rounding
from shoal.kernels.random import Random, draw
from shoal.measures.loss import percent

ROUNDS = 4
# columns of the records; INCUMBENT + 1 is BEST, HAS_MOVED + 1 is whether it moved since the best
LABEL, SLOT, INCUMBENT, BEST, HAS_MOVED, HAS_MOVED_BEST, RECORD_COLUMNS = range(7)
# columns of the groups; the members come last
(
    SIZE, ALIVE_AT, LARGE_AT, AS_TARGET, AS_CHANGED, CHANGED_AT, LOOKED_AT, AS_PARTNER, MEMBERS,
) = range(9)  # fmt: skip
# columns of the centers behind the coordinates, counted from the end
RADIUS, LOSS, MASS, CENTER_COLUMNS = -1, -2, -3, 4
# rows of the lists
(
    ALIVE, LARGE, FREE, TARGETS, CHANGED, MOVED, MOVED_BEST, PARTNERS, EXCESS, LISTS,
) = range(10)  # fmt: skip
# places in the counts; the first ones are the lengths of the lists
(
    AT, PASS, LEVEL, CLOCK, LISTED, PERTURBED, ITERATION, IMPROVED, PAIRS, SHIFTS_TRIED,
    SWAPS_TRIED, SHIFTS, SWAPS, DISSOLVED, DISTILLED, BY_DISSOLVING, BY_DISTILLING, RETURNS,
    LARGEST, WAITING, COUNTS,
) = range(LISTS, LISTS + 21)  # fmt: skip
# places in the sums: INCUMBENT and BEST stand where their columns are among the records
CURRENT, BY_SHIFTS, INCUMBENT_SUM, BEST_SUM, BY_SWAPS, BY_DISSOLVE, BY_DISTILL, SUMS = range(8)
# places in the choices
(
    K, MOST, FEWEST, EVERY, AGAIN, MAY_SHIFT, MAY_SWAP, MAY_SPLIT, MAY_DISSOLVE, MAY_DISTILL,
    SAMPLES, RULE, RETURN_TO_BEST, SINCE, STOP, TOTAL, PATIENCE, BREACH, RULES, WEIGHTED, PAIRWISE,
    DUE, GROWS, CHOICES,
) = range(24)  # fmt: skip
# places in the levels
FIRST, LAST, TARGET, LEVELS = range(4)
PASSES = 64  # passes that are counted one by one
U1, U2, U3, U4, U5, U6, U7, U8 = map(np.uint64, range(1, 9))  # steps of an unsigned index


class State(NamedTuple):
    """One search; all arrays are changed in place. Columns and places are named in `layout`."""

    points: Floats  # (n, w) the records; w is a multiple of 4, what was added is 0
    weights: Floats  # (n) how many a record stands for
    own: Floats  # (n) squared distance of a record to its centroid
    roots: Floats  # (n) that distance, not squared
    records: Integers  # (n, RECORD_COLUMNS)
    neighbors: Integers  # (n, m) nearest records, the nearest first
    groups: Integers  # (groups, MEMBERS + 2 most + 1): in a restore a group may be two
    centers: Floats  # (groups, w + CENTER_COLUMNS) centroid, sum of weights, loss and radius
    lists: Integers  # (LISTS, n)
    counts: Integers  # (COUNTS)
    sums: Floats  # (SUMS)
    choices: Integers  # (CHOICES) what was asked for
    levels: Floats  # (LEVELS) what was asked for
    random: Random  # (1) state of the random numbers
    apart: Floats  # (3, most + 1) work space: distances between members and another centroid
    history: Floats  # past losses, for late acceptance
    pairs: Floats  # (PASSES, 2) pairs of groups looked at in a pass; how often there was one
    order: Integers  # (ROUNDS, groups) random order of the pairs of groups in a pass
    due: Integers  # places in that order where a pass has still to look: a heap
    error: float  # what rounding may have done to a coordinate


def make(
    matrix: Floats, neighbors: Integers, k: int, most: int, history: int, seed: int,
    largest: int = 0, weights: Floats | None = None,
) -> State:  # fmt: skip
    """Return an empty state for groups of k to `most` records of a matrix.

    Where there are rules some group may be larger, which no move may change. `weights` (n), above
    0, say how many a record stands for: 1 where there are none.
    """
    rows, width = matrix.shape
    points = np.zeros((rows, -(-width // 4) * 4))
    points[:, :width] = matrix
    groups = rows // k + 1
    state = State(
        points=points,
        weights=np.ones(rows) if weights is None else np.ascontiguousarray(weights),
        own=np.zeros(rows),
        roots=np.zeros(rows),
        records=np.zeros((rows, RECORD_COLUMNS), dtype=np.int64),
        neighbors=neighbors,
        groups=np.zeros((groups, MEMBERS + max(2 * most, largest) + 1), dtype=np.int64),
        centers=np.zeros((groups, points.shape[1] + CENTER_COLUMNS)),
        lists=np.zeros((LISTS, max(rows, groups)), dtype=np.int64),
        counts=np.zeros(COUNTS, dtype=np.int64),
        sums=np.zeros(SUMS),
        choices=np.zeros(CHOICES, dtype=np.int64),
        levels=np.zeros(LEVELS),
        random=np.array([seed or 1], dtype=np.uint64),
        apart=np.zeros((3, max(most, largest) + 1)),
        history=np.zeros(history),
        pairs=np.zeros((PASSES, 2)),
        order=np.zeros((ROUNDS, groups), dtype=np.int64),
        due=np.zeros(0, dtype=np.int64),
        error=rounding(matrix),
    )
    state.choices[K], state.choices[MOST] = k, most
    state.choices[WEIGHTED] = weights is not None
    return state


@part
def gap(a: Floats, i: int, b: Floats, j: int, width: int) -> float:
    """Return the squared distance between two rows, in four sums. width is a multiple of 4.

    Unsigned places cannot count from the end, so that nothing asks for it.
    """
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    row, other, m = np.uint64(i), np.uint64(j), np.uint64(0)
    for _ in range(width >> 3):  # two steps at once
        d0, d1 = a[row, m] - b[other, m], a[row, m + U1] - b[other, m + U1]
        d2, d3 = a[row, m + U2] - b[other, m + U2], a[row, m + U3] - b[other, m + U3]
        e0, e1 = a[row, m + U4] - b[other, m + U4], a[row, m + U5] - b[other, m + U5]
        e2, e3 = a[row, m + U6] - b[other, m + U6], a[row, m + U7] - b[other, m + U7]
        s0, s1 = (s0 + d0 * d0) + e0 * e0, (s1 + d1 * d1) + e1 * e1
        s2, s3 = (s2 + d2 * d2) + e2 * e2, (s3 + d3 * d3) + e3 * e3
        m += U8
    if width & 4:
        d0, d1 = a[row, m] - b[other, m], a[row, m + U1] - b[other, m + U1]
        d2, d3 = a[row, m + U2] - b[other, m + U2], a[row, m + U3] - b[other, m + U3]
        s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
    return (s0 + s1) + (s2 + s3)


@part
def enlist(groups: Integers, lists: Integers, counts: Integers, which: int, group: int) -> None:
    """Enter a group into the list of those alive (which = ALIVE) or larger than k (LARGE)."""
    lists[which, counts[which]] = group
    groups[group, ALIVE_AT + which] = counts[which]
    counts[which] += 1


@part
def strike(groups: Integers, lists: Integers, counts: Integers, which: int, group: int) -> None:
    """Take a group out of such a list; the last one takes its place."""
    counts[which] -= 1
    last, at = lists[which, counts[which]], groups[group, ALIVE_AT + which]
    lists[which, at] = last
    groups[last, ALIVE_AT + which] = at
    groups[group, ALIVE_AT + which] = -1


@part
def note(groups: Integers, lists: Integers, counts: Integers, group: int) -> None:
    """Note that a group has changed: the next pass looks at it. All IN/OUT."""
    counts[CLOCK] += 1
    groups[group, CHANGED_AT] = counts[CLOCK]
    if groups[group, AS_CHANGED] != counts[PASS]:
        groups[group, AS_CHANGED] = counts[PASS]
        lists[CHANGED, counts[CHANGED]] = group
        counts[CHANGED] += 1


@jit
def move(
    records: Integers, groups: Integers, lists: Integers, counts: Integers, row: int, group: int
) -> None:
    """Take a record from its group into another; centroids stay as they were. All IN/OUT."""
    old = records[row, LABEL]
    groups[old, SIZE] -= 1
    last = groups[old, MEMBERS + groups[old, SIZE]]
    groups[old, MEMBERS + records[row, SLOT]] = last
    records[last, SLOT] = records[row, SLOT]
    groups[group, MEMBERS + groups[group, SIZE]] = row
    records[row, SLOT] = groups[group, SIZE]
    records[row, LABEL] = group
    groups[group, SIZE] += 1
    for since in range(2):
        if records[row, HAS_MOVED + since] == 0:
            records[row, HAS_MOVED + since] = 1
            lists[MOVED + since, counts[MOVED + since]] = row
            counts[MOVED + since] += 1


@inlined
def refresh(s: State, group: int) -> None:
    """Compute all about a group from its members; one without members goes. s IN/OUT."""
    _enter_lists(s.groups, s.lists, s.counts, s.choices[K], group)
    s.sums[CURRENT] += center(s.points, s.weights, s.own, s.roots, s.groups, s.centers, group)


@part
def _enter_lists(groups: Integers, lists: Integers, counts: Integers, k: int, group: int) -> None:
    """Enter a group into the lists where it belongs, and strike it from the others."""
    size = groups[group, SIZE]
    counts[LARGEST] = max(counts[LARGEST], size)
    if size == 0:
        strike(groups, lists, counts, ALIVE + ANY, group)
        lists[FREE, counts[FREE]] = group
        counts[FREE] += 1
    if size > k and groups[group, LARGE_AT] < 0:
        enlist(groups, lists, counts, LARGE + ANY, group)
    if size <= k and groups[group, LARGE_AT] >= 0:
        strike(groups, lists, counts, LARGE + ANY, group)


@jit
def center(
    points: Floats, weights: Floats, own: Floats, roots: Floats, groups: Integers, centers: Floats,
    group: int,
) -> float:  # fmt: skip
    """Compute centroid, distances, loss and radius of a group; return what the loss grew by.

    From scratch, so that no error builds up. points IN (n, w), weights IN (n), own and roots OUT
    (n), groups IN, centers OUT.
    """
    size, width = groups[group, SIZE], points.shape[1]
    loss, most = 0.0, 0.0
    first = groups[group, MEMBERS]
    mass = weights[first]
    for j in range(width):
        centers[group, j] = 0.0
    for i in range(1, size):
        row = groups[group, MEMBERS + i]
        mass += weights[row]
        for j in range(width):
            centers[group, j] += weights[row] * (points[row, j] - points[first, j])
    for j in range(width):
        centers[group, j] = points[first, j] + centers[group, j] / mass
    for i in range(size):
        row = groups[group, MEMBERS + i]
        distance = gap(points, row, centers, group, width)
        own[row], roots[row] = distance, math.sqrt(distance)
        loss += weights[row] * distance
        most = distance if distance > most else most
    grown = loss - centers[group, LOSS]
    centers[group, RADIUS], centers[group, LOSS] = math.sqrt(most), loss
    centers[group, MASS] = mass
    return grown  # type: ignore[no-any-return]


@jit
def load(s: State, labels: Integers) -> None:
    """Enter a grouping as the current, best and incumbent one; every group is to be looked at.

    s IN/OUT, labels IN (n): numbers from 0 without gaps, each K to MOST times.
    """
    groups, records, counts, lists = s.groups, s.records, s.counts, s.lists
    for i in range(LISTS):
        counts[i] = 0
    counts[PASS] += 1
    counts[AT] = counts[LARGEST] = 0
    for group in range(groups.shape[0]):
        groups[group, SIZE], groups[group, LARGE_AT] = 0, -1
        s.centers[group, LOSS] = 0.0
    for row in range(labels.shape[0]):
        group = labels[row]
        records[row, LABEL], records[row, SLOT] = group, groups[group, SIZE]
        groups[group, MEMBERS + groups[group, SIZE]] = row
        groups[group, SIZE] += 1
        for since in range(2):
            records[row, HAS_MOVED + since], records[row, INCUMBENT + since] = 0, group
    s.sums[CURRENT] = 0.0
    for group in range(groups.shape[0] - 1, -1, -1):
        enlist(groups, lists, counts, ALIVE + ANY, group)
        refresh(s, group)
        if groups[group, SIZE] > 0:
            note(groups, lists, counts, group)
    s.sums[INCUMBENT_SUM] = s.sums[INCUMBENT_SUM + 1] = s.sums[CURRENT]


@inlined
def keep(s: State, since: int) -> None:
    """Store the current grouping as the incumbent (since = 0) or as the best (1). s IN/OUT."""
    for i in range(s.counts[MOVED + since]):
        row = s.lists[MOVED + since, i]
        s.records[row, INCUMBENT + since] = s.records[row, LABEL]
        s.records[row, HAS_MOVED + since] = 0
    s.counts[MOVED + since] = 0
    s.sums[INCUMBENT_SUM + since] = s.sums[CURRENT]


@inlined
def restore_incumbent(s: State) -> None:
    """Return to the incumbent grouping. s IN/OUT."""
    records, groups, lists, counts = s.records, s.groups, s.lists, s.counts
    counts[LISTED] += 1
    listed = 0
    for i in range(counts[MOVED]):
        row = lists[MOVED, i]
        if records[row, LABEL] == records[row, INCUMBENT]:
            continue
        for turn in range(2):
            group = records[row, LABEL] if turn == 0 else records[row, INCUMBENT]
            if groups[group, AS_PARTNER] != counts[LISTED]:
                groups[group, AS_PARTNER] = counts[LISTED]
                lists[PARTNERS, listed] = group
                listed += 1
                if groups[group, SIZE] == 0:
                    claim(groups, lists, counts, group)
        move(records, groups, lists, counts, row, records[row, INCUMBENT])
    for i in range(listed):
        refresh(s, lists[PARTNERS, i])
        counts[CLOCK] += 1
        groups[lists[PARTNERS, i], CHANGED_AT] = counts[CLOCK]
    for i in range(counts[MOVED]):
        records[lists[MOVED, i], HAS_MOVED] = 0
    counts[MOVED] = 0
    s.sums[CURRENT] = s.sums[INCUMBENT_SUM]


@part
def claim(groups: Integers, lists: Integers, counts: Integers, group: int) -> None:
    """Make a group of a free number alive again. All IN/OUT."""
    counts[FREE] -= 1
    at = counts[FREE]
    number = lists[FREE, at]
    while number != group:
        at -= 1
        number, lists[FREE, at] = lists[FREE, at], number
    enlist(groups, lists, counts, ALIVE + ANY, group)


# Random order of pairs, without a list of them.
#
# A pass visits the places 0, 1, ... of a square of side m; a Feistel network of four rounds, with
# random tables that are drawn anew for every pass, says which number stands at a place, and the
# other way round at which place a number stands (Luby and Rackoff 1988; here with sums modulo m). A
# list of all pairs, shuffled, would take memory of the order of n²/k².
@inlined
def shuffle(order: Integers, side: int, random: Random) -> None:
    """Draw a new order of the places of a square. order OUT (ROUNDS, at least m), random IN/OUT."""
    for step in range(ROUNDS):
        for i in range(side):
            order[step, i] = draw(random, side)


@inlined
def number_at(order: Integers, place: int, side: int) -> int:
    """Return the number that stands at a place of the square."""
    row = int(place / side)
    column = place - row * side
    for step in range(ROUNDS):
        row, column = column, row + order[step, column]
        column -= side if column >= side else 0
    return row * side + column


@inlined
def place_of(order: Integers, number: int, side: int) -> int:
    """Return the place of the square that a number stands at."""
    row = int(number / side)
    column = number - row * side
    for step in range(ROUNDS - 1, -1, -1):
        row, column = column - order[step, row], row
        row += side if row < 0 else 0
    return row * side + column


def gains(
    runs: Sequence[Any], total: float, parts: Mapping[str, tuple[int, ...]]
) -> dict[str, dict[str, float]]:
    """Sum up over all runs how often each part was used and what it gained, in percent.

    `parts` has the places in a state of: how often, the gain, and how often it improved, if noted.
    """
    counts = np.sum([s.counts for s in runs], axis=0)
    sums = np.sum([s.sums for s in runs], axis=0)
    by_part = {}
    for name, (applied, by, *improved) in parts.items():
        noted = {"improved": int(counts[improved[0]])} if improved else {}
        gain = percent(float(sums[by]), total)
        by_part[name] = {"applied": int(counts[applied]), **noted, "gain": gain}
    return by_part


def pairs_by_pass(runs: list[State]) -> list[float]:
    """Return the pairs looked at in a pass, on average over all descents, long or short."""
    pairs = np.sum([s.pairs for s in runs], axis=0)
    used = int(np.count_nonzero(pairs[:, 1]))
    return [float(number) for number in pairs[:used, 0] / max(pairs[0, 1], 1.0)]
