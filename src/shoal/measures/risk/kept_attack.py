"""Linkage by kept columns: who knows the true values looks for the nearest released ones.

The attacker knows the class of a person, and the values of some kept columns as they were. Of the
records of the class, the nearest in these columns is taken: numbers in standard deviations, texts
as equal or not (distance-based record linkage, Pagliuca and Seri 1999).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.risk.kept_columns import released_codes
from shoal.table.roles import Column, Kind
from shoal.table.table import days_or_numbers, missing_cells, some_rows

CLASSES = 2_000  # that are attacked, at most
RECORDS = 300  # of a class that are looked for, at most
EQUAL = 1e-9  # squared distances that differ by less tie


def linked_in_class(
    known: Sequence[Column], released: Sequence[Column], classes: Integers
) -> float:
    """Return how often the nearest record of its class is a person's own, in percent."""
    sides = [_side(one, other) for one, other in zip(known, released, strict=True)]
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    ends = np.append(starts[1:], classes.size)
    chances = []
    for which in np.unique(np.linspace(0, starts.size - 1, CLASSES).astype(np.int64)):
        rows = order[starts[which] : ends[which]]
        some = np.unique(np.linspace(0, rows.size - 1, RECORDS).astype(np.int64))
        squares = np.zeros((some.size, rows.size))
        for before, after, is_text in sides:
            x, y = before[rows[some], None], after[rows]
            squares += (x != y) if is_text else (x - y) ** 2
        nearest = squares <= squares.min(axis=1, keepdims=True) + EQUAL
        own = nearest[np.arange(some.size), some]
        chances.append(np.where(own, 1.0 / nearest.sum(axis=1), 0.0))
    return 100.0 * float(np.concatenate(chances).mean()) if chances else 0.0


def _side(before: Column, after: Column) -> tuple[Floats, Floats, bool]:
    """Return a column as known and as released: numbers in deviations, or codes of texts."""
    kinds = {before.kind, after.kind}
    if len(kinds) == 1 and before.kind.is_numeric and not kinds & {Kind.BOOLEAN, Kind.DURATION}:
        x, y = _filled(before), _filled(after)
        deviation = float(x.std())
        scale = deviation if deviation > 0.0 else 1.0
        return x / scale, y / scale, False
    import pyarrow as pa

    both = pa.concat_arrays([one.values.cast(pa.string()) for one in (before, after)])
    codes = released_codes(Column(before.name, Kind.TEXT, both)).astype(np.float64)
    return codes[: len(before.values)], codes[len(before.values) :], True


def _filled(column: Column) -> Floats:
    """Return numbers; a missing cell is the mean of the others, at which nobody is found."""
    gone = missing_cells(column)
    values = np.zeros(gone.size)
    if not gone.all():
        there = days_or_numbers(some_rows(column, ~gone))
        values[~gone] = there
        values[gone] = there.mean()
    return values
