"""Twins of k-member and KAIM: trees as plain dicts, every cost from scratch.

A tree is {node: parent} and its root has the parent None; a cell that is None is missing, and
stands for the root; a numeric column without a tree is ("range", low, high).
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

TOLERANCE = Fraction(1, 10**9)


def is_range(tree):
    """Whether a column is numeric and has no tree."""
    return isinstance(tree, tuple)


def root_of(tree):
    """The one node without a parent."""
    (root,) = [node for node, parent in tree.items() if parent is None]
    return root


def ancestors(tree, node):
    """The node itself, its parent, and so on up to the root."""
    path = [root_of(tree) if node is None else node]
    while tree[path[-1]] is not None:
        path.append(tree[path[-1]])
    return path


def common(tree, nodes):
    """The lowest node that is on the path of every one of the nodes."""
    paths = [ancestors(tree, node) for node in nodes]
    return next(node for node in paths[0] if all(node in path for path in paths))


def leaves(tree, node):
    """The leaves under a node; a leaf is its own."""
    node = root_of(tree) if node is None else node
    parents = set(tree.values())
    return [leaf for leaf in tree if leaf not in parents and node in ancestors(tree, leaf)]


def height(tree, node):
    """The edges of the longest way down from a node to a leaf."""
    return max(ancestors(tree, leaf).index(node) for leaf in leaves(tree, node))


def information(tree, column, node):
    """Info of a node: minus the sum of p log p over its leaves, p a share of all records."""
    counts = Counter(column)
    shares = [counts[leaf] / len(column) for leaf in leaves(tree, node) if counts[leaf]]
    return math.fsum(-share * math.log(share) for share in shares)


def gen_rate(tree, column, value, above, form):
    """How much information a value loses as it becomes the node above it."""
    least_share = 1 / len(column)
    before, after = information(tree, column, value), information(tree, column, above)
    base = {"root": information(tree, column, None), "paper": before}[form]
    base += abs(least_share * math.log(least_share))
    return (after - before) / base if base else 0.0


def distance_to_group(trees, columns, weights, record, generalized, size, form, own_size=1):
    """D of a record and a group: what the record and all members lose as it joins.

    Sizes are what the members and the record weigh.
    """
    terms = []
    for tree, column, weight, cell, node in zip(
        trees, columns, weights, record, generalized, strict=True
    ):
        above = common(tree, [cell, node])
        own = gen_rate(tree, column, cell, above, form)
        theirs = gen_rate(tree, column, node, above, form)
        terms.append(weight * (own_size * own + size * theirs))
    return math.fsum(terms)


def tied(costs):
    """The keys whose cost is the least, or so near it that only rounding may tell them apart."""
    least = min(costs.values())
    # A float and a Fraction do not mix exactly, so the tolerance takes the kind of the costs.
    tolerance = type(least)(TOLERANCE)
    return [key for key, cost in costs.items() if cost - least <= tolerance * (1 + least)]


def cheapest_record(records, costs):
    """The row of least cost; of equals, the tuple seen first in the table, then the lowest row."""
    return min(tied(costs), key=lambda row: (records.index(records[row]), row))


def farthest_record(records, distances):
    """The row of greatest distance; equals as for the cheapest."""
    most = max(distances.values())
    near = [row for row, far in distances.items() if most - far <= TOLERANCE * (1 + most)]
    return min(near, key=lambda row: (records.index(records[row]), row))


def cheapest_group(costs):
    """The group of least cost; of equals, the lowest number."""
    return min(tied(costs))


def labels_of(groups, count):
    """The number of the group of every row."""
    labels = [None] * count
    for number, group in enumerate(groups):
        for row in group:
            labels[row] = number
    return labels


def common_record(trees, records):
    """The common generalization of some records: one node a column."""
    cells = zip(*records, strict=True)
    return tuple(common(tree, column) for tree, column in zip(trees, cells, strict=True))


def grow_groups(records, k, start, cost, leftover_order):
    """Groups of k from given starts, each grown by the least cost, then the left-over records."""
    remaining = list(range(len(records)))
    groups = []
    for _ in range(len(records) // k):
        first = start(list(remaining))
        remaining.remove(first)
        group = [first]
        while len(group) < k:
            row = cheapest_record(records, {row: cost(row, group) for row in remaining})
            remaining.remove(row)
            group.append(row)
        groups.append(group)
    for row in leftover_order(list(remaining)):
        number = cheapest_group({number: cost(row, group) for number, group in enumerate(groups)})
        groups[number].append(row)
    return labels_of(groups, len(records))


def kaim(trees, records, k, weights, form, starts, leftover_order, survey=None):
    """KAIM: groups of k grown by least D from given starts, then the left-over records.

    By `survey` weights it is D for what a record weighs.
    """
    columns = list(zip(*records, strict=True))
    survey = survey or [1] * len(records)

    def cost(row, group):
        generalized = common_record(trees, [records[member] for member in group])
        held = sum(survey[member] for member in group)
        return distance_to_group(
            trees, columns, weights, records[row], generalized, held, form, survey[row]
        ) / survey[row]  # fmt: skip

    return grow_groups(list(zip(records, survey, strict=True)), k, starts, cost, leftover_order)


def spread(tree, cells):
    """How much of a column some cells span together, from 0 to 1."""
    if is_range(tree):
        _, low, high = tree
        if any(cell is None for cell in cells):
            return Fraction(1)
        if high == low:
            return Fraction(0)
        width = Fraction(max(cells)) - Fraction(min(cells))
        return width / (Fraction(high) - Fraction(low))
    tallest = height(tree, root_of(tree))
    return Fraction(height(tree, common(tree, cells)), tallest) if tallest else Fraction(0)


def spread_of_records(trees, weights, records):
    """The weighted sum over columns of what some records span together."""
    cells = zip(*records, strict=True)
    return sum(
        (
            Fraction(weight) * spread(tree, column)
            for tree, weight, column in zip(trees, weights, cells, strict=True)
        ),
        Fraction(0),
    )


def k_member(trees, records, k, weights, first, leftover_order=sorted):
    """k-member: groups of k grown by least rise of loss, each started far from the last start."""
    starts = []

    def loss(rows):
        return len(rows) * spread_of_records(trees, weights, [records[row] for row in rows])

    def rise(row, group):
        return loss([*group, row]) - loss(group)

    def start(remaining):
        if not starts:
            starts.append(first)
        else:  # the distance of two records is what the two span together
            last = records[starts[-1]]
            distances = {
                row: spread_of_records(trees, weights, [last, records[row]]) for row in remaining
            }
            starts.append(farthest_record(records, distances))
        return starts[-1]

    return grow_groups(records, k, start, rise, leftover_order)


def group_cells(records, labels, row, j):
    """The cells in column j of all records in the group of a row."""
    return [
        record[j] for record, label in zip(records, labels, strict=True) if label == labels[row]
    ]


def generalize(trees, records, labels):
    """The released records: the common ancestor of the group, and "*" where that is the root."""
    released = []
    for row in range(len(records)):
        cells = []
        for j, tree in enumerate(trees):
            together = group_cells(records, labels, row, j)
            if is_range(tree):
                cells.append(released_range(together))
            else:
                node = common(tree, together)
                cells.append("*" if node == root_of(tree) else node)
        released.append(tuple(cells))
    return released


def released_range(cells):
    """The least and greatest of some numbers, the number itself if all agree, "*" if one lacks."""
    if any(cell is None for cell in cells):
        return "*"
    return cells[0] if min(cells) == max(cells) else (min(cells), max(cells))


def iloss(trees, spans, records, labels, deleted=0):
    """ILossRate of KAIM: the mean cost of a cell, where every cell of a deleted record costs 1."""
    total = Fraction(0)
    for row, record in enumerate(records):
        for j, (tree, span) in enumerate(zip(trees, spans, strict=True)):
            node = common(tree, group_cells(records, labels, row, j))
            if record[j] is None or record[j] == node:
                continue
            if span is None:
                total += Fraction(len(leaves(tree, node)), len(leaves(tree, None)))
            else:
                _, bounds, lowest, highest = span
                low, high = bounds[node]
                width = Fraction(high) - Fraction(low) + 1
                total += min(Fraction(1), width / (Fraction(highest) - Fraction(lowest) + 1))
    total += deleted * len(trees)
    return float(total / ((len(records) + deleted) * len(trees)))


def ncp(trees, records, labels):
    """The normalized certainty penalty, as a mean over all cells."""
    total = Fraction(0)
    for row, record in enumerate(records):
        for j, tree in enumerate(trees):
            if record[j] is None:
                continue
            together = group_cells(records, labels, row, j)
            if is_range(tree):
                total += spread(tree, together)
                continue
            node = common(tree, together)
            every = len(leaves(tree, None))
            if record[j] != node and every > 1:
                total += Fraction(len(leaves(tree, node)) - 1, every - 1)
    return float(total / (len(records) * len(trees)))


def discernibility(labels):
    """The sum of the squared sizes of the groups."""
    return sum(size**2 for size in Counter(labels).values())


def average_class_size(labels, k):
    """The mean size of a group, in units of k."""
    return float(Fraction(len(labels), len(set(labels)) * k))


def non_uniform_entropy(trees, records, labels):
    """The bits lost: for every cell, how unsure the released node leaves its original value."""
    released = generalize(trees, records, labels)
    bits = []
    for record, release in zip(records, released, strict=True):
        for j, tree in enumerate(trees):
            if record[j] is None:
                continue
            present = [other[j] for other in records if other[j] is not None]
            covered = [value for value in present if covers(tree, release[j], value)]
            bits.append(-math.log2(present.count(record[j]) / len(covered)))
    return math.fsum(bits)


def covers(tree, released, original):
    """Whether a released label may stand for an original value."""
    if released == "*":
        return True
    if is_range(tree):
        low, high = released if isinstance(released, tuple) else (released, released)
        return original is not None and low <= original <= high
    return released in ancestors(tree, original)


def range_loss(rows, groups):
    """ILoss in percent of floats released as [least, greatest]: mean width over the column's.

    To every width one step is added, the last digit that a value of the column is written with; of
    a group of one value there is nothing to lose.
    """
    lost = Fraction(0)
    for column in zip(*rows, strict=True):
        exact = [Fraction(repr(value)) for value in column]
        step = Fraction(1)
        while any((value / step).denominator != 1 for value in exact):
            step /= 10
        whole = max(exact) - min(exact) + step
        for group in groups:
            inside = [exact[row] for row in group]
            width = max(inside) - min(inside)
            lost += len(group) * (width + step) / whole if width else 0
    return float(100 * lost / (len(rows) * len(rows[0])))
