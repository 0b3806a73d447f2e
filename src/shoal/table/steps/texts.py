"""Texts of a column, each value once, to be changed and put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.table.hierarchy.values import Distinct, distinct_values
from shoal.table.roles import Column, Kind, Written

if TYPE_CHECKING:
    from shoal.kernels.arrays import Integers
    from shoal.table.table import Table


def texts_in(column: Column) -> Distinct:
    """Return the distinct values of a column as texts, and which one every record has."""
    return distinct_values(column.replace(order=None))


def with_texts(column: Column, own: Distinct, texts: Sequence[str]) -> Column:
    """Return the column with other texts in the place of its distinct values."""
    import pyarrow as pa

    index = pa.array(own.indices, mask=own.indices < 0)
    values = pa.array(list(texts), type=pa.string()).take(index)
    variable = column.variable
    if variable is not None:  # codes of values that are gone would be released as labels
        variable = replace(variable, labels=(), coded=False, missing=(), measure="nominal")
    return column.replace(
        kind=Kind.TEXT, values=values, cells=None, quoted=None, doubt=None, order=None,
        written=None if column.written is None else Written(), rounded=True, variable=variable,
    )  # fmt: skip


def with_columns(table: Table, columns: Mapping[str, Column]) -> Table:
    """Return the table with some columns in the place of those of their names."""
    return table.mapped(lambda column: columns.get(column.name, column))


def share_of_entropy(before: Distinct, after: Distinct) -> float | None:
    """Return how much of the entropy of a column is gone, in percent; None where it had none.

    De Waal and Willenborg (1999), Information loss through global recoding and local suppression.
    """
    was, now = (_entropy(one.counts) for one in (before, after))
    return None if was <= 0.0 else 100.0 * max(0.0, was - now) / was


def _entropy(counts: Integers) -> float:
    shares = counts[counts > 0] / max(1, int(counts.sum()))
    return float(-(shares * np.log2(shares)).sum())
