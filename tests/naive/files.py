"""What tests compare that is no algorithm: labels, losses, rounded means, class sizes."""

from __future__ import annotations

import csv
import io
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np


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
