"""Classes of records at a combination of levels, counted by hashing their codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.jit import jit
from shoal.methods.fulldomain.columns import Leveled

MIX, SHIFT = 0x5851F42D4C957F2D, 32  # a multiplier of good random numbers (Knuth)


class Codes(NamedTuple):
    """Codes of all columns, levels and values in one array."""

    cells: Integers  # (records, columns) values
    often: Integers  # (records) how many records each stands for
    first: Integers  # (columns) where the codes of a column begin
    width: Integers  # (columns) values of a column: the codes of a level
    codes: Integers  # (all)


class Room(NamedTuple):
    """Classes that are made, and room to work in."""

    slots: Integers  # (a power of two, at least twice the records) a class, or -1
    labels: Integers  # (records) the class of each
    sizes: Integers  # (records) of the classes
    held: Integers  # (records + 1, columns) codes of the classes, and of the record at hand


@jit
def _count(c: Codes, node: Integers, room: Room) -> int:
    """Make the classes of records with equal codes; return how many there are. room OUT."""
    cells, often, first, width, codes = c.cells, c.often, c.first, c.width, c.codes
    slots, labels, sizes, held = room.slots, room.labels, room.sizes, room.held
    rows, columns = cells.shape
    last, made = slots.size - 1, 0
    for slot in range(slots.size):
        slots[slot] = -1
    for row in range(rows):
        key = 0
        for j in range(columns):
            code = codes[first[j] + node[j] * width[j] + cells[row, j]]
            held[made, j] = code  # those of a new class, if it is one
            key = (key ^ code) * MIX
            key ^= (key >> SHIFT) & 0xFFFFFFFF
        slot = key & last
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot], sizes[made], found = made, 0, made
                made += 1
                break
            same = True
            for j in range(columns):
                if held[found, j] != held[made, j]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & last
        labels[row] = found
        sizes[found] += often[row]
    return made


class Classes:
    """Counts classes by some columns; equal records are counted once, `which` is each one's."""

    def __init__(self, columns: Sequence[Leveled]) -> None:
        width = np.array([one.codes.shape[1] for one in columns])
        sizes = np.array([one.codes.size for one in columns])
        codes = np.concatenate([one.codes.ravel() for one in columns])
        cells = np.stack([one.cells for one in columns], axis=1)
        every = Codes(cells, np.ones(len(cells), dtype=np.int64), np.cumsum(sizes) - sizes, width,
                      codes)  # fmt: skip
        room, node = _room(every), np.zeros(len(columns), dtype=np.int64)
        made = _count(every, node, room)
        self.which: Integers = room.labels
        firsts = np.empty(made, dtype=np.int64)
        firsts[self.which[::-1]] = np.arange(len(cells) - 1, -1, -1)
        self.codes = every._replace(cells=cells[firsts], often=room.sizes[:made].copy())
        self.room = _room(self.codes)

    def at(self, node: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the class of every different record and the sizes of classes, until called anew.

        `node` has the place of each column's level among those that make a difference.
        """
        made = _count(self.codes, np.array(node, dtype=np.int64), self.room)
        return self.room.labels, self.room.sizes[:made]


def _room(codes: Codes) -> Room:
    rows, columns = codes.cells.shape
    return Room(
        slots=np.empty(2 << rows.bit_length(), dtype=np.int64),
        labels=np.empty(rows, dtype=np.int64),
        sizes=np.empty(rows, dtype=np.int64),
        held=np.empty((rows + 1, columns), dtype=np.int64),
    )
