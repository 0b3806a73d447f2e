"""Slow twins of everything fast: plain loops, nothing imported from the library."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np


def standardize(matrix):
    """Mean 0 and deviation 1 by column; a constant column becomes zeros."""
    columns = []
    for column in np.asarray(matrix, dtype=float).T:
        values = column.tolist()
        mean = math.fsum(values) / len(values)
        centered = [value - mean for value in values]
        deviation = math.sqrt(math.fsum(c * c for c in centered) / len(values))
        constant = min(values) == max(values)
        columns.append([0.0 if constant else c / deviation for c in centered])
    return np.array(columns).T


def squared_distance(a, b, weights=None):
    """D(a, b), attributes added in their order; weighted where weights are given."""
    total = 0
    for j, (x, y) in enumerate(zip(a, b, strict=True)):
        total += (x - y) * (x - y) if weights is None else weights[j] * (x - y) * (x - y)
    return total


class Floats:
    """Records as floats: distances that differ by less than rounding can explain are equal."""

    def __init__(self, matrix):
        self.rows = np.asarray(matrix, dtype=float).tolist()
        self.error = 1e-15 * max(abs(value) for row in self.rows for value in row)

    def distance(self, row, point):
        return squared_distance(self.rows[row], point)

    def slack(self, distance):
        return 4 * self.error * math.sqrt(distance) + 4 * self.error**2 + 4e-15 * distance

    def centroid(self, rows):
        return [
            math.fsum(self.rows[r][j] for r in rows) / len(rows) for j in range(len(self.rows[0]))
        ]


class Exact:
    """Records as fractions, columns weighted by 1 / variance: standardized without a root."""

    def __init__(self, matrix):
        self.rows = [[Fraction(value) for value in row] for row in matrix]
        self.weights = []
        for column in zip(*self.rows, strict=True):
            mean = sum(column) / len(column)
            variance = sum((value - mean) ** 2 for value in column) / len(column)
            self.weights.append(1 / variance if variance else Fraction(0))

    def distance(self, row, point):
        return squared_distance(self.rows[row], point, self.weights)

    def slack(self, _distance):
        return 0

    def centroid(self, rows):
        return [sum(self.rows[r][j] for r in rows) / len(rows) for j in range(len(self.rows[0]))]


def farthest(data, rows, center):
    """The row with the largest distance to a center; the lowest row wins a tie."""
    distances = {row: data.distance(row, center) for row in rows}
    most = max(distances.values())
    return min(row for row in rows if distances[row] >= most - data.slack(most))


def nearest(data, rows, center, count):
    """The rows with the least distances to a center; the lowest rows win a tie for the last."""
    if count == 0:
        return []
    distances = {row: data.distance(row, center) for row in rows}
    last = sorted(distances.values())[:count][-1]
    low, high = last - data.slack(last), last + data.slack(last)
    sure = [row for row in rows if distances[row] < low]
    equal = sorted(row for row in rows if low <= distances[row] <= high)
    return sure + equal[: count - len(sure)]


def grow_nn(data, rest, first, k):
    """The first record and its k - 1 nearest; takes them out of `rest`."""
    rest.remove(first)
    group = [first, *nearest(data, rest, data.rows[first], k - 1)]
    for row in group[1:]:
        rest.remove(row)
    return group


def grow_nc(data, rest, first, k):
    """Repeatedly the record nearest to the group's centroid; takes them out of `rest`."""
    rest.remove(first)
    group = [first]
    while len(group) < k and rest:
        (row,) = nearest(data, rest, data.centroid(group), 1)
        rest.remove(row)
        group.append(row)
    return group


def mdav(data, k):
    """Classic MDAV: groups as lists of rows, in order of creation."""
    rest, groups = list(range(len(data.rows))), []
    while len(rest) >= 3 * k:
        r = farthest(data, rest, data.centroid(rest))
        groups.append(grow_nn(data, rest, r, k))
        s = farthest(data, rest, data.rows[r])
        groups.append(grow_nn(data, rest, s, k))
    if len(rest) >= 2 * k:
        groups.append(grow_nn(data, rest, farthest(data, rest, data.centroid(rest)), k))
    if rest:
        groups.append(rest)
    return groups


def cbfs_nc(data, k):
    """Centroid-based fixed size, grown by centroid; left-overs join the nearest group."""
    rest, groups = list(range(len(data.rows))), []
    while len(rest) >= k:
        groups.append(grow_nc(data, rest, farthest(data, rest, data.centroid(rest)), k))
    centers = [data.centroid(group) for group in groups]
    for row in sorted(rest):
        distances = [data.distance(row, center) for center in centers]
        least = min(distances)
        best = next(g for g, d in enumerate(distances) if d <= least + data.slack(least))
        groups[best].append(row)
    return groups


METHODS = {"mdav": mdav, "cbfs-nc": cbfs_nc}


def labels(groups, rows):
    """One label a row from groups of rows."""
    result = [-1] * rows
    for label, group in enumerate(groups):
        for row in group:
            result[row] = label
    return result


def information_loss(matrix, groups):
    """100 * SSE / SST, in exact fractions; 0 when all records are equal."""
    matrix = [[Fraction(value) for value in row] for row in np.asarray(matrix, float).tolist()]

    def error(rows):
        total = Fraction(0)
        for j in range(len(matrix[0])):
            mean = sum(matrix[row][j] for row in rows) / len(rows)
            total += sum((matrix[row][j] - mean) ** 2 for row in rows)
        return total

    total = error(range(len(matrix)))
    return float(100 * sum(error(group) for group in groups) / total) if total else 0.0


def rounded_mean(texts, decimals):
    """The mean of numbers written as text, exactly, rounded half to even."""
    mean = sum(map(Fraction, texts)) / len(texts)
    return rounded(mean, decimals)


def rounded(value, decimals):
    """A fraction as text with so many decimals, halves to the even digit."""
    scaled = value * 10**decimals
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    twice = Fraction(2 * rest, scaled.denominator)
    if twice > 1 or (twice == 1 and whole % 2):
        whole += 1
    return str(Decimal(whole).scaleb(-decimals).quantize(Decimal(1).scaleb(-decimals),
                                                         rounding=ROUND_HALF_EVEN))  # fmt: skip


def class_sizes(text, columns, delimiter=","):
    """How many records of a csv text share each combination of some columns."""
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    places = [rows[0].index(column) for column in columns]
    return sorted(Counter(tuple(row[p] for p in places) for row in rows[1:]).values())
