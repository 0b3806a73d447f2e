"""What moves between groups of categories, numbers and missing cells change, by definition.

A tree is a dict of parents by label with the set of the labels that are values, or ("range", least,
greatest) of whole numbers with nothing. Nothing is imported from shoal.
"""

from __future__ import annotations

from fractions import Fraction

from naive.mixed import ancestors, common, is_range


def cell_losses(tree, values, cells):
    """ILoss of every cell of a group: of those that were there and are not released as such."""
    if is_range(tree):
        _, low, high = tree
        if None in cells:
            return [Fraction(cell is not None) for cell in cells]
        wide = Fraction(max(cells) - min(cells) + 1, high - low + 1)
        return [wide if min(cells) < max(cells) else Fraction(0)] * len(cells)
    node = common(tree, cells)
    below = sum(node in ancestors(tree, value) for value in values)
    return [Fraction(below, len(values)) * (cell not in (None, node)) for cell in cells]


def group_loss(trees, weights, records, rows, survey=None):
    """The ILoss of a group, by weights of columns and survey weights of records."""
    return sum(
        weight * sum(
            lost * (1 if survey is None else survey[row])
            for row, lost in zip(rows, cell_losses(*tree, [records[row][j] for row in rows]),
                                 strict=True)
        )
        for j, (tree, weight) in enumerate(zip(trees, weights, strict=True))
    )  # fmt: skip


def total_loss(trees, weights, records, labels, survey=None):
    """The weighted ILoss of all groups."""
    every = members(labels).values()
    return sum(group_loss(trees, weights, records, rows, survey) for rows in every)


def members(labels):
    """The rows of every group."""
    found = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return found


def best_move(trees, weights, records, labels, k, most, survey=None):
    """The largest gain of any shift or swap, tried one by one; 0 where none gains."""
    groups = members(labels)
    known = {}

    def loss(rows):
        key = tuple(sorted(rows))
        if key not in known:
            known[key] = group_loss(trees, weights, records, key, survey)
        return known[key]

    best = Fraction(0)
    for one, here in groups.items():
        for two, there in groups.items():
            if one == two:
                continue
            both = loss(here) + loss(there)
            for x in here:
                left = [row for row in here if row != x]
                if len(here) > k and len(there) < most:
                    best = max(best, both - loss(left) - loss([*there, x]))
                for y in there if one < two else []:
                    rest = [row for row in there if row != y]
                    best = max(best, both - loss([*left, y]) - loss([*rest, x]))
    return best
