"""Matching with bit sets: which classes match a key, one bitwise and per column.

A block is some classes, each with a bit of its own. For every column and value, one whole number
has the bits of the classes whose cell matches that value; the classes that match a key are the
bitwise and of one such number per column. A block of b classes keeps these numbers short, so
memory is bounded however many values a column has, and two sets of n and m classes of d columns
meet in n * m / b steps of d operations each, however many patterns of stars there are.

Precondition: no cell is a not-a-number other than the one of `matching.NAN`. Postcondition of
`Block.matching`: bit i is set if and only if class i of the block matches the key in the reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Key = tuple[Any, ...]


class Block:
    """Some classes by their cells; in `root` a star of the key is matched by a star alone."""

    def __init__(self, keys: Sequence[Key], is_star: Callable[[Any], bool], root: bool) -> None:
        self.whole = (1 << len(keys)) - 1
        self._is_star, self._root = is_star, root
        width = len(keys[0]) if keys else 0
        self._columns = [self._column([key[i] for key in keys]) for i in range(width)]

    def _column(self, cells: Sequence[Any]) -> tuple[dict[Any, int], int]:
        """Return the classes that match each value, and those that have a star."""
        stars, found = 0, dict[Any, int]()
        for i, cell in enumerate(cells):
            if self._is_star(cell):
                stars |= 1 << i
            else:
                found[cell] = found.get(cell, 0) | (1 << i)
        return {cell: own | stars for cell, own in found.items()}, stars

    def matching(self, key: Key) -> int:
        """Return the classes that match a key, as bits."""
        found = self.whole
        for cell, (values, stars) in zip(key, self._columns, strict=True):
            if not self._is_star(cell):
                found &= values.get(cell, stars)
            elif self._root:
                found &= stars
            if not found:
                break
        return found


class Weighed:
    """Sums of weights of sets of classes: by the binary digits of the weights."""

    def __init__(self, weights: Iterable[tuple[int, int]]) -> None:
        """Take numbers of classes with their weights; those that are not named weigh nothing."""
        self._digits: list[int] = []
        for i, weight in weights:
            self._digits += [0] * (weight.bit_length() - len(self._digits))
            for place in members(weight):
                self._digits[place] |= 1 << i

    def sum(self, found: int) -> int:
        """Return the sum of the weights of a set."""
        return sum((found & digit).bit_count() << i for i, digit in enumerate(self._digits))


def members(found: int) -> Iterator[int]:
    """Yield the places of the bits that are set, in order."""
    while found:
        low = found & -found
        yield low.bit_length() - 1
        found ^= low


def in_blocks(keys: Sequence[Key], size: int) -> Iterator[Sequence[Key]]:
    """Yield keys in blocks of a size."""
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
