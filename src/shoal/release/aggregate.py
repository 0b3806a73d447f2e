"""Table + Partition -> released Table: every quasi-identifier becomes its group's value.

Whole numbers, fixed-point numbers, dates and times are summed exactly and rounded once, half to
even, to the precision the column came with; floats are summed without loss, then divided. Every
member of a group carries the same value to the last bit, and no digit says more than the input did.
With survey weights floats are rounded too, and nothing is released with more digits than the data
have (`precision.py`): all digits of a weighted mean could tell whose values it is made of.
Of columns that hold two numbers only, 0 and 1 say, the more frequent one is taken, as of true and
false: a mean of them, rounded, could be neither.
Of ordinal values the median is taken, the lower one where two are in the middle: the center of what
has an order and no sums (Domingo-Ferrer and Torra 2005).
Of numbers and dates of which some cells are missing, a group releases the mean (or median, or
majority) of those that are present for all its records, if at least k are, of k people or
households where these are grouped; so nobody can tell who had none. Otherwise, and in any other
column where a cell of the group is missing, it releases no value: the cell is empty in a dataframe
and `*` in a csv file.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.partition import Partition
from shoal.release.centers import (
    Groups,
    center,
    centers_of,
    exact_center,
    float_means,
    float_median,
    half,
    half_even,
    rounded_means,
)
from shoal.release.generalize import generalized, medoids, modes
from shoal.release.precision import unit_of_floats, unit_of_whole
from shoal.table.encode import canonical_order, encode
from shoal.table.encode_nodes import Coded
from shoal.table.roles import STAR, TICKS, Column, Kind, Role, Written
from shoal.table.rounding import decimals_of
from shoal.table.survey import Survey
from shoal.table.table import Table, as_integers, present, some_rows

Decimals = int | str | Mapping[str, int | str] | None
UNROUNDED = "none"  # as many digits as a float holds
MAJORITY = "majority"  # of the two values that a column of numbers has
AVERAGED = ("mean", "median", MAJORITY)  # aggregators whose release is a number
STRATUM = "stratum"  # of a column in which all records of a group agree
ALIKE = Survey()  # every record counts once, on its own


def averaged(aggregators: Mapping[str, str]) -> bool:
    """Tell whether all columns of numbers stay numbers: means, medians, majorities, or strata."""
    return {*AVERAGED, STRATUM}.issuperset(aggregators.values())


@dataclass(frozen=True)
class Aggregators:
    """The aggregator of all columns, or by column, and the `decimals` that it is rounded to.

    mean (of ordinal columns the median), median, majority or, of a coded table, mode, medoid,
    generalize, range. `weights` are those of the columns in the distance of a medoid, `grains` the
    greatest common divisors of times in a file of which the table is a part.
    """

    names: str | Mapping[str, str]
    decimals: Decimals = None
    weights: Mapping[str, float] | None = None
    grains: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Return the aggregator of a column."""
        return self.names if isinstance(self.names, str) else self.names[name]

    def digits(self, column: Column) -> int | str | None:
        """Return to how many decimals a column is rounded: as asked, or as its floats are exact."""
        decimals = self.decimals
        asked = decimals.get(column.name) if isinstance(decimals, Mapping) else decimals
        exact = None if column.written is None else column.written.digits
        if exact is None or asked == UNROUNDED:
            return asked
        return min(exact, asked) if isinstance(asked, int) else exact


def aggregate(
    table: Table,
    partition: Partition,
    aggregators: Aggregators,
    coded: Coded | None = None,
    wider: Mapping[str, Partition] | None = None,
    survey: Survey = ALIKE,
) -> Table:
    """Return the released table: no identifiers, aggregated quasi-identifiers, the rest unchanged.

    Columns in `wider` have groups of their own. The weights of a `survey` say how many a record
    stands for, in means, medians and modes. Ensures that two records of one group agree in every
    quasi-identifier.
    """
    groups = Groups.of(partition.labels, partition.sizes, survey.weights)
    order, starts = groups.order, groups.starts
    columns = {} if coded is None else {column.name: column for column in coded.columns}
    nearest: list[Integers] = []

    def released(column: Column) -> Column:
        if column.role is not Role.QUASI_IDENTIFIER:
            return column
        aggregator = aggregators.of(column.name)
        if aggregator == STRATUM:
            return _from_rows(column, order[starts], partition.labels)
        if aggregator in ("generalize", "range"):
            return generalized(column, columns[column.name], partition.labels)
        if aggregator == "mode":
            return _from_rows(
                column,
                modes(columns[column.name], partition.labels, survey.weights),
                partition.labels,
            )
        if aggregator == "medoid":
            assert coded is not None
            if not nearest:
                grouped = table.only(
                    lambda c: (
                        c.role is not Role.QUASI_IDENTIFIER or aggregators.of(c.name) != STRATUM
                    )
                )
                encoded = encode(
                    grouped, weights=aggregators.weights, coded=coded, k=partition.k,
                    survey=survey.weights,
                )  # fmt: skip
                fixed = canonical_order(table)  # that of the rows says nothing
                nearest.append(medoids(encoded.matrix, partition.labels, fixed, survey.weights))
            rows = np.where(_holed(column, groups), -1, nearest[0])
            return _from_rows(column, rows, partition.labels)
        if column.is_ordinal:
            return _from_rows(column, _medians(column, groups, partition.labels), partition.labels)
        digits = aggregators.digits(column)
        grain = aggregators.grains.get(column.name) or _grain(column)
        average = partial(_protect, aggregator=aggregator, digits=digits, grain=grain)
        if not column.missing:
            return average(column, groups, partition.labels)
        return _of_present(column, partition, survey, average)

    kept = table.only(lambda column: column.role is not Role.IDENTIFIER)
    made = kept.mapped(released)
    for coarser in {id(groups): groups for groups in (wider or {}).values()}.values():
        own = {name for name, groups in (wider or {}).items() if groups is coarser}
        other = aggregate(table, coarser, aggregators, coded, survey=survey)
        made = made.mapped(partial(_chosen, own, other))
    return made


def _chosen(own: Container[str], other: Table, column: Column) -> Column:
    return other[column.name] if column.name in own else column


def _holed(column: Column, groups: Groups) -> Flags:
    """Return which groups miss a cell of a column."""
    missing = np.asarray(column.values.is_null(nan_is_null=True)).astype(np.int64)
    holed: Flags = groups.sums(missing) > 0
    return holed


def _from_rows(column: Column, rows: Integers, labels: Integers) -> Column:
    """Return the column with every group's cells replaced by that of a row; none where it is -1."""
    chosen = rows[labels]
    values = column.values.take(pa.array(chosen, mask=chosen < 0))
    if values.null_count:
        column = column.replace(order=None)  # a star has no place in one
    return _with_values(column, values.fill_null(STAR) if column.kind is Kind.TEXT else values)


def _medians(column: Column, groups: Groups, labels: Integers) -> Integers:
    """Return the row that holds each group's median, the lower of two; -1 where a cell is missing.

    Of rows with the same value any will do.
    """
    gone = np.asarray(column.values.is_null())
    known = column.replace(values=column.values.filter(pa.array(~gone)))
    ranks = np.zeros(gone.size, dtype=np.int64)
    whole = as_integers(known)
    assert whole is not None
    ranks[~gone] = whole
    ordered = np.lexsort((ranks, labels))
    if groups.weights is None:
        rows = ordered[groups.starts + (groups.sizes - 1) // 2]
    else:  # the first to have half of the weight at or below it
        by_rank = Groups(ordered, groups.starts, groups.sizes)
        middles = [half(weights) for weights in by_rank.lists(groups.weights)]
        rows = ordered[groups.starts + np.array(middles)]
    return np.where(_holed(column, groups), -1, rows)


def _of_present(
    column: Column, partition: Partition, survey: Survey, average: Callable[..., Column]
) -> Column:
    """Return the average of the present cells of every group that has k of them.

    The records of these groups that have a cell are averaged by themselves, as if there were no
    others.
    """
    labels, there, units = partition.labels, present(column), survey.together
    many = present_units(labels[there], partition.groups, None if units is None else units[there])
    told = many >= partition.k
    used = there & told[labels]
    if not used.any():
        return _with_values(column, pa.nulls(there.size, column.values.type))
    number = np.cumsum(told) - 1
    own = number[labels[used]]
    weights = None if survey.weights is None else survey.weights[used]
    averages = average(some_rows(column, used), Groups.of(own, np.bincount(own), weights), own)
    first = np.zeros(int(own.max()) + 1, dtype=np.int64)
    first[own[::-1]] = np.arange(own.size)[::-1]
    chosen = np.where(told, first[np.maximum(number, 0)], -1)[labels]
    return averages.replace(values=averages.values.take(pa.array(chosen, mask=chosen < 0)))


def present_units(labels: Integers, groups: int, units: Integers | None) -> Integers:
    """Return how many records of each group there are, or how many different units of theirs."""
    if units is not None:
        pairs = np.unique(np.stack([labels, units]), axis=1)
        labels = pairs[0]
    return np.bincount(labels, minlength=groups)


def _protect(
    column: Column, groups: Groups, labels: Integers, *, aggregator: str,
    digits: int | str | None, grain: int,
) -> Column:  # fmt: skip
    """Return the mean, median or majority of every group of a column without missing cells."""
    whole = as_integers(column)
    if aggregator == MAJORITY:
        numbers = np.asarray(column.values.cast("double")) if whole is None else whole
        return _majority(column, groups, numbers, labels)
    if whole is None:
        return _protect_floats(column, groups, aggregator, digits, labels)
    if column.kind is Kind.BOOLEAN:
        return _majority(column, groups, whole, labels)
    if digits == UNROUNDED and column.kind.is_number and groups.weights is None:
        return _unrounded(column, *centers_of(whole, groups, aggregator), labels)
    digits = None if isinstance(digits, str) else digits
    unit = 1
    scale = column.values.type.scale if column.kind is Kind.DECIMAL else 0
    if digits is not None and digits < scale:
        unit = 10 ** (scale - digits)
    if groups.weights is not None and column.kind.is_number:
        unit = max(unit, unit_of_whole(whole))
        if unit > 1 and scale:
            digits = max(0, scale - len(str(unit)) + 1)
    if column.kind is Kind.DATETIME:
        unit *= _time_unit(column, grain)
    means = rounded_means(whole, groups, unit) if aggregator == "mean" else None
    if means is None:
        every = zip(*centers_of(whole, groups, aggregator), strict=True)
        rounded = [half_even(n, d * unit) * unit for n, d in every]
        values = _back(column, rounded, labels, digits)
    else:
        values = _as_values(column, means, digits).take(pa.array(labels))
    written = column.written
    if written is not None and unit > 1 and column.kind is Kind.DECIMAL:
        written = Written(decimals=digits or 0)
    return _with_values(column, values, written)


def _majority(
    column: Column, groups: Groups, numbers: npt.NDArray[Any], labels: Integers
) -> Column:
    """Return the more frequent of two values in every group, by weight; a tie is the lesser."""
    high = (numbers == numbers.max()).astype(np.int64)
    often = groups.sums(high if groups.weights is None else high * groups.weights)
    rows = np.where(2 * often > groups.masses, int(high.argmax()), int(high.argmin()))
    return _from_rows(column, rows.astype(np.int64), labels)


def _grain(column: Column) -> int:
    """Return the greatest common divisor of the times that a column holds; 0 of others."""
    if column.kind is not Kind.DATETIME:
        return 0
    whole = as_integers(some_rows(column, present(column)))
    assert whole is not None
    return grain_of(whole)


def grain_of(whole: npt.NDArray[Any]) -> int:
    """Return the greatest common divisor of whole numbers; 0 of zeros."""
    return int(np.gcd.reduce(whole)) if whole.size else 0


def _time_unit(column: Column, grain: int) -> int:
    """Return the coarsest unit of which all times are multiples: a day, an hour, …, one tick."""
    second = TICKS[column.values.type.unit]
    units = [86_400 * second, 3_600 * second, 60 * second]
    while second >= 1:
        units.append(second)
        second //= 10
    return next(unit for unit in units if not grain % unit)


def _unrounded(
    column: Column, numerators: list[int], denominators: list[int], labels: Integers
) -> Column:
    """Return fractions of whole numbers of the column's unit as floats, rounded once."""
    unit = 10**column.values.type.scale if column.kind is Kind.DECIMAL else 1
    means = [float(Fraction(n, d * unit)) for n, d in zip(numerators, denominators, strict=True)]
    return _floats(column, means, labels)


def _floats(column: Column, means: list[float], labels: Integers) -> Column:
    made = column.replace(kind=Kind.FLOAT, written=None)
    return _with_values(made, pa.array(np.array(means)[labels], type=pa.float64()))


def _back(column: Column, rounded: list[int], labels: Integers, digits: int | None) -> Any:
    """Return one Arrow value a record, of the column's own type, from one integer a group."""
    kind = column.values.type
    if column.kind is Kind.DECIMAL:
        from decimal import Context, Decimal

        exact = Context(prec=60)
        values = [Decimal(v).scaleb(-kind.scale, exact) for v in rounded]
        fits = kind if digits is None else pa.decimal128(38, min(digits, kind.scale))
        distinct = pa.array(values, type=fits)
    elif column.kind is Kind.DATE:
        distinct = pa.array(rounded, type=pa.int32()).cast(pa.date32()).cast(kind)
    elif column.kind is Kind.DATETIME:
        distinct = pa.array(rounded, type=pa.int64()).cast(kind)
    else:
        distinct = pa.array(rounded, type=kind)
    return distinct.take(pa.array(labels))


def _as_values(column: Column, means: Integers, digits: int | None) -> Any:
    """Return whole numbers of the column's unit as Arrow values of its own type."""
    kind = column.values.type
    if column.kind is Kind.DECIMAL:
        fits = kind if digits is None else pa.decimal128(38, min(digits, kind.scale))
        steps = means // 10 ** (kind.scale - fits.scale)
        words = np.stack([steps, steps >> 63], axis=1)  # of 128 bits, the lower ones first
        return pa.Array.from_buffers(fits, means.size, [None, pa.py_buffer(words)])
    if column.kind is Kind.DATE:
        return pa.array(means).cast(pa.int32()).cast(pa.date32()).cast(kind)
    return pa.array(means).cast(kind)


def _protect_floats(
    column: Column, groups: Groups, aggregator: str, digits: int | str | None, labels: Integers
) -> Column:
    written = column.written
    if groups.weights is not None:
        return _by_weight(column, groups, aggregator, digits, labels)
    if written is not None and digits == UNROUNDED:
        exact = np.array([Fraction(cell) for cell in column.cells.to_pylist()], dtype=object)
        return _floats(
            column, [float(center(*both, aggregator)) for both in groups.pairs(exact)], labels
        )
    digits = None if isinstance(digits, str) else digits
    centers: list[float] | Floats
    if written is not None:
        digits = written.decimals if digits is None else min(digits, written.decimals)
        written = Written(decimals=digits)
        exact = np.array([Fraction(cell) for cell in column.cells.to_pylist()], dtype=object)
        centers = [exact_center(*both, aggregator, digits) for both in groups.pairs(exact)]
    else:
        plain = np.asarray(column.values)
        if aggregator == "median":
            centers = [float_median(*both) for both in groups.pairs(plain)]
        else:
            centers = float_means(plain, groups)
        if digits is not None:
            centers = [round(float(value), digits) + 0.0 for value in centers]
    values = pa.array(np.array(centers)[labels]).cast(column.values.type, safe=False)
    return _with_values(column, values, written)


def _by_weight(
    column: Column, groups: Groups, aggregator: str, digits: int | str | None, labels: Integers
) -> Column:
    """Return means or medians of floats by weight, rounded once to the precision of the data."""
    values = np.asarray(column.values)
    plain = values.astype(np.float64).tolist() if column.cells is None else column.cells.to_pylist()
    if column.cells is None and values.dtype != np.float64:
        plain = [str(value) for value in values]  # a short float as it is written
    unit = unit_of_floats(values)
    if isinstance(digits, int):
        unit = max(unit, Fraction(1, 10**digits))
    exact = np.array([Fraction(value) for value in plain], dtype=object)
    steps = [center(*both, aggregator) / unit for both in groups.pairs(exact)]
    means = [float(half_even(one.numerator, one.denominator) * unit) + 0.0 for one in steps]
    made = pa.array(np.array(means)[labels]).cast(column.values.type, safe=False)
    written = None if column.written is None else Written(decimals=decimals_of(unit))
    return _with_values(column, made, written)


def _with_values(column: Column, values: Any, written: Written | None = None) -> Column:
    return column.replace(
        values=values,
        cells=None,
        quoted=None,
        protected=True,
        written=written or column.written,
    )
