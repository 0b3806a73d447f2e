"""Entries of records: the words of their cells, the codes of their sensitive values.

Which quasi-identifiers are missing stands in words of its own, a bit a column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.judge.classes import Layout, Subset, Words
from shoal.judge.readers.cells import Cells, words_of_texts
from shoal.judge.sensitive import MISSING, Sensitive

ALL = np.uint64(2**64 - 1)
NOT_A_NUMBER = np.array(np.nan).view(np.uint64)
EMPTY, STAR = words_of_texts([b"", b"*"])


class Encoder:
    """Batches of cells become entries: first quasi-identifiers, then sensitive columns.

    `starred` tells whether any quasi-identifier was missing, empty, `*` or not a number.
    """

    def __init__(self, width: int, sensitive: Sequence[Sensitive]) -> None:
        self.width, self.sensitive = width, sensitive
        self.records = 0
        self.begins = [0]  # where the words of each column begin
        self.starred = False

    def __call__(self, columns: list[Cells]) -> Words:
        """Return an entry for every record."""
        many = len(columns[0])
        cells = [column.words() for column in columns[: self.width]]
        self.begins = np.cumsum([0, *(words.shape[1] for words in cells)]).tolist()
        flags = np.zeros((many, (self.width + 63) // 64), np.uint64)
        for place, column in enumerate(columns[: self.width]):
            flags[column.missing(), place // 64] |= _bit(place)
        self.starred = self.starred or bool(flags.any()) or any(map(_has_star, cells))
        hidden = zip(self.sensitive, columns[self.width :], strict=True)
        codes = [_codes(values, column)[:, None] for column, values in hidden]
        numbers = np.arange(self.records + 1, self.records + many + 1, dtype=np.uint64)[:, None]
        self.records += many
        return np.hstack([*cells, flags, *codes, numbers, np.ones_like(numbers)])

    def layout(self, subsets: Sequence[Subset]) -> Layout:
        """Return the layout of entries, once a batch was read."""
        flags = self.begins[-1]
        masks = np.zeros((len(subsets), flags + (self.width + 63) // 64), np.uint64)
        for subset, mask in zip(subsets, masks, strict=True):
            for place in subset.places:
                mask[self.begins[place] : self.begins[place + 1]] = ALL
                mask[flags + place // 64] |= _bit(place)
        return Layout(masks.shape[1], len(self.sensitive), list(masks))


def _bit(place: int) -> np.uint64:
    return np.uint64(1 << place % 64)


def _has_star(words: Words) -> bool:
    """Tell whether cells that are there may say nothing: empty, `*`, not a number.

    A whole number whose bits are those of not-a-number counts, too: it costs a second look.
    """
    if words.shape[1] == 1:
        return bool((words == NOT_A_NUMBER).any())
    if words.shape[1] == 0:
        return len(words) > 0
    return any(bool((words[words[:, 0] == one[0], 1] == one[1]).any()) for one in (EMPTY, STAR))


def _codes(values: Cells, column: Sensitive) -> Words:
    """Return the codes of sensitive cells, and count them."""
    distinct, places = values.distinct()
    known = np.array([column.code(cell) for cell in distinct], np.uint64)
    codes = known[places]
    codes[values.missing()] = MISSING
    for code, times in zip(*np.unique(codes, return_counts=True), strict=True):
        column.whole[int(code)] += int(times)
    return codes
