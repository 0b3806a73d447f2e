"""Moments of a column: count, mean and deviation, combined from chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.errors import InputError, in_shape, shown
from shoal.kernels.arrays import Floats
from shoal.table.roles import Column, Kind
from shoal.table.table import as_integers


@dataclass
class Moments:
    """Count, mean and squared deviations of a column's numbers, less a base near them."""

    __repr__ = in_shape

    base: Fraction | None = None
    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def add(self, column: Column) -> None:
        """Take the cells of a complete piece of a column (Chan and others 1983)."""
        if not len(column.values):
            return
        if self.base is None:
            self.base = _least(column)
        steps = self.steps(column)
        mean = float(steps.sum()) / steps.size
        apart = steps - mean
        squares = float((apart * apart).sum())
        together = self.count + steps.size
        shift = mean - self.mean
        self.squares += squares + shift * shift * self.count * (steps.size / together)
        self.mean += shift * (steps.size / together)
        self.count = together
        self.low = min(self.low, float(steps.min()))
        self.high = max(self.high, float(steps.max()))

    def join(self, other: Moments) -> None:
        """Combine with the moments of other records."""
        if other.base is None or not other.count:
            return
        if self.base is None or not self.count:
            vars(self).update(vars(other))
            return
        apart = float(other.base - self.base)
        together = self.count + other.count
        shift = other.mean + apart - self.mean
        self.squares += other.squares + shift * shift * self.count * (other.count / together)
        self.mean += shift * (other.count / together)
        self.count = together
        self.low = min(self.low, other.low + apart)
        self.high = max(self.high, other.high + apart)

    def steps(self, column: Column) -> Floats:
        """Return numbers less the base, as exactly as floats can hold it."""
        assert self.base is not None
        whole = as_integers(column)
        if whole is None:
            plain = np.asarray(column.values.cast("double")).astype(np.float64)
            return np.asarray(plain - float(self.base), dtype=np.float64)
        unit = 10 ** (column.values.type.scale if column.kind is Kind.DECIMAL else 0)
        base = self.base * unit
        if base.denominator != 1 or abs(base) >= 2**62 or _beyond(whole):
            return np.array([float((v - base) / unit) for v in whole.tolist()])
        return np.asarray((whole - int(base)) / unit, dtype=np.float64)

    @property
    def deviation(self) -> float:
        """The standard deviation; 0 of a constant column."""
        return math.sqrt(self.squares / self.count) if self.count and self.high > self.low else 0.0

    def placed(self, column: Column) -> Floats:
        """Return (x - mean) / deviation; zeros for a constant column."""
        steps = self.steps(column)
        spread = self.deviation
        return (steps - self.mean) / spread if spread else np.zeros(steps.size)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**vars(self), "base": None if self.base is None else str(self.base)}

    @classmethod
    def from_dict(cls, values: Any) -> Moments:
        """Return what plain values say."""
        base = values["base"]
        return cls(**{**values, "base": None if base is None else Fraction(base)})

    def check(self, name: str, where: str) -> None:
        """Refuse numbers whose squares no float holds."""
        if not math.isfinite(self.squares) or (self.high > self.low and self.deviation == 0.0):
            raise InputError(
                f"{where}, quasi-identifier {shown(name)}: its numbers are too far apart, or too "
                "close to 0, for a file larger than memory; scale them"
            )


def _beyond(whole: Any) -> bool:
    return whole.dtype == object or bool((np.abs(whole) >= 2**62).any())


def _least(column: Column) -> Fraction:
    whole = as_integers(column)
    if whole is None:
        return Fraction(float(np.asarray(column.values.cast("double")).min()))
    unit = 10 ** (column.values.type.scale if column.kind is Kind.DECIMAL else 0)
    return Fraction(int(whole.min()), unit)
