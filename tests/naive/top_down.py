"""Splitting from the top down by definition, on tables of few records.

Records, trees and weights are as in `naive.trees`; columns are in the order in which ties go. Sets
of more than 48 records are not split here: ranges have bins of several values there.
"""

from __future__ import annotations

import math

from naive.mixed import ancestors, common, is_range
from naive.trees import group_loss

ROUNDS, FIRST, GROWTH, POWER = 7, 1.25, 1.4, 0.9
TIE = 1e-9


def top_down(trees, weights, records, k, rank, survey=None):
    """The groups, as lists of rows. `rank(j, label)` is the place of a label in a tree.

    `survey` says how much each record counts.
    """
    every = list(range(len(records)))
    survey = survey or [1] * len(records)
    if len(every) < 2 * k:
        return [every]

    def cost(rows):
        return float(group_loss(trees, weights, records, rows, survey))

    def priced(price):
        return lambda rows: price * float(sum(survey[row] for row in rows))

    strict, _ = split_all(trees, records, every, k, priced(math.inf), cost, rank)
    price = FIRST * sum(map(cost, strict)) / float(sum(survey))
    groups, left = [], every
    for number in range(1, ROUNDS + 1):
        made, left = split_all(
            trees, records, left, k, priced(math.inf if number == ROUNDS else price), cost, rank
        )
        groups += made
        if len(left) < 2 * k:
            break
        price *= GROWTH
    if len(left) >= k:
        return [*groups, left]
    if not groups:
        return [every]

    def code(row):
        cells = enumerate(records[row])
        ranks = [(-1 if cell is None else cell) if is_range(trees[j][0]) else rank(j, cell)
                 for j, cell in cells]  # fmt: skip
        return ranks[::-1]

    def span(group):
        every = list(zip(*map(code, group), strict=True))
        held = sum(survey[row] for row in group)
        return held, [min(codes) for codes in every], [max(codes) for codes in every]

    groups = [list(group) for group in sorted(groups, key=span)]
    for row in sorted(left, key=lambda row: (code(row), survey[row], row)):
        costs = [round(cost([*group, row]) - cost(group), 9) for group in groups]
        groups[costs.index(min(costs))].append(row)
    return groups


def split_all(trees, records, rows, k, price, cost, rank):
    """The sets that no split gains on, and the rows left over."""
    stack, groups, left = [rows], [], []
    while stack:
        here = stack.pop()
        found = best_split(trees, records, here, k, price, cost, rank)
        if found is None:
            groups.append(here)
        for part in found or ():
            if len(part) >= k:
                stack.append(part)
            else:
                left += part
    return groups, left


def best_split(trees, records, rows, k, price, cost, rank):
    """The parts of the best split of a set; None if none gains."""
    best, found = 0.0, None
    if len(rows) <= k or cost(rows) == 0:
        return None
    for j, (tree, _) in enumerate(trees):
        for parts in splits(tree, records, rows, j, k, rank):
            gain = cost(rows) - sum(cost(part) if len(part) >= k else price(part) for part in parts)
            spread = sum(len(part) * math.log(len(rows) / len(part)) for part in parts)
            if gain > 1e-9 and gain / spread**POWER > best * (1 + TIE):
                best, found = gain / spread**POWER, parts
    return found


def splits(tree, records, rows, j, k, rank):
    """All splits of a set by a column, in the order in which ties go."""
    cells = [records[row][j] for row in rows]
    if len(set(cells)) == 1:
        return
    if is_range(tree):
        values = sorted(set(cells), key=lambda cell: -math.inf if cell is None else cell)
        for cut in range(1, len(values)):
            below = [row for row in rows if records[row][j] in values[:cut]]
            yield below, [row for row in rows if row not in below]
        return
    top = common(tree, cells)
    bins = {}
    for row in rows:
        bins.setdefault(child(tree, top, records[row][j]), []).append(row)
    bins = dict(sorted(bins.items(), key=lambda item: rank(j, item[0])))
    for part in bins.values():
        yield part, [row for row in rows if row not in part]
    large = [part for part in bins.values() if len(part) >= k]
    small = [row for part in bins.values() if len(part) < k for row in part]
    if len(bins) > 2 and large:
        yield (*large, small) if small else tuple(large)


def child(tree, top, cell):
    """The label right below `top` that holds a cell; `top` where the cell is that, or missing."""
    path = ancestors(tree, cell) if cell is not None else [top]
    return path[path.index(top) - 1] if path.index(top) else top
