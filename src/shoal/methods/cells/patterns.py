"""Patterns: which records are equal where some of their columns are suppressed."""

from __future__ import annotations

import numpy as np

from shoal.errors import RequestError, in_shape
from shoal.kernels.arrays import Flags, Floats, Integers

NONE = -1  # no pattern: too few records match
MOST = 50_000_000  # records times masks


class Patterns:
    """All masks of some columns, the cheapest first, and the pattern of every record under each.

    `costs` (masks) is what a record costs under a mask, `hidden` (masks, columns) what it
    suppresses; `ids` (records, masks) numbers the patterns that at least k records match, NONE for
    others; `masks` has the mask of each pattern.
    """

    __repr__ = in_shape

    def __init__(self, codes: Integers, k: int, weights: Floats) -> None:
        rows, columns = codes.shape
        if rows << columns > MOST:
            raise RequestError(
                f"{rows:,} records of {columns} columns have too many combinations of suppressed "
                "cells; choose fewer columns"
            )
        hidden = (np.arange(1 << columns)[:, None] >> np.arange(columns) & 1).astype(bool)
        costs = hidden @ weights
        order = np.lexsort((np.arange(costs.size), costs))
        self.k, self.rows = k, rows
        self.hidden: Flags = hidden[order]
        self.costs: Floats = costs[order]
        self.ids: Integers = np.full((rows, costs.size), NONE, dtype=np.int64)
        masks: list[Integers] = []
        made = 0
        for mask, gone in enumerate(self.hidden):
            own = _equal(np.where(gone, 0, codes))
            counts = np.bincount(own)
            usable = np.flatnonzero(counts >= k)
            number = np.full(counts.size, NONE, dtype=np.int64)
            number[usable] = made + np.arange(usable.size)
            self.ids[:, mask] = number[own]
            masks.append(np.full(usable.size, mask))
            made += usable.size
        self.masks: Integers = np.concatenate(masks)
        at = np.flatnonzero(self.ids.ravel() != NONE)
        by = np.argsort(self.ids.ravel()[at], kind="stable")
        ends = np.cumsum(np.bincount(self.ids.ravel()[at], minlength=made))
        self._members, self._ends = (at // costs.size)[by], ends

    @property
    def count(self) -> int:
        """The number of patterns."""
        return int(self.masks.size)

    def members(self, pattern: int) -> Integers:
        """Return the records that match a pattern."""
        first = self._ends[pattern - 1] if pattern else 0
        return self._members[first : self._ends[pattern]]

    @property
    def bound(self) -> float:
        """What no solution costs less than: every record by its cheapest pattern."""
        usable = self.ids != NONE
        return float(self.costs[usable.argmax(axis=1)].sum())


def _equal(codes: Integers) -> Integers:
    """Return a number for every row, the same for equal rows."""
    number = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        own = np.unique(column, return_inverse=True)[1]
        number = np.unique(number * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return number.astype(np.int64)
