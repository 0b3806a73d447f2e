"""Full-domain recoding by brute force: every combination of levels, in exact arithmetic.

A column is `paths`, the labels of each value from itself up to "*", and `lost`, what a value loses
as a label (0 to 1). A cell that is None is missing: "*" at every level, and nothing lost. Nothing
is imported from shoal.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product


def of_paths(paths):
    """A column of categories by the paths of its file: a label loses the share of values below."""
    below = Counter(label for path in paths for label in set(path))
    own = {path[0]: list(path) for path in paths}

    def lost(value, label):
        return Fraction(0) if label == value else Fraction(below[label], len(own))

    return own, lost


def of_numbers(cells):
    """A column of numbers without a hierarchy: halves of halves of the records, down to values.

    A label is (least, greatest) and loses its width, with one step of the last digit, of all.
    """
    counts = Counter(cell for cell in cells if cell is not None)
    values, above = sorted(counts), {value: [] for value in counts}
    open_ = [values]
    while open_:
        block = open_.pop()
        for value in block:
            above[value].append(_label(block, values))
        if len(block) > 1:
            cut = _middle([counts[value] for value in block])
            open_ += [block[:cut], block[cut:]]
    depth = max([2, *map(len, above.values())])
    paths = {
        value: [value] * (depth - len(path)) + path[::-1] if len(values) > 1 else [value, "*"]
        for value, path in above.items()
    }
    exact = [Fraction(repr(value)) for value in values]
    step = Fraction(1)
    while any((value / step).denominator != 1 for value in exact):
        step /= 10
    whole = max(exact) - min(exact) + step if exact else step

    def lost(value, label):
        if label == value:
            return Fraction(0)
        if label == "*":
            return Fraction(1)
        return (Fraction(repr(label[1])) - Fraction(repr(label[0])) + step) / whole

    return paths, lost


def _label(block, values):
    if len(block) == 1:
        return block[0]
    return "*" if len(block) == len(values) else (block[0], block[-1])


def _middle(counts):
    """Where a block is cut: after the first values that hold half of its records."""
    for cut in range(1, len(counts) - 1):
        if 2 * sum(counts[:cut]) >= sum(counts):
            return cut
    return len(counts) - 1


def recoded(columns, records, levels):
    """The records at a level of each column."""
    return [
        tuple(
            "*" if cell is None else paths[cell][level]
            for cell, (paths, _), level in zip(record, columns, levels, strict=True)
        )
        for record in records
    ]


def loss(columns, records, levels, weights, kept, survey=None):
    """The weighted loss of all records: of those that are not kept, everything."""
    total = Fraction(0)
    for record, stays, own in zip(records, kept, survey or [1] * len(records), strict=True):
        for cell, (paths, lost), level, weight in zip(
            record, columns, levels, weights, strict=True
        ):
            if not stays:
                total += own * weight
            elif cell is not None:
                total += own * weight * lost(cell, paths[cell][level])
    return total


def combinations(columns):
    """All combinations of levels."""
    return product(*(range(len(next(iter(paths.values()), ["*"]))) for paths, _ in columns))


def full_domain(columns, records, k, spare=0, weights=None, keeps=lambda keys: True, survey=None):
    """The least loss of any combination of levels, and one of them.

    Classes have k records, but for `spare` records at most, which are left out; `keeps` says of the
    released records whether all else that is asked is kept.
    """
    weights = weights or [Fraction(1)] * len(columns)
    best = None
    for levels in combinations(columns):
        keys = recoded(columns, records, levels)
        sizes = Counter(keys)
        kept = [sizes[key] >= k for key in keys]
        if len(kept) - sum(kept) > spare or not any(kept) or not keeps(keys):
            continue
        found = loss(columns, records, levels, weights, kept, survey)
        if best is None or found < best[0]:
            best = found, levels
    return best


def loss_rate(columns, records, levels, k):
    """ILoss in percent of a combination of levels, of whose records small classes are left out."""
    keys = recoded(columns, records, levels)
    sizes = Counter(keys)
    kept = [sizes[key] >= k for key in keys]
    lost = loss(columns, records, levels, [Fraction(1)] * len(columns), kept)
    return float(100 * lost / (len(records) * len(columns)))
