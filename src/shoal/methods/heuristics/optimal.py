"""Optimal partition of a line of records, by dynamic programming.

f[j] is the least loss of the first j records of the line:

    f[0] = 0,   f[j] = min over j - 2k < i <= j - k of f[i] + SSE(i+1..j)

A group of 2k or more is never needed: cutting it in two loses nothing (Hansen and Mukherjee 2003).
For one sorted column (`optimal_1d`) that partition is optimal among all; for records of several
attributes (`cut_path`) among those whose groups are runs of the path.

An outlier must not drown the rest: f is kept as a high and a low part, and candidates are compared
by what they add to the least f among them. No loss is ever the difference of two large numbers.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit, part
from shoal.kernels.nearest import COORDINATE_ERROR
from shoal.kernels.totals import two_sum

TIE = 1e-12  # of a group's loss: what summing may round
LOSS_ERROR = 4e-15  # of the loss of several groups: what adding them may round
APART = 64  # groups that two best cuts whose ends are near each other hardly ever differ in


def optimal_1d(values: Floats, k: int, *, error: float = 0.0) -> Integers:
    """Group numbers so that the sum of squared distances to the group means is least.

    Optimal univariate microaggregation (Hansen and Mukherjee 2003), in O(n log n). Group 0 holds
    the smallest values; equal values stay in row order; of equally good cuts the leftmost wins.
    Values are exact, or rounded by up to `error` times their size: COORDINATE_ERROR where they were
    standardized. Requires finite values, 1 <= k <= n.
    """
    _require_enough(values.shape[0], k)
    order = np.argsort(values, kind="stable")
    line: Floats = np.asarray(values[order], dtype=np.float64)
    # By a power of two, which rounds nothing: squares can neither overflow nor all vanish.
    half = float(line[-1] / 2 - line[0] / 2) or float(line[-1] - line[0])
    line = np.ldexp(line, -math.frexp(half)[1])
    count = line.shape[0]
    losses = np.full((2, count + 1), np.inf)
    columns = np.empty((3, min(2 * k, count + 1)))
    rows = np.empty((2, k + 1))
    cuts = np.zeros(count + 1, dtype=np.int64)
    _fill_sorted(line, k, losses, cuts, columns, rows)
    labels = np.empty(count, dtype=np.int64)
    labels[order] = _labels(line.reshape(1, count), k, losses, cuts, error)
    return labels


def cut_path(points: Floats, k: int) -> Integers:
    """Cut a path into runs of k to 2k - 1 records with the least loss, in O(n k d).

    points (d, n) holds a record a column, in path order. The multivariate form of the dynamic
    program of Hansen and Mukherjee (Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006).
    Labels rise along the path; of equally good cuts the leftmost wins. Requires 1 <= k <= n.
    """
    width, count = points.shape
    _require_enough(count, k)
    largest = float(np.abs(points).max(initial=0.0))
    if largest and not 1e-100 < largest < 1e100:
        points = np.ldexp(points, -math.frexp(largest)[1])
    losses = np.full((2, count + 1), np.inf)
    cuts = np.zeros(count + 1, dtype=np.int64)
    _fill_path(points, k, losses, cuts, np.empty(width))
    return _labels(points, k, losses, cuts, COORDINATE_ERROR)


def _require_enough(count: int, k: int) -> None:
    if not 1 <= k <= count:
        raise ValueError("k must be at least 1 and at most the number of records")


def _labels(points: Floats, k: int, losses: Floats, cuts: Integers, error: float) -> Integers:
    """Return the labels of a path whose least losses are known."""
    width, count = points.shape
    starts = np.zeros(count, dtype=np.int64)
    _mark_starts(points, k, losses, cuts, error, starts, np.empty(width), np.empty(2 * k))
    labels: Integers = np.cumsum(starts, dtype=np.int64)
    return labels


@part
def _lowest(least: Floats, start: int, stop: int) -> int:
    """Return the place of the least f from start to before stop. least IN (2, n + 1)."""
    lowest = start
    for i in range(start + 1, stop):
        high, best = least[0, i], least[0, lowest]
        if high < best or (high == best and least[1, i] < least[1, lowest]):
            lowest = i
    return lowest


@jit
def _spread(
    line: Floats, first: int, step: int, count: int, gaps: Floats, losses: Floats, backward: bool
) -> None:
    """Find mean and loss of the 1, 2, ..., count values from a place of a sorted line on.

    line IN (n); gaps OUT how far the mean is from the first value, losses OUT the SSE, both at m
    for m values, or at end - m where backward. The line is read in steps of 1 or -1. Every term
    is a distance from the first value, so none is negative and nothing cancels.
    """
    start = line[first]
    total, total_low, loss, loss_low, mean = 0.0, 0.0, 0.0, 0.0, 0.0
    end = gaps.shape[0] - 1
    for m in range(1, count + 1):
        value = abs(line[first + step * (m - 1)] - start)
        away = value - mean
        total, total_low = two_sum(total, total_low, value)
        loss, loss_low = two_sum(loss, loss_low, away * away * ((m - 1) / m))
        mean = total / m
        at = end - m if backward else m
        gaps[at] = mean
        losses[at] = loss


@jit
def _fill_sorted(
    line: Floats, k: int, least: Floats, cuts: Integers, columns: Floats, rows: Floats
) -> None:
    """Fill in f for a sorted line, in O(n log k).

    line IN (n); least OUT (2, n + 1) high and low part of f, infinite before; cuts OUT (n + 1) the
    i of each j; columns (3, 2k) and rows (2, k + 1) are work space.

    k rows j = b+1..b+k at a time: all of them depend on columns i <= b only, which are known by
    then, and every run i+1..j crosses the border between b and b + 1. Its loss is that of the part
    left of it, of the part right of it, and of joining them (Chan, Golub and LeVeque 1979),

        SSE(i+1..j) = SSE(i+1..b) + SSE(b+1..j) + a c / (a + c) (mean right - mean left)²,

    with a = b - i and c = j - b values in them: three terms that are never negative. The matrix
    f[i] + SSE(i+1..j) is Monge, also with infinity outside j - 2k < i <= j - k, so the leftmost
    minima of its rows go from left to right and those of every second row confine the others.
    """
    count = line.shape[0]
    base, left_losses, left_gaps = columns[0], columns[1], columns[2]
    right_losses, right_gaps = rows[0], rows[1]
    least[0, 0], least[1, 0] = 0.0, 0.0
    border = k - 1
    while border < count:
        height = min(k, count - border)
        first = max(0, border - 2 * k + 2)
        width = border - first  # of the columns, without i = b itself
        _spread(line, border, 1, height, right_gaps, right_losses, False)
        left_losses[width], left_gaps[width] = 0.0, 0.0
        if width > 0:
            _spread(
                line, border - 1, -1, width, left_gaps[: width + 1], left_losses[: width + 1], True
            )
            bridge = line[border] - line[border - 1]
            for i in range(width):
                left_gaps[i] += bridge
        lowest = _lowest(least, first, border + 1)
        high, low = least[0, lowest], least[1, lowest]
        for i in range(width + 1):
            base[i] = np.inf
            if least[0, first + i] < np.inf:
                base[i] = (least[0, first + i] - high) + (least[1, first + i] - low)
                base[i] += left_losses[i]
        step = 1
        while 2 * step <= height:
            step *= 2
        while step > 0:
            for row in range(step, height + 1, 2 * step):
                j = border + row
                start = max(first, j - 2 * k + 1)
                stop = min(border, j - k)
                if row > step:
                    start = max(start, cuts[j - step])
                if row + step <= height:
                    stop = min(stop, cuts[j + step])
                best = np.inf
                cut = start
                gap = right_gaps[row]
                for i in range(start - first, stop - first + 1):
                    size = float(width - i)
                    apart = left_gaps[i] + gap
                    loss = base[i] + size * row / (size + row) * (apart * apart)
                    if loss < best:
                        best = loss
                        cut = first + i
                cuts[j] = cut
                least[0, j], least[1, j] = two_sum(high, low, best + right_losses[row])
            step //= 2
        border += k


@jit
def _fill_path(points: Floats, k: int, least: Floats, cuts: Integers, mean: Floats) -> None:
    """Fill in f for a path: from every start i the losses of its runs, record by record.

    points IN (d, n); least OUT (2, n + 1) high and low part of f, infinite before; cuts OUT (n + 1)
    the i of each j; mean (d) is work space. A run's loss grows by (m - 1) / m D(x, mean of the
    m - 1 before) (Welford 1962); the mean is kept as its distance from the run's first record, so
    that an offset rounds nothing.
    """
    width, count = points.shape
    least[0, 0], least[1, 0] = 0.0, 0.0
    for i in range(count - k + 1):
        if least[0, i] == np.inf:
            continue
        loss = 0.0
        for j in range(width):
            mean[j] = 0.0
        for m in range(1, min(2 * k - 1, count - i) + 1):
            share = 1.0 / m
            distance = 0.0
            for j in range(width):
                away = (points[j, i + m - 1] - points[j, i]) - mean[j]
                mean[j] += away * share
                distance += away * away
            loss += distance * ((m - 1) * share)
            if m >= k:
                high, low = two_sum(least[0, i], least[1, i], loss)
                old = least[0, i + m]
                if high < old or (high == old and low < least[1, i + m]):
                    least[0, i + m], least[1, i + m] = high, low
                    cuts[i + m] = i


@part
def _common(cuts: Integers, k: int, low: int, high: int) -> int:
    """Return a cut that the best ways to both ends share, or one APART groups back. cuts IN.

    No way ends between 0 and k: low and high are rounded to where one does.
    """
    low = k if 0 < low < k else low
    high = 0 if high < k else high
    for _ in range(APART):
        if low == high:
            break
        if low < high:
            high = cuts[high]
        else:
            low = cuts[low]
    return min(low, high)


@jit
def _mark_starts(
    points: Floats,
    k: int,
    least: Floats,
    cuts: Integers,
    error: float,
    starts: Integers,
    mean: Floats,
    losses: Floats,
) -> None:
    """Mark where the groups of an optimal path start; the leftmost of equal cuts wins.

    points IN (d, n), least IN (2, n + 1), cuts IN (n + 1); starts OUT (n) 1 at every start but the
    first, zero before; mean (d) and losses (2k) are work space. From the end: the runs that end at
    j are built up backward, which costs O(k d) a group and O(n d) in all. `error` times the largest
    coordinate bounds the rounding of each (0: they are exact). Losses that differ by no more than
    rounding are equal.
    """
    width, count = points.shape
    stop = count
    while stop > 0:
        longest = min(2 * k - 1, stop)
        loss = 0.0
        largest = 0.0
        for j in range(width):
            mean[j] = 0.0
        for m in range(1, longest + 1):
            share = 1.0 / m
            distance = 0.0
            for j in range(width):
                away = (points[j, stop - m] - points[j, stop - 1]) - mean[j]
                mean[j] += away * share
                distance += away * away
                largest = max(largest, abs(points[j, stop - m]))
            loss += distance * ((m - 1) * share)
            losses[m] = loss
        lowest = _lowest(least, stop - longest, stop - k + 1)
        best = np.inf
        for m in range(k, longest + 1):
            i = stop - m
            if least[0, i] < np.inf:
                losses[m] += (least[0, i] - least[0, lowest]) + (least[1, i] - least[1, lowest])
                best = min(best, losses[m])
            else:
                losses[m] = np.inf
        common = _common(cuts, k, stop - longest, stop - k)  # what came before is not in question
        since = max(best, least[0, stop] - least[0, common])
        rounding = error * largest * math.sqrt((stop - common) * width)
        limit = best + TIE * best + LOSS_ERROR * since
        limit += 4.0 * rounding * (math.sqrt(since) + rounding)
        size = longest
        while losses[size] > limit:
            size -= 1
        stop -= size
        if stop > 0:
            starts[stop] = 1
