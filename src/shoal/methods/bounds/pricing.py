"""Pricing kernel: for every record the group of least reduced cost.

With D the squared distances, a group S of m records costs SSE(S) = (sum of D over its pairs) / m,
and its reduced cost is SSE(S) less the duals of its records, plus the prices of the cuts that it
runs into. With w(i,j) = D(i,j)/m - (dual(i) + dual(j))/(m-1) that is the sum of w over the pairs,
so some member's own sum over the others is at most 2/m of it: every group is found from such a
root. Members are added in the order of w(root, .), and a branch is left when either the root's own
sum, completed by what follows, is too large, or when the pairs already made, the pairs that every
further member makes with them, and half of its pairs with its own nearest records are.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import loop, part, steps

FAR = 1e300  # more than any sum
TIED = 1e-9  # sums that differ by less may be the same, added up in another order

# rows of the integers and of the numbers of a branch, by the members it has
COUNT, AT, MEMBER, BRANCH_INTEGERS = range(4)
ROW, COST, PRICE, BRANCH_NUMBERS = range(4)


class PricingBuffers(NamedTuple):
    """What one thread prices with; `gaps` and `nearest` are shared, the rest is its own."""

    gaps: Floats  # (n, n) squared distances
    nearest: Floats  # (n, 2k) sum of the distances to the nearest 0, 1, ... others
    duals: Floats  # (n)
    cut_starts: Integers  # (n + 1) where a record's cuts begin in `cut_names`
    cut_names: Integers  # the cuts that records belong to
    cut_shares: Integers  # as `cut_names`: with how many parts they count there
    cut_parts: Integers  # (cuts) the parts for which a group pays
    cut_prices: Floats  # (cuts) what it pays, at least 0
    cut_counts: Integers  # (cuts) work space: parts that the branch has of a cut; all 0
    candidates: Integers  # (2k, n) work space: who may follow, by members of the branch
    keys: Floats  # (2k, n) work space: their w to the root, ascending
    costs: Floats  # (2k, n) work space: their pairs with the branch, less their dual
    scratch: Floats  # (n) work space
    least: Floats  # (2k) work space: the least of some numbers, ascending
    integers: Integers  # (BRANCH_INTEGERS, 2k + 1) work space: the branch
    numbers: Floats  # (BRANCH_NUMBERS, 2k + 1) work space: the branch


@part
def enter(least: Floats, count: int, value: float) -> None:
    """Enter a value among the least `count`, which stand in ascending order. least IN/OUT."""
    if value < least[count - 1]:
        at = count - 1
        while at > 0 and least[at - 1] > value:
            least[at] = least[at - 1]
            at -= 1
        least[at] = value


@part
def sort_by(keys: Floats, rows: Integers, count: int) -> None:
    """Sort the first rows by their keys, ascending, in a heap. Both IN/OUT."""
    for turn in range(count // 2 + count - 1):
        if turn < count // 2:  # make the heap
            at, last = count // 2 - 1 - turn, count
            key, row = keys[at], rows[at]
        else:  # its largest goes to the end
            at, last = 0, count - 1 - (turn - count // 2)
            key, row = keys[last], rows[last]
            keys[last], rows[last] = keys[0], rows[0]
        child = 2 * at + 1
        while child < last:
            if child + 1 < last and keys[child + 1] > keys[child]:
                child += 1
            if keys[child] <= key:
                break
            keys[at], rows[at] = keys[child], rows[child]
            at = child
            child = 2 * at + 1
        keys[at], rows[at] = key, row


@part
def candidates_of(w: PricingBuffers, root: int, size: int, limit: float) -> int:
    """List the candidate members of groups of a root; return how many. w IN/OUT.

    The root's own sum must stay below `limit`.
    """
    gaps, duals, least, keys, rows = w.gaps, w.duals, w.least, w.keys[1], w.candidates[1]
    others, own = size - 1, duals[root] / (size - 1)
    share, each = 1.0 / size, 1.0 / (size - 1)
    for i in range(others):
        least[i] = FAR
    for row in range(gaps.shape[0]):
        if row != root:
            enter(least, others, gaps[root, row] * share - duals[row] * each - own)
    total = 0.0
    for i in range(others):
        total += least[i]
    if total >= limit:
        return 0
    room = limit - (total - least[others - 1])
    count = 0
    for row in range(gaps.shape[0]):
        key = gaps[root, row] * share - duals[row] * each - own
        if key < room and row != root:
            keys[count], rows[count] = key, row
            count += 1
    sort_by(keys, rows, count)
    for i in range(count):
        w.costs[1, i] = gaps[root, rows[i]] / size - duals[rows[i]]
    return count


@part
def count_in_cuts(w: PricingBuffers, row: int, by: int) -> None:
    """Count a record into its cuts (by = 1) or out of them (-1). w IN/OUT."""
    for i in range(w.cut_starts[row], w.cut_starts[row + 1]):
        w.cut_counts[w.cut_names[i]] += by * w.cut_shares[i]


@part
def rest_at_least(w: PricingBuffers, made: int, size: int, start: int) -> float:
    """Return what completing a branch costs at the least, from a place in its candidates on."""
    rest = size - made
    least, costs, rows = w.least, w.costs[made], w.candidates[made]
    for i in range(rest):
        least[i] = FAR
    for i in range(start, w.integers[COUNT, made]):
        enter(least, rest, costs[i] + 0.5 * w.nearest[rows[i], rest - 1] / size)
    total = 0.0
    for i in range(rest):
        total += least[i]
    return total


@part
def follow(w: PricingBuffers, made: int, size: int, at: int, spent: float, limit: float) -> int:
    """List the candidates of a branch after it takes candidate `at`; return how many. w IN/OUT.

    `spent` is the reduced cost of the branch with it; 0 if nothing below `limit` can come of it.
    """
    gaps, least, scratch = w.gaps, w.least, w.scratch
    rest, row, count = size - made - 1, w.candidates[made, at], 0
    for i in range(rest):
        least[i] = FAR
    for i in range(at + 1, w.integers[COUNT, made]):
        other = w.candidates[made, i]
        cost = w.costs[made, i] + gaps[row, other] / size
        scratch[count] = cost + 0.5 * w.nearest[other, rest - 1] / size
        w.candidates[made + 1, count] = other
        w.keys[made + 1, count] = w.keys[made, i]
        w.costs[made + 1, count] = cost
        enter(least, rest, scratch[count])
        count += 1
    for i in range(rest):
        spent += least[i]
    if spent >= limit:
        return 0
    room = limit - (spent - least[rest - 1])
    kept = 0
    for i in range(count):
        if scratch[i] < room:
            w.candidates[made + 1, kept] = w.candidates[made + 1, i]
            w.keys[made + 1, kept] = w.keys[made + 1, i]
            w.costs[made + 1, kept] = w.costs[made + 1, i]
            kept += 1
    return kept if kept >= rest else 0


@part
def is_least_row(w: PricingBuffers, size: int, last: int) -> bool:
    """Tell whether the root's own sum is the least of a group's, or as good as.

    So a group is listed once, where sums do not tie.
    """
    members, duals = w.integers[MEMBER], w.duals
    least = 0.0
    for i in range(size):
        row = last if i == size - 1 else members[i]
        total = 0.0
        for j in range(size):
            other = last if j == size - 1 else members[j]
            if other != row:
                total += w.gaps[row, other] / size - (duals[row] + duals[other]) / (size - 1)
        if i == 0:
            least = total
        elif total < least - TIED:
            return False
    return True


@steps
def price_root(
    w: PricingBuffers, root: int, size: int, limit: float, most: int, listing: bool,
    found: Integers, figures: Floats,
) -> int:  # fmt: skip
    """Search all groups of a size from one root; return how many branches were made.

    Not listing, found[0] OUT is the best group below `limit`; listing, found OUT has all groups
    below it, while there is room. figures OUT: the best reduced cost (or limit), the least that may
    have been missed where `most` branches were not enough (or what the best is), how many groups.
    w IN/OUT.
    """
    integers, numbers = w.integers, w.numbers
    best, missed, listed, branches = limit, limit, 0, 0
    made = 0
    count = candidates_of(w, root, size, 2.0 * limit / size)
    if count >= size - 1:
        made = 1
        integers[MEMBER, 0], integers[COUNT, 1], integers[AT, 1] = root, count, 0
        numbers[ROW, 1], numbers[COST, 1], numbers[PRICE, 1] = 0.0, -w.duals[root], 0.0
        count_in_cuts(w, root, 1)
    while made > 0:
        at, rest = integers[AT, made], size - made
        row_total = numbers[ROW, made]
        if at + rest <= integers[COUNT, made]:
            for i in range(rest):
                row_total += w.keys[made, at + i]
        else:
            row_total = FAR
        if row_total >= 2.0 * best / size or branches >= most:
            if row_total < 2.0 * best / size:  # left though something might be here
                spent = numbers[COST, made] + numbers[PRICE, made]
                spent += rest_at_least(w, made, size, at)
                missed = min(missed, max(spent, 0.5 * size * row_total))
            made -= 1
            count_in_cuts(w, integers[MEMBER, made], -1)
            continue
        integers[AT, made] = at + 1
        row = w.candidates[made, at]
        branches += 1
        cost, price = numbers[COST, made] + w.costs[made, at], numbers[PRICE, made]
        for i in range(w.cut_starts[row], w.cut_starts[row + 1]):
            name = w.cut_names[i]
            parts = w.cut_counts[name] % w.cut_parts[name] + w.cut_shares[i]
            if parts >= w.cut_parts[name]:  # no record counts whole: once more
                price += w.cut_prices[name]
        if rest == 1:
            if cost + price < best and (not listing or is_least_row(w, size, row)):
                if listed < found.shape[0]:
                    for i in range(size - 1):
                        found[listed, i] = integers[MEMBER, i]
                    found[listed, size - 1] = row
                if listing:
                    listed += 1
                else:
                    best = cost + price
            continue
        count = follow(w, made, size, at, cost + price, best)
        if count > 0:
            integers[MEMBER, made] = row
            count_in_cuts(w, row, 1)
            numbers[ROW, made + 1] = numbers[ROW, made] + w.keys[made, at]
            made += 1
            integers[COUNT, made], integers[AT, made] = count, 0
            numbers[COST, made], numbers[PRICE, made] = cost, price
    figures[0], figures[1], figures[2] = best, min(best, missed), listed
    return branches


@loop
def price(
    w: PricingBuffers, start: int, step: int, size: int, limit: float, most: int, listing: bool,
    found: Integers, figures: Floats, branches: Integers,
) -> int:  # fmt: skip
    """Price the roots start, start + step, ...: each one's best group below `limit`, or list all.

    found OUT: (n, at least size), a row a root; listing, (room, at least size), each group once.
    figures OUT (n, 3) and branches OUT (n) are as of `price_root`. Returns how many groups were
    listed, or -1 where the room or `most` branches of a root were not enough.
    """
    count = 0
    for root in range(start, w.gaps.shape[0], step):
        own = found[count:] if listing else found[root:]
        branches[root] = price_root(w, root, size, limit, most, listing, own, figures[root])
        if listing:
            count += int(figures[root, 2])
            if branches[root] >= most or count > found.shape[0]:
                return -1
    return count


@part
def next_member(w: PricingBuffers, divisor: float) -> int:
    """Return the record outside a growing group that costs least, or -1; costs[0] has its sums."""
    sums, taken, duals = w.costs[0], w.candidates[0], w.duals
    best, who = FAR, -1
    for row in range(sums.shape[0]):
        cost = sums[row] / divisor - duals[row]
        if taken[row] == 0 and cost < best:
            best, who = cost, row
    return who


@part
def take(w: PricingBuffers, row: int, by: int) -> float:
    """Take a record into a growing group (by = 1) or out (-1); return its sum over the others."""
    sums = w.costs[0]
    own = sums[row]
    for other in range(sums.shape[0]):
        sums[other] += by * w.gaps[row, other]
    w.candidates[0, row] = 1 if by > 0 else 0
    return own  # type: ignore[no-any-return]


@steps
def grow_root(w: PricingBuffers, root: int, k: int, found: Integers) -> float:
    """Grow a group greedily from a root, then exchange members while that gains.

    Returns its reduced cost without cuts. found OUT: its members, then -1; w IN/OUT.
    """
    duals, members = w.duals, w.integers[MEMBER]
    for row in range(duals.shape[0]):
        w.costs[0, row], w.candidates[0, row] = 0.0, 0
    pairs, dual, best, size = 0.0, 0.0, FAR, 0
    row, count = root, 0
    while row >= 0 and count < 2 * k - 1:
        pairs += take(w, row, 1)
        dual += duals[row]
        members[count] = row
        count += 1
        if count >= k and pairs / count - dual < best:
            best, size = pairs / count - dual, count
        size_then = max(count + 1.0, k + 0.0)  # as if its other pairs were like those so far
        row = next_member(w, count * size_then / (size_then - 1.0))
    while count > size:
        count -= 1
        take(w, members[count], -1)
    improved = size > 0
    while improved:
        improved = False
        for i in range(1, size):
            old = members[i]
            take(w, old, -1)
            new = next_member(w, size + 0.0)
            change = (w.costs[0, new] - w.costs[0, old]) / size - duals[new] + duals[old]
            better = change < -1e-9
            members[i] = new if better else old
            take(w, members[i], 1)
            best += change if better else 0.0
            improved = improved or better
    for i in range(found.shape[0]):
        found[i] = members[i] if i < size else -1
    return best


@loop
def grow(
    w: PricingBuffers, start: int, step: int, k: int, found: Integers, reduced: Floats
) -> None:
    """Grow a group from the roots start, start + step, ...

    found OUT (n, 2k - 1), reduced OUT (n): see `grow_root`.
    """
    for root in range(start, w.gaps.shape[0], step):
        reduced[root] = grow_root(w, root, k, found[root])
