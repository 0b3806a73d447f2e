"""Pricing kernel on hierarchies: for every record the group of least reduced cost.

A group is found from its first record, the root. With S the members so far and f their form, each
candidate y has its own loss in the form of S and y, less its dual, g(y), and adds d(y) to what S
loses; both only grow as others join. So members T that are still to come cost at least the sum of
their g and the largest of their d. What is more, all members lose the same, but where a cell was
the released node before: each loses at least what the form of S and y costs, for any y of T, less
what its own inner nodes and missing cells may save it. Candidates are sorted by d, those that f
covers first: T is found in the branch of its last one, whose candidates are those before it. Of
those that f covers, the cheapest complete the group at once; and of records of leaves that make the
same form of f, one can take the place of another, so that the branch of the one with the largest
dual stands for all. Neither is so where all groups are listed.
"""

from __future__ import annotations

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import loop, part, steps
from shoal.methods.bounds.hierarchies.branch import (
    AT,
    BASE,
    BRANCHES,
    COUNT,
    COVERED,
    MEMBER,
    FormBuffers,
    begin,
    fit,
    join,
    mark_doubles,
)
from shoal.methods.bounds.pricing import FAR, enter, sort_by

LATER = 1e-9  # of the dual: of those that add the same, the one with the largest is the last


@part
def completion(least: Floats, need: int, most: int, each: float) -> float:
    """Return the sum of the least `need` numbers, and of up to `most` while they are below 0.

    To each of them a number is added.
    """
    total = 0.0
    for i in range(most):
        if i >= need and least[i] + each >= 0.0:
            break
        total += least[i] + each
    return total


@part
def rest_costs(w: FormBuffers, need: int, most: int, whole: float) -> float:
    """Return what members to come cost at least, in a form that costs so much."""
    by_form = completion(w.least[1], need, most, whole)
    return max(completion(w.least[0], need, most, 0.0), by_form)


@part
def forget(w: FormBuffers, most: int) -> None:
    """Forget the least numbers. w OUT."""
    for i in range(most):
        w.least[0, i] = w.least[1, i] = FAR


@part
def note(w: FormBuffers, made: int, place: int, most: int) -> None:
    """Note a candidate among those that cost least. w OUT."""
    if most > 0:
        enter(w.least[0], most, w.own[made, place])
        enter(w.least[1], most, w.spared[w.lists[made, place]])


@part
def weigh(w: FormBuffers, made: int, k: int, limit: float) -> int:
    """Sort the candidates of a branch by what they add, without those of no use; count them.

    w IN/OUT: lists, own (less the duals), more and whole, of `made` members.
    """
    rows, own, more = w.lists[made], w.own[made], w.more[made]
    need, most = max(k - made - 1, 0), 2 * k - made - 2
    count, base = w.integers[COUNT, made], w.numbers[BASE, made]
    forget(w, most)
    for i in range(count):
        more[i] = fit(w, made, rows[i], i)
        own[i] = max(own[i], w.floors[rows[i]]) - w.duals[rows[i]]
        note(w, made, i, most)
    kept = 0
    for i in range(count):
        cost = base + max(more[i], 0.0) + own[i]
        if cost + rest_costs(w, need, most, w.whole[made, i]) < limit:
            w.scratch[kept], w.places[kept] = more[i] + LATER * w.duals[rows[i]], rows[i]
            kept += 1
    sort_by(w.scratch, w.places, kept)
    for i in range(kept):
        rows[i] = w.places[i]
        more[i] = fit(w, made, rows[i], i)
        own[i] = max(own[i], w.floors[rows[i]]) - w.duals[rows[i]]
    return kept


@part
def spread_out(w: FormBuffers, made: int, k: int, limit: float, listing: bool) -> int:
    """List the branches of a branch, the cheapest first; return how many. w OUT: turns, keys."""
    own, more = w.own[made], w.more[made]
    need, most = max(k - made - 1, 0), 2 * k - made - 2
    base, count = w.numbers[BASE, made], 0
    forget(w, most)
    if not listing:
        mark_doubles(w, made)
    for i in range(w.integers[COUNT, made]):
        if listing or (more[i] != COVERED and w.places[i] == 0):
            cost = base + max(more[i], 0.0) + own[i]
            cost += rest_costs(w, need, most, w.whole[made, i])
            if cost < limit:
                w.turns[made, count], w.keys[made, count] = i, cost
                count += 1
        note(w, made, i, most)
    sort_by(w.keys[made], w.turns[made], count)
    return count


@part
def complete(w: FormBuffers, made: int, k: int, limit: float, found: Integers) -> float:
    """Complete a group by the cheapest that its form covers, if it then costs less than a limit.

    Returns the reduced cost, or the limit. found OUT: the members, then -1.
    """
    duals, count = w.duals, 0
    for i in range(w.integers[COUNT, made]):
        if w.more[made, i] != COVERED:
            break
        row = w.lists[made, i]
        fit(w, made, row, i)
        w.scratch[count], w.places[count] = w.own[made, i] - duals[row], row
        w.own[made, i] = max(w.own[made, i], w.floors[row]) - duals[row]
        count += 1
    need = max(k - made, 0)
    if count < need:
        return limit
    sort_by(w.scratch, w.places, count)
    total, taken = w.numbers[BASE, made], 0
    while taken < min(count, 2 * k - 1 - made):
        if taken >= need and w.scratch[taken] >= 0.0:
            break
        total += w.scratch[taken]
        taken += 1
    if total >= limit:
        return limit
    for i in range(found.shape[0]):
        if i < made:
            found[i] = w.integers[MEMBER, i]
        else:
            found[i] = w.places[i - made] if i < made + taken else -1
    return total  # type: ignore[no-any-return]


@steps
def price_root(
    w: FormBuffers, root: int, k: int, limit: float, most: int, listing: bool, found: Integers,
    figures: Floats,
) -> int:  # fmt: skip
    """Search all groups whose first record is the root; return how many branches were made.

    Not listing, found[0] OUT is the best group below `limit`; listing, found OUT has all groups
    below it, while there is room. figures OUT: the best reduced cost (or limit), the least that may
    have been missed where `most` branches were not enough (or what the best is), how many groups.
    w IN/OUT.
    """
    integers, keys = w.integers, w.keys
    best, missed, listed, branches, made = limit, FAR, 0, 0, 1
    begin(w, root)
    fresh = True
    while made > 0:
        if fresh:
            fresh = False
            if listing and made >= k and w.numbers[BASE, made] < limit:
                if listed < found.shape[0]:
                    for i in range(found.shape[1]):
                        found[listed, i] = integers[MEMBER, i] if i < made else -1
                listed += 1
            integers[COUNT, made] = weigh(w, made, k, best) if made < 2 * k - 1 else 0
            if not listing:
                best = complete(w, made, k, best, found[0])
            integers[BRANCHES, made] = spread_out(w, made, k, best, listing)
            integers[AT, made] = 0
        at = integers[AT, made]
        if at >= integers[BRANCHES, made] or keys[made, at] >= best:
            made -= 1
            continue
        if branches >= most:
            missed = min(missed, keys[made, at])
            made -= 1
            continue
        integers[AT, made] = at + 1
        branches += 1
        turn = w.turns[made, at]
        join(w, made, w.lists[made, turn])
        for i in range(turn):
            w.lists[made + 1, i] = w.lists[made, i]
        made += 1
        integers[COUNT, made] = turn
        fresh = True
    figures[0], figures[1], figures[2] = best, min(best, missed), listed
    return branches


@loop
def price(
    w: FormBuffers, start: int, step: int, k: int, limit: float, most: int, listing: bool,
    found: Integers, figures: Floats, branches: Integers,
) -> int:  # fmt: skip
    """Price the roots start, start + step, ...: each one's best group below `limit`, or list all.

    found OUT: (n, 2k - 1), a row a root, padded with -1; listing, (room, 2k - 1), each group once.
    figures OUT (n, 3) and branches OUT (n) are as of `price_root`. Returns how many groups were
    listed, or -1 where the room or `most` branches of a root were not enough.
    """
    count = 0
    for root in range(start, w.codes.shape[0], step):
        own = found[count:] if listing else found[root:]
        branches[root] = price_root(w, root, k, limit, most, listing, own, figures[root])
        if listing:
            count += int(figures[root, 2])
            if branches[root] >= most or count > found.shape[0]:
                return -1
    return count
