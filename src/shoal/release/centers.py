"""Means and medians of groups, exactly, by weight where there are weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.exact_sum import EQUAL, group_sums


class Groups:
    """The records sorted by group, to go through group by group.

    `weights` (n) are whole numbers in proportion to the survey's weights, exactly: None without.
    """

    def __init__(
        self, order: Integers, starts: Integers, sizes: Integers, survey: Floats | None = None
    ) -> None:
        self.order, self.starts, self.sizes = order, starts, sizes
        self.survey = survey
        self.weights = None if survey is None else as_whole(survey)
        self.masses = sizes if self.weights is None else self.sums(self.weights)

    @classmethod
    def of(cls, labels: Integers, sizes: Integers, survey: Floats | None = None) -> Groups:
        """Return the groups of records that are labeled 0, 1, …"""
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        return cls(np.argsort(labels, kind="stable"), starts, sizes, survey)

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sum of each group."""
        result: npt.NDArray[Any] = np.add.reduceat(values[self.order], self.starts)
        return result

    def pairs(self, values: npt.NDArray[Any]) -> Iterator[tuple[list[Any], list[int] | None]]:
        """Yield the values of each group, with their weights where there are some."""
        lists = self.lists(values)
        weights = repeat(None) if self.weights is None else self.lists(self.weights)
        return zip(lists, weights, strict=False)

    def lists(self, values: npt.NDArray[Any]) -> list[list[Any]]:
        """Return the values of each group."""
        ordered = values[self.order].tolist()
        ends = (self.starts + self.sizes).tolist()
        return [ordered[a:b] for a, b in zip(self.starts.tolist(), ends, strict=True)]


def as_whole(weights: Floats) -> npt.NDArray[Any]:
    """Return floats above 0 as Python's whole numbers in the same proportions, exactly."""
    different, where = np.unique(weights, return_inverse=True)
    ratios = [weight.as_integer_ratio() for weight in different.tolist()]
    unit = max(bottom for _, bottom in ratios)  # all are powers of two
    whole = [top * (unit // bottom) for top, bottom in ratios]
    common = math.gcd(*whole)
    return np.array([number // common for number in whole], dtype=object)[where]


def half(weights: Sequence[int]) -> int:
    """Return the place at which half of the weight is reached."""
    total, reached = sum(weights), 0
    for place, weight in enumerate(weights):
        reached += weight
        if 2 * reached >= total:
            return place
    raise AssertionError


def centers_of(
    whole: npt.NDArray[Any], groups: Groups, aggregator: str
) -> tuple[list[int], list[int]]:
    """Return each group's mean or median as a fraction of whole numbers."""
    if aggregator == "median":
        pairs = [median(*both) for both in groups.pairs(whole)]
        return [n for n, _ in pairs], [d for _, d in pairs]
    if groups.weights is not None:
        return groups.sums(whole * groups.weights).tolist(), groups.masses.tolist()
    largest = max(abs(int(whole.max())), abs(int(whole.min())))
    if largest * int(groups.sizes.max()) >= 2**63:
        whole = whole.astype(object)
    return groups.sums(whole).tolist(), groups.sizes.tolist()


def rounded_means(whole: npt.NDArray[Any], groups: Groups, unit: int) -> Integers | None:
    """Return each group's mean as a multiple of a unit, halves to the even neighbor.

    None with weights, and where 64 bits are too few.
    """
    if groups.weights is not None or whole.dtype != np.int64:
        return None
    largest = max(abs(int(whole.max())), abs(int(whole.min())))
    if 4 * (largest + unit) * int(groups.sizes.max()) >= 2**63:
        return None
    divisors = groups.sizes * unit
    quotients, rests = np.divmod(groups.sums(whole), divisors)
    up = (2 * rests > divisors) | ((2 * rests == divisors) & (quotients % 2 == 1))
    rounded: Integers = (quotients + up) * unit
    return rounded


def median(values: list[Any], weights: list[int] | None) -> tuple[Any, int]:
    """Return the value that half of the weight lies at or below and half at or above.

    Where two do, their sum and 2.
    """
    if weights is None:
        values, middle = sorted(values), len(values) // 2
        return (values[middle], 1) if len(values) % 2 else (values[middle - 1] + values[middle], 2)
    both = sorted(zip(values, weights, strict=True))
    total, reached = sum(weights), 0
    for place, (value, weight) in enumerate(both):
        reached += weight
        if 2 * reached == total:
            return value + both[place + 1][0], 2
        if 2 * reached > total:
            return value, 1
    raise AssertionError


def half_even(numerator: int, denominator: int) -> int:
    """Return numerator / denominator as a whole number, halves to the even neighbor."""
    quotient, rest = divmod(numerator, denominator)
    twice = 2 * rest
    if twice > denominator or (twice == denominator and quotient % 2):
        quotient += 1
    return quotient


def center(values: list[Fraction], weights: list[int] | None, aggregator: str) -> Fraction:
    """Return the mean or median of numbers, exactly."""
    if aggregator == "median":
        top, bottom = median(values, weights)
        return Fraction(top) / bottom
    if weights is None:
        return sum(values, Fraction(0)) / len(values)
    both = zip(values, weights, strict=True)
    return sum((value * weight for value, weight in both), Fraction(0)) / sum(weights)


def exact_center(
    values: list[Fraction], weights: list[int] | None, aggregator: str, digits: int
) -> float:
    """Return the mean or median of numbers as they were written, rounded once."""
    unit = Fraction(1, 10**digits) if digits >= 0 else Fraction(10**-digits)
    steps = center(values, weights, aggregator) / unit
    return float(half_even(steps.numerator, steps.denominator) * unit)


def float_means(values: npt.NDArray[Any], groups: Groups) -> Floats:
    """Return the mean of each group as `float_mean` does, without weights."""
    ordered = values[groups.order].astype(np.float64)
    sums, states = group_sums(ordered, groups.starts)
    equal = states >= EQUAL
    means: Floats = np.where(equal, ordered[groups.starts], sums / groups.sizes)
    for group in np.flatnonzero(states == 0).tolist():
        first = int(groups.starts[group])
        means[group] = float_mean(ordered[first : first + int(groups.sizes[group])].tolist())
    return means


def float_mean(values: list[float], weights: list[int] | None = None) -> float:
    """Return the mean of a sum without loss; exact arithmetic where the sum would overflow."""
    if min(values) == max(values):  # the sum of three 0.4 is rounded, and so is its third
        return values[0]
    if weights is not None:
        return float(center([Fraction(value) for value in values], weights, "mean"))
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return float(sum(map(Fraction, values)) / len(values))


def float_median(values: list[float], weights: list[int] | None = None) -> float:
    """Return the median of floats, of two the mean."""
    if weights is not None:
        return float(center([Fraction(value) for value in values], weights, "median"))
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else float_mean(ordered[middle - 1 : middle + 1])
