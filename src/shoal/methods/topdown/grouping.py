"""Coded records -> labels: rounds of splitting, each of the records that the one before left over.

The price of a left-over record begins at some times what a record loses without left-overs and
grows from round to round, so that the last rounds leave few; the last leaves none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.kmember.build import build
from shoal.methods.masses import masses_of, unit_of
from shoal.methods.topdown.bins import (
    END,
    HEIGHT,
    MADE,
    NOISE,
    OPEN,
    PARENT,
    PLACE,
    POWER,
    PRICE,
    RECORD,
    WAITING,
    Trees,
    Work,
    make,
    trees_of,
)
from shoal.methods.topdown.split import split
from shoal.progress import Reporter
from shoal.table.encode_nodes import Coded

ALL = 2**62
BUDGET = 20_000_000  # cells in one call of the kernel: some tenths of a second
ROUNDS = 7
FIRST, GROWTH = 1.25, 1.4  # times the loss of a record, times more in every round
ENTROPY = 0.9  # the power of the entropy of a split; flat from 0.8 to 1 on adult, as is FIRST


class Records(NamedTuple):
    """The records of a table as nodes of trees."""

    trees: Trees
    codes: Integers


def records_of(coded: Coded, weights: Mapping[str, float] | None = None, unit: int = 1) -> Records:
    """Return the records with what their nodes lose, in columns that count so much.

    `unit` is the mass of an average record.
    """
    forest, records = build(coded, "loss", weights)
    trees = trees_of(forest)
    trees = trees._replace(levels=trees.levels / unit)
    return Records(trees, np.ascontiguousarray(records.codes[records.which]))


def top_down(
    coded: Coded,
    k: int,
    report: Reporter,
    weights: Mapping[str, float] | None = None,
    survey: Floats | None = None,
) -> Integers:
    """Group records by splitting; what is left over after all rounds joins where it costs least.

    Nothing is drawn at random: equal tables have equal groups, in whatever order their rows are.
    `weights` say how much columns count, `survey` weights (n) how much records do.
    """
    masses = masses_of(survey, coded.rows)
    ordered = sorted(coded.columns, key=lambda column: column.name)  # ties go by this order
    trees, codes = records_of(Coded(tuple(ordered), coded.rows), weights, unit_of(masses))
    rows = codes.shape[0]
    if rows < 2 * k:
        return np.zeros(rows, dtype=np.int64)
    report("grouping", 0, rows)
    work = make(trees, codes, k, 1, masses)
    lost = split_all(work, trees, np.arange(rows), np.inf, report.quiet())
    price = FIRST * lost / int(masses.sum())
    work.counts[MADE], work.labels[:] = 0, -1
    left = np.arange(rows)
    for number in range(1, ROUNDS + 1):
        split_all(work, trees, left, np.inf if number == ROUNDS else price, report)
        left = np.sort(work.open[: work.counts[OPEN]])
        work.labels[left] = -1
        if left.size < 2 * k:
            break
        price *= GROWTH
    _place(work, trees, left, k)
    report("grouping", rows, rows)
    return work.labels


def split_all(
    work: Work, trees: Trees, rows: Integers, price: float, report: Reporter, noise: float = 0.0
) -> float:
    """Split a set of records as far as it gains; return what its groups cost. work IN/OUT."""
    work.places[: rows.size, RECORD] = rows
    work.stack[0] = 0, rows.size
    work.counts[WAITING], work.counts[OPEN] = 1, 0
    work.sums[PRICE], work.sums[POWER], work.sums[NOISE] = price, ENTROPY, noise
    lost, every = 0.0, work.codes.shape[0]
    while work.counts[WAITING] > 0:
        lost += split(work, trees, BUDGET)
        report("grouping", min(every - 1, int(np.count_nonzero(work.labels >= 0))), every)
    return lost


def cut_up(
    trees: Trees, codes: Integers, labels: Integers, k: int, most: int,
    masses: Integers | None = None,
) -> Integers:  # fmt: skip
    """Return the grouping with all groups of more than `most` cut up, which adds no loss.

    They are split as far as that gains; what is still too large then, whose records differ in
    nothing that is released, in the order of the records.
    """
    sizes = np.bincount(labels)
    rows = np.flatnonzero(sizes[labels] > most)
    if not rows.size:
        return labels
    rows = rows[np.argsort(labels[rows], kind="stable")]
    ends = np.cumsum(sizes[sizes > most])
    some = None if masses is None else masses[rows]
    work = make(trees, np.ascontiguousarray(codes[rows]), k, 1, some)
    work.places[:, RECORD] = np.arange(rows.size)
    work.stack[: ends.size] = np.stack([ends - sizes[sizes > most], ends], axis=1)
    work.counts[WAITING] = ends.size
    work.sums[PRICE], work.sums[POWER] = np.inf, ENTROPY
    split(work, trees, ALL)
    own = work.labels
    turn = np.empty(rows.size, dtype=np.int64)
    order = np.argsort(own, kind="stable")
    many = np.bincount(own)
    turn[order] = np.arange(rows.size) - np.repeat(np.cumsum(many) - many, many)
    parts = np.where(many > most, many // k, 1)
    first = np.cumsum(parts) - parts
    cut = labels.copy()
    cut[rows] = sizes.size + first[own] + turn % parts[own]
    return np.unique(cut, return_inverse=True)[1].astype(np.int64)


def _place(work: Work, trees: Trees, left: Integers, k: int) -> None:
    """Make a group of the records left, or give each to the group it costs least. work IN/OUT."""
    made = int(work.counts[MADE])
    if left.size >= k:
        work.labels[left] = made
        return
    if made == 0:
        work.labels[:] = 0
        return
    groups = Joining(trees, work.codes, work.labels, work.masses)
    keys = (work.masses[left], *work.codes[left].T)
    for row in left[np.lexsort(keys)]:  # whatever the order of the rows
        work.labels[row] = groups.join(int(row))


class Joining:
    """Groups of records: least node, greatest node and the mass of those that have it, by column.

    They stand in an order of what they hold, so that ties do not go by the order of records.
    """

    def __init__(
        self, trees: Trees, codes: Integers, labels: Integers, masses: Integers | None = None
    ) -> None:
        self.masses = np.ones(labels.size, dtype=np.int64) if masses is None else masses
        rows = np.flatnonzero(labels >= 0)
        order = rows[np.argsort(labels[rows], kind="stable")]
        begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
        self.trees, self.codes = trees, codes
        sizes = np.diff(np.append(begins, order.size))
        grouped = codes[order]
        least = np.minimum.reduceat(grouped, begins)
        greatest = np.maximum.reduceat(grouped, begins)
        own = self.masses[order]
        same = grouped == np.repeat(least, sizes, axis=0)
        leasts = np.add.reduceat(same * own[:, None], begins)
        held = np.add.reduceat(own, begins)
        self.numbers = numbers = np.lexsort((*greatest.T, *least.T, held))
        self.held, self.least = held[numbers], least[numbers]
        self.greatest, self.leasts = greatest[numbers], leasts[numbers]

    def join(self, row: int) -> int:
        """Take a record into the group that it costs least, of equal ones the first; return it."""
        node, mass = self.codes[row], self.masses[row]
        least = np.minimum(self.least, node)
        greatest = np.maximum(self.greatest, node)
        leasts = np.where(self.least == least, self.leasts, 0) + mass * (node == least)
        after = self._costs(least, greatest, leasts, self.held + mass)
        before = self._costs(self.least, self.greatest, self.leasts, self.held)
        group = int(np.argmin(after - before))
        self.least[group], self.greatest[group] = least[group], greatest[group]
        self.leasts[group] = leasts[group]
        self.held[group] += mass
        return int(self.numbers[group])

    def _costs(
        self, least: Integers, greatest: Integers, leasts: Integers, held: Integers
    ) -> Floats:
        """Return what groups of such masses lose, over all columns."""
        tree, levels, columns = self.trees
        total = np.zeros(held.size)
        for j, (root, ranged) in enumerate(columns):
            low, high = least[:, j], greatest[:, j]
            top = low.copy()
            while (above := high >= tree[top, END]).any():
                top[above] = tree[top[above], PARENT]
            same = np.where(top == low, leasts[:, j], 0)
            lost = levels[top, HEIGHT] * (held - same)
            if ranged:
                wide = levels[high, PLACE] - levels[low, PLACE] + levels[root, PLACE]
                wide = np.where(low == high, 0.0, wide) * held
                lost = np.where(low == root, lost, wide)
            total += lost
        return total
