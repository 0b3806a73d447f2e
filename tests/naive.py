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


def squared_distance(a, b):
    """D(a, b), attributes added in their order."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def centroid(matrix, rows):
    """The mean of some rows, correctly rounded sums."""
    return [math.fsum(matrix[row][j] for row in rows) / len(rows) for j in range(len(matrix[0]))]


def farthest(matrix, rows, center):
    """The row with the largest distance to a center; the lowest row wins a tie."""
    return max(rows, key=lambda row: (squared_distance(matrix[row], center), -row))


def nearest(matrix, rows, center, count):
    """The rows with the least distances to a center; the lowest rows win ties."""
    return sorted(rows, key=lambda row: (squared_distance(matrix[row], center), row))[:count]


def grow_nn(matrix, rest, first, k):
    """The first record and its k - 1 nearest; takes them out of `rest`."""
    rest.remove(first)
    group = [first, *nearest(matrix, rest, matrix[first], k - 1)]
    for row in group[1:]:
        rest.remove(row)
    return group


def grow_nc(matrix, rest, first, k):
    """Repeatedly the record nearest to the group's centroid; takes them out of `rest`."""
    rest.remove(first)
    group = [first]
    while len(group) < k and rest:
        (row,) = nearest(matrix, rest, centroid(matrix, group), 1)
        rest.remove(row)
        group.append(row)
    return group


def mdav(matrix, k):
    """Classic MDAV: groups as lists of rows, in order of creation."""
    matrix = np.asarray(matrix, dtype=float).tolist()
    rest, groups = list(range(len(matrix))), []
    while len(rest) >= 3 * k:
        r = farthest(matrix, rest, centroid(matrix, rest))
        groups.append(grow_nn(matrix, rest, r, k))
        s = farthest(matrix, rest, matrix[r])
        groups.append(grow_nn(matrix, rest, s, k))
    if len(rest) >= 2 * k:
        groups.append(grow_nn(matrix, rest, farthest(matrix, rest, centroid(matrix, rest)), k))
    if rest:
        groups.append(rest)
    return groups


def cbfs_nc(matrix, k):
    """Centroid-based fixed size, grown by centroid; left-overs join the nearest group."""
    matrix = np.asarray(matrix, dtype=float).tolist()
    rest, groups = list(range(len(matrix))), []
    while len(rest) >= k:
        groups.append(grow_nc(matrix, rest, farthest(matrix, rest, centroid(matrix, rest)), k))
    centers = [centroid(matrix, group) for group in groups]
    for row in sorted(rest):
        best = min(range(len(groups)), key=lambda g: squared_distance(matrix[row], centers[g]))
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
