"""Counts as rows of 64-bit words: equal rows are merged.

An entry is a row: the words of its key, the codes of its sensitive values, the record in which it
occurs first, and how often it occurs. Equal rows are found by sorting a mix of their words; rows
are neighbors then, and are compared word by word, so that no two are taken for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.judge.threads import each

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

FIRST, TIMES = -2, -1  # where an entry has its first record, and how often it occurs
PARTS = 256
FEW = 20_000  # rows a thread, at least
_TOP = np.uint64(56)
_ODD = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of splitmix64
_FAR, _NEAR = np.uint64(32), np.uint64(29)


@dataclass(frozen=True)
class Layout:
    """How many words of an entry are its key, how many codes; which bits are of which subset."""

    key: int
    codes: int
    masks: Sequence[Words]

    @property
    def width(self) -> int:
        """How many words an entry has."""
        return self.key + self.codes + 2


def mix(words: Words) -> Words:
    """Return one word a row, equal for equal rows, that spreads over all its bits."""
    mixed = np.full(len(words), 0x9E3779B97F4A7C15, np.uint64)
    for column in words.T:
        mixed ^= column
        mixed *= _ODD[0]
        mixed ^= mixed >> _FAR
    mixed *= _ODD[1]
    mixed ^= mixed >> _NEAR
    return mixed


def parts_of(words: Words) -> Words:
    """Return in which part rows belong, by the highest bits of their mix."""
    return mix(words) >> _TOP


def grouped(words: Words) -> tuple[Places, Places]:
    """Return an order in which equal rows are neighbors, and where each group of them begins."""
    return _grouped(words, mix(words))


def _grouped(words: Words, mixed: Words) -> tuple[Places, Places]:
    order = np.argsort(mixed)
    mixed = mixed[order]
    new = _changes(words[order])
    if np.any(new[1:] & (mixed[1:] == mixed[:-1])):
        # Different rows of one mix may stand in any order: all words decide.
        order = np.lexsort(words.T)
        new = _changes(words[order])
    return order, np.flatnonzero(new)


def _changes(words: Words) -> npt.NDArray[np.bool_]:
    """Tell which rows differ from the one before; the first does."""
    new = np.zeros(len(words), np.bool_)
    new[:1] = True
    for column in words.T:
        new[1:] |= column[1:] != column[:-1]
    return new


def merged(entries: Words, width: int, threads: int = 1) -> Words:
    """Return one entry for all that are equal in the first words: earliest, and times summed.

    Threads merge the rows of a range of mixes each: equal rows are in one of them.
    """
    threads = max(1, min(threads, len(entries) // FEW))
    if threads == 1:
        return _merged(entries, width, mix(entries[:, :width]))
    cuts = np.linspace(0, len(entries), threads + 1).astype(np.intp).tolist()
    slices = [slice(*ends) for ends in pairwise(cuts)]
    mixed = np.concatenate([*each(lambda some: mix(entries[some, :width]), slices, threads)])
    ranges = (mixed >> _FAR) * np.uint64(threads) >> _FAR

    def of_range(number: int) -> Words:
        rows = np.flatnonzero(ranges == np.uint64(number))
        return _merged(entries[rows], width, mixed[rows])

    return np.concatenate([*each(of_range, range(threads), threads)])


def _merged(entries: Words, width: int, mixed: Words) -> Words:
    if not len(entries):
        return entries
    order, begins = _grouped(entries[:, :width], mixed)
    unique = entries[order[begins]]
    unique[:, FIRST] = np.minimum.reduceat(entries[order, FIRST], begins)
    unique[:, TIMES] = np.add.reduceat(entries[order, TIMES], begins)
    return unique


class Pile:
    """Entries in memory, merged whenever there are twice as many as may be different."""

    def __init__(self, layout: Layout, limit: int, threads: int = 1) -> None:
        self.identity, self.limit, self.threads = layout.key + layout.codes, limit, threads
        self.rows: Words = np.empty((2 * limit, layout.width), np.uint64)
        self.held = 0

    def add(self, entries: Words) -> list[Words]:
        """Take entries; return those that are too many to hold, which is mostly none."""
        out = []
        while len(entries):
            now = entries[: len(self.rows) - self.held]
            self.rows[self.held : self.held + len(now)] = now
            self.held += len(now)
            entries = entries[len(now) :]
            if self.held == len(self.rows):
                out += self._pressed()
        return out

    def _pressed(self) -> list[Words]:
        few = self.all()
        self.held = 0
        if len(few) > self.limit:
            return [few]
        self.rows[: len(few)] = few
        self.held = len(few)
        return []

    def all(self) -> Words:
        """Return all entries that are held, each once."""
        return merged(self.rows[: self.held], self.identity, self.threads)
