"""Cells of a release, column by column: as 64-bit words, as distinct values, as Python values.

Words are equal where cells are. Numbers, truth values, dates and times of Parquet and dataframes
are their own bits: those of a float with one zero and one not-a-number. Texts of up to 15 bytes are
their own bytes and their length; longer ones, and all other cells, are their digests of 120 bits
(BLAKE2b): nobody has found, and chance does not bring, two texts with one digest, so to compare
digests is to compare texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shoal.judge.classes import Places, Words, grouped
from shoal.judge.models.matching import NAN

ZEROS = ((r"\.0+$", ""), (r"(\.[0-9]*[1-9])0+$", r"\1"))  # of the fraction of a second
Bytes = npt.NDArray[np.uint8]
DAY = 86_400_000  # milliseconds
INLINE = 15  # bytes of a text that its two words hold, with one more for the length
LONG = np.uint64(0xFF << 56)  # in the place of a length: a digest
_TOP = np.uint64(56)
_KEPT = np.array([(1 << 8 * n) - 1 for n in range(8)] + [2**64 - 1], np.uint64)


class Cells(Protocol):
    """Some cells of one column."""

    def __len__(self) -> int: ...

    def words(self) -> Words:
        """Return the words of each cell; zeros where cells are missing."""
        ...

    def missing(self) -> Places:
        """Return where cells are missing, which their words do not tell."""
        ...

    def distinct(self) -> tuple[list[Any], Places]:
        """Return distinct values, and which of them each cell is; any for those missing."""
        ...

    def take(self, places: Places) -> Cells:
        """Return some of the cells."""
        ...

    def part(self, begin: int, end: int) -> Cells:
        """Return cells that stand one after the other."""
        ...

    def to_arrow(self) -> Any:
        """Return an Arrow array: values, or the bytes of csv."""
        ...

    def plain(self) -> list[Any]:
        """Return Python values."""
        ...


def rows_of(columns: Sequence[Cells]) -> Iterable[tuple[Any, ...]]:
    """Return records as tuples of Python values."""
    return zip(*(column.plain() for column in columns), strict=True)


# --- texts
def packed(data: Bytes, begins: Places, lengths: Places) -> Words:
    """Return two words for each text. data (16 bytes longer than all texts), begins, lengths IN."""
    if not len(begins):
        return np.zeros((0, 2), np.uint64)
    window = np.lib.stride_tricks.sliding_window_view(data, 16)
    words: Words = window[begins].view("<u8")
    words[:, 0] &= _KEPT[np.minimum(lengths, 8)]
    words[:, 1] &= _KEPT[np.clip(lengths - 8, 0, 7)]
    words[:, 1] |= np.minimum(lengths, INLINE).astype(np.uint64) << _TOP
    far = np.flatnonzero(lengths > INLINE)
    if len(far):
        ends = (begins[far] + lengths[far]).tolist()
        ranges = zip(begins[far].tolist(), ends, strict=True)
        words[far] = _digests(data[begin:end].tobytes() for begin, end in ranges)
    return words


def _digests(texts: Iterable[bytes]) -> Words:
    """Return two words for each text, which no short text has."""
    every = b"".join([blake2b(text, digest_size=16).digest() for text in texts])
    words = np.frombuffer(every, "<u8").reshape(-1, 2).copy()
    words[:, 1] |= LONG
    return words


def words_of_texts(texts: Sequence[bytes]) -> Words:
    """Return two words for each of a list of texts."""
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    begins = np.cumsum(lengths) - lengths
    return packed(_padded(b"".join(texts)), begins, lengths)


def _padded(data: Any) -> Bytes:
    raw = np.frombuffer(data, np.uint8)
    return np.concatenate([raw, np.zeros(16, np.uint8)])


class TextCells:
    """Cells of csv: bytes, each of which is one character of the text that `plain` returns."""

    def __init__(self, data: Bytes, begins: Places, lengths: Places) -> None:
        self.data, self.begins, self.lengths = data, begins, lengths

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextCells:
        """Return cells of texts."""
        lengths = np.fromiter(map(len, texts), np.intp, len(texts))
        data = _padded("".join(texts).encode("latin-1"))
        return cls(data, np.cumsum(lengths) - lengths, lengths)

    def __len__(self) -> int:
        return len(self.begins)

    def words(self) -> Words:
        """Return the words of each cell."""
        return packed(self.data, self.begins, self.lengths)

    def missing(self) -> Places:
        """Return nothing: an empty cell is a text."""
        return np.empty(0, np.intp)

    def distinct(self) -> tuple[list[Any], Places]:
        """Return distinct cells, and which of them each cell is."""
        order, begins = grouped(self.words())
        if not len(order):
            return [], order
        firsts = np.minimum.reduceat(order, begins)
        ranks = np.empty(len(firsts), np.intp)
        ranks[np.argsort(firsts)] = np.arange(len(firsts))
        places = np.empty(len(order), np.intp)
        places[order] = np.repeat(ranks, np.diff(begins, append=len(order)))
        return self.take(np.sort(firsts)).plain(), places

    def take(self, places: Places) -> TextCells:
        """Return some of the cells."""
        return TextCells(self.data, self.begins[places], self.lengths[places])

    def part(self, begin: int, end: int) -> TextCells:
        """Return cells that stand one after the other."""
        return TextCells(self.data, self.begins[begin:end], self.lengths[begin:end])

    def to_arrow(self) -> Any:
        """Return the bytes of the cells."""
        import pyarrow as pa

        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        places = np.repeat(self.begins - offsets[:-1], self.lengths)
        places += np.arange(len(places))
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data[places])]
        return pa.Array.from_buffers(pa.large_binary(), len(self), buffers)

    def plain(self) -> list[Any]:
        """Return the texts."""
        if not len(self.begins):
            return []
        low = int(self.begins.min())
        ends = self.begins + self.lengths
        text = self.data[low : int(ends.max())].tobytes().decode("latin-1")
        begins, ends = (self.begins - low).tolist(), (ends - low).tolist()
        return [text[begin:end] for begin, end in zip(begins, ends, strict=True)]


# --- values of Arrow
class ArrowCells:
    """Values of a Parquet file or a dataframe."""

    def __init__(self, values: Any) -> None:
        values = struct_texts(values) if is_interval_struct(values.type) else values
        self.values = decoded(values)

    def __len__(self) -> int:
        return len(self.values)

    def words(self) -> Words:
        """Return one word a number, two a text; zeros where values are missing."""
        import pyarrow as pa

        values, known = self.values, pa.types
        if known.is_boolean(values.type):
            values = values.cast("uint8")
        kind = values.type
        moments = known.is_temporal(kind) and not known.is_interval(kind)
        if moments or known.is_floating(kind) or known.is_integer(kind):
            return _bits(values)[:, None]
        if known.is_null(kind):
            return np.zeros((len(values), 0), np.uint64)
        if known.is_string(kind) or known.is_large_string(kind):
            words = _words_of_strings(values)
        else:
            distinct, places = self.distinct()
            words = words_of_texts([_bytes(cell) for cell in distinct])[places]
        words[_null(values)] = 0
        return words

    def missing(self) -> Places:
        """Return where values are missing."""
        return _null(self.values)

    def distinct(self) -> tuple[list[Any], Places]:
        """Return distinct values, and which of them each is; any for those that are missing."""
        import pyarrow as pa

        try:
            coded = self.values.dictionary_encode()
            places = coded.indices.fill_null(0).to_numpy().astype(np.intp)
            return plain(coded.dictionary) or [None], places
        except pa.ArrowNotImplementedError:
            cells = plain(self.values)
            numbers = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
            return list(numbers), np.array([numbers[cell] for cell in cells], np.intp)

    def take(self, places: Places) -> ArrowCells:
        """Return some of the values."""
        import pyarrow as pa

        try:
            return ArrowCells(self.values.take(places))
        except pa.ArrowNotImplementedError:  # of texts and bytes seen through views
            some = [self.values[place] for place in places.tolist()]
            return ArrowCells(pa.array(some, self.values.type))

    def part(self, begin: int, end: int) -> ArrowCells:
        """Return values that stand one after the other."""
        return ArrowCells(self.values.slice(begin, end - begin))

    def to_arrow(self) -> Any:
        """Return the values."""
        return self.values

    def plain(self) -> list[Any]:
        """Return Python values."""
        return plain(self.values)


def _null(values: Any) -> Places:
    """Return where values are missing."""
    if not values.null_count:
        return np.empty(0, np.intp)
    return np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))


def _words_of_strings(values: Any) -> Words:
    import pyarrow as pa

    width = "<i8" if pa.types.is_large_string(values.type) else "<i4"
    if not len(values):
        return np.zeros((0, 2), np.uint64)
    _, offsets, data = values.buffers()
    places = np.frombuffer(offsets, width)[values.offset : values.offset + len(values) + 1]
    places = places.astype(np.intp)
    low, high = int(places[0]), int(places[-1])
    own = np.frombuffer(data, np.uint8)[low:high] if data is not None else b""
    return packed(_padded(own), places[:-1] - low, np.diff(places))


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
    bits[_null(values)] = 0
    return bits


def _bytes(cell: Any) -> bytes:
    """Return bytes that no other cell of the column has."""
    if isinstance(cell, str):
        return cell.encode()
    return cell if isinstance(cell, bytes) else str(cell).encode()


def plain(values: Any) -> list[Any]:
    """Return Python values; not-a-number equals itself here, and is not the same as missing.

    Moments are their ticks, and so is all that has nanoseconds: Python stops at microseconds.
    """
    values = decoded(values)
    kind = str(values.type)
    if kind.startswith("timestamp") or kind in ("time64[ns]", "duration[ns]"):
        values = values.cast("int64")
    return [NAN if v != v else v for v in values.to_pylist()]  # noqa: PLR0124


def decoded(values: Any) -> Any:
    """Return the values themselves, where they come as places in a dictionary.

    Of intervals (of pandas) the ends as texts, of categories that are intervals their own texts.
    """
    if getattr(values.type, "extension_name", "") == "pandas.interval":
        return _ends(values)
    if not str(values.type).startswith("dictionary"):
        return values
    if not hasattr(values.type.value_type, "storage_type"):
        return values.dictionary_decode()
    import pyarrow as pa

    return pa.array([str(level) for level in values.dictionary.to_pylist()]).take(values.indices)


def _ends(values: Any) -> Any:
    """Return intervals, which are closed at the same side throughout a column, as texts."""
    import pyarrow as pa

    ends = values.storage.to_pylist()
    return pa.array([one and f"{one['left']},{one['right']}" for one in ends], pa.string())


def is_interval_struct(kind: Any) -> bool:
    """Tell whether an Arrow type is a struct of two ends of one plain type."""
    import pyarrow as pa

    if not pa.types.is_struct(kind) or kind.num_fields != 2:
        return False
    low, high = kind.field(0), kind.field(1)
    plain = not pa.types.is_nested(low.type)
    return (low.name, high.name) == ("low", "high") and low.type == high.type and plain


def struct_texts(values: Any) -> Any:
    """Return structs as texts: [low,high], or the one value where both ends are equal."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    ends = [pc.struct_field(values, [number]) for number in (0, 1)]
    low, high = (_text(end) for end in ends)
    both = pc.binary_join_element_wise("[", pc.binary_join_element_wise(low, high, ","), "]", "")
    return pc.if_else(pc.equal(low, high), low, both)


def _text(ends: Any) -> Any:
    """Return ends as texts; times without zeros at the end: files do not hold every unit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = ends.cast(pa.string())
    if pa.types.is_timestamp(ends.type):
        for zeros, rest in ZEROS:
            texts = pc.replace_substring_regex(texts, zeros, rest)
    return texts
