"""Classes, ranks and gaps of distributions, record by record."""

from __future__ import annotations

import math
from fractions import Fraction


def classes(columns):
    """Numbers of the combinations of cells, in the order of the first appearance of each cell."""
    codes = []
    for column in columns:
        known = {}
        for cell in column:
            known.setdefault(cell, len(known))
        codes.append([known[cell] for cell in column])
    rows = list(zip(*codes, strict=True))
    places = {row: number for number, row in enumerate(sorted(set(rows)))}
    return [places[row] for row in rows]


def mean_ranks(values, among):
    """The mean rank of each value among others, as a share of them; not-a-number has none."""
    there = [value for value in among if not math.isnan(value)]
    ranks = []
    for value in values:
        below = sum(other < value for other in there)
        upto = sum(other <= value for other in there)
        ranks.append(math.nan if math.isnan(value) else (below + 1 + upto) / 2 / len(there))
    return ranks


def largest_gap(before, after):
    """The largest difference of the shares of numbers up to any number of both."""
    gaps = []
    for x in [*before, *after]:
        shares = [sum(value <= x for value in side) / len(side) for side in (before, after)]
        gaps.append(abs(shares[0] - shares[1]))
    return max(gaps)


def between_ranks(before, after, widths):
    """How many originals are between the released numbers some ranks away, for all widths."""
    ordered = sorted(value for value in after if not math.isnan(value))
    count = 0
    for x, own in zip(before, after, strict=True):
        if math.isnan(own):
            continue
        first = ordered.index(own)
        last = first + ordered.count(own) - 1
        for width in widths:
            reach = math.ceil(Fraction(width * len(ordered), 200))
            low, high = ordered[max(first - reach, 0)], ordered[min(last + reach, len(ordered) - 1)]
            count += low <= x <= high
    return count


def rounded_means(values, labels, unit):
    """The mean of each group as a multiple of a unit, halves to the even neighbor."""
    groups = {}
    for value, label in zip(values, labels, strict=True):
        groups.setdefault(label, []).append(value)
    means = [Fraction(sum(own), len(own) * unit) for _, own in sorted(groups.items())]
    return [round(mean) * unit for mean in means]
