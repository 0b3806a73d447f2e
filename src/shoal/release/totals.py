"""Totals of columns before and after, by survey weights where there are some."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from shoal.arrays import Floats
from shoal.measures.loss import percent
from shoal.table.roles import Column, Role
from shoal.table.table import Table, as_floats


def totals(
    table: Table,
    released: Table,
    how: Mapping[str, str],
    weights: Floats | None,
    shown: Floats | None = None,
) -> list[dict[str, Any]]:
    """Return the (weighted) total of every column that releases means, and how far it drifted.

    `shown` are the weights as they are released; where they are not, nobody can compute a total.
    Only of columns without missing cells: what is released of the others is not all of them.
    """
    if weights is not None and shown is None:
        return []
    averaged = [c for c in table.having(Role.QUASI_IDENTIFIER) if how[c.name] == "mean"]
    return [one for c in averaged for one in _drift(c, released[c.name], weights, shown)]


def kept_totals(
    table: Table,
    released: Table,
    weights: Floats | None,
    shown: Floats | None,
    rounded: Container[str],
) -> list[dict[str, Any]]:
    """Return the totals of kept columns of numbers that rounding or released weights changed."""
    if weights is not None and shown is None:
        return []
    kept = [
        c for c in released.columns
        if c.role in (Role.OTHER, Role.SENSITIVE) and c.kind.is_number and not c.protected
        and (weights is not None or c.name in rounded)
        and not (weights is not None and np.array_equal(as_floats(c), weights))
    ]  # fmt: skip
    found = [one for c in kept for one in _drift(table[c.name], c, weights, shown)]
    return [{**one, "kept": True} for one in found]


def _drift(
    before: Column, after: Column, weights: Floats | None, shown: Floats | None
) -> list[dict[str, Any]]:
    """Return a column's total before and after, in a list; nothing where it has none."""
    if not (before.kind.is_number and after.kind.is_number) or before.missing or after.missing:
        return []
    was, now = _total(as_floats(before), weights), _total(as_floats(after), shown)
    if not (math.isfinite(was) and math.isfinite(now)):
        return []
    drift = percent(now - was, _total(np.abs(as_floats(before)), weights))
    return [{"column": before.name, "before": was, "after": now, "drift_percent": drift}]


def _total(values: Floats, weights: Floats | None) -> float:
    """Return the sum of numbers, each times its weight; infinite where no float can hold it."""
    with np.errstate(over="ignore"):
        parts = values if weights is None else values * weights
    try:
        return math.fsum(parts)
    except OverflowError:
        return math.inf
