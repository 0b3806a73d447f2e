"""Recombination of groupings by connected blocks.

A block is a smallest set of records that is a union of whole groups in each of two groupings. What
the groups of one block are does not matter to any other: every block takes the groupings' cheaper
side, and the outcome loses no more than either (partition crossover: Whitley, Hains and Howe 2009,
there of tours).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers

GAIN = 1e-9  # what a block must gain, in records that lose everything in one column
PASSES = 3


class Grouping(NamedTuple):
    """Labels from 0, and every record's share in what its group loses."""

    labels: Integers
    shares: Floats

    @property
    def loss(self) -> float:
        """What all groups lose."""
        return float(self.shares.sum())


def blocks(groupings: Sequence[Integers]) -> Integers:
    """Return the block of every record, numbered from 0: of all groupings it has whole groups."""
    rows = groupings[0].size
    block = np.arange(rows)
    while True:
        before = block
        for labels in groupings:
            least = np.full(int(labels.max()) + 1, rows)
            np.minimum.at(least, labels, block)
            block = least[labels]
        block = block[block]  # the first record of a block knows more
        if np.array_equal(block, before):
            return np.unique(block, return_inverse=True)[1].astype(np.int64)


def crossed(one: Grouping, other: Grouping) -> tuple[Grouping, int]:
    """Return the cheaper side of every block, and how many blocks are of the other."""
    block = blocks([one.labels, other.labels])
    count = int(block.max()) + 1
    lost, instead = (np.bincount(block, both.shares, count) for both in (one, other))
    taken = instead < lost - GAIN
    if not taken.any():
        return one, 0
    labels = np.where(taken[block], int(one.labels.max()) + 1 + other.labels, one.labels)
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return Grouping(labels, np.where(taken[block], other.shares, one.shares)), int(taken.sum())


def recombined(groupings: Sequence[Grouping]) -> tuple[Grouping, int]:
    """Return what blocks of all groupings make of the cheapest, and how many blocks that took."""
    best, blocks_taken = min(groupings, key=lambda one: one.loss), 0
    for _ in range(PASSES):
        before = blocks_taken
        for other in groupings:
            best, taken = crossed(best, other)
            blocks_taken += taken
        if blocks_taken == before:
            break
    return best, blocks_taken
