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
    others; `masks` has the mask of each pattern. A missing cell, of code -1, is released as a
    suppressed one in any case: all masks of its record have it, and it is `free`.
    """

    __repr__ = in_shape

    def __init__(self, codes: Integers, k: int, weights: Floats) -> None:
        rows, columns = codes.shape
        if not fits(rows, columns):
            raise RequestError(
                f"{rows:,} records of {columns} columns have too many combinations of suppressed "
                "cells; choose fewer columns"
            )
        hidden = (np.arange(1 << columns)[:, None] >> np.arange(columns) & 1).astype(bool)
        costs = hidden @ weights
        order = np.lexsort((np.arange(costs.size), costs))
        self.k, self.rows, self.codes = k, rows, codes
        self.hidden: Flags = hidden[order]
        self.costs: Floats = costs[order]
        self.ids: Integers = np.full((rows, costs.size), NONE, dtype=np.int64)
        missing = codes < 0
        self.free = float((missing @ weights).sum())
        values = _numbered(codes)
        masks: list[Integers] = []
        made = 0
        for mask, gone in enumerate(self.hidden):
            open_cells = (missing & ~gone).any(axis=1)
            own = _equal(values[:, ~gone])
            counts = np.bincount(own[~open_cells], minlength=int(own.max()) + 1)
            usable = np.flatnonzero(counts >= k)
            number = np.full(counts.size, NONE, dtype=np.int64)
            number[usable] = made + np.arange(usable.size)
            self.ids[:, mask] = np.where(open_cells, NONE, number[own])
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

    @property
    def pairs(self) -> int:
        """The number of pairs of a record and a pattern that it matches."""
        return int(self._members.size)

    def members(self, pattern: int) -> Integers:
        """Return the records that match a pattern."""
        first = self._ends[pattern - 1] if pattern else 0
        return self._members[first : self._ends[pattern]]

    @property
    def bound(self) -> float:
        """What no solution costs less than: every record by its cheapest pattern."""
        usable = self.ids != NONE
        return float(self.costs[usable.argmax(axis=1)].sum()) - self.free


def fits(rows: int, columns: int) -> bool:
    """Tell whether all masks of so many records can be held."""
    return rows << columns <= MOST


def _numbered(codes: Integers) -> Integers:
    """Return every column's values by numbers from 0 on."""
    return np.stack([np.unique(one, return_inverse=True)[1] for one in codes.T], axis=1)


def _equal(values: Integers) -> Integers:
    """Return a number for every row, the same for equal rows; values are numbers from 0 on."""
    number = np.zeros(len(values), dtype=np.int64)
    many = 1
    for column in values.T:
        wide = int(column.max()) + 1
        if many * wide > np.iinfo(np.int64).max:
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
            many = int(number.max()) + 1
        number, many = number * wide + column, many * wide
    return np.unique(number, return_inverse=True)[1].astype(np.int64)
