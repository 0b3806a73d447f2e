"""Twins of the local search: every move tried from scratch, and the formulas beside that."""

from __future__ import annotations

import numpy as np

KINDS = ("shift", "swap")


def sse(matrix, labels):
    """SSE of a grouping: squared distances to the centroids, added."""
    groups = [matrix[labels == group] for group in np.unique(labels)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def sst(matrix):
    """SSE of one group of all."""
    return sse(matrix, np.zeros(len(matrix), dtype=int))


def sse_of_many(matrix, trials):
    """SSE of each of many groupings (m, n), all from scratch."""
    inside = trials[:, None, :] == np.arange(trials.max() + 1)[:, None]
    centers = inside @ matrix / np.maximum(inside.sum(axis=2), 1)[:, :, None]
    own = np.take_along_axis(centers, trials[:, :, None], axis=1)
    return ((matrix - own) ** 2).sum(axis=(1, 2))


def moves(labels, k, most, kinds=KINDS):
    """Every allowed move: ("shift", row, group) and ("swap", row, row)."""
    sizes = np.bincount(labels)
    found = []
    for x, group in enumerate(labels.tolist()):
        if "shift" in kinds and sizes[group] > k:
            found += [("shift", x, j) for j in np.flatnonzero((sizes > 0) & (sizes < most)).tolist()
                      if j != group]  # fmt: skip
        if "swap" in kinds:
            found += [("swap", x, y) for y in range(x + 1, len(labels)) if labels[y] != group]
    return found


def moved(labels, move):
    """The grouping after a move."""
    kind, x, other = move
    after = labels.copy()
    if kind == "shift":
        after[x] = other
    else:
        after[[x, other]] = labels[[other, x]]
    return after


def changes(matrix, labels, k, most, kinds=KINDS):
    """Every allowed move, and what each changes SSE by, from scratch."""
    every = moves(labels, k, most, kinds)
    if not every:
        return [], np.zeros(0)
    before = sse_of_many(matrix, labels[None, :])[0]
    return every, sse_of_many(matrix, np.array([moved(labels, move) for move in every])) - before


def best_move(matrix, labels, k, most, kinds=KINDS):
    """The move that gains most and its change; (None, 0.0) where none is allowed."""
    every, change = changes(matrix, labels, k, most, kinds)
    if not every:
        return None, 0.0
    best = int(change.argmin())
    return every[best], float(change[best])


def tolerance(matrix, share=1e-9):
    """What counts as no change: a share of SST, or rounding where all records are equal."""
    return share * sst(matrix) + 1e-25 * float(np.abs(matrix).max()) ** 2


def improves(matrix, labels, k, most, kinds=KINDS):
    """Whether some allowed move gains."""
    return best_move(matrix, labels, k, most, kinds)[1] < -tolerance(matrix)


def local_search(matrix, labels, k, most, kinds=KINDS):
    """LS, plainly: the best of all moves until none gains. The grouping, and all (move, change)."""
    made = []
    while True:
        move, change = best_move(matrix, labels, k, most, kinds)
        if move is None or change >= -tolerance(matrix, 1e-11):
            return labels, made
        labels = moved(labels, move)
        made.append((move, change))


def center(matrix, labels, group):
    """The centroid of a group."""
    return matrix[labels == group].mean(axis=0)


def squared(a, b):
    """D of two points."""
    return float(((a - b) ** 2).sum())


def radius(matrix, labels, group):
    """The largest distance of a member from the centroid."""
    apart = matrix[labels == group] - center(matrix, labels, group)
    return float(np.sqrt((apart**2).sum(axis=1).max()))


def shift_change(matrix, labels, x, j):
    """The shift test: what x changes SSE by as it goes to group j; it gains below 0."""
    i = labels[x]
    a, b = np.count_nonzero(labels == i), np.count_nonzero(labels == j)
    stay = a / (a - 1) * squared(matrix[x], center(matrix, labels, i))
    return b / (b + 1) * squared(matrix[x], center(matrix, labels, j)) - stay


def swap_change(matrix, labels, x, y):
    """The swap test: what x and y change SSE by as they change places; they gain below 0."""
    i, j = labels[x], labels[y]
    a, b = np.count_nonzero(labels == i), np.count_nonzero(labels == j)
    one, two = center(matrix, labels, i), center(matrix, labels, j)
    after = squared(matrix[x], two) + squared(matrix[y], one)
    before = squared(matrix[x], one) + squared(matrix[y], two)
    return after - before - (1 / a + 1 / b) * squared(matrix[x], matrix[y])


def may_shift(matrix, labels, i, j):
    """Whether a shift from group i to j can gain, as far as the radius of i tells."""
    a, b = np.count_nonzero(labels == i), np.count_nonzero(labels == j)
    between = np.sqrt(squared(center(matrix, labels, i), center(matrix, labels, j)))
    reach = radius(matrix, labels, i)
    return bool(a / (a - 1) * reach**2 > b / (b + 1) * (between - reach) ** 2)


def may_swap(matrix, labels, i, j):
    """Whether a swap between groups i and j can gain, as far as radii tell."""
    between = np.sqrt(squared(center(matrix, labels, i), center(matrix, labels, j)))
    return bool(radius(matrix, labels, i) + radius(matrix, labels, j) > between)


def visit_pair(matrix, one, two, k, enough=1e-11):
    """A visit of the 2020 thesis to two groups, plainly: lists of rows, changed in place.

    Every swap that gains is made at once, then every shift there, then every shift back; a move is
    tried by the SSE of both groups, from scratch. Returns whether any was made.
    """

    def error(*groups):
        return sum(((matrix[g] - matrix[g].mean(axis=0)) ** 2).sum() for g in groups)

    made = False
    for i in range(len(one)):
        for j in range(len(two)):
            before = error(one, two)
            one[i], two[j] = two[j], one[i]
            if error(one, two) < before - enough * before:
                made = True
            else:
                one[i], two[j] = two[j], one[i]
    for here, there in ((one, two), (two, one)):
        for x in here[::-1]:  # the last one takes the place of who goes
            if len(here) <= k:
                break
            rest = [row for row in here if row != x]
            before = error(here, there)
            if error(rest, [*there, x]) < before - enough * before:
                here[here.index(x)] = here[-1]
                here.pop()
                there.append(x)
                made = True
    return made
