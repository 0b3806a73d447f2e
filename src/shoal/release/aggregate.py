"""Table + Partition -> released Table: every quasi-identifier becomes its group's value.

Every member of a group carries the same value to the last bit, and no digit says more than the
input did (`averages.py`). Of columns that hold two numbers only, 0 and 1 say, the more frequent one
is taken, as of true and false: a mean of them, rounded, could be neither. Of ordinal values the
median is taken, the lower one where two are in the middle: the center of what has an order and no
sums (Domingo-Ferrer and Torra 2005). Of numbers and dates of which some cells are missing, a group
releases the mean (or median, or majority) of those that are present for all its records, if at
least k are, of k people or households where these are grouped; so nobody can tell who had none.
Otherwise, and in any other column where a cell of the group is missing, it releases no value: the
cell is empty in a dataframe and `*` in a csv file.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Flags, Integers
from shoal.partition import Partition
from shoal.release.averages import MAJORITY, UNROUNDED, Average
from shoal.release.centers import Groups, half
from shoal.release.generalize import generalized, medoids, modes
from shoal.release.group_values import from_rows
from shoal.table.encode import canonical_order, encode
from shoal.table.encode_nodes import Coded
from shoal.table.roles import Column, Role
from shoal.table.survey import Survey
from shoal.table.table import Table, as_integers

Decimals = int | str | Mapping[str, int | str] | None
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
            return from_rows(column, order[starts], partition.labels)
        if aggregator in ("generalize", "range"):
            return generalized(column, columns[column.name], partition.labels)
        if aggregator == "mode":
            return from_rows(
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
            return from_rows(column, rows, partition.labels)
        if column.is_ordinal:
            return from_rows(column, _medians(column, groups, partition.labels), partition.labels)
        average = Average(aggregator, aggregators.digits(column),
                          aggregators.grains.get(column.name))  # fmt: skip
        return average.of(column, partition, groups, survey)

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
