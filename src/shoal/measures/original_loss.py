"""Loss of a release against the table before all steps, on one scale for all columns.

Steps change what is grouped, so that losses against the grouped table do not compare. A column of
numbers or dates that stays one loses SSE/SST; any other the share of its entropy that its released
cells leave open, H(X | Y) / H(X) (non-uniform entropy, Gionis and Tassa 2009). A record that is
left out tells of numbers their mean, and of others nothing; a column that is left out loses all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import Table, days_or_numbers, missing_cells, some_rows

NAME = "loss of the original, percent"
NOTHING = -2  # the code of a cell of a record that is left out


def original_loss(
    original: Table,
    released: Table,
    rows: Integers,
    columns: Sequence[str],
    derived: Mapping[str, str],
) -> float:
    """Return what columns of the original lose on average, in percent.

    `rows` are the records of the original that the release holds, in its order; `derived` names
    the released column that took the place of one.
    """
    losses = []
    for name in columns:
        own = derived.get(name, name)
        if own not in released.names:
            losses.append(100.0)
        elif own != name:
            losses.append(_unexplained(original[name], released[own], rows))
        else:
            losses.append(column_loss(original[name], released[name], rows))
    return float(np.mean(losses)) if losses else 0.0


def column_loss(before: Column, after: Column, rows: Integers) -> float:
    """Return what a column loses, in percent."""
    numeric = before.kind.is_numeric and before.kind is not Kind.BOOLEAN
    if numeric and after.kind.is_numeric and after.kind is not Kind.BOOLEAN:
        x, y = _numbers(before), np.full(len(before.values), np.nan)
        y[rows] = _numbers(after)
        there = ~np.isnan(x)
        x, y = x[there], y[there]
        total = float(((x - x.mean()) ** 2).sum()) if x.size else 0.0
        filled = np.where(np.isnan(y), x.mean() if x.size else 0.0, y)
        return 100.0 * float(((x - filled) ** 2).sum()) / total if total > 0.0 else 0.0
    was, now = _codes(before), np.full(len(before.values), NOTHING)
    now[rows] = _codes(after)
    there = was >= 0
    return _left_open(was[there], now[there])


def _unexplained(before: Column, after: Column, rows: Integers) -> float:
    """Return what a derived column of numbers does not explain of the column it is made of."""
    x, y = _numbers(before), np.full(len(before.values), np.nan)
    if not after.kind.is_numeric:
        return column_loss(before.replace(kind=Kind.TEXT, values=before.values.cast("string")),
                           after, rows)  # fmt: skip
    y[rows] = _numbers(after)
    there = ~np.isnan(x) & ~np.isnan(y)
    if there.sum() < 2 or x[there].std() == 0.0 or y[there].std() == 0.0:
        return 100.0
    explained = float(np.corrcoef(x[there], y[there])[0, 1]) ** 2
    return 100.0 * (1.0 - explained * float(there.sum()) / max(1, int((~np.isnan(x)).sum())))


def _numbers(column: Column) -> Floats:
    """Return numbers, dates as days; missing ones are not-a-number."""
    gone = missing_cells(column)
    values = np.full(gone.size, np.nan)
    values[~gone] = days_or_numbers(some_rows(column, ~gone))
    return values


def _codes(column: Column) -> Integers:
    """Return the numbers of distinct cells; missing ones, and suppressed ones, are below 0."""
    own = distinct_values(column.replace(order=None))
    codes = own.indices.copy()
    if STAR in own.texts and column.protected:
        codes[codes == own.texts.index(STAR)] = -1
    return codes


def _left_open(was: Integers, now: Integers) -> float:
    """Return H(X | Y) / H(X), in percent."""
    if not was.size:
        return 0.0
    every = _entropy(was)
    if every <= 0.0:
        return 0.0
    joint = np.unique(np.stack([was, now]), axis=1, return_counts=True)[1]
    shares = joint / was.size
    both = float(-(shares * np.log2(shares)).sum())
    return 100.0 * min(1.0, max(0.0, both - _entropy(now)) / every)


def _entropy(codes: Integers) -> float:
    shares = np.unique(codes, return_counts=True)[1] / codes.size
    return float(-(shares * np.log2(shares)).sum())
