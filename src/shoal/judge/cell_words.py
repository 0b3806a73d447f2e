"""Cells as 64-bit words that are equal where the cells are.

Numbers, truth values, dates and times of Parquet and dataframes are their own bits: those of a
float with one zero and one not-a-number. Texts and all other cells are their digests of 128 bits
(BLAKE2b): nobody has found, and chance does not bring, two texts with one digest, so to compare
digests is to compare texts. Which cells are missing stands in words of its own, a bit a column.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.judge.arrow import decoded, plain
from shoal.judge.classes import Subset
from shoal.judge.count_rows import FIRST, TIMES, Layout, Words
from shoal.judge.sensitive import MISSING, Sensitive
from shoal.judge.source import Key

DAY = 86_400_000  # milliseconds
ALL = np.uint64(2**64 - 1)


class Encoder:
    """Batches of Arrow's become entries: first quasi-identifiers, then sensitive columns."""

    def __init__(self, width: int, sensitive: Sequence[Sensitive]) -> None:
        self.width, self.sensitive = width, sensitive
        self.records = 0
        self.begins = [0]  # where the words of each column begin

    def __call__(self, columns: list[Any]) -> Words:
        """Return an entry for every record."""
        columns = [decoded(column) for column in columns]
        many = len(columns[0])
        cells = [words_of(column) for column in columns[: self.width]]
        self.begins = np.cumsum([0, *(words.shape[1] for words in cells)]).tolist()
        flags = np.zeros((many, (self.width + 63) // 64), np.uint64)
        for place, column in enumerate(columns[: self.width]):
            flags[_gone(column), place // 64] |= _bit(place)
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


def _gone(values: Any) -> npt.NDArray[np.intp]:
    """Return where values are missing."""
    if not values.null_count:
        return np.empty(0, np.intp)
    return np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))


def words_of(values: Any) -> Words:
    """Return one word a number, two a text; zeros where values are missing."""
    import pyarrow as pa

    if pa.types.is_boolean(values.type):
        values = values.cast("uint8")
    kind, known = values.type, pa.types
    moments = known.is_temporal(kind) and not known.is_interval(kind)
    if moments or known.is_floating(kind) or known.is_integer(kind):
        return _bits(values)[:, None]
    if known.is_null(kind):
        return np.zeros((len(values), 0), np.uint64)
    distinct, places = _distinct(values)
    words = digests(map(_bytes, distinct))[places]
    words[_gone(values)] = 0
    return words


def _bits(values: Any) -> Words:
    import pyarrow as pa

    kind = values.type
    sign = "u" if pa.types.is_unsigned_integer(kind) else "i"
    sign = "f" if pa.types.is_floating(kind) else sign
    begin, end = values.offset, values.offset + len(values)
    raw: Any = np.frombuffer(values.buffers()[1] or b"", f"<{sign}{kind.bit_width // 8}")[begin:end]
    if sign == "f":
        floats = raw.astype(np.float64) + 0.0  # 0.0 and -0.0 are equal
        floats[np.isnan(floats)] = np.nan
        bits: Words = floats.view(np.uint64)
    else:
        whole = raw // DAY if kind == pa.date64() else raw
        bits = whole.astype(np.uint64 if sign == "u" else np.int64).view(np.uint64)
    bits[_gone(values)] = 0
    return bits


def _distinct(values: Any) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """Return distinct values, and which of them each value is; any for those that are missing."""
    import pyarrow as pa

    try:
        coded = values.dictionary_encode()
        places = coded.indices.fill_null(0).to_numpy().astype(np.intp)
        return plain(coded.dictionary) or [None], places
    except pa.ArrowNotImplementedError:
        cells = plain(values)
        numbers = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
        return list(numbers), np.array([numbers[cell] for cell in cells], np.intp)


def _bytes(cell: Any) -> bytes:
    """Return bytes that no other cell of the column has."""
    if isinstance(cell, str):
        return cell.encode()
    return cell if isinstance(cell, bytes) else str(cell).encode()


def digests(texts: Any) -> Words:
    """Return two words for each text."""
    every = b"".join([blake2b(text, digest_size=16).digest() for text in texts])
    return np.frombuffer(every, "<u8").reshape(-1, 2)


def _codes(values: Any, column: Sensitive) -> Words:
    """Return the codes of sensitive cells, and count them."""
    distinct, places = _distinct(values)
    known = np.array([column.code(cell) for cell in distinct], np.uint64)
    codes = known[places]
    codes[_gone(values)] = MISSING
    for code, times in zip(*np.unique(codes, return_counts=True), strict=True):
        column.whole[int(code)] += int(times)
    return codes


def of_counts(
    counts: Counter[Key], firsts: array[int], width: int,
    sensitive: Sequence[Sensitive], subsets: Sequence[Subset],
) -> Words:  # fmt: skip
    """Return the entries of counted csv rows: digests of the key and of each of its subsets.

    Cells are joined by NUL, which the reader refuses in a cell: different cells, different bytes.
    """
    every = [tuple(range(width)), *(subset.places for subset in subsets)]
    words = np.empty((len(counts), 2 * len(every) + len(sensitive) + 2), np.uint64)
    for number, places in enumerate(every):
        texts = ("\0".join([row[place] for place in places]).encode("latin-1") for row in counts)
        words[:, 2 * number : 2 * number + 2] = digests(texts)
    for place, column in enumerate(sensitive):
        codes = [column.code(row[width + place]) for row in counts]
        for code, times in zip(codes, counts.values(), strict=True):
            column.whole[code] += times
        words[:, 2 * len(every) + place] = codes
    words[:, FIRST] = np.frombuffer(firsts, np.int64)
    words[:, TIMES] = np.fromiter(counts.values(), np.uint64, len(counts))
    return words


def layout_of_counts(sensitive: Sequence[Sensitive], subsets: Sequence[Subset]) -> Layout:
    """Return how the entries of counted rows are laid out."""
    masks = np.zeros((len(subsets), 2 + 2 * len(subsets)), np.uint64)
    for number, mask in enumerate(masks):
        mask[2 * number + 2 : 2 * number + 4] = ALL
    return Layout(masks.shape[1], len(sensitive), list(masks))
