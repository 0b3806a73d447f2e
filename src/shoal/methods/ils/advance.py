"""The search kernel: local search, then acceptance and perturbation."""

from __future__ import annotations

import math

from shoal.kernels.arrays import Floats
from shoal.kernels.jit import ANY, inlined, loop, part
from shoal.kernels.nearest import slack
from shoal.kernels.random import draw, uniform
from shoal.methods.ils.moves import apply, improve_pair, kept
from shoal.methods.ils.perturb import choose, dissolve, distill, find_double
from shoal.methods.ils.state import (
    AGAIN,
    ALIVE,
    AS_PARTNER,
    AS_TARGET,
    AT,
    BEST_SUM,
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    CHANGED,
    CHANGED_AT,
    CLOCK,
    CURRENT,
    EVERY,
    FIRST,
    IMPROVED,
    INCUMBENT_SUM,
    ITERATION,
    LABEL,
    LAST,
    LEVEL,
    LISTED,
    LOOKED_AT,
    LOSS,
    MASS,
    MAY_SHIFT,
    MAY_SPLIT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    PAIRS,
    PAIRWISE,
    PARTNERS,
    PASS,
    PASSES,
    PATIENCE,
    PERTURBED,
    RETURN_TO_BEST,
    RETURNS,
    RULE,
    SHIFTS_TRIED,
    SINCE,
    SIZE,
    STOP,
    SWAPS_TRIED,
    TARGET,
    TARGETS,
    TOTAL,
    WEIGHTED,
    K,
    State,
    gap,
    keep,
    note,
    restore_incumbent,
)

FIXED, DYNAMIC, RECORD, LATE, ANNEALING = range(5)  # the codes of `parameters`


@loop
def advance(s: State, trace: Floats, budget: int) -> bool:
    """Go on with a search for a budget of pairs of groups; tell whether it has ended.

    It ends at the local optimum after STOP perturbations, or where TARGET or PATIENCE say so. s
    IN/OUT, trace OUT (at least STOP - SINCE + 1): the best loss after every perturbation. Where
    pairs are visited one by one, it goes on as far as the next perturbation: `pairwise` descends.
    """
    counts, sums = s.counts, s.sums
    while budget > 0:
        if not is_optimal(s):
            if s.choices[PAIRWISE] == 1:
                return False
            budget -= look(s) + 1
            continue
        always = counts[ITERATION] == 0 and s.choices[PAIRWISE] == 0  # first and last
        split = (always or s.choices[MAY_SPLIT] == 1) and s.choices[BREACH] == 0
        double = find_double(s) if split else -1
        kind = 2
        if double < 0:  # a local optimum: decide, then perturb
            counts[LEVEL] = 0
            decide(s)
            trace[counts[ITERATION] - s.choices[SINCE]] = sums[BEST_SUM]
            if (
                counts[ITERATION] >= s.choices[STOP]
                or sums[BEST_SUM] <= s.levels[TARGET]
                or counts[ITERATION] - counts[IMPROVED] >= s.choices[PATIENCE]
            ):
                return True
            kind = choose(s)
            if kind == 0:
                return True
            counts[PERTURBED] = kind
            counts[ITERATION] += 1
        if kind == 2:
            distill(s, double)
        else:
            dissolve(s)
        budget -= 1
    return False


@part
def decide(s: State) -> None:
    """Keep a local optimum, or return to the incumbent. s IN/OUT."""
    counts, sums = s.counts, s.sums
    if counts[ITERATION] == 0:  # the way from the start may have been long, and its errors large
        sums[CURRENT] = 0.0
        for group in range(s.centers.shape[0]):
            sums[CURRENT] += s.centers[group, LOSS]
    better = counts[ITERATION] == 0 or sums[CURRENT] < sums[BEST_SUM] * (1.0 - 1e-11)
    kind = counts[PERTURBED] - 1
    counts[PERTURBED] = 0
    if better and kind >= 0:
        counts[BY_DISSOLVING + kind] += 1
        sums[BY_DISSOLVE + kind] += sums[BEST_SUM] - sums[CURRENT]
        counts[IMPROVED] = counts[ITERATION]
    if better or (kind >= 0 and accepts(s)):
        for since in range(2):
            if better or (since == 0 and s.choices[RETURN_TO_BEST] == 0):
                keep(s, since)
    elif kind >= 0:
        restore_incumbent(s)
        counts[RETURNS] += 1


@inlined
def accepts(s: State) -> bool:
    """Tell whether the current grouping is accepted as the incumbent. s IN/OUT."""
    current, incumbent, best = s.sums[CURRENT], s.sums[INCUMBENT_SUM], s.sums[BEST_SUM]
    rule, first = s.choices[RULE], s.levels[FIRST]
    chance = first
    if rule == LATE:
        at = s.counts[ITERATION] % s.history.shape[0]
        chance = 1.0 if current <= max(s.history[at], incumbent) else 0.0
        s.history[at] = min(incumbent, s.history[at])
    elif rule == RECORD:
        chance = 1.0 if current <= best * (1.0 + first) else 0.0
    elif rule != FIXED:
        since = best if rule == DYNAMIC else incumbent
        if rule == ANNEALING:
            first *= (s.levels[LAST] / first) ** (
                s.counts[ITERATION] % s.choices[TOTAL] / s.choices[TOTAL]
            )
        chance = math.exp(min(0.0, since - current) / (first * best)) if best > 0.0 else 0.0
    return uniform(s.random) < chance  # type: ignore[no-any-return]


# Local search: shifts and swaps between pairs of groups until none gains.
#
# A pass compares every target with its partners, each pair once. LS takes all groups for targets in
# every pass, LSC those that changed in the pass before. Partners are all groups, or those that own
# one of the nearest records of a member: that misses a few moves, and a pass costs what was
# changed.


@inlined
def is_optimal(s: State) -> bool:
    """Tell whether no group is left to look at."""
    there = s.counts[TARGETS] - s.counts[AT] + s.counts[CHANGED]
    return there == 0  # type: ignore[no-any-return]


@inlined
def start_pass(s: State) -> None:
    """Make the changed groups (or all) the targets, in random order. s IN/OUT."""
    lists, counts = s.lists, s.counts
    source = ALIVE if s.choices[AGAIN] else CHANGED
    counts[TARGETS] = counts[source]
    for i in range(counts[source]):
        j = draw(s.random, i + 1)
        lists[TARGETS, i] = lists[TARGETS, j]
        lists[TARGETS, j] = lists[source, i]
    counts[CHANGED] = counts[AT] = 0
    counts[PASS] += 1
    s.pairs[min(counts[LEVEL], PASSES - 1), 1] += 1
    counts[LEVEL] += 1


@inlined
def list_partners(s: State, group: int) -> int:
    """List the groups that a group is to be compared with; return how many. s IN/OUT."""
    groups, lists, counts = s.groups, s.lists, s.counts
    listed = 0
    if s.choices[EVERY]:
        for i in range(counts[ALIVE]):
            lists[PARTNERS, i] = lists[ALIVE, i]
        listed = counts[ALIVE]
    else:
        counts[LISTED] += 1
        for rank in range(s.neighbors.shape[1]):
            for i in range(groups[group, SIZE]):
                other = s.records[s.neighbors[groups[group, MEMBERS + i], rank], LABEL]
                if groups[other, AS_PARTNER] != counts[LISTED]:
                    groups[other, AS_PARTNER] = counts[LISTED]
                    lists[PARTNERS, listed] = other
                    listed += 1
    return listed


@part
def look(s: State) -> int:
    """Compare the next target with its partners; return how many those were. s IN/OUT."""
    groups, lists, counts = s.groups, s.lists, s.counts
    if counts[AT] == counts[TARGETS]:
        start_pass(s)
    group = lists[TARGETS, counts[AT]]
    counts[AT] += 1
    groups[group, AS_TARGET] = counts[PASS]
    groups[group, LOOKED_AT] = counts[CLOCK]
    listed = list_partners(s, group) if groups[group, SIZE] > 0 else 0
    looked, again, weighted = 0, s.choices[AGAIN] == 1, s.choices[WEIGHTED] == 1
    for i in range(listed):
        other = lists[PARTNERS, i]
        if again:
            compared = groups[other, AS_TARGET] == counts[PASS]
        else:  # since both last changed
            last = max(groups[group, CHANGED_AT], groups[other, CHANGED_AT])
            compared = groups[other, LOOKED_AT] >= last
        if (other == group) | compared:
            continue
        looked += 1
        if weighted:
            applied = improve_weighted_pair(s, group, other)
        else:
            applied = improve_pair(s, group, other)
        if applied > 0:
            note(groups, lists, counts, group)
            note(groups, lists, counts, other)
    counts[PAIRS] += looked
    s.pairs[min(counts[LEVEL], PASSES) - 1, 0] += looked
    return listed


# Shifts and swaps between two groups of records with weights.
#
# With masses M and N (sums of weights) and centroids c and c' of two groups, shifting x of weight w
# to the other group changes SSE by N w / (N + w) D(x,c') - M w / (M - w) D(x,c); swapping x with y
# of weight v changes that of x's group by (M (v D(y,c) - w D(x,c)) - v w D(x,y)) / (M - w + v), and
# that of the other one likewise: with weights of 1, what `moves` has.
@inlined
def shifted(mass: float, other: float, weight: float, own: float, there: float) -> float:
    """Return what SSE changes by when a record leaves a group of some mass for another one."""
    rest = mass - weight
    return other * weight / (other + weight) * there - mass * weight / rest * own


@inlined
def improve_weighted_pair(s: State, one: int, two: int) -> int:
    """Apply the best shift or swap between two groups while there is one that gains.

    Returns how many there were. s IN/OUT.
    """
    points, centers, groups, own, roots = s.points, s.centers, s.groups, s.own, s.roots
    apart, counts, weights = s.apart, s.counts, s.weights
    k, width = s.choices[K], points.shape[1]
    most = s.choices[MOST] if s.choices[MAY_SHIFT] == 1 else 0
    swaps = s.choices[MAY_SWAP] == 1
    applied, nobody = 0, -1 + ANY
    while True:
        a, b = groups[one, SIZE], groups[two, SIZE]
        there, back = a > k and b < most, b > k and a < most
        if not (swaps or there or back) or max(a, b) > s.choices[MOST]:
            break
        left, right = centers[one, MASS], centers[two, MASS]
        both = centers[one, LOSS] + centers[two, LOSS]
        least = -(1e-11 * both + slack(both, s.error))
        x, y = nobody, nobody
        for i in range(a):
            row = groups[one, MEMBERS + i]
            distance = gap(points, row, centers, two, width)
            apart[0, i], apart[1, i] = distance, math.sqrt(distance)
            if there:
                change = shifted(left, right, weights[row], own[row], distance)
                if change < least and kept(s, one, two, row, nobody):
                    least, x, y = change, row, nobody
        counts[SHIFTS_TRIED] += a * there + b * back
        for j in range(b):
            row = groups[two, MEMBERS + j]
            v = weights[row]
            distance = gap(points, row, centers, one, width)
            if back:
                change = shifted(right, left, v, own[row], distance)
                if change < least and kept(s, one, two, nobody, row):
                    least, x, y = change, nobody, row
            for i in range(a if swaps else 0):
                partner = groups[one, MEMBERS + i]
                w = weights[partner]
                new, other = left - w + v, right - v + w
                change = left * (v * distance - w * own[partner]) / new
                change += right * (w * apart[0, i] - v * own[row]) / other
                ends = apart[1, i] + roots[row]  # no farther is x from y
                pull = v * w / new + v * w / other
                if change - pull * ends * ends < least:
                    counts[SWAPS_TRIED] += 1
                    change -= pull * gap(points, row, points, partner, width)
                    if change < least and kept(s, one, two, partner, row):
                        least, x, y = change, partner, row
        if x < 0 and y < 0:
            break
        apply(s, one, two, x, y, least)
        applied += 1
    return applied
