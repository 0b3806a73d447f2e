"""What the cells of a csv column are: strict rules, no silent guesses.

A column has a kind when every cell that is not missing fits it. Where most cells look like
numbers, dates or booleans and some do not, the column stays text and carries a doubt: it may be
passed on as it is, but not be grouped before somebody says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, shown
from shoal.table.roles import Column, Kind, Written

Flags = npt.NDArray[np.bool_]
Where = Callable[[list[int]], str]

INTEGER = r"^[+-]?(0|[1-9][0-9]*)$"
FIXED = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)$"
EXPONENT = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]{1,5}$"
ZERO_LED = r"^[+-]?0[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,5})?$"
SPECIAL = r"(?i)^[+-]?(inf|infinity|nan)$"
FOREIGN_NUMBER = r"^[$€£¥]?\s*[+-]?[$€£¥]?\p{Nd}[\p{Nd}.,_' ]*\s*[%$€£¥]?$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
DATETIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"
ANY_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:?[0-9]{2}"
FOREIGN_DATE = r"^[0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{1,4}$"
BOOLEAN_WORDS = {"true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"}
MAX_DIGITS = 38
SAID = "say what it is with --type"

DECLARED = ("number", "text", "date", "boolean")


def infer(
    name: str, cells: Any, missing: tuple[str, ...], declared: str | None, where: Where
) -> Column:
    """Return the column with its kind and values.

    `where` turns row numbers into words such as "line 7" for a message.
    """
    encoded = cells.dictionary_encode()
    absent = pc.is_in(encoded.dictionary, value_set=pa.array(missing, type=pa.string()))
    present = encoded.dictionary.filter(pc.invert(absent))
    column = _Cells(name, cells, encoded, np.asarray(absent), present, where)
    if declared == "text" or not len(present):
        return column.as_text()
    if declared is not None:
        return _as_declared(column, declared)
    for attempt in (_boolean, _number, _date):
        found = attempt(column)
        if found is not None:
            return found
    return column.as_text(_doubt(column))


class _Cells:
    """The distinct cells of one column, so that each text is looked at once."""

    def __init__(
        self, name: str, cells: Any, encoded: Any, absent: Any, present: Any, where: Where
    ) -> None:
        self.name, self.cells, self.where = name, cells, where
        self.present = pc.utf8_trim(present, " \t")
        self._encoded, self._absent = encoded, absent

    def all(self, pattern: str) -> bool:
        return bool(pc.all(pc.match_substring_regex(self.present, pattern)).as_py())

    def matches(self, pattern: str) -> Flags:
        return np.asarray(pc.match_substring_regex(self.present, pattern))

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

    def column(self, kind: Kind, distinct: Any, written: Written | None = None) -> Column:
        return Column(
            self.name, kind, self.spread(distinct), written=written or Written(), cells=self.cells
        )

    def as_text(self, doubt: str | None = None) -> Column:
        values = self.cells
        if self._absent.any():
            gone = self._absent[np.asarray(self._encoded.indices)]
            values = pc.if_else(pa.array(gone), pa.scalar(None, pa.string()), self.cells)
        return Column(
            self.name, Kind.TEXT, values, written=Written(), cells=self.cells, doubt=doubt
        )

    def message(self, flags: Flags, what: str) -> str:
        """Say where the flagged cells are: five places and a count, never a value."""
        rows = self.rows_where(flags)
        return f"{what}: {len(rows)} of {len(self.cells)} cells ({self.where(rows)})"


def _number(column: _Cells) -> Column | None:
    if column.all(INTEGER):
        return _integer(column)
    if column.all(FIXED):
        return _fixed(column)
    if np.all(column.matches(FIXED) | column.matches(EXPONENT)):
        return _float(column)
    return None


def _integer(column: _Cells) -> Column | None:
    texts = pc.replace_substring_regex(column.present, r"^\+", "")
    try:
        return column.column(Kind.INTEGER, texts.cast(pa.int64()))
    except pa.ArrowInvalid:
        return _fixed(column)


def decimals_of(texts: Any) -> int:
    """Return the most digits after a decimal point."""
    digits = pc.utf8_length(pc.replace_substring_regex(texts, r"^[^.]*\.?", ""))
    return int(pc.max(digits).as_py())


def _fixed(column: _Cells) -> Column | None:
    texts = column.present
    decimals = decimals_of(texts)
    whole = pc.utf8_length(pc.replace_substring_regex(texts, r"^[+-]|\..*$", ""))
    long = np.asarray(whole) + decimals > MAX_DIGITS
    if long.any():
        return column.as_text(column.message(long, f"numbers of over {MAX_DIGITS} digits"))
    kind = pa.decimal128(MAX_DIGITS, decimals)
    return column.column(Kind.DECIMAL, texts.cast(kind), Written(decimals=decimals))


def _float(column: _Cells) -> Column | None:
    texts = [text.lower() for text in column.present.to_pylist()]
    values = np.array([float(text) for text in texts])
    infinite = ~np.isfinite(values)
    if infinite.any():
        return column.as_text(column.message(infinite, "too large for a number"))
    parts = [text.partition("e") for text in texts]
    vanished = (values == 0) & np.array([bool(re.search("[1-9]", part[0])) for part in parts])
    if vanished.any():
        return column.as_text(column.message(vanished, "too small for a number"))
    decimals = max(len(m.partition(".")[2]) - int(exponent or 0) for m, _, exponent in parts)
    written = Written(decimals=decimals)
    return column.column(Kind.FLOAT, pa.array(values), written)


def _date(column: _Cells) -> Column | None:
    if column.all(DATE):
        return _calendar(column, Kind.DATE, column.present, "%Y-%m-%d")
    if not column.all(DATETIME):
        return None
    lengths = set(pc.utf8_length(column.present).unique().to_pylist())
    separators = set(pc.utf8_slice_codeunits(column.present, 10, 11).unique().to_pylist())
    if len(lengths) > 1 or len(separators) > 1:
        mixed = np.ones(len(column.present), dtype=bool)
        return column.as_text(column.message(mixed, "date and time written in different ways"))
    length = lengths.pop()
    pattern = f"%Y-%m-%d{separators.pop()}%H:%M" + (":%S" if length > 16 else "")
    pattern += f".{length - 20}" if length > 20 else ""
    return _calendar(column, Kind.DATETIME, column.present, pattern)


def _calendar(column: _Cells, kind: Kind, texts: Any, pattern: str) -> Column:
    parse: Callable[[str], date] = (
        date.fromisoformat if kind is Kind.DATE else datetime.fromisoformat
    )
    values: list[date] = []
    wrong = np.zeros(len(texts), dtype=bool)
    for index, text in enumerate(texts.to_pylist()):
        try:
            values.append(parse(text))
        except ValueError:
            wrong[index] = True
    if wrong.any():
        return column.as_text(column.message(wrong, "not dates of the calendar"))
    arrow = pa.date32() if kind is Kind.DATE else pa.timestamp("us")
    return column.column(kind, pa.array(values, type=arrow), Written(pattern=pattern))


def _boolean(column: _Cells) -> Column | None:
    words = column.present.to_pylist() if len(column.present) <= 2 else []
    for false, true in (("false", "true"), ("False", "True"), ("FALSE", "TRUE")):
        if words and set(words) <= {false, true}:
            values = pa.array([word == true for word in words])
            return column.column(Kind.BOOLEAN, values, Written(words=(false, true)))
    return None


def _share(column: _Cells, flags: Flags) -> float:
    every = len(column.rows_where(np.ones(len(column.present), dtype=bool)))
    return len(column.rows_where(flags)) / every


def _doubt(column: _Cells) -> str | None:
    """Say why a text column may have been meant as something else."""
    if len(column.present) <= len(BOOLEAN_WORDS):
        words = {text.lower() for text in column.present.to_pylist()}
        if words <= BOOLEAN_WORDS and words & {"true", "false"}:
            other = ~column.matches(r"^(?i:true|false)$")
            other = other if other.any() else ~other
            return f"{column.message(other, 'true and false in different words')}; {SAID}"
    numbers = column.matches(FIXED) | column.matches(EXPONENT)
    zero_led = column.matches(ZERO_LED)
    if numbers.any() and np.all(numbers | zero_led):
        return None  # codes with leading zeros: text, as it should be
    special = column.matches(SPECIAL)
    if _share(column, numbers | special) > 0.5:
        return (
            f"{column.message(~numbers, 'not numbers')}; mend them, declare what stands for "
            f"missing with --missing, or {SAID}"
        )
    if column.all(ANY_MOMENT):
        every = np.ones(len(column.present), dtype=bool)
        return (
            f"{column.message(every, 'times with a zone or in a form of their own')}; "
            f"write 2026-12-31T23:59:59, or {SAID}"
        )
    if column.all(FOREIGN_DATE):
        every = np.ones(len(column.present), dtype=bool)
        return f"{column.message(every, 'ambiguous dates')}; write 2026-12-31, or {SAID}"
    if column.all(FOREIGN_NUMBER) and not np.any(zero_led):
        return (
            f"{column.message(~numbers, 'numbers in a notation of their own')}; "
            f"write 1234.5, or {SAID}"
        )
    dates = column.matches(DATE)
    if _share(column, dates) > 0.5:
        return f"{column.message(~dates, 'not dates')}; mend them or {SAID}"
    return None


def _as_declared(column: _Cells, declared: str) -> Column:
    """Read a column as its declared type; a cell that does not fit is an error."""
    if declared == "number":
        fits = column.matches(FIXED) | column.matches(EXPONENT) | column.matches(ZERO_LED)
        column.present = pc.replace_substring_regex(column.present, r"^([+-]?)0+([0-9])", r"\1\2")
        attempt, what = _number, "not numbers"
    elif declared == "date":
        fits = column.matches(DATE) | column.matches(DATETIME)
        attempt, what = _date, "not ISO dates"
    elif declared == "boolean":
        fits = column.matches(r"^(?i:true|false)$")
        attempt, what = _boolean, "not true or false"
    else:
        raise InputError(
            f"there is no type {shown(declared)} for column {shown(column.name)}; "
            f"say {', '.join(DECLARED)}"
        )
    found = attempt(column) if fits.all() else None
    if found is None or found.doubt:
        text = (found and found.doubt) or column.message(~fits, what)
        text = "its cells are written in different ways" if found is None and fits.all() else text
        raise InputError(f"column {shown(column.name)}: {text}")
    return found
