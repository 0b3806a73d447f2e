"""Start of a search on hierarchies: columns and their weights."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.measures.generalization import cell_losses
from shoal.table.encode_nodes import Coded

PAIRS = 2000  # of records, that tell which columns differ most


def scaled(coded: Coded, weights: Mapping[str, float] | None) -> dict[str, float]:
    """Return every column's weight; they are 1 on average."""
    every = {name: (weights or {}).get(name, 1.0) for name in coded.names}
    average = sum(every.values()) / len(every)
    return {name: weight / average for name, weight in every.items()}


def by_falling_loss(coded: Coded) -> Coded:
    """Return the columns in which records differ most before the others.

    A move that cannot gain is then given up after a column or two.
    """
    some = np.arange(min(coded.rows, PAIRS))
    pairs = np.concatenate((some, some[::-1] * 7919 % coded.rows))
    labels = np.concatenate((some, some))
    taken = coded.take(pairs)
    lost = [-float(cell_losses(column, labels).sum()) for column in taken.columns]
    order = np.argsort(lost, kind="stable")
    return Coded(tuple(coded.columns[j] for j in order), coded.rows)
