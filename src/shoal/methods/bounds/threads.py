"""Pricing on several threads, and the bound that follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.cuts import NO_CUTS, NOBODY, Cuts
from shoal.methods.bounds.pricing import (
    BRANCH_INTEGERS,
    BRANCH_NUMBERS,
    PricingBuffers,
    grow,
    price,
)
from shoal.partition import rows_of_groups

W = TypeVar("W")
SMALL = 400  # records that one thread prices before another has begun
STRIPES = 16


def squared_gaps(matrix: Floats) -> Floats:
    """Return the squared distances between all records, (n, n)."""
    rows = matrix.shape[0]
    gaps = np.empty((rows, rows))
    for row in range(rows):
        apart = matrix - matrix[row]
        gaps[row] = (apart * apart).sum(axis=1)
    return gaps


def sums_of_nearest(gaps: Floats, count: int) -> Floats:
    """Return the sums of the distances to the nearest 0, 1, ... count - 1 others, (n, count)."""
    rows = gaps.shape[0]
    sums = np.zeros((rows, count))
    for row in range(rows):
        others = np.delete(gaps[row], row)
        if others.size > count - 1:
            others = np.partition(others, count - 2)[: count - 1]
        others = np.sort(others)
        sums[row, 1 : others.size + 1] = np.cumsum(others)
        sums[row, others.size + 1 :] = sums[row, others.size]
    return sums


def workers(threads: int | None) -> int:
    """Return how many threads may work at once."""
    return threads or os.cpu_count() or 1


def striped(works: list[W], run: Callable[[W, int, int], None], at_once: bool) -> None:
    """Run over all roots, a stripe at a time, on as many threads as there are buffers.

    `at_once` makes them one stripe.
    """
    if len(works) == 1:
        stripes = 1 if at_once else STRIPES
        for number in range(stripes):
            run(works[0], number, stripes)
        return
    free = list(works)

    def stripe(number: int) -> None:
        work = free.pop()
        run(work, number, STRIPES)
        free.append(work)

    with ThreadPoolExecutor(len(works)) as pool:
        list(pool.map(stripe, range(STRIPES)))


class Gaps:
    """SSE as the loss of groups: squared distances, (n, n)."""

    def __init__(self, squared: Floats) -> None:
        self.squared = squared

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.squared.shape[0])

    def of_groups(self, groups: Integers) -> Floats:
        """Return SSE of groups of one size, from the squared distances of their pairs."""
        total = np.zeros(groups.shape[0])
        size = groups.shape[1]
        for i in range(size):
            for j in range(i):
                total += self.squared[groups[:, i], groups[:, j]]
        total /= size
        return total

    def of_records(self, labels: Integers) -> Floats:
        """Return what records cost in a grouping: half their own, half their group's mean."""
        own = np.zeros(labels.size)
        for rows in rows_of_groups(labels):
            by_row = self.squared[np.ix_(rows, rows)].sum(axis=1) / rows.size
            cost = 0.5 * float(by_row.sum())
            own[rows] = 0.5 * (by_row - cost / rows.size) + 0.5 * cost / rows.size
        return own

    def take(self, rows: Integers) -> Gaps:
        """Return the distances between some of the records."""
        return Gaps(np.ascontiguousarray(self.squared[np.ix_(rows, rows)]))

    def scaled(self, unit: float) -> Gaps | None:
        """Return the distances in other units; None where they are no finite numbers."""
        return Gaps(self.squared / unit) if np.isfinite(self.squared).all() else None

    def pricing(self, k: int, threads: int | None, over: Callable[[], bool]) -> Pricer:
        """Return what prices groups of k to 2k - 1 records."""
        return Pricer(self.squared, k, threads, over)


class Pricer:
    """Prices groups of k to 2k - 1 records; made once for a table. One thread does `small` ones."""

    def __init__(
        self, gaps: Floats, k: int, threads: int | None = None,
        over: Callable[[], bool] = lambda: False, small: int = SMALL,
    ) -> None:  # fmt: skip
        self.gaps, self.k, self.over, self.small = gaps, k, over, small
        self.rows = gaps.shape[0]
        self.sizes = range(k, min(2 * k, self.rows + 1))
        self.nearest = sums_of_nearest(gaps, 2 * k)
        self.threads = 1 if self.rows < small else workers(threads)
        self._rooms = [self._room() for _ in range(self.threads)]

    @property
    def floor(self) -> float:
        """What no grouping costs less than: every record's k - 1 nearest count half."""
        return float(self.nearest[:, self.k - 1].sum() / (2.0 * self.k))

    def _room(self) -> dict[str, npt.NDArray[np.generic]]:
        k, rows = self.k, self.rows
        return {
            "candidates": np.zeros((2 * k, rows), dtype=np.int64),
            "keys": np.zeros((2 * k, rows)),
            "costs": np.zeros((2 * k, rows)),
            "scratch": np.zeros(rows),
            "least": np.zeros(2 * k),
            "integers": np.zeros((BRANCH_INTEGERS, 2 * k + 1), dtype=np.int64),
            "numbers": np.zeros((BRANCH_NUMBERS, 2 * k + 1)),
        }

    def _works(self, duals: Floats, cuts: Cuts, prices: Floats) -> list[PricingBuffers]:
        paid = np.flatnonzero(prices > 0.0)
        cuts, prices = cuts.take(paid), prices[paid]
        there = cuts.rows != NOBODY
        rows, names = cuts.rows[there], np.nonzero(there)[0]
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=self.rows))))
        shared = {
            "gaps": self.gaps,
            "nearest": self.nearest,
            "duals": np.ascontiguousarray(duals),
            "cut_starts": starts.astype(np.int64),
            "cut_names": np.append(names[order], 0).astype(np.int64),
            "cut_shares": np.append(cuts.shares[there][order], 0).astype(np.int64),
            "cut_parts": np.append(cuts.parts, 1).astype(np.int64),
            "cut_prices": np.append(prices, 0.0),
        }
        return [
            PricingBuffers(**shared, cut_counts=np.zeros(len(cuts) + 1, dtype=np.int64), **room)  # type: ignore[arg-type]
            for room in self._rooms
        ]

    def price(
        self, duals: Floats, most: int, tolerance: float, cuts: Cuts = NO_CUTS,
        prices: Floats | None = None,
    ) -> Priced:  # fmt: skip
        """Price all roots and sizes, with at most so many branches each.

        A group pays the price of a cut, at least 0, for all that it has of it.
        """
        works = self._works(duals, cuts, np.zeros(0) if prices is None else prices)
        count, rows = len(self.sizes), self.rows
        groups = [np.zeros((rows, size), dtype=np.int64) for size in self.sizes]
        figures, branches = np.zeros((count, rows, 3)), np.zeros((count, rows), dtype=np.int64)

        left_out = []

        def run(work: PricingBuffers, stripe: int, stripes: int) -> None:
            for i, size in enumerate(self.sizes):
                if self.over():
                    left_out.append(stripe)
                    return
                price(
                    work, stripe, stripes, size, -tolerance, most, False, groups[i], figures[i],
                    branches[i],
                )  # fmt: skip

        striped(works, run, self.rows < self.small)
        reduced = figures[:, :, 0]
        reduced[reduced >= -tolerance] = 0.0
        lowest = np.minimum(figures[:, :, 1], 0.0)
        missing = -np.inf if left_out else self._missing(lowest)
        return Priced(groups, reduced, missing, int((branches >= most).sum()))

    def grow(self, duals: Floats) -> tuple[Integers, Floats]:
        """Return a cheap group for every root, (n, 2k - 1) padded, and its reduced cost.

        Cuts are left out of account. Nothing is proven by it.
        """
        works = self._works(duals, NO_CUTS, np.zeros(0))
        groups = np.full((self.rows, 2 * self.k - 1), NOBODY)
        reduced = np.zeros(self.rows)

        def run(work: PricingBuffers, stripe: int, stripes: int) -> None:
            if self.over():
                groups[stripe::stripes, : self.k] = self._placeholders(stripe, stripes)
            else:
                grow(work, stripe, stripes, self.k, groups, reduced)

        striped(works, run, self.rows < self.small)
        return groups, reduced

    def _placeholders(self, stripe: int, stripes: int) -> Integers:
        """Return a placeholder group for every root of a stripe when the time is up."""
        roots = np.arange(stripe, self.rows, stripes)
        groups: Integers = (roots[:, None] + np.arange(self.k)) % self.rows
        return groups

    def _missing(self, lowest: Floats) -> float:
        """Return the least that the groups of a partition cost beyond their duals, together.

        lowest (sizes, n): no group found from a root costs less. Every group has one root, so there
        are at most n/k of them; nor can it be less than n records at the least a record.
        """
        by_root = np.sort(lowest.min(axis=0))[: self.rows // self.k]
        by_record = (lowest.min(axis=1) / np.array(self.sizes)).min() * self.rows
        return float(max(by_root.sum(), by_record))

    def every_group(
        self, duals: Floats, limit: float, most: int, room: int, cuts: Cuts, prices: Floats
    ) -> list[Integers] | None:
        """Return all groups whose reduced cost is below a limit, by size; None if too many."""
        work = self._works(duals, cuts, prices)[0]
        groups, every = np.zeros((room, 2 * self.k - 1), dtype=np.int64), []
        figures, branches = np.zeros((self.rows, 3)), np.zeros(self.rows, dtype=np.int64)
        for size in self.sizes:
            if self.over():
                return None
            count = price(work, 0, 1, size, limit, most, True, groups, figures, branches)
            if count < 0:
                return None
            every.append(np.unique(np.sort(groups[:count, :size], axis=1), axis=0))
            groups = groups[count:]
        return every


@dataclass(frozen=True)
class Priced:
    """What pricing found at some duals.

    By size k, k + 1, ...: every root's best group and its reduced cost (0: none below). `missing`
    is how much less than the duals' sum any grouping may cost; `cut_short` counts the roots that
    were left before all their branches were looked at; what is missing allows for them. Where the
    time was up before all roots were priced, anything may be missing.
    """

    groups: list[Integers]  # each (n, size)
    reduced: Floats  # (sizes, n), at most 0
    missing: float
    cut_short: int

    def new(self) -> Iterator[Integers]:
        """Yield the groups that cost less than their duals, size by size."""
        for groups, reduced in zip(self.groups, self.reduced, strict=True):
            yield groups[reduced < 0.0]


class Pricing(Protocol):
    """Finds groups of k to 2k - 1 records that cost less than their duals."""

    @property
    def sizes(self) -> range:
        """The sizes of groups."""

    @property
    def floor(self) -> float:
        """What no grouping costs less than, whatever the duals."""

    def price(
        self, duals: Floats, most: int, tolerance: float, cuts: Cuts, prices: Floats
    ) -> Priced:
        """Price all roots, with at most so many branches each."""

    def grow(self, duals: Floats) -> tuple[Integers, Floats]:
        """Return a cheap group for every root, (n, 2k - 1) padded, and its reduced cost."""

    def every_group(
        self, duals: Floats, limit: float, most: int, room: int, cuts: Cuts, prices: Floats
    ) -> list[Integers] | None:
        """Return all groups whose reduced cost is below a limit, by size; None if too many."""
