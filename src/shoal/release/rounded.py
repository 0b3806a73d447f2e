"""What rounding adds to the loss of means, and which columns a release makes constant."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.measures.loss import percent
from shoal.release.counts import is_numbers, present, starred
from shoal.table.roles import Column, Kind
from shoal.table.table import as_floats, some_rows

ROUNDED = ("mean", "majority")  # ways that release something near the mean of a group


def off_the_means(before: Floats, after: Floats, labels: Integers, weights: Floats | None) -> float:
    """Return the squared distances between what groups release and their means, over records.

    Squared errors of a group's records about a value are those about their mean, plus this.
    """
    own = np.ones(before.size) if weights is None else weights
    mass = np.bincount(labels, own)
    sums = np.bincount(labels, own * before)
    means = np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)
    return float((own * (means[labels] - after) ** 2).sum())


def rounding_loss(
    way: str, before: Column, after: Column, labels: Integers, weights: Floats | None
) -> float | None:
    """Return how much of a column's SSE/SST is due to rounding, in percent; None: it has no means.

    Rounded to the precision of the data, or to the more frequent of two values.
    """
    there = present(before)
    kept = there & ~starred(after)
    if way not in ROUNDED or not is_numbers(before, after) or not kept.any():
        return None
    first = as_floats(some_rows(before, kept))
    base = float(first.min())
    own = np.ones(first.size) if weights is None else weights[kept]
    with np.errstate(over="ignore", invalid="ignore"):
        original = first - base
        released = as_floats(some_rows(after, kept)) - base
        off = off_the_means(original, released, labels[kept], own)
        about = original - np.average(original, weights=own)
        total = float((own * about * about).sum())
    share = float(own.sum()) / float(there.sum() if weights is None else weights[there].sum())
    return percent(off, total) * share if np.isfinite(off) and np.isfinite(total) else None


def spread(after: Column) -> list[int]:
    """Return sums over the different released values, which add up: see `is_constant`."""
    cells = after.values.cast("double") if after.kind is Kind.FLOAT else after.values
    values = [str(value).encode() for value in cells.unique().to_pylist()]
    hashes = [int.from_bytes(hashlib.sha256(value).digest()[:8], "big") for value in values]
    return [len(hashes), sum(hashes), sum(one * one for one in hashes)]


def is_constant(sums: Sequence[int]) -> bool:
    """Tell from sums of hashes, and of their squares, whether all values were the same."""
    count, total, squares = sums
    return count * squares == total * total


def constant_columns(columns: Iterable[Column]) -> list[str]:
    """Return the columns that have one value in all released records."""
    return [column.name for column in columns if is_constant(spread(column))]
