"""Released survey weights: group means, rounded, exact, or dropped."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.kernels.arrays import Floats
from shoal.kernels.exact_sum import SETTLED, group_sums
from shoal.partition import Partition
from shoal.table.roles import Column, Kind
from shoal.table.table import Table, as_floats

DIGITS = 6  # significant ones of a group's mean weight: a total drifts by 5e-6 of itself at most


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
    own = as_floats(column)
    order = np.argsort(partition.labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(partition.sizes)[:-1]))
    sums, states = group_sums(own[order], starts)
    for group in np.flatnonzero(states & SETTLED == 0).tolist():
        first = int(starts[group])
        sums[group] = math.fsum(own[order[first : first + int(partition.sizes[group])]])
    every = (sums / partition.sizes).tolist()
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
