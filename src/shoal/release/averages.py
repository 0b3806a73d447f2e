"""Means, medians and majorities of the groups of a column, in its own type and precision.

Whole numbers, fixed-point numbers, dates and times are summed exactly and rounded once, half to
even, to the precision the column came with; floats are summed without loss, then divided. With
survey weights floats are rounded too, and nothing is released with more digits than the data have
(`averages.py`): all digits of a weighted mean could tell whose values it is made of.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.kernels.arrays import Integers
from shoal.partition import Partition, first_rows
from shoal.release.centers import Groups, centers, float_centers, rounded_means
from shoal.table.roles import MAJORITY, STAR, TICKS, Column, Kind, Written
from shoal.table.rounding import decimals_of
from shoal.table.survey import Survey
from shoal.table.table import as_integers, present, some_rows

DIGITS = 12  # after the point, of floats
FINE = 10**9  # steps between the least and the greatest number: beyond it they were computed
UNROUNDED = "none"  # as many digits as a float holds


@dataclass(frozen=True)
class Average:
    """An average of groups: mean, median or majority, rounded to so many `digits`.

    `grain` is the greatest common divisor of the times that a column holds, where it is known.
    """

    aggregator: str
    digits: int | str | None = None
    grain: int | None = None

    def of(self, column: Column, partition: Partition, groups: Groups, survey: Survey) -> Column:
        """Return the average of every group, of the cells that are present if at least k are."""
        own = self
        if self.grain is None and column.kind is Kind.DATETIME:
            own = replace(self, grain=grain_of(as_integers(some_rows(column, present(column)))))
        if not column.missing:
            return own._of_complete(column, groups, partition.labels)
        return own._of_present(column, partition, survey)

    def _of_present(self, column: Column, partition: Partition, survey: Survey) -> Column:
        """Return the averages of present cells; groups with fewer than k have none.

        The records of the others that have a cell are averaged by themselves.
        """
        labels, there, units = partition.labels, present(column), survey.together
        whose = None if units is None else units[there]
        told = present_units(labels[there], partition.groups, whose) >= partition.k
        used = there & told[labels]
        if not used.any():
            return with_values(column, pa.nulls(there.size, column.values.type))
        number = np.cumsum(told) - 1
        own = number[labels[used]]
        weights = None if survey.weights is None else survey.weights[used]
        groups = Groups.of(own, np.bincount(own), weights)
        averages = self._of_complete(some_rows(column, used), groups, own)
        first = first_rows(own, int(told.sum()))
        chosen = np.where(told, first[np.maximum(number, 0)], -1)[labels]
        return averages.replace(values=averages.values.take(pa.array(chosen, mask=chosen < 0)))

    def _of_complete(self, column: Column, groups: Groups, labels: Integers) -> Column:
        """Return the average of every group of a column without missing cells."""
        digits = self.digits
        whole = as_integers(column)
        if self.aggregator == MAJORITY:
            numbers = np.asarray(column.values.cast("double")) if whole is None else whole
            return _majority(column, groups, numbers, labels)
        if whole is None:
            return _of_floats(column, groups, self.aggregator, digits, labels)
        if column.kind is Kind.BOOLEAN:
            return _majority(column, groups, whole, labels)
        scale = column.values.type.scale if column.kind is Kind.DECIMAL else 0
        if digits == UNROUNDED and column.kind.is_number and groups.weights is None:
            exact = centers(whole, groups, self.aggregator)
            return _as_floats(column, [one / 10**scale for one in exact], labels)
        digits = None if isinstance(digits, str) else digits
        unit = 1
        if digits is not None and digits < scale:
            unit = 10 ** (scale - digits)
        if groups.weights is not None and column.kind.is_number:
            unit = max(unit, unit_of_whole(whole))
            if unit > 1 and scale:
                digits = max(0, scale - len(str(unit)) + 1)
        if column.kind is Kind.DATETIME:
            unit *= _time_unit(column, self.grain or 0)
        means = rounded_means(whole, groups, unit) if self.aggregator == "mean" else None
        if means is None:
            means = [round(c / unit) * unit for c in centers(whole, groups, self.aggregator)]
        values = _as_values(column, means, digits).take(pa.array(labels))
        written = column.written
        if written is not None and unit > 1 and column.kind is Kind.DECIMAL:
            written = Written(decimals=digits or 0)
        return with_values(column, values, written)


def present_units(labels: Integers, groups: int, units: Integers | None) -> Integers:
    """Return how many records of each group there are, or how many different units of theirs."""
    if units is not None:
        pairs = np.unique(np.stack([labels, units]), axis=1)
        labels = pairs[0]
    return np.bincount(labels, minlength=groups)


def _majority(
    column: Column, groups: Groups, numbers: npt.NDArray[Any], labels: Integers
) -> Column:
    """Return the more frequent of two values in every group, by weight; a tie is the lesser."""
    high = (numbers == numbers.max()).astype(np.int64)
    often = groups.sums(high if groups.weights is None else high * groups.weights)
    rows = np.where(2 * often > groups.masses, int(high.argmax()), int(high.argmin()))
    return from_rows(column, rows.astype(np.int64), labels)


def grain_of(whole: npt.NDArray[Any] | None) -> int:
    """Return the greatest common divisor of whole numbers; 0 of zeros, and of none."""
    return int(np.gcd.reduce(whole)) if whole is not None and whole.size else 0


def _time_unit(column: Column, grain: int) -> int:
    """Return the coarsest unit of which all times are multiples: a day, an hour, …, one tick."""
    second = TICKS[column.values.type.unit]
    units = [86_400 * second, 3_600 * second, 60 * second]
    while second >= 1:
        units.append(second)
        second //= 10
    return next(unit for unit in units if not grain % unit)


def _as_values(column: Column, means: list[int], digits: int | None) -> Any:
    """Return whole numbers of the column's unit as Arrow values of its own type."""
    kind = column.values.type
    if column.kind is Kind.DECIMAL:
        fits = kind if digits is None else pa.decimal128(38, min(digits, kind.scale))
        step, width = 10 ** (kind.scale - fits.scale), fits.byte_width
        words = b"".join(
            (mean // step).to_bytes(width, sys.byteorder, signed=True) for mean in means
        )
        return pa.Array.from_buffers(fits, len(means), [None, pa.py_buffer(words)])
    if column.kind is Kind.DATE:
        return pa.array(means, pa.int32()).cast(pa.date32()).cast(kind)
    if column.kind is Kind.DATETIME:
        return pa.array(means, pa.int64()).cast(kind)
    return pa.array(means, kind)


def _of_floats(
    column: Column, groups: Groups, aggregator: str, digits: int | str | None, labels: Integers
) -> Column:
    """Return means or medians of floats; exactly where they were written, or by weight.

    By weight they are rounded to the precision of the data, others to that of the written cells.
    """
    written, values = column.written, np.asarray(column.values)
    asked = digits if isinstance(digits, int) else None
    unit, decimals = None, 0
    if groups.weights is not None:
        unit = max(unit_of_floats(values), Fraction(0 if asked is None else f"1e-{asked}"))
        decimals = decimals_of(unit)
    elif written is not None and digits != UNROUNDED:
        decimals = written.decimals if asked is None else min(asked, written.decimals)
        unit = Fraction(10) ** -decimals
    if written is not None or unit is not None:
        exact = centers(_as_fractions(column, values), groups, aggregator)
        if unit is None:
            return _as_floats(column, exact, labels)
        means = [float(round(one / unit) * unit) + 0.0 for one in exact]
    else:
        means = float_centers(values, groups, aggregator)
        if asked is not None:
            means = [round(one, asked) + 0.0 for one in means]
    made = pa.array(np.array(means)[labels]).cast(column.values.type, safe=False)
    return with_values(column, made, None if written is None else Written(decimals=decimals))


def _as_fractions(column: Column, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return floats as they were written, or exactly; a short float as it is written."""
    if column.cells is not None:
        plain = column.cells.to_pylist()
    else:
        plain = values.tolist() if values.dtype == np.float64 else map(str, values)
    return np.array([Fraction(value) for value in plain], dtype=object)


def _as_floats(column: Column, means: list[Fraction], labels: Integers) -> Column:
    """Return a column of floats, rounded once."""
    made = column.replace(kind=Kind.FLOAT, written=None)
    floats = np.array([float(mean) for mean in means])
    return with_values(made, pa.array(floats[labels], type=pa.float64()))


# Precision of numeric columns: the digits to which means are rounded.
#
# A weighted mean with all its digits is a knapsack: whoever knows the weights of a group's records
# and of what numbers the values are multiples finds the values from Σwx/Σw. Rounded to the
# precision of the data it says no more than a value does.
def unit_of_whole(whole: npt.NDArray[Any]) -> int:
    """Return the precision of whole numbers of a column's smallest unit.

    The largest power of ten of which all are multiples; of numbers so long that nobody wrote them,
    a step (1, 2 or 5 times a power of ten) that makes no more means than there are values.
    """
    common = int(np.gcd.reduce(whole)) if whole.size else 0
    unit = 1
    while common and common % (10 * unit) == 0:
        unit *= 10
    low, high = (int(whole.min()), int(whole.max())) if whole.size else (0, 0)
    if (high - low) // unit < FINE:
        return unit
    return max(unit, int(_coarse(Fraction(high - low), np.unique(whole).size)))


def unit_of_floats(values: npt.NDArray[np.floating[Any]]) -> Fraction:
    """Return the precision of floats, none missing, as `unit_of_whole` says it."""
    plain = values[np.isfinite(values)]
    different = np.unique(plain)
    if not different.size:
        return Fraction(1)
    span = Fraction(float(different[-1])) - Fraction(float(different[0]))
    for digits in range(DIGITS + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.round(different, digits) == different
        if whole.all():
            unit = Fraction(1, 10**digits)
            if digits == 0 and np.abs(different).max() < 2**53:
                unit = Fraction(unit_of_whole(different.astype(np.int64)))
            if span < FINE * unit:
                return unit
            break
    return _coarse(span, different.size) if span else Fraction(1, 10**DIGITS)


def _coarse(span: Fraction, different: int) -> Fraction:
    """Return the least step of 1, 2 or 5 times a power of ten that parts a span into few enough."""
    most = max(different - 1, 1)
    power = math.floor(math.log10(span.numerator) - math.log10(span.denominator)) - len(str(most))
    unit = Fraction(10) ** (power - 1)
    while True:
        for times in (1, 2, 5):
            if span <= most * times * unit:
                return times * unit
        unit *= 10


def from_rows(column: Column, rows: Integers, labels: Integers) -> Column:
    """Return the column with every group's cells replaced by that of a row; none where it is -1."""
    chosen = rows[labels]
    values = column.values.take(pa.array(chosen, mask=chosen < 0))
    if values.null_count:
        column = column.replace(order=None)  # a star has no place in one
    return with_values(column, values.fill_null(STAR) if column.kind is Kind.TEXT else values)


def with_values(column: Column, values: Any, written: Written | None = None) -> Column:
    """Return a released column with the values of its groups, one for every record."""
    return column.replace(
        values=values,
        cells=None,
        quoted=None,
        protected=True,
        written=written or column.written,
    )
