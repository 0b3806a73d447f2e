"""Records as the twins see them: distances, centroids and errors, in floats or exactly."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
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
        """D between a record and a point."""
        return squared_distance(self.rows[row], point)

    def slack(self, distance):
        """Two distances that differ by no more than this are equal."""
        return 4 * self.error * math.sqrt(distance) + 4 * self.error**2 + 4e-15 * distance

    def centroid(self, rows):
        """The mean of some records."""
        return [
            math.fsum(self.rows[r][j] for r in rows) / len(rows) for j in range(len(self.rows[0]))
        ]

    def sse(self, rows):
        """The squared error of one group: distances to its centroid, added; 0 for no records."""
        if not rows:
            return 0.0
        center = self.centroid(rows)
        return math.fsum(self.distance(row, center) for row in rows)

    def tolerance(self, error):
        """Two squared errors that differ by no more than this are equal, `error` the whole."""
        return 1e-12 * error

    def standardized(self):
        """The records with the columns on one scale: those of `Floats` are taken to be so."""
        return self.rows

    def standardized_slack(self, distance):
        """The slack of a distance between standardized records."""
        return self.slack(distance)


class Exact:
    """Records as fractions, columns weighted by 1 / variance: standardized without a root.

    Constant columns have no say and are left out.
    """

    def __init__(self, matrix):
        rows = [[Fraction(value) for value in row] for row in matrix]
        varying = [j for j, c in enumerate(zip(*rows, strict=True)) if min(c) != max(c)] or [0]
        self.rows = [[row[j] for j in varying] for row in rows]
        self.weights = []
        for column in zip(*self.rows, strict=True):
            mean = sum(column) / len(column)
            variance = sum((value - mean) ** 2 for value in column) / len(column)
            self.weights.append(1 / variance if variance else Fraction(0))

    def distance(self, row, point):
        """D between a record and a point."""
        return squared_distance(self.rows[row], point, self.weights)

    def slack(self, _distance):
        """Distances are equal when they are equal."""
        return 0

    def centroid(self, rows):
        """The mean of some records."""
        return [sum(self.rows[r][j] for r in rows) / len(rows) for j in range(len(self.rows[0]))]

    def sse(self, rows):
        """The squared error of one group: distances to its centroid, added; 0 for no records."""
        if not rows:
            return 0
        center = self.centroid(rows)
        return sum(self.distance(row, center) for row in rows)

    def tolerance(self, _error):
        """Squared errors are equal when they are equal."""
        return 0

    def standardized(self):
        """The records with mean 0 and deviation 1 by column, roots to 60 digits."""
        columns = []
        for column, weight in zip(zip(*self.rows, strict=True), self.weights, strict=True):
            with localcontext(prec=60):
                scale = (Decimal(weight.numerator) / Decimal(weight.denominator)).sqrt()
            mean = sum(column) / len(column)
            columns.append([(value - mean) * Fraction(scale) for value in column])
        return [list(row) for row in zip(*columns, strict=True)]

    def standardized_slack(self, distance):
        """The slack of a distance between standardized records: what the roots may be off."""
        return distance / 10**40


def total_sse(data, groups):
    """The squared error of a partition."""
    errors = [data.sse(rows) for rows in groups]
    return math.fsum(errors) if isinstance(data, Floats) else sum(errors)


def falls(data, before, after):
    """Whether a partition's squared error falls, by more than rounding can explain."""
    return after < before - data.tolerance(before)
