"""Columns of plain numbers, dates and times, recognized by their bytes all at once.

Most columns of most files are of one kind. Whether all cells are can be told from how many bytes
are no digits and from where those stand, without a look at each distinct cell (`distinct.py`); the
values are Arrow's own. What is not recognized here may still be a number or a date: a slow look
tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.backends.once import once
from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Integers
from shoal.table.csv_text.distinct import EXPONENT, FIXED
from shoal.table.csv_text.split import bytes_of, offsets_of
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.dialects.significant import FLOAT_DIGITS, Significant, significant
from shoal.table.dialects.zones import AT_END, offset_of
from shoal.table.roles import Kind

BLANKS = " \t"
SIGNS = (ord("+"), ord("-"))
MAX_DIGITS = 38
FIRST_DAY = -719_162  # 0001-01-01, the first of Python's calendar
DAY = 86_400 * 10**6  # microseconds
DATE_LENGTH = 10
TIME = "T00:00:00.000000"  # where the signs of a time of day stand

Lengths = npt.NDArray[np.int32]


class Trimmed:
    """Texts of one column without blanks around them; those of missing cells are null and empty."""

    def __init__(self, cells: Any, absent: Flags | None) -> None:
        if absent is not None:
            if np.diff(offsets_of(cells))[absent].any():
                cells = pc.if_else(pa.array(absent), "", cells)
            cells = with_nulls(cells, absent)
        data = bytes_of(cells)
        if any((data == ord(blank)).any() for blank in BLANKS):
            cells = pc.ascii_trim(cells, BLANKS)
        self.texts, self._absent = cells, absent

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
    def present(self) -> Flags:
        """Which texts are not missing."""
        if self._absent is None:
            return np.ones(len(self.texts), dtype=bool)
        return ~self._absent

    @once
    def odd(self) -> int:
        """How many bytes are no digits."""
        return int(np.count_nonzero((self.data - np.uint8(ord("0"))) > 9))  # below 0 is above 9

    def at_ends(self) -> tuple[Any, Any]:
        """Return the first and the last byte of each text that has some."""
        some = self.lengths > 0
        return self.data[self.starts[:-1][some]], self.data[self.starts[1:][some] - 1]


def with_nulls(texts: Any, absent: Flags) -> Any:
    """Return the same texts, of which some are null."""
    bits = pa.py_buffer(np.packbits(~absent, bitorder="little").tobytes())
    if texts.offset:
        texts = pa.concat_arrays([texts.slice(0, 0), texts])
    _, offsets, data = texts.buffers()
    return pa.StringArray.from_buffers(len(texts), offsets, data, bits, int(absent.sum()))


@dataclass(frozen=True)
class Plain:
    """A recognized column: its values as a kind, if it is of that kind."""

    __repr__ = in_shape

    texts: Any

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - of those that need it
        """Return the values, None if they are not of a kind."""
        return None


@dataclass(frozen=True)
class Numbers(Plain):
    """Numbers without exponents: the most digits before and after the point.

    `bare` tells whether some number has no digit before the point, as .5 has none; `zeros` whether
    every one ends in a point and one zero, as 19.0 does.
    """

    __repr__ = in_shape

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
    scaled = np.rint(np.asarray(plain) * 10.0**decimals).astype(np.int64)
    words = np.empty((scaled.size, 2), dtype=np.int64)
    words[:, 0], words[:, 1] = scaled, scaled >> 63
    return pa.Array.from_buffers(
        pa.decimal128(MAX_DIGITS, decimals),
        scaled.size,
        [floats.buffers()[0], pa.py_buffer(words)],
        floats.null_count,
    )


@dataclass(frozen=True)
class Exponents(Plain):
    """Numbers some of which have exponents, as floats, and their most decimals."""

    __repr__ = in_shape

    floats: Any
    decimals: int
    significant: Significant

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - floats have their own
        """Return the floats."""
        return self.floats if kind is Kind.FLOAT else None


@dataclass(frozen=True)
class Moments(Plain):
    """Dates, or dates and times of one form, of the calendar; `length` is that of each text.

    `zone` is what stands after every time, beyond that length.
    """

    __repr__ = in_shape

    kind: Kind
    moments: Any
    length: int
    separator: str = ""
    zone: str = ""

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - of numbers only
        """Return the dates, or dates and times."""
        return self.moments if kind is self.kind else None


def recognized(cells: Trimmed, notation: Notation = STRICT) -> Plain | None:
    """Return what the cells of a column are when each is a plain number, date or time.

    Postcondition: every present text has the one form, and the values are those it names.
    """
    if np.any((cells.lengths == 0) & cells.present) or not cells.present.any():
        return None
    first = int(np.argmax(cells.present))
    start, end = cells.starts[first : first + 2]
    text = cells.data[start:end].tobytes()
    if text.strip(b"0123456789+-eE.:TZ " + (notation.decimal + notation.date).encode()):
        return None
    if text[4:5] == b"-" or notation.date != STRICT.date:
        found = _date(cells, len(text), notation.date)
        if found is None and notation.date == STRICT.date:
            found = _moment(cells, text.decode())
        if found is not None:
            return found
    return _numbers(cells, notation.decimal) or _exponents(cells, notation.decimal)


def _numbers(cells: Trimmed, decimal: str) -> Numbers | None:
    """Recognize `FIXED` numbers."""
    data, starts, lengths, present = cells.data, cells.starts, cells.lengths, cells.present
    points = int(np.count_nonzero(data == ord(decimal)))
    signed, signs = _signed(cells) if cells.odd > points else (None, 0)
    if points + signs != cells.odd:
        return None
    before: Any = lengths if signed is None else lengths - signed
    after: Any = np.zeros(1, dtype=np.int32)
    if points:
        at = np.asarray(pc.find_substring(cells.texts, decimal).fill_null(-1))
        has = at >= 0
        if np.count_nonzero(has) != points:
            return None
        after = np.where(has, lengths - at - 1, 0)
        before = np.where(has, at if signed is None else at - signed, before)
    no_digit = before <= 0
    if np.any(no_digit & present & (after <= 0)):
        return None
    some = before > 1
    begins = starts[:-1] if signed is None else starts[:-1] + signed
    if np.any(data[begins[some]] == ord("0")):
        return None
    texts = cells.texts if decimal == "." else pc.replace_substring(cells.texts, decimal, ".")
    bare = bool(np.any(no_digit & present))
    whole, decimals = int(before.max()), int(after.max())
    zeros = decimals == 1 and points == np.count_nonzero(present) and not bare
    zeros = zeros and bool(np.all(data[starts[1:][present] - 1] == ord("0")))
    each = after[present] if points else np.zeros(np.count_nonzero(present), dtype=np.int64)
    there = texts if present.all() else texts.filter(pa.array(present))
    own = significant(there, each, whole + decimals)
    return Numbers(texts, whole, decimals, bool(points), bare, zeros, own)


def _signed(cells: Trimmed) -> tuple[Any, int]:
    """Return which texts begin with a sign, and how many do."""
    signed = np.zeros(len(cells.texts), dtype=bool)
    some = cells.lengths > 0
    first = cells.data[cells.starts[:-1][some]]
    signed[some] = (first == SIGNS[0]) | (first == SIGNS[1])
    return signed, int(np.count_nonzero(signed))


def _exponents(cells: Trimmed, decimal: str) -> Exponents | None:
    """Recognize `FIXED` and `EXPONENT` numbers that are neither infinite nor lost."""
    known = (ord("e"), ord("E"), *SIGNS, ord(decimal))
    if sum(int(np.count_nonzero(cells.data == sign)) for sign in known) != cells.odd:
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


def _rows(cells: Trimmed, length: int) -> Any | None:
    """Return the bytes of present texts as a matrix, None where their lengths differ."""
    count = int(np.count_nonzero(cells.present))
    fits = cells.data.size == count * length and np.all(cells.lengths[cells.present] == length)
    return cells.data.reshape(count, length) if fits else None


def _has_form(rows: Any, form: str, odd: int) -> bool:
    """Tell whether every row has the signs of a form, and digits where it has zeros."""
    places = [place for place, sign in enumerate(form) if sign != "0"]
    if odd != len(places) * rows.shape[0]:
        return False
    return all(np.all(rows[:, place] == ord(form[place])) for place in places)


def _date(cells: Trimmed, length: int, form: str) -> Moments | None:
    """Recognize dates of a format."""
    zeros = form.replace("%Y", "0000").replace("%m", "00").replace("%d", "00")
    rows = _rows(cells, length) if length == len(zeros) else None
    if rows is None or not _has_form(rows, zeros, cells.odd):
        return None
    texts = cells.texts if form == STRICT.date else _in_order(cells, rows, form)
    days = _cast(texts, pa.date32())
    if days is None or pc.min(days.cast(pa.int32())).as_py() < FIRST_DAY:
        return None
    return Moments(texts, Kind.DATE, days, length)


def _in_order(cells: Trimmed, rows: Any, form: str) -> Any:
    """Return dates of another format as ISO writes them."""
    places = form.replace("%Y", "YYYY").replace("%m", "mm").replace("%d", "dd")
    ordered = np.full((rows.shape[0], DATE_LENGTH), ord("-"), dtype=np.uint8)
    for at, sign, size in ((0, "Y", 4), (5, "m", 2), (8, "d", 2)):
        start = places.index(sign)
        ordered[:, at : at + size] = rows[:, start : start + size]
    offsets = np.concatenate(([0], np.cumsum(cells.present * DATE_LENGTH))).astype(np.int32)
    texts = pa.StringArray.from_buffers(
        len(cells.texts), pa.py_buffer(offsets), pa.py_buffer(ordered)
    )
    return texts if cells.present.all() else with_nulls(texts, ~cells.present)


def _moment(cells: Trimmed, first: str) -> Moments | None:
    """Recognize dates and times, all of one length, with one sign between, and of one zone."""
    zone = match[0] if (match := AT_END.search(first[DATE_LENGTH:])) else ""
    length = len(first) - len(zone)
    time = length - DATE_LENGTH
    if time not in (6, 9, *range(11, len(TIME) + 1)):
        return None
    rows = _rows(cells, len(first))
    if rows is None or (zone and offset_of(zone) is None):
        return None
    separator = chr(rows[0, DATE_LENGTH])
    form = "0000-00-00" + separator + TIME[1:time] + re.sub("[0-9]", "0", zone)
    if separator not in "T " or not _has_form(rows, form, cells.odd):
        return None
    if not np.all(rows[:, length:] == np.frombuffer(zone.encode(), np.uint8)):
        return None
    texts = pc.utf8_slice_codeunits(cells.texts, 0, length) if zone else cells.texts
    moments = _cast(texts, pa.timestamp("us"))
    if moments is None or pc.min(moments.cast(pa.int64())).as_py() < FIRST_DAY * DAY:
        return None
    return Moments(texts, Kind.DATETIME, moments, length, separator, zone)


def _cast(texts: Any, kind: Any) -> Any | None:
    """Return texts as another type, None where one is not of it."""
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return None
