"""Models of sensitive values and further attacks, by loops over records, in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations

from naive import measuring


def share(values, value):
    """The share of a value."""
    return Fraction(sum(1 for one in values if one == value), len(values))


def gain(part, whole):
    """The largest (q - p) / p of a value of some records, 0 where none gains."""
    return max([Fraction(0), *(share(part, v) / share(whole, v) - 1 for v in set(part))])


def is_like(part, whole, beta, kind):
    """Whether no value gains more than basic or enhanced β-likeness lets it."""
    for value in set(part):
        p = share(whole, value)
        gained = (share(part, value) - p) / p
        most = Fraction(str(beta))
        if kind == "enhanced":
            most = min(most, Fraction(-math.log(p)))
        if gained > max(most, 0):
            return False
    return True


def change(part, whole):
    """The largest |ln(q / p)| of any value of all; infinite where one is not among some."""
    largest = 0.0
    for value in set(whole):
        if value not in part:
            return math.inf
        largest = max(largest, abs(math.log(share(part, value) / share(whole, value))))
    return largest


def change_of_present(part, whole):
    """The largest |ln(q / p)| of the values that are there."""
    return max(abs(math.log(share(part, v) / share(whole, v))) for v in set(part))


def width(numbers):
    """From the least number to the greatest, as they are written."""
    exact = [Fraction(str(number)) for number in numbers]
    return max(exact) - min(exact) if exact else Fraction(0)


def by_class(release, values):
    """The values of every class, those that are missing left out."""
    return [[values[i] for i in rows if values[i] is not None]
            for rows in measuring.classes(release)]  # fmt: skip


def best_assignments(costs):
    """All one-to-one assignments with the least sum, by trying every permutation."""
    rows, columns = len(costs), len(costs[0])
    sums = {
        chosen: math.fsum(costs[i][j] for i, j in enumerate(chosen))
        for chosen in permutations(range(columns), rows)
    }
    least = min(sums.values())
    return least, [chosen for chosen, total in sums.items() if total <= least + 1e-9]


def distances(original, release, numbers, columns):
    """The distance of every original from every released record, by some columns."""
    s = measuring.spreads(original, numbers)
    return [
        [math.sqrt(measuring.squared_distance(mine, theirs, numbers, s, columns))
         for theirs in release]
        for mine in original
    ]  # fmt: skip


def assignment_linkage(original, release, numbers):
    """The most that a best assignment links, in percent, by trying every permutation."""
    costs = distances(original, release, numbers, range(len(numbers)))
    _, best = best_assignments(costs)
    size = {tuple(row): sum(1 for other in release if other == row) for row in release}
    kinds = [[j for j, other in enumerate(original) if other == mine] for mine in original]

    def chance(i, j):
        alike = sum(1 for other in kinds[i] if release[other] == release[j])
        return alike / len(kinds[i]) / size[tuple(release[j])]

    links = (math.fsum(chance(i, j) for i, j in enumerate(chosen)) for chosen in best)
    return 100 * max(links) / len(original)


def nearest(row):
    """The records that are nearest, all that tie."""
    least = min(row)
    return [j for j, apart in enumerate(row) if apart <= least * (1 + 1e-9) + 1e-9]


def partial_linkage(original, release, numbers):
    """The share that is linked by each set of some columns, in percent."""
    size = min(3, len(numbers) - 1)
    shares = {}
    for some in combinations(range(len(numbers)), size) if size else ():
        chances = []
        for i, row in enumerate(distances(original, release, numbers, some)):
            near = nearest(row)
            chances.append(Fraction(i in near, len(near)))
        shares[some] = 100 * float(sum(chances) / len(chances))
    return shares


def nearest_inference(original, release, numbers, values):
    """How much oftener the most frequent value of the nearest records is right, in percent."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    chances = []
    for i, row in enumerate(distances(original, release, numbers, range(len(numbers)))):
        if values[i] is None:
            continue
        there = [values[j] for j in nearest(row) if values[j] is not None]
        most = max((there.count(v) for v in there), default=0)
        modes = {v for v in there if there.count(v) == most}
        chances.append(Fraction(values[i] in modes, max(1, len(modes))))
    base = max(known.count(v) for v in known)
    return 100 * float(sum(chances) / len(chances) - Fraction(base, len(known)))
