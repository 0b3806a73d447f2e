"""Published totals: a file of them, and a release whose means agree with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.errors import RequestError, listed, nearest_names, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.partition import Partition, first_rows
from shoal.pipeline.plan.plan import Plan
from shoal.release.totals import Means, calibrated, nearest_total
from shoal.table.read import read
from shoal.table.roles import Column, Kind
from shoal.table.survey import Survey, named_strata
from shoal.table.table import Table, as_floats


@dataclass(frozen=True)
class Totals:
    """Totals by column and stratum, in the order of the strata; one where there are none.

    `within` is how far off the release may be.
    """

    columns: Mapping[str, tuple[Fraction, ...]]
    within: Fraction


def read_totals(table: Table, plan: Plan, survey: Survey) -> Totals | None:
    """Return the totals of the file that the settings name, checked; None: there is none.

    The file has the columns of the strata, a row each, and columns of totals.
    """
    place, by = plan.settings.release.totals, plan.settings.roles.by
    if place is None:
        return None
    if plan.settings.roles.weight is not None:
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
    within = Fraction(str(plan.settings.release.totals_within))
    return Totals({name: _numbers(given[name], order) for name in names}, within)


def _rows(given: Table, table: Table, by: tuple[str, ...], survey: Survey) -> list[int]:
    """Return the row of the file for every stratum; without strata the only one."""
    if survey.strata is None:
        if given.rows != 1:
            raise RequestError(
                f"{option('totals')}: {given.rows:,} rows of totals, but no strata; give one row, "
                f"or say {option('by')}"
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
    released: Table, table: Table, totals: Totals, plan: Plan, groups: Mapping[str, Partition],
    partition: Partition, strata: Integers | None,
) -> Table:  # fmt: skip
    """Return the release with means moved so that every total is as given.

    Columns of `groups` have others than those of the `partition`. Raises RequestError, with how far
    off the nearest total is, where a move of every mean by one step of its rounding does not reach
    it.
    """

    def moved(column: Column) -> Column:
        if column.name not in totals.columns:
            return column
        labels, before = groups.get(column.name, partition).labels, table[column.name]
        own = totals.columns[column.name]
        return _moved(column, before, _step(before, plan), own, totals.within, labels, strata)

    return released.mapped(moved)


def _moved(
    column: Column, before: Column, step: Fraction, totals: Sequence[Fraction], within: Fraction,
    labels: Integers, strata: Integers | None,
) -> Column:  # fmt: skip
    """Return a column of means, rounded to a step, moved stratum by stratum to given totals."""
    first, sizes = first_rows(labels, int(labels.max()) + 1), np.bincount(labels)
    exact = np.bincount(labels, as_floats(before)) / sizes / float(step)
    cells = column.values.take(pa.array(first)).to_pylist()
    steps = np.array([round(Fraction(str(cell)) / step) for cell in cells], dtype=np.int64)
    places = np.zeros(first.size, dtype=np.int64) if strata is None else strata[first]
    for stratum, total in enumerate(totals):
        own = np.flatnonzero(places == stratum)
        means = Means(steps[own], exact[own], sizes[own])
        near = nearest_total(means, round(total / step))
        off = abs(near * step - total)
        if off > within:
            raise RequestError(
                f"{option('totals')}: a total of {shown(column.name)} cannot be met by means "
                f"that move by one step of {float(step):g}: the nearest is {float(off):g} off; "
                f"{option('totals_within')} says how much may be"
            )
        found = calibrated(means, near)
        assert found is not None
        steps[own] = found
    made = [float(step * n) if column.kind is Kind.FLOAT else int(step * n) for n in steps.tolist()]
    return column.replace(values=pa.array(made).cast(column.values.type).take(pa.array(labels)))
