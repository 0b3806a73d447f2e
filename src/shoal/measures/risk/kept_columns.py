"""Uniqueness by kept columns, in the release and within a class."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.measures.compared import joined, renumbered
from shoal.measures.risk.classes import share_below
from shoal.table.dataframes.opaque import cell_bytes
from shoal.table.roles import Column, Kind


def released_codes(column: Column) -> Integers:
    """Return the released cells as numbers, equal cells the same; missing ones are one value.

    Cells that are released as they stood in a csv file are told apart by their text.
    """
    import pyarrow as pa

    values = column.values if column.cells is None or column.protected else column.cells
    if column.kind is Kind.FLOAT and values is column.values:
        values = pa.array(np.asarray(values.cast("double")) + 0.0, from_pandas=True)
    if column.kind is Kind.UNKNOWN:
        values = cell_bytes(values)
    encoded = values.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(len(encoded.dictionary))).astype(np.int64)


def together(codes: Iterable[Integers], rows: int) -> Integers:
    """Return numbers from 0 for the combinations of several columns."""
    labels = np.zeros(rows, dtype=np.int64)
    for own in codes:
        labels = joined(labels, renumbered(own))
    return labels


def alone(codes: Integers) -> float:
    """Return the share of records whose value no other record has, in percent."""
    return share_below(renumbered(codes), 2)


def alone_in_class(classes: Integers, codes: Integers) -> float:
    """Return the share of records whose value no other record of their class has, in percent."""
    return share_below(joined(classes, renumbered(codes)), 2)
