"""Columns of plain numbers, with or without exponents, recognized by their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Flags, Integers
from shoal.once import once
from shoal.table.csv_text.distinct import EXPONENT, FIXED
from shoal.table.csv_text.scan import count_of, near
from shoal.table.csv_text.split import bytes_of, offsets_of
from shoal.table.dialects.significant import FLOAT_DIGITS, Significant, significant
from shoal.table.roles import Kind


@dataclass(frozen=True, repr=False)
class Plain:
    """A recognized column: its values as a kind, if it is of that kind."""

    texts: Any

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - of those that need it
        """Return the values, None if they are not of a kind."""
        return None


BLANKS = " \t"
BLANK_BYTES = tuple(BLANKS.encode())
Lengths = npt.NDArray[np.int32]
SIGNS = (ord("+"), ord("-"))
MAX_DIGITS = 38


@dataclass(frozen=True, repr=False)
class Numbers(Plain):
    """Numbers without exponents: the most digits before and after the point.

    `bare` tells whether some number has no digit before the point, as .5 has none; `zeros` whether
    every one ends in a point and one zero, as 19.0 does.
    """

    whole: int
    decimals: int
    points: bool
    bare: bool
    zeros: bool
    significant: Significant

    @once
    def integers(self) -> Any:
        """The numbers as 64-bit integers, 19.0 as 19; None where one is too large."""
        texts = pc.replace_substring(self.texts, ".0", "") if self.zeros else self.texts
        try:
            return _unsigned(texts).cast(pa.int64())
        except pa.ArrowInvalid:
            return None

    def values(self, kind: Kind, decimals: int) -> Any | None:
        """Return the numbers as integers, decimals or floats."""
        if kind is Kind.INTEGER:
            return None if self.points and not self.zeros else self.integers
        if kind is Kind.FLOAT:
            return self.texts.cast(pa.float64())
        if kind is not Kind.DECIMAL or decimals < self.decimals:
            return None
        if self.whole + decimals > FLOAT_DIGITS:
            return self.texts.cast(pa.decimal128(MAX_DIGITS, decimals))
        floats = self.texts.cast(pa.float64())
        return _as_decimals(floats, decimals)


def _unsigned(texts: Any) -> Any:
    """Return texts without the plus before them, which Arrow's integers may not have."""
    has_plus = (bytes_of(texts) == ord("+")).any()
    return pc.ascii_ltrim(texts, "+") if has_plus else texts


def _as_decimals(floats: Any, decimals: int) -> Any:
    """Return floats of few digits as the decimals that they were written as.

    The nearest float of a number of 15 digits, times a power of ten, is off its whole number by
    less than a quarter.
    """
    plain = floats.fill_null(0.0) if floats.null_count else floats
    scaled = np.asarray(plain) * 10.0**decimals
    words = np.empty((scaled.size, 2), dtype=np.int64)
    words[:, 0] = np.rint(scaled, out=scaled)
    np.right_shift(words[:, 0], 63, out=words[:, 1])
    return pa.Array.from_buffers(
        pa.decimal128(MAX_DIGITS, decimals),
        scaled.size,
        [floats.buffers()[0], pa.py_buffer(words)],
        floats.null_count,
    )


@dataclass(frozen=True, repr=False)
class Exponents(Plain):
    """Numbers some of which have exponents, as floats, and their most decimals."""

    floats: Any
    decimals: int
    significant: Significant

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - floats have their own
        """Return the floats."""
        return self.floats if kind is Kind.FLOAT else None


def as_numbers(cells: Trimmed, decimal: str) -> Numbers | None:
    """Recognize `FIXED` numbers."""
    data, starts, lengths, present = cells.data, cells.starts, cells.lengths, cells.present
    points = count_of(data, ord(decimal))
    signed, signs = _signed(cells) if cells.odd > points else (None, 0)
    if points + signs != cells.odd:
        return None
    before: Any = lengths
    after: Any = np.zeros(lengths.size, dtype=np.int32)
    if points:
        at = _places(cells, decimal)
        has = at >= 0
        if np.count_nonzero(has) != points:
            return None
        after = np.where(has, lengths - at - 1, 0)
        before = np.where(has, at, lengths)
    if signed is not None:
        before = before - signed
    no_digit = (before <= 0) & present
    bare = bool(no_digit.any())
    if bare and np.any(no_digit & (after <= 0)):
        return None
    first = cells.first if signed is None else data.take(starts[:-1] + signed, mode="clip")
    if np.any((first == ord("0")) & (before > 1)):
        return None
    texts = cells.texts if decimal == "." else pc.replace_substring(cells.texts, decimal, ".")
    whole, decimals = int(before.max()), int(after.max())
    zeros = decimals == 1 and points == np.count_nonzero(present) and not bare
    zeros = zeros and bool(np.all(data[starts[1:][present] - 1] == ord("0")))
    own = Significant(whole + decimals, decimals)
    if own.digits > FLOAT_DIGITS:
        there = texts if present.all() else texts.filter(pa.array(present))
        own = significant(there, after[present], own.digits)
    return Numbers(texts, whole, decimals, bool(points), bare, zeros, own)


def _signed(cells: Trimmed) -> tuple[Any, int]:
    """Return which texts begin with a sign, and how many do."""
    signed = (cells.first == SIGNS[0]) | (cells.first == SIGNS[1])
    return signed, int(np.count_nonzero(signed))


def _places(cells: Trimmed, sign: str) -> Any:
    """Return where a sign stands in each text, -1 where it does not."""
    _, offsets, data = cells.texts.buffers()
    count, start = len(cells.texts), cells.texts.offset
    no_null = pa.StringArray.from_buffers(count, offsets, data, offset=start)
    return np.asarray(pc.find_substring(no_null, sign))


def as_exponents(cells: Trimmed, decimal: str) -> Exponents | None:
    """Recognize `FIXED` and `EXPONENT` numbers that are neither infinite nor lost."""
    known = (ord("e"), ord("E"), *SIGNS, ord(decimal))
    if sum(count_of(cells.data, sign) for sign in known) != cells.odd:
        return None
    texts = cells.texts if decimal == "." else pc.replace_substring(cells.texts, decimal, ".")
    texts = pc.ascii_lower(texts)
    matches = (pc.match_substring_regex(texts, pattern) for pattern in (FIXED, EXPONENT))
    if not pc.all(pc.or_(*matches)).as_py():
        return None
    floats = texts.cast(pa.float64())
    plain = np.asarray(floats.fill_null(1.0))
    if not np.isfinite(plain).all() or _is_lost(texts, plain == 0):
        return None
    there = texts.drop_null()
    decimals = _decimals(there)
    return Exponents(texts, floats, int(decimals.max()), significant(there, decimals))


def _is_lost(texts: Any, zero: Flags) -> bool:
    """Tell whether a number is zero as a float though it is written otherwise."""
    if not zero.any():
        return False
    some = texts.filter(pa.array(zero))
    return bool(pc.any(pc.match_substring_regex(some, "^[^e]*[1-9]")).as_py())


def _decimals(texts: Any) -> Integers:
    """Return the digits after the point of each number, the exponent taken into account."""
    data, starts = bytes_of(texts), offsets_of(texts) - offsets_of(texts)[0]
    lengths = np.diff(starts)
    points, marks = (np.asarray(pc.find_substring(texts, sign)) for sign in ".e")
    ends = np.where(marks < 0, lengths, marks)
    after = np.where(points < 0, 0, ends - points - 1).astype(np.int64)
    decimals: Integers = after - _powers(data, starts, lengths, marks)
    return decimals


def _powers(data: Any, starts: Any, lengths: Any, marks: Any) -> Integers:
    """Return the exponents, read digit by digit from the last; 0 where there is none."""
    powers = np.zeros(lengths.size, dtype=np.int64)
    digits = np.where(marks < 0, 0, lengths - marks - 1)
    for back in range(int(digits.max(initial=0))):
        there = np.flatnonzero(digits > back)
        signs = data[starts[1:][there] - 1 - back]
        isdigit = signs >= ord("0")
        powers[there[isdigit]] += (signs[isdigit].astype(np.int64) - ord("0")) * 10**back
        minus = there[signs == ord("-")]
        powers[minus] *= -1
    return powers


class Trimmed:
    """Texts of one column without blanks around them; those of missing cells are null and empty."""

    def __init__(self, cells: Any, absent: Flags | None) -> None:
        if absent is not None:
            if np.diff(offsets_of(cells))[absent].any():
                cells = pc.if_else(pa.array(absent), "", cells)
            cells = with_nulls(cells, absent)
        self.texts, self._absent = cells, absent
        if self._has_blanks():
            self.texts = pc.ascii_trim(cells, BLANKS)

    def _has_blanks(self) -> bool:
        """Tell whether some text begins or ends with a blank; few columns have any at all."""
        data = bytes_of(self.texts)
        if not data.size or data.min() > max(BLANK_BYTES):
            return False
        offsets = offsets_of(self.texts) - offsets_of(self.texts)[0]
        some = np.diff(offsets) > 0
        return any(
            bool(np.isin(_bytes_at(data, places, some), BLANK_BYTES).any())
            for places in (offsets[:-1], offsets[1:] - 1)
        )

    @once
    def data(self) -> npt.NDArray[np.uint8]:
        """The bytes of all texts."""
        return bytes_of(self.texts)

    @once
    def starts(self) -> Lengths:
        """Where each text begins in `data`, and where the last ends."""
        offsets = offsets_of(self.texts)
        return offsets if not offsets[0] else offsets - offsets[0]

    @once
    def lengths(self) -> Lengths:
        """The bytes of each text."""
        return np.diff(self.starts)

    @once
    def first(self) -> Any:
        """The first byte of each text, 0 where it has none."""
        return _bytes_at(self.data, self.starts[:-1], self.lengths > 0)

    @once
    def last(self) -> Any:
        """The last byte of each text, 0 where it has none."""
        return _bytes_at(self.data, self.starts[1:] - 1, self.lengths > 0)

    @once
    def present(self) -> Flags:
        """Which texts are not missing."""
        if self._absent is None:
            return np.ones(len(self.texts), dtype=bool)
        return ~self._absent

    @once
    def odd(self) -> int:
        """How many bytes are no digits."""
        zero = np.uint8(ord("0"))  # what is below it, is above 9 when it is taken away
        return sum(int(np.count_nonzero(part - zero > 9)) for part in near(self.data))


def _bytes_at(data: Any, places: Any, some: Flags) -> Any:
    """Return the bytes at places, one of each text; 0 for texts that have none."""
    return data.take(places, mode="clip") * some if data.size else np.zeros(some.size, np.uint8)


def with_nulls(texts: Any, absent: Flags) -> Any:
    """Return the same texts, of which some are null."""
    bits = pa.py_buffer(np.packbits(~absent, bitorder="little").tobytes())
    if texts.offset:
        texts = pa.concat_arrays([texts.slice(0, 0), texts])
    _, offsets, data = texts.buffers()
    return pa.StringArray.from_buffers(len(texts), offsets, data, bits, int(absent.sum()))
