"""Cutting points into blocks, half by half, across the direction in which they vary most.

The halves of a cut have nothing to do with each other, so that threads cut them side by side; what
comes out is the same however many there are.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, jit

SHARES = 4  # parts a thread, before each is cut on by itself


def cut(points: Floats, size: int, unit: int = 1, threads: Threads | None = None) -> list[Integers]:
    """Cut points into blocks of at most `size`, all but one of a multiple of `unit`.

    Each cut is across the coordinate that varies most, so that both sides get their share of
    blocks; what is equal in it is cut by the next one, so that equal points stay together. The rows
    of a block are in order.
    """
    threads = threads or Threads(1)
    points = np.ascontiguousarray(points)
    halved = partial(_halved, points, size, unit)
    parts, before = [np.arange(points.shape[0])], 0
    while before < len(parts) < SHARES * threads.workers:
        before = len(parts)
        parts = [half for halves in threads.map(halved, parts) for half in halves]
    every = threads.map(partial(_cut_on, points, size, unit), parts)
    return [block for blocks in every for block in blocks]


def _cut_on(points: Floats, size: int, unit: int, rows: Integers) -> list[Integers]:
    """Cut some of the points until no block is too large."""
    blocks, waiting = [], [rows]
    while waiting:
        halves = _halved(points, size, unit, waiting.pop())
        if len(halves) == 1:
            blocks.append(np.sort(halves[0]))
        else:
            waiting += reversed(halves)
    return blocks


def _halved(points: Floats, size: int, unit: int, rows: Integers) -> list[Integers]:
    """Return the two halves of some points, or all of them where they are few enough."""
    if rows.size <= max(size, 2 * unit - 1):
        return [rows]
    spreads = np.zeros((2, points.shape[1]))
    mean_and_variance(points, rows, spreads)
    widest = np.argsort(-spreads[1], kind="stable")
    count = -(-rows.size // size)
    middle = rows.size * (count // 2) // count
    middle = max(unit, middle - middle % unit)
    across = points[rows, widest[0]]
    order = np.argpartition(across, (middle - 1, middle))
    if across[order[middle - 1]] == across[order[middle]]:
        rows = rows[np.argsort(across, kind="stable")]
        sort_ties(points, widest, rows, np.empty_like(rows))
        return [rows[:middle], rows[middle:]]
    return [rows[order[:middle]], rows[order[middle:]]]


@jit
def mean_and_variance(points: Floats, rows: Integers, found: Floats) -> None:
    """Find means and variances of some points. points IN (n, d), rows IN, found IN/OUT (2, d): 0.

    The numbers of a column are added one after the other, as `var` of NumPy does with many columns.
    """
    for turn in range(2):
        for row in rows:
            for j in range(points.shape[1]):
                value = points[row, j]
                if turn == 1:
                    value -= found[0, j]
                    value *= value
                found[turn, j] += value
        for j in range(points.shape[1]):
            found[turn, j] /= rows.shape[0]


@inlined
def comes_before(points: Floats, columns: Integers, one: int, other: int) -> bool:
    """Tell whether one point is less than another in the first of the columns that tells."""
    for column in columns:
        if points[one, column] != points[other, column]:
            return points[one, column] < points[other, column]  # type: ignore[no-any-return]
    return False


@jit
def sort_ties(points: Floats, columns: Integers, rows: Integers, room: Integers) -> None:
    """Sort rows that are in order by the first column by the others, too; equal ones stay.

    points IN (n, d), columns IN (d), rows IN/OUT, room OUT (as many). Runs of rows that tie are
    merged, from the shortest to the whole.
    """
    start, count = 0, rows.shape[0]
    while start < count:
        stop = start + 1
        while stop < count and points[rows[stop], columns[0]] == points[rows[start], columns[0]]:
            stop += 1
        length = 1
        while length < stop - start:
            for low in range(start, stop - length, 2 * length):
                middle, high = low + length, min(low + 2 * length, stop)
                if not comes_before(points, columns, rows[middle], rows[middle - 1]):
                    continue
                for i in range(low, middle):
                    room[i] = rows[i]
                left, right, at = low, middle, low
                while left < middle and right < high:
                    if comes_before(points, columns, rows[right], room[left]):
                        rows[at] = rows[right]
                        right += 1
                    else:
                        rows[at] = room[left]
                        left += 1
                    at += 1
                while left < middle:
                    rows[at] = room[left]
                    left += 1
                    at += 1
            length *= 2
        start = stop


def turned(points: Floats, rng: np.random.Generator, threads: Threads | None = None) -> Floats:
    """Return points along random directions, not by a matrix product, whose last bits differ."""
    width = points.shape[1]
    rotated = np.zeros_like(points)
    shares = rng.normal(size=(width, width))

    def turn(at: int) -> None:
        for j, share in enumerate(shares[at]):
            rotated[:, at] += share * points[:, j]

    for _ in (threads or Threads(1)).map(turn, range(width)):
        pass
    return rotated
