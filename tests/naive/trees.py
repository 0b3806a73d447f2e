"""What moves between groups of categories, numbers and missing cells change, by definition.

A tree is a dict of parents by label with the set of the labels that are values, or ("range", least,
greatest) of whole numbers with nothing. Nothing is imported from shoal.
"""

from __future__ import annotations

from fractions import Fraction

from naive.mixed import ancestors, common, is_range


def column_loss(tree, values, cells):
    """ILoss of a group's cells in a column: those that were there and are not released as such."""
    present = [cell for cell in cells if cell is not None]
    if is_range(tree):
        _, low, high = tree
        if len(present) < len(cells):
            return Fraction(len(present))
        if min(cells) == max(cells):
            return Fraction(0)
        return Fraction(max(cells) - min(cells) + 1, high - low + 1) * len(cells)
    node = common(tree, cells)
    changed = sum(cell != node for cell in present)
    below = sum(node in ancestors(tree, value) for value in values)
    return Fraction(below, len(values)) * changed


def group_loss(trees, weights, records, rows):
    """The weighted ILoss of a group."""
    return sum(
        weight * column_loss(*tree, [records[row][j] for row in rows])
        for j, (tree, weight) in enumerate(zip(trees, weights, strict=True))
    )


def total_loss(trees, weights, records, labels):
    """The weighted ILoss of all groups."""
    return sum(group_loss(trees, weights, records, rows) for rows in members(labels).values())


def members(labels):
    """The rows of every group."""
    found = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return found


def best_move(trees, weights, records, labels, k, most):
    """The largest gain of any shift or swap, tried one by one; 0 where none gains."""
    groups = members(labels)
    known = {}

    def loss(rows):
        key = tuple(sorted(rows))
        if key not in known:
            known[key] = group_loss(trees, weights, records, key)
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
