"""Slices: groups that keep the rules by construction, one record of every slice in each.

The records are sorted by their sensitive values and cut into as many slices as a group has records;
a group of one record of each has nearly the distribution of all. With a number that is sorted, n
records and k slices, its earth mover's distance is at most (n - k) / (2 (n - 1) k) (Soria-Comas and
others 2015, t-closeness first).
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit

BEGIN, END, TAKE, TAKEN = range(4)  # of a piece: where it stands, what a group takes, and has


@jit
def _build(
    points: Floats, order: Integers, pieces: Integers, labels: Integers, work: Floats
) -> None:
    """Form the groups. points IN (n, d), labels IN/OUT (n): -1; work (3, d) is work space.

    The record farthest from the mean of those that are left begins a group; then the one nearest to
    the group's centroid joins it, again and again, of the pieces from which it may take more.
    pieces IN/OUT (pieces, 4): each has at least what all groups take. order IN/OUT: the rows, piece
    by piece; those that are left come first.
    """
    rows, width = points.shape
    size = 0
    for piece in range(pieces.shape[0]):
        size += pieces[piece, TAKE]
    for i in range(rows):
        for j in range(width):
            work[0, j] += points[i, j]
    left = rows
    for group in range(rows // size):
        for piece in range(pieces.shape[0]):
            pieces[piece, TAKEN] = 0
        for j in range(width):
            work[1, j] = 0.0
        for turn in range(size):
            for j in range(width):
                work[2, j] = work[0, j] / left if turn == 0 else work[1, j] / turn
            sign = -1.0 if turn == 0 else 1.0
            found, source, least = -1, -1, np.inf
            for piece in range(pieces.shape[0]):
                if pieces[piece, TAKEN] == pieces[piece, TAKE]:
                    continue
                for place in range(pieces[piece, BEGIN], pieces[piece, END]):
                    row = order[place]
                    distance = 0.0
                    for j in range(width):
                        away = points[row, j] - work[2, j]
                        distance += away * away
                        if turn > 0 and distance >= least:
                            break
                    if sign * distance < least:
                        found, source, least = place, piece, sign * distance
            row = order[found]
            labels[row] = group
            pieces[source, END] -= 1
            pieces[source, TAKEN] += 1
            order[found] = order[pieces[source, END]]
            left -= 1
            for j in range(width):
                work[1, j] += points[row, j]
                work[0, j] -= points[row, j]


def sliced(matrix: Floats, order: Integers, slices: int, pieces: int | None = None) -> Integers:
    """Return groups of one record of each slice of the ordered rows; left-overs join the nearest.

    Slices are as even as can be: what is over is spread from the middle outwards. With `pieces`,
    fewer than there are slices, neighboring slices are joined to so many: of a piece of three
    slices a group has three records, whichever.
    """
    rows = order.size
    labels = np.full(rows, -1, dtype=np.int64)
    first = np.argsort(-matrix.var(axis=0), kind="stable")  # what is far is soon known to be
    points = np.ascontiguousarray(matrix[:, first])
    work = np.zeros((3, points.shape[1]))
    _build(points, order.copy(), cut(rows, slices, pieces or slices), labels, work)
    return _with_rest(points, labels, rows // slices)


def cut(rows: int, slices: int, pieces: int) -> Integers:
    """Return where pieces of sorted rows begin and end and how many of each a group takes."""
    groups = rows // slices
    sizes = np.full(slices, groups, dtype=np.int64)
    outward = np.argsort(np.abs(np.arange(slices) - (slices - 1) / 2), kind="stable")
    sizes[outward[: rows - groups * slices]] += 1
    ends = np.concatenate(([0], np.cumsum(sizes)))
    edges = np.round(np.linspace(0, slices, pieces + 1)).astype(np.int64)
    bounds = np.zeros((pieces, 4), dtype=np.int64)
    bounds[:, BEGIN], bounds[:, END] = ends[edges[:-1]], ends[edges[1:]]
    bounds[:, TAKE] = np.diff(edges)
    return bounds


def _with_rest(points: Floats, labels: Integers, groups: int) -> Integers:
    """Let every record that is left over join its nearest group, one to a group."""
    rest = np.flatnonzero(labels < 0)
    if not rest.size:
        return labels
    there = labels >= 0
    sums = np.zeros((groups, points.shape[1]))
    np.add.at(sums, labels[there], points[there])
    centers = sums / np.bincount(labels[there], minlength=groups)[:, None]
    taken = np.zeros(groups, dtype=np.int64)
    for row in rest:
        away = centers - points[row]
        distances = np.where(taken == taken.min(), (away * away).sum(axis=1), np.inf)
        labels[row] = int(distances.argmin())
        taken[labels[row]] += 1
    return labels
