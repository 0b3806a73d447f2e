"""Published totals: a file of them, and a release whose means agree with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.errors import RequestError, listed, nearest_names, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.partition import Partition, first_rows
from shoal.plan.plan import Plan
from shoal.release.totals import Means, calibrated, nearest_total
from shoal.table.read import read
from shoal.table.roles import Column, Kind
from shoal.table.survey import Survey, named_strata
from shoal.table.table import Table, as_floats


@dataclass(frozen=True)
class Totals:
    """Totals by column and stratum, in the order of the strata; one where there are none."""

    columns: Mapping[str, tuple[Fraction, ...]]


def read_totals(table: Table, plan: Plan, survey: Survey) -> Totals | None:
    """Return the totals of the file that the settings name, checked; None: there is none.

    The file has the columns of the strata, a row each, and columns of totals.
    """
    place, by = plan.settings.release.totals, plan.strata
    if place is None:
        return None
    if plan.weight is not None:
        raise RequestError(
            f"{option('totals')}: survey weights count records several times; leave out "
            f"{option('weight')}"
        )
    given = read(place if plan.folder is None else plan.folder / place)
    names = [column.name for column in given.columns if column.name not in by]
    means = [name for name, one in plan.aggregators.items() if one == "mean"]
    for name in names:
        if name not in means:
            raise RequestError(
                f"{option('totals')}: {shown(name)} is no quasi-identifier that releases means"
                f"{nearest_names(name, means)}"
            )
        _step(table[name], plan)
    order = _rows(given, table, by, survey)
    return Totals({name: _numbers(given[name], order) for name in names})


def _rows(given: Table, table: Table, by: tuple[str, ...], survey: Survey) -> list[int]:
    """Return the row of the file for every stratum; without strata the only one."""
    if survey.strata is None:
        if given.rows != 1:
            raise RequestError(
                f"{option('totals')}: {given.rows:,} rows of totals, but no strata; give one row, or "
                f"say {option('by')}"
            )
        return [0]
    lacking = [name for name in by if name not in given.names]
    if lacking:
        raise RequestError(
            f"{option('totals')}: the file has no column {listed(lacking)} of strata"
        )
    have = {name: row for row, name in enumerate(named_strata(given, by, np.arange(given.rows)))}
    wanted = named_strata(table, by, survey.strata)
    unknown = sum(name not in have for name in wanted)
    if unknown or len(have) != len(wanted):
        raise RequestError(
            f"{option('totals')}: {given.rows:,} rows for {len(wanted):,} strata, {unknown:,} of "
            "which have none; give one row a stratum"
        )
    return [have[name] for name in wanted]


def _numbers(column: Column, rows: list[int]) -> tuple[Fraction, ...]:
    """Return the totals of a column of the file, exactly as they are written."""
    cells = column.values.take(pa.array(rows)).to_pylist()
    if not column.kind.is_number or None in cells:
        raise RequestError(f"{option('totals')}: a total of {shown(column.name)} is no number")
    return tuple(Fraction(str(cell)) for cell in cells)


def _step(column: Column, plan: Plan) -> Fraction:
    """Return the step to which a column's means are rounded; refuse a column that has none."""
    digits = plan.aggregation.digits(column)
    if column.missing:
        raise RequestError(
            f"{option('totals')}: cells of {shown(column.name)} are missing, which no total counts"
        )
    if column.kind is Kind.INTEGER and not isinstance(digits, str):
        return Fraction(1)
    if column.kind is Kind.FLOAT and isinstance(digits, int):
        return Fraction(1, 10**digits)
    raise RequestError(
        f"{option('totals')}: means of {shown(column.name)} are not rounded to a step; say "
        f"{option('decimals', {column.name: 2})}"
    )


def with_totals(
    released: Table, table: Table, totals: Totals, plan: Plan, groups: Grouped
) -> Table:
    """Return the release with means moved so that every total is as given.

    Raises RequestError, with how far off the nearest total is, where a move of every mean by one
    step of its rounding does not reach it.
    """

    def moved(column: Column) -> Column:
        own = totals.columns.get(column.name)
        if own is None:
            return column
        return _moved(column, table[column.name], own, _step(table[column.name], plan), groups)

    return released.mapped(moved)


@dataclass(frozen=True)
class Grouped:
    """Groups of the records, those of columns that have wider ones, and strata."""

    partition: Partition
    wider: Mapping[str, Partition]
    strata: Integers | None

    def labels(self, name: str) -> Integers:
        """Return the groups of a column."""
        return self.wider.get(name, self.partition).labels


def _moved(
    column: Column, before: Column, totals: tuple[Fraction, ...], step: Fraction, groups: Grouped
) -> Column:
    """Return a column of means, moved stratum by stratum."""
    labels = groups.labels(column.name)
    first = first_rows(labels, int(labels.max()) + 1)
    sizes = np.bincount(labels)
    exact = np.bincount(labels, as_floats(before)) / sizes / float(step)
    cells = column.values.take(pa.array(first)).to_pylist()
    steps = np.array([round(Fraction(str(cell)) / step) for cell in cells], dtype=np.int64)
    of = np.zeros(first.size, dtype=np.int64) if groups.strata is None else groups.strata[first]
    for stratum, total in enumerate(totals):
        own = np.flatnonzero(of == stratum)
        means = Means(steps[own], exact[own], sizes[own])
        wanted = total / step
        found = None
        if wanted.denominator == 1:
            found = calibrated(means, int(wanted))
        if found is None:
            near = nearest_total(means, round(wanted)) * step
            raise RequestError(
                f"{option('totals')}: a total of {shown(column.name)} cannot be met by means that "
                f"move by one step of {float(step):g}; the nearest is {float(abs(near - total)):g} off"
            )
        steps[own] = found
    made = [float(step * int(one)) for one in steps.tolist()]
    values = pa.array(made if column.kind is Kind.FLOAT else [int(one) for one in made])
    return column.replace(values=values.cast(column.values.type).take(pa.array(labels)))
