"""The distinct cells of one column of a csv file, and what they are when read as each kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.table.dialects.notation import FOREIGN, STRICT, ZONE, Notation, plain_texts
from shoal.table.dialects.significant import Significant, significant

INTEGER = r"^[+-]?(0|[1-9][0-9]*)$"
POINT_ZERO = r"^[+-]?(0|[1-9][0-9]*)\.0$"
FIXED = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)$"
EXPONENT = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]{1,5}$"
ZERO_LED = r"^[+-]?0[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,5})?$"
SPECIAL = r"(?i)^[+-]?(inf|infinity|nan)$"
FOREIGN_NUMBER = r"^[$€£¥]?\s*[+-]?[$€£¥]?\p{Nd}[\p{Nd}.,_' ]*\s*[%$€£¥]?$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
DATETIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
DATETIME = f"{DATETIME}{ZONE}?$"
ANY_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:?[0-9]{2}"
FOREIGN_DATE = r"^[0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{1,4}$"
TRUE_FALSE = r"^(?i:true|false)$"

# what the cells of a column of a declared type may look like
FITTING = {
    "number": (FIXED, EXPONENT, ZERO_LED),
    "date": (DATE, DATETIME),
    "boolean": (TRUE_FALSE,),
}


class Distinct:
    """The distinct cells of one column, so that each text is parsed once.

    `raw` are those that are not missing, as they stand in the file; `present` are the same without
    blanks around them, in plain notation, and in a column declared as number without the zeros that
    lead them.
    """

    def __init__(
        self,
        cells: Any,
        missing: tuple[str, ...],
        declared: str | None,
        notation: Notation = STRICT,
    ) -> None:
        self.cells, self.declared = cells, declared
        self._encoded = cells.dictionary_encode()
        texts = self._encoded.dictionary
        absent = pc.is_in(texts, value_set=pa.array(missing, type=pa.string()))
        self._absent = np.asarray(absent)
        self.raw = texts.filter(pc.invert(absent))
        self._trimmed, self._notation = pc.utf8_trim(self.raw, " \t"), notation
        if not notation.is_plain:
            self._trimmed = plain_texts(self._trimmed, notation)
        self.present = self._trimmed
        if declared == "number":
            self.present = pc.replace_substring_regex(self._trimmed, r"^([+-]?)0+([0-9])", r"\1\2")

    @property
    def takes_zones(self) -> bool:
        """Whether times of several zones were said to be read."""
        return "%z" in self._notation.date

    def all(self, pattern: str) -> bool:
        """Return whether every cell matches."""
        return bool(pc.all(pc.match_substring_regex(self.present, pattern)).as_py())

    def matches(self, pattern: str) -> Flags:
        """Return which cells match."""
        return np.asarray(pc.match_substring_regex(self.present, pattern))

    def every(self) -> Flags:
        """Return flags that are all set."""
        return np.ones(len(self.present), dtype=bool)

    def fitting(self) -> Flags:
        """Return which cells look like the declared type."""
        fits = ~self.every()
        for pattern in FITTING[self.declared or ""]:
            fits |= np.asarray(pc.match_substring_regex(self._trimmed, pattern))
        return fits

    def special(self) -> Flags:
        """Return which cells are infinite, not a number, or plain against their notation."""
        special = self.matches(SPECIAL)
        if not self._notation.is_plain:
            special |= np.asarray(pc.starts_with(self.present, FOREIGN))
        return special

    @cached_property
    def numbers(self) -> Flags:
        """Which cells are numbers."""
        return self.matches(FIXED) | self.matches(EXPONENT)

    @cached_property
    def _counts(self) -> Integers:
        indices = np.asarray(self._encoded.indices)
        counts: Integers = np.bincount(indices, minlength=self._absent.size)[~self._absent]
        return counts

    def count(self, flags: Flags) -> int:
        """Return the number of records whose cell is flagged."""
        return int(self._counts[flags].sum())

    @property
    def records(self) -> int:
        """The number of records whose cell is not missing."""
        if not self._absent.any():
            return len(self.cells)
        return self.count(self.every())

    def rows_where(self, flags: Flags) -> list[int]:
        """Return the rows whose distinct cell is flagged."""
        whole = np.zeros(self._absent.size, dtype=bool)
        whole[~self._absent] = flags
        return np.flatnonzero(whole[np.asarray(self._encoded.indices)]).tolist()

    def spread(self, distinct: Any) -> Any:
        """Return one value a record from one value a distinct cell; missing cells are null."""
        positions = np.full(self._absent.size, -1)
        positions[~self._absent] = np.arange(len(distinct))
        taken = positions[np.asarray(self._encoded.indices)]
        return distinct.take(pa.array(taken, mask=taken < 0))

    def texts(self) -> Any:
        """Return the cells of all records; missing ones are null."""
        if not self._absent.any():
            return self.cells
        gone = self._absent[np.asarray(self._encoded.indices)]
        return pc.if_else(pa.array(gone), pa.scalar(None, pa.string()), self.cells)

    @cached_property
    def integers(self) -> Any:
        """The cells as 64-bit integers, 19.0 as 19; None where one is too large."""
        try:
            plain = pc.replace_substring_regex(self.present, r"\.0$", "")
            return pc.ascii_ltrim(plain, "+").cast(pa.int64())
        except pa.ArrowInvalid:
            return None

    def digits(self) -> tuple[Integers, Integers]:
        """Return the number of digits before and after the point of each fixed number."""
        lengths = np.asarray(pc.binary_length(self.present)).astype(np.int64)
        positions = np.asarray(pc.find_substring(self.present, "."))
        points = np.where(positions < 0, lengths, positions)
        signs = np.asarray(pc.or_(*(pc.starts_with(self.present, sign) for sign in "+-")))
        return points - signs, np.maximum(lengths - points - 1, 0)

    @cached_property
    def _parts(self) -> list[tuple[str, str, str]]:
        return [text.lower().partition("e") for text in self.present.to_pylist()]

    @cached_property
    def floats(self) -> Floats:
        """The cells as floats, infinite where one is too large."""
        return np.array([float("".join(part)) for part in self._parts], dtype=np.float64)

    def vanished(self) -> Flags:
        """Return which cells are zero as floats though they are written otherwise."""
        wrong: Flags = self.floats == 0
        for index in np.flatnonzero(wrong):
            wrong[index] = bool(re.search("[1-9]", self._parts[index][0]))
        return wrong

    def float_decimals(self) -> Integers:
        """Return the number of digits after the point, the exponent taken into account."""
        every = [
            len(digits.partition(".")[2]) - int(exponent or 0)
            for digits, _, exponent in self._parts
        ]
        return np.array(every, dtype=np.int64)

    def significant(self, decimals: Integers, *most: int) -> Significant:
        """Return the significant digits of numbers of which each has so many decimals."""
        return significant(self.present, decimals, *most)

    @cached_property
    def _calendar(self) -> dict[bool, tuple[list[date], Flags]]:
        return {}

    def calendar(self, *, times: bool) -> tuple[list[date], Flags]:
        """Return the cells as dates, or dates and times, and which are none of the calendar."""
        if times not in self._calendar:
            parse: Callable[[str], date] = datetime.fromisoformat if times else date.fromisoformat
            values: list[date] = []
            wrong = ~self.every()
            for index, text in enumerate(self.present.to_pylist()):
                try:
                    value = parse(text)
                    if isinstance(value, datetime) and value.tzinfo is not None:
                        value.astimezone(UTC)
                    values.append(value)
                except (ValueError, OverflowError):
                    wrong[index] = True
            self._calendar[times] = values, wrong
        return self._calendar[times]
