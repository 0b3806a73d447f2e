"""Counting of records, batch by batch, as 64-bit words."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from shoal.judge.classes import FIRST, TIMES, Counted, Memory, Pile, Places, Sizes, Words
from shoal.judge.limits import ahead, limits
from shoal.judge.readers.cell_words import Encoder
from shoal.judge.readers.cells import Cells, rows_of
from shoal.judge.readers.source import Batches, Key

if TYPE_CHECKING:
    from shoal.judge.disk import Disk
    from shoal.judge.wanted import Wanted


def by_batches(wanted: Wanted, batches: Batches, limit: int) -> Counted:
    """Return the classes of a release, on disk if more than `limit` entries are different."""
    encoder, threads = Encoder(wanted.width, wanted.sensitive), limits().threads
    disk: Disk | None = None
    pile: Pile | None = None
    for entries in ahead(batches(wanted.places, encoder), threads):
        pile = pile or Pile(encoder.layout(wanted.subsets), limit, threads)
        for many in pile.add(entries):
            disk = disk or wanted.on_disk(encoder.layout(wanted.subsets))
            disk.add(many)
    rest = pile.all() if pile else np.empty((0, 2), np.uint64)
    if disk is None and len(rest) <= limit:
        plain = wanted.reading == "own" and not wanted.sensitive and not wanted.subsets
        if plain and not encoder.starred:
            return Sizes(rest)
        return _remembered(wanted, batches, rest)
    disk = disk or wanted.on_disk(encoder.layout(wanted.subsets))
    disk.add(rest)
    del pile, rest
    disk.finish(threads)
    return disk


def _remembered(wanted: Wanted, batches: Batches, entries: Words) -> Memory:
    """Return few classes in memory: the cells of their first records are read again."""
    entries = entries[np.argsort(entries[:, FIRST])]
    firsts = entries[:, FIRST].astype(np.int64)
    rows = islice(chain.from_iterable(batches(wanted.places, Chosen(firsts))), len(firsts))
    counts: Counter[Key] = Counter()
    for row, times in zip(rows, entries[:, TIMES].tolist(), strict=True):
        counts[row] += times
    for column in wanted.sensitive:
        column.whole.clear()  # they are counted again with the rows
    return wanted.in_memory(counts, array("q", firsts.tolist()))


class Chosen:
    """Takes the records of some numbers, which ascend, from the batches that pass by."""

    def __init__(self, numbers: Places) -> None:
        self.numbers, self.passed = numbers, 0

    def __call__(self, columns: list[Cells]) -> Iterable[Key]:
        """Return the chosen records of a batch."""
        begin, end = np.searchsorted(
            self.numbers, [self.passed, self.passed + len(columns[0])], "right"
        )
        places = self.numbers[begin:end] - self.passed - 1
        self.passed += len(columns[0])
        return rows_of([column.take(places) for column in columns]) if len(places) else ()
