"""Slow twins of paths, cuts and trees: plain loops, nothing imported from the library.

`data` is a `naive.Floats` or a `naive.Exact`; groups are lists of rows.
"""

from __future__ import annotations

from fractions import Fraction

from naive.fixed_size import mdav
from naive.refine import by_falling_sse, split_large

TIE = 1e-12  # of a loss: what floats may round


def written(matrix):
    """Rows of fractions as they are written on paper: 3/7, not the float nearest to it."""
    return [[Fraction(value).limit_denominator(1000) for value in row] for row in matrix.tolist()]


def loss(data, group):
    """SSE of a group, in the units of the data's distances."""
    center = data.centroid(group)
    return sum(data.distance(row, center) for row in group)


def optimal_1d(values, k):
    """Hansen and Mukherjee's groups of one column in fractions; the leftmost of equal cuts."""
    exact = [Fraction(value) for value in values]
    order = sorted(range(len(exact)), key=lambda row: exact[row])  # stable
    sums, squares = [Fraction(0)], [Fraction(0)]
    for row in order:
        sums.append(sums[-1] + exact[row])
        squares.append(squares[-1] + exact[row] ** 2)

    def run(i, j):
        return squares[j] - squares[i] - (sums[j] - sums[i]) ** 2 / (j - i)

    return _cut(order, k, run, lambda _least: 0)


def cut_path(data, order, k):
    """The runs of k..2k-1 records along a path with the least loss; the leftmost of equal cuts."""
    exact = data.slack(1) == 0

    def run(i, j):
        return loss(data, order[i:j])

    return _cut(order, k, run, lambda least: 0 if exact else TIE * least)


def _cut(order, k, run, tolerance):
    least, cuts = [0], [0]
    for j in range(1, len(order) + 1):
        found = [
            (least[i] + run(i, j), i)
            for i in range(max(0, j - 2 * k + 1), j - k + 1)
            if least[i] is not None
        ]
        best = min(found)[0] if found else None
        least.append(best)
        cuts.append(next((i for value, i in found if value <= best + tolerance(best)), None))
    groups, j = [], len(order)
    while j:
        groups.insert(0, list(order[cuts[j] : j]))
        j = cuts[j]
    return groups


def hilbert(data):
    """The rows along a Hilbert curve of 16 bits an attribute, by Skilling's transform."""
    bits, width = 16, len(data.rows[0])
    columns = []
    for column in zip(*data.rows, strict=True):
        values = [Fraction(value) for value in column]
        low, span = min(values), max(values) - min(values)
        cells = []
        for value in values:
            place = (value - low) / span * 2**bits if span else Fraction(0)
            whole = round(place)
            near = abs(place - whole) <= Fraction(1, 10**9)
            cells.append(min(2**bits - 1, whole if near else place.__floor__()))
        columns.append(cells)

    def key(row):
        axes = [cells[row] for cells in columns]
        for level in range(bits - 1, 0, -1):
            bit, mask = 1 << level, (1 << level) - 1
            for j in range(width):
                if axes[j] & bit:
                    axes[0] ^= mask
                else:
                    swap = (axes[0] ^ axes[j]) & mask
                    axes[0] ^= swap
                    axes[j] ^= swap
        for j in range(1, width):
            axes[j] ^= axes[j - 1]
        flip = 0
        for level in range(bits - 1, 0, -1):
            if axes[-1] & (1 << level):
                flip ^= (1 << level) - 1
        axes = [axis ^ flip for axis in axes]
        return [axes[j] >> level & 1 for level in range(bits - 1, -1, -1) for j in range(width)]

    return sorted(range(len(data.rows)), key=lambda row: (key(row), row))


def through_groups(data, groups):
    """A path from group 0 always to the group with the nearest centroid, each group in one run."""
    centers = [data.centroid(group) for group in groups]
    walk, rest = [0], list(range(1, len(groups)))
    while rest:
        here = centers[walk[-1]]
        distances = {g: _between(data, centers[g], here) for g in rest}
        least = min(distances.values())
        walk.append(min(g for g in rest if distances[g] <= least + data.slack(least)))
        rest.remove(walk[-1])
    path = []
    for place, g in enumerate(walk):
        keys, margins = {}, {}
        for row in groups[g]:
            keys[row], margins[row] = 0, 0
            if place > 0:
                before = data.distance(row, centers[walk[place - 1]])
                keys[row] += before
                margins[row] += data.slack(before)
            if place < len(walk) - 1:
                after = data.distance(row, centers[walk[place + 1]])
                keys[row] -= after
                margins[row] += data.slack(after)
        path += _by_key(groups[g], keys, lambda a, b, m=margins: max(m[a], m[b]), lambda row: row)
    return path


def _between(data, a, b):
    """D(a, b) of two points, by way of a record that stands at one of them."""
    data.rows.append(a)
    distance = data.distance(len(data.rows) - 1, b)
    data.rows.pop()
    return distance


def _by_key(items, keys, margin, rank):
    """Items by rising key; where the step to the next is within the margin, both tie."""
    classes = []
    for item in sorted(items, key=lambda item: keys[item]):
        if classes:
            last = classes[-1][-1]
            if keys[item] - keys[last] <= margin(last, item):
                classes[-1].append(item)
                continue
        classes.append([item])
    return [item for tied in classes for item in sorted(tied, key=rank)]


def spanning_tree(data):
    """Prim from row 0: every row's parent and squared distance, the rows in order of joining."""
    count = len(data.rows)
    parents, lengths, order = [-1] * count, [0] * count, [0]
    keys = {row: data.distance(row, data.rows[0]) for row in range(1, count)}
    near = dict.fromkeys(keys, 0)
    while keys:
        least = min(keys.values())
        row = min(r for r, key in keys.items() if key <= least + data.slack(least))
        parents[row], lengths[row] = near[row], keys.pop(row)
        order.append(row)
        for other, key in keys.items():
            distance = data.distance(other, data.rows[row])
            if distance < key - data.slack(key):
                keys[other], near[other] = distance, row
    return parents, lengths, order


def mst(data, k):
    """Parts of the spanning tree, those of 2k and more split, the one with the most loss first."""
    parts = tree_parts(data, k)
    return split_large(data, [parts[number] for number in by_falling_sse(data, parts)], k)


def mdav_mhm(data, k):
    """The best cuts of the path through the groups of mdav."""
    return cut_path(data, through_groups(data, mdav(data, k)), k)


def hilbert_cut(data, k):
    """The best cuts of the Hilbert curve."""
    return cut_path(data, hilbert(data), k)


def optimal(data, k):
    """The optimal groups of data with one attribute that varies."""
    varying = [c for c in zip(*data.rows, strict=True) if min(c) != max(c)]
    return optimal_1d(varying[0] if varying else [0] * len(data.rows), k)


def tree_parts(data, k):
    """Parts of the spanning tree, edges removed longest first where both sides keep k."""
    parents, lengths, order = spanning_tree(data)
    edges = _by_key(
        order[1:],
        {row: -lengths[row] for row in order},
        lambda a, _b: data.slack(lengths[a]),
        order.index,
    )
    kept = {row: parents[row] for row in edges}

    def part(start, without):
        found, fresh = {start}, [start]
        while fresh:
            here = fresh.pop()
            for child, parent in kept.items():
                if child == without:
                    continue
                for one, two in ((child, parent), (parent, child)):
                    if one == here and two not in found:
                        found.add(two)
                        fresh.append(two)
        return sorted(found)

    for row in edges:
        if len(part(row, row)) >= k and len(part(parents[row], row)) >= k:
            del kept[row]
    groups = []
    for row in range(len(data.rows)):
        if not any(row in group for group in groups):
            groups.append(part(row, None))
    return groups
