"""Means and medians of groups, exactly, by weight where there are weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, repeat
from operator import mul
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
    total = sum(weights)
    return next(place for place, sofar in enumerate(accumulate(weights)) if 2 * sofar >= total)


def rounded_means(whole: npt.NDArray[Any], groups: Groups, unit: int) -> list[int] | None:
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
    return ((quotients + up) * unit).tolist()  # type: ignore[no-any-return]


def centers(values: npt.NDArray[Any], groups: Groups, aggregator: str) -> list[Fraction]:
    """Return the mean or median of each group of whole numbers or fractions, exactly."""
    find = _median if aggregator == "median" else _mean
    return [find(*both) for both in groups.pairs(values)]


def _mean(values: list[Any], weights: list[int] | None) -> Fraction:
    if weights is None:
        return Fraction(sum(values)) / len(values)
    return Fraction(sum(map(mul, values, weights))) / sum(weights)


def _median(values: list[Any], weights: list[int] | None) -> Fraction:
    """Return the value that half of the weight lies at or below and half at or above.

    Where two do, the mean of both.
    """
    if weights is None:
        values, middle = sorted(values), len(values) // 2
        low, high = values[(len(values) - 1) // 2], values[middle]
    else:
        both = sorted(zip(values, weights, strict=True))
        place, total = half([weight for _, weight in both]), sum(weights)
        low = high = both[place][0]
        if 2 * sum(weight for _, weight in both[: place + 1]) == total:
            high = both[place + 1][0]
    return Fraction(low + high) / 2


def float_centers(values: npt.NDArray[Any], groups: Groups, aggregator: str) -> list[float]:
    """Return the mean of each group, of a sum without loss; or the median, of two the mean."""
    ordered = values[groups.order].astype(np.float64)
    if aggregator == "median":
        parts = (sorted(own) for own in groups.lists(values))
        return [_float_mean([p[(len(p) - 1) // 2], p[len(p) // 2]]) for p in parts]
    sums, states = group_sums(ordered, groups.starts)
    equal = states >= EQUAL
    means: list[float] = np.where(equal, ordered[groups.starts], sums / groups.sizes).tolist()
    for group in np.flatnonzero(states == 0).tolist():
        first = int(groups.starts[group])
        means[group] = _float_mean(ordered[first : first + int(groups.sizes[group])].tolist())
    return means


def _float_mean(values: list[float]) -> float:
    """Return the mean of a sum without loss; exact arithmetic where the sum would overflow."""
    if min(values) == max(values):  # the sum of three 0.4 is rounded, and so is its third
        return values[0]
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return float(sum(map(Fraction, values)) / len(values))
