"""What a release keeps, by comparing every record with every other, in exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations


def is_star(cell):
    """Whether a cell says nothing."""
    return cell is None or cell in ("", "*")


def matches(reading, theirs, mine):
    """Whether a record with their quasi-identifiers could be the person who has mine."""
    for other, own in zip(theirs, mine, strict=True):
        if reading == "own" and other != own:
            return False
        if reading == "root" and not (is_star(other) or (other == own and not is_star(own))):
            return False
        if reading == "wildcard" and not (is_star(other) or is_star(own) or other == own):
            return False
    return True


def candidates(keys, reading):
    """For every record, the numbers of those that could be the person it is about."""
    return [[i for i, other in enumerate(keys) if matches(reading, other, key)] for key in keys]


def classes(keys):
    """The records of every class, in order of first appearance."""
    found = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.values())


def has_entropy(values, wanted):
    """Whether the product of (n/c)^c is at least l^n, in whole numbers."""
    counts, size = Counter(values), len(values)
    return size > 0 and size**size >= wanted**size * math.prod(c**c for c in counts.values())


def entropy(values):
    """e to the power of the entropy."""
    size = len(values)
    if not size:
        return 0.0
    return math.exp(-sum(c / size * math.log(c / size) for c in Counter(values).values()))


def recursive(values, wanted):
    """The most frequent value's count over that of all from the wanted-th on."""
    counts = sorted(Counter(values).values(), reverse=True)
    rest = sum(counts[wanted - 1 :])
    return Fraction(counts[0], rest) if rest else math.inf


def worst_posterior(values, excluded):
    """The surest belief in a value, over all sets of so many values that are ruled out."""
    counts = Counter(values)
    surest = Fraction(0)
    if not counts:
        return surest
    for out in combinations(counts, min(excluded, len(counts) - 1)):
        left = {value: count for value, count in counts.items() if value not in out}
        surest = max(surest, Fraction(max(left.values()), sum(left.values())))
    return surest


def share(values, value):
    """The share of a value."""
    return Fraction(sum(1 for v in values if v == value), len(values)) if values else Fraction(0)


def equal_distance(part, whole):
    """Half the sum of differences of shares."""
    return sum(abs(share(part, v) - share(whole, v)) for v in set(whole)) / 2


def ordered_distance(part, whole):
    """Differences of cumulated shares, by m - 1; missing values (None) are apart."""
    apart = abs(share(part, None) - share(whole, None))
    part, whole = ([v for v in values if v is not None] for values in (part, whole))
    values = sorted(set(whole))
    if not part or len(values) < 2:
        return apart
    total = below = Fraction(0)
    for value in values[:-1]:
        below += share(part, value) - share(whole, value)
        total += abs(below)
    return max(apart, total / (len(values) - 1))


def hierarchical_distance(part, whole, lines):
    """Li, Li and Venkatasubramanian's sum over inner nodes of height times what they exchange.

    `lines` are the paths of a tree of equal depth; a missing value hangs below its root.
    """
    depth = len(lines[0]) - 1
    paths = {line[0]: tuple(reversed(line)) for line in lines}
    paths[None] = ("*", *["missing"] * depth)
    extra = {paths[v]: share(part, v) - share(whole, v) for v in set(whole)}
    total = Fraction(0)
    for height in range(1, depth + 1):
        above = {}
        for path, more in extra.items():
            above.setdefault(path[:-1], []).append(more)
        for more in above.values():
            gains, losses = sum(x for x in more if x > 0), -sum(x for x in more if x < 0)
            total += Fraction(height, depth) * min(gains, losses)
        extra = {path: sum(more) for path, more in above.items()}
    return total


def composition(ours, theirs, compatible):
    """The candidate sets of all pairs of compatible classes.

    Both are lists of a key and a sensitive value a record.
    """
    sizes = []
    for group in classes([key for key, _ in ours]):
        for other in classes([key for key, _ in theirs]):
            if compatible(ours[group[0]][0], theirs[other[0]][0]):
                mine = Counter(ours[i][1] for i in group)
                its = Counter(theirs[i][1] for i in other)
                sizes.append(sum((mine & its).values()))
    return [size for size in sizes if size]
