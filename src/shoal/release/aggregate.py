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
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.generalization import Spans, spans
from shoal.measures.loss import group_means
from shoal.partition import Partition, first_rows
from shoal.release.averages import UNROUNDED, Average, from_rows
from shoal.release.centers import Groups, float_centers, half
from shoal.release.intervals import ends_type
from shoal.table.encode import canonical_order, encode
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.roles import STAR, STRATUM, Column, Kind, Role, Written
from shoal.table.survey import Survey
from shoal.table.table import Table, as_floats, as_integers

DIGITS = 6  # significant ones of a group's mean weight: a total drifts by 5e-6 of itself at most
BLOCK = 4096  # records whose differences are held at once
Decimals = int | str | Mapping[str, int | str] | None
ALIKE = Survey()  # every record counts once, on its own


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
            if not nearest:
                nearest.append(_nearest(table, partition, aggregators, coded, survey))
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


def _nearest(
    table: Table,
    partition: Partition,
    aggregators: Aggregators,
    coded: Coded | None,
    survey: Survey,
) -> Integers:
    """Return the medoid of each group, by all columns but those in which its records agree."""

    def is_grouped(column: Column) -> bool:
        is_quasi = column.role is Role.QUASI_IDENTIFIER
        return not is_quasi or aggregators.of(column.name) != STRATUM

    encoded = encode(
        table.only(is_grouped), weights=aggregators.weights, coded=coded, k=partition.k,
        survey=survey.weights,
    )  # fmt: skip
    fixed = canonical_order(table)  # that of the rows says nothing
    return medoids(encoded.matrix, partition.labels, fixed, survey.weights)


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


def generalized(column: Column, coded: CodedColumn, labels: Integers) -> Column:
    """Return the column to release: labels of the tree, [least,greatest] of an order, or *."""
    nodes = spans(coded, labels)
    texts = _ranges(coded, nodes) if coded.by_range else _labels(coded, nodes)
    values = pa.array(texts, type=pa.string()).take(pa.array(labels))
    return column.replace(
        kind=Kind.TEXT, values=values, cells=None, quoted=None, protected=True, written=Written(),
        order=None, ends=ends_type(column) if coded.by_range else None,
    )  # fmt: skip


def _labels(column: CodedColumn, nodes: Spans) -> list[str]:
    return [column.tree.labels[n] if n else STAR for n in nodes.nodes.tolist()]


def _ranges(column: CodedColumn, nodes: Spans) -> list[str]:
    values, written = column.values, []
    for low, high in zip(nodes.low.tolist(), nodes.high.tolist(), strict=True):
        if low < 0:
            written.append(STAR)
        else:
            written.append(values.texts[low] if low == high else values.interval(low, high))
    return written


def modes(coded: CodedColumn, labels: Integers, weights: Floats | None = None) -> Integers:
    """Return the row whose value stands for each group: a most frequent one, of equals the least.

    -1 where a cell of the group is missing.
    """
    codes = coded.values.indices
    key = labels * (codes.max(initial=0) + 2) + (codes + 1)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    counts = np.bincount(which, weights)
    groups = labels[first]
    order = np.lexsort((-counts, groups))  # it keeps that of the values: of equals the least
    best: Integers = first[order][first_rows(groups[order], int(labels.max()) + 1)]
    best[np.unique(labels[codes < 0])] = -1
    return best


def medoids(
    matrix: Floats, labels: Integers, order: Integers, weights: Floats | None = None
) -> Integers:
    """Return the row of each group with the least sum of squared distances to the others.

    That is the one nearest to the group's mean; of equals the first in an order of the rows.
    """
    apart = np.empty(labels.size)
    means = group_means(matrix, labels, weights)
    for begin in range(0, labels.size, BLOCK):
        some = slice(begin, begin + BLOCK)
        apart[some] = ((matrix[some] - means[labels[some]]) ** 2).sum(axis=1)
    near = order[np.lexsort((np.round(apart[order], 9), labels[order]))]  # it keeps the order
    first = np.concatenate(([0], np.cumsum(np.bincount(labels))[:-1]))
    best: Integers = near[first]
    return best


def with_weights(
    released: Table, partition: Partition, name: str | None, weights_as: str, step: float
) -> tuple[Table, Floats | None]:
    """Return the release with its weights treated as `weights_as`, and the weights, if any."""
    if name is None:
        return released, None
    if weights_as == "drop":
        return released.only(lambda column: column.name != name), None
    column = released[name]
    if weights_as == "mean":
        column = mean_weights(column, partition)
    elif weights_as == "rounded":
        column = rounded_weights(column, step)
    made = released.mapped(lambda own: column if own.name == name else own)
    return made, as_floats(column)


def mean_weights(column: Column, partition: Partition) -> Column:
    """Return weights as the mean of each group, to six significant digits."""
    groups = Groups.of(partition.labels, partition.sizes)
    every = float_centers(as_floats(column), groups, "mean")
    means = np.array([float(f"{mean:.{DIGITS - 1}e}") for mean in every])[partition.labels]
    return column.replace(
        kind=Kind.FLOAT, values=pa.array(means), cells=None, quoted=None, written=None,
        protected=True,
    )  # fmt: skip


def rounded_weights(column: Column, step: float) -> Column:
    """Return weights as multiples of a step; none is less than one step, for none may be 0."""
    values = np.maximum(np.rint(as_floats(column) / step), 1.0)
    rounded = [float(Fraction(str(step)) * int(times)) for times in values.tolist()]
    made = column.replace(
        kind=Kind.FLOAT, values=pa.array(rounded, type=pa.float64()), cells=None, quoted=None,
        written=None,
    )  # fmt: skip
    whole = column.kind is Kind.INTEGER and float(step).is_integer()
    made = made.replace(kind=Kind.INTEGER, values=made.values.cast(pa.int64())) if whole else made
    return made.replace(rounded=True)
