"""Twins of the refinements: partition in, partition out, never a worse one from `refine_*`."""

from __future__ import annotations

from naive.data import falls, total_sse
from naive.fixed_size import phase1
from naive.parts import farthest, grow_nc, join_nearest, nearest_group


def in_order(groups):
    """A copy of the groups, rows ascending in each."""
    return [sorted(group) for group in groups]


def split_large(data, groups, k):
    """Split every group of 2k or more into groups grown by centroid, appended to the list."""
    groups = in_order(groups)
    while any(len(group) >= 2 * k for group in groups):
        rest = groups.pop(next(n for n, group in enumerate(groups) if len(group) >= 2 * k))
        while True:
            first = farthest(data, rest, data.centroid(rest))
            groups.append(grow_nc(data, rest, first, k))
            if len(rest) <= k:
                break
        if len(rest) == k:
            groups.append(rest)
        else:
            join_nearest(data, groups, rest)
    return in_order(groups)


def decompose(data, groups, k):
    """Scatter each group, in order of creation, over the nearest others where SSE falls."""
    current = dict(enumerate(in_order(groups)))
    for number in list(current):
        if len(current) == 1:
            break
        trial = {n: list(group) for n, group in current.items() if n != number}
        join_nearest(data, list(trial.values()), current[number])
        before, after = (total_sse(data, each.values()) for each in (current, trial))
        if falls(data, before, after):
            current = trial
    return split_large(data, list(current.values()), k)


def shrink(data, groups, k):
    """From each group of more than k, in list order, move records out while SSE falls."""
    groups = in_order(groups)
    for place in range(len(groups)):
        while len(groups) > 1 and len(groups[place]) > k and move_best(data, groups, place):
            pass
    return split_large(data, groups, k)


def move_best(data, groups, place):
    """Move the record of a group that gains most in its nearest other group; False if none."""
    p = groups[place]
    centers = {n: data.centroid(group) for n, group in enumerate(groups) if n != place}
    target, change = {}, {}
    for x in p:
        target[x] = nearest_group(data, x, centers)
        q = groups[target[x]]
        after = data.sse([row for row in p if row != x]) + data.sse([*q, x])
        change[x] = after - data.sse(p) - data.sse(q)
    tolerance = data.tolerance(total_sse(data, groups))
    least = min(change.values())
    if least >= -tolerance:
        return False
    best = min(x for x in p if change[x] <= least + tolerance)
    p.remove(best)
    groups[target[best]].append(best)
    return True


def better(data, old, new):
    """The new groups if SSE falls, else the old."""
    return new if falls(data, total_sse(data, old), total_sse(data, new)) else old


def both_ways(data, groups, k, step):
    """The better of a refinement of the groups in their order and in reverse."""
    groups = in_order(groups)
    forth = better(data, groups, step(data, groups, k))
    back = better(data, groups, step(data, groups[::-1], k))
    return better(data, forth, back)


def refine_decompose(data, groups, k):
    """Suffix 2+: decompose once, both ways, or as printed; the input where SSE does not fall."""
    both = both_ways(data, groups, k, decompose)
    return better(data, both, printed_decompose(data, groups, k))


def refine_iterative(data, groups, k):
    """Suffix 3+: decompose and shrink while SSE falls, both ways, or as printed."""
    both = both_ways(data, groups, k, iterate)
    return better(data, both, printed_iterative(data, groups, k))


def iterate(data, groups, k):
    """Decompose and shrink while SSE falls; the last partition that fell."""
    best = in_order(groups)
    while True:
        found = shrink(data, decompose(data, best, k), k)
        if not falls(data, total_sse(data, best), total_sse(data, found)):
            return best
        best = found


def by_falling_sse(data, groups):
    """The numbers of the groups by falling SSE; the earlier group first in a tie."""
    errors = {number: data.sse(group) for number, group in enumerate(groups)}
    tolerance, order = data.tolerance(total_sse(data, groups)), []
    while errors:
        most = max(errors.values())
        order.append(next(n for n, error in errors.items() if error >= most - tolerance))
        del errors[order[-1]]
    return order


def scatter(data, groups, number, k):
    """The groups {number: rows} without one, whose records go to the nearest with room.

    Centroids stay; a group holds at most 4k - 1; None if a record finds no room.
    """
    trial = {n: list(group) for n, group in groups.items() if n != number}
    centers = {n: data.centroid(group) for n, group in trial.items()}
    for x in sorted(groups[number]):
        room = {n: center for n, center in centers.items() if len(trial[n]) < 4 * k - 1}
        if not room:
            return None
        trial[nearest_group(data, x, room)].append(x)
    return trial


def phase2(data, groups, k, part=phase1):
    """Phase II of 2007: scatter groups by falling SSE, split large ones, by phase I of TFRP."""
    groups = in_order(groups)
    current = dict(enumerate(groups))
    for number in by_falling_sse(data, groups):
        if len(current[number]) >= 2 * k:
            continue
        trial = scatter(data, current, number, k)
        if trial is None:
            continue
        before, after = (total_sse(data, each.values()) for each in (current, trial))
        if falls(data, before, after):
            current = trial
    found = [group for group in current.values() if len(group) < 2 * k]
    for group in current.values():
        if len(group) >= 2 * k:
            found += part(data, group, k)
    return (
        in_order(found) if falls(data, total_sse(data, groups), total_sse(data, found)) else groups
    )


def frozen(data, groups, k, left=()):
    """Decompose of 2018 as it prints: groups by falling SSE, centroids as they were before.

    Records that are left over then join the nearest groups.
    """
    groups = [in_order(groups)[n] for n in by_falling_sse(data, in_order(groups))]
    centers = dict(enumerate(data.centroid(group) for group in groups))
    living = dict(enumerate(groups))
    for number, center in list(centers.items()):
        others = {n: c for n, c in centers.items() if n in living and n != number}
        if not others:
            break
        members = sorted(living[number])
        targets = {x: nearest_group(data, x, others) for x in members}
        before = sum(data.distance(x, center) for x in members)
        after = sum(data.distance(x, others[targets[x]]) for x in members)
        if after < before - data.tolerance(before):
            del living[number]
            for x in members:
                living[targets[x]] = [*living[targets[x]], x]
    groups = list(living.values())
    join_nearest(data, groups, left)
    return split_within(data, groups, k)


def split_within(data, groups, k):
    """Split large groups; records left over stay in the split, and new groups stand in front."""
    kept, made = [], []
    for group in groups:
        if len(group) < 2 * k:
            kept.append(group)
            continue
        rest, own = sorted(group), []
        while len(rest) > k:
            own.append(grow_nc(data, rest, farthest(data, rest, data.centroid(rest)), k))
        if len(rest) == k:
            own.append(rest)
        else:
            join_nearest(data, own, rest)
        made = [*reversed(own), *made]
    return in_order([*made, *kept])


def shrink_within(data, groups, k):
    """Shrink of 2018 as it prints: in the order of the list, splits as in `split_within`."""
    groups = in_order(groups)
    for place in range(len(groups)):
        while len(groups) > 1 and len(groups[place]) > k and move_best(data, groups, place):
            pass
    return split_within(data, groups, k)


def printed_decompose(data, groups, k):
    """Suffix 2 as printed: Decompose once; the input where SSE does not fall."""
    return better(data, in_order(groups), frozen(data, groups, k))


def printed_iterative(data, groups, k, left=()):
    """Suffix 3 as printed: Decompose and Shrink while SSE falls.

    Records that are left over join the nearest groups after the first Decompose.
    """
    start = [list(group) for group in groups]
    join_nearest(data, start, left)
    found = shrink_within(data, frozen(data, groups, k, left), k)
    while True:
        best = found
        found = shrink_within(data, frozen(data, best, k), k)
        if not falls(data, total_sse(data, best), total_sse(data, found)):
            return better(data, in_order(start), best)


def printed_from_method(data, groups, k):
    """Suffix 3 of a method's groups of k, to which it has added the records left over."""
    left = sorted(row for group in groups for row in group[k:])
    return printed_iterative(data, [group[:k] for group in groups], k, left)
