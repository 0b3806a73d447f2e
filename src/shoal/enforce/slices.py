"""Slices: groups that keep the rules by construction, one record of every slice in each.

The records are sorted by their sensitive values and cut into as many slices as a group has records;
a group of one record of each has nearly the distribution of all. With a number that is sorted, n
records and k slices, its earth mover's distance is at most (n - k) / (2 (n - 1) k) (Soria-Comas and
others 2015, t-closeness first).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import jit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@jit
def _build(
    points: Floats, order: Integers, starts: Integers, labels: Integers, work: Floats
) -> None:
    """Form the groups. points IN (n, d), labels IN/OUT (n): -1; work (2, d) is work space: sums.

    The record farthest from the mean of those that are left begins a group; of every slice the one
    nearest to the group's centroid joins it. order IN: the rows by slices, which begin at starts,
    and every row's place among them; every slice has at least as many records as there are groups.
    """
    rows, width = points.shape
    slices = starts.shape[0] - 1
    groups = rows // slices
    for i in range(rows):
        for j in range(width):
            work[0, j] += points[i, j]
    left = rows
    for group in range(groups):
        first, most = -1, -1.0
        for row in range(rows):
            if labels[row] < 0:
                distance = 0.0
                for j in range(width):
                    away = points[row, j] - work[0, j] / left
                    distance += away * away
                if distance > most:
                    first, most = row, distance
        for j in range(width):
            work[1, j] = 0.0
        own = 0
        while not starts[own] <= order[rows + first] < starts[own + 1]:
            own += 1
        for turn in range(slices):
            piece = own if turn == 0 else (turn - 1 if turn - 1 < own else turn)
            row, least = first, -1.0
            if turn > 0:
                row = -1
                for place in range(starts[piece], starts[piece + 1]):
                    other = order[place]
                    if labels[other] >= 0:
                        continue
                    distance = 0.0
                    for j in range(width):
                        away = points[other, j] - work[1, j] / turn
                        distance += away * away
                        if row >= 0 and distance >= least:
                            break
                    if row < 0 or distance < least:
                        row, least = other, distance
            labels[row] = group
            left -= 1
            for j in range(width):
                work[1, j] += points[row, j]
                work[0, j] -= points[row, j]


def sliced(matrix: Floats, order: Integers, slices: int) -> Integers:
    """Return groups of one record of each slice of the ordered rows; left-overs join the nearest.

    Slices are as even as can be: what is over is spread from the middle outwards.
    """
    rows = order.size
    groups = rows // slices
    sizes = np.full(slices, groups, dtype=np.int64)
    rest = rows - groups * slices
    outward = np.argsort(np.abs(np.arange(slices) - (slices - 1) / 2), kind="stable")
    sizes[outward[:rest]] += 1
    starts = np.concatenate(([0], np.cumsum(sizes)))
    places = np.empty(rows, dtype=np.int64)
    places[order] = np.arange(rows)
    labels = np.full(rows, -1, dtype=np.int64)
    points = np.ascontiguousarray(matrix)
    work = np.zeros((2, points.shape[1]))
    _build(points, np.concatenate((order, places)), starts, labels, work)
    return _with_rest(points, labels, groups)


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
