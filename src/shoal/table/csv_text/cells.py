"""The cells of one column of a csv file, in whatever way they are looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.arrays import Flags
from shoal.once import once
from shoal.table.csv_text.distinct import Distinct
from shoal.table.csv_text.plain_numbers import Plain, Trimmed, as_exponents, as_numbers, with_nulls
from shoal.table.csv_text.split import offsets_of
from shoal.table.dialects.notation import AT_END, STRICT, Notation, offset_of
from shoal.table.roles import Kind

FIRST_DAY = -719_162  # 0001-01-01, the first of Python's calendar
DAY = 86_400 * 10**6  # microseconds
DATE_LENGTH = 10
TIME = "T00:00:00.000000"  # where the signs of a time of day stand
SAMPLE = 1000  # cells that tell whether a column has few distinct ones


class Cells:
    """The cells of one column: what all are, if that is plain, else the distinct ones."""

    def __init__(
        self,
        cells: Any,
        missing: tuple[str, ...],
        declared: str | None,
        notation: Notation = STRICT,
    ) -> None:
        self.cells, self.declared = cells, declared
        self._missing, self.notation = missing, notation

    def __len__(self) -> int:
        return len(self.cells)

    @once
    def absent(self) -> Flags | None:
        """Which cells are missing, None where none is."""
        if self._missing == ("",):
            offsets = offsets_of(self.cells)
            flags = offsets[1:] == offsets[:-1]
        else:
            words = pa.array(self._missing, type=pa.string())
            flags = np.asarray(pc.is_in(self.cells, value_set=words))
        return flags if flags.any() else None

    @property
    def records(self) -> int:
        """The number of cells that are not missing."""
        return len(self.cells) - (0 if self.absent is None else int(self.absent.sum()))

    @once
    def distinct(self) -> Distinct:
        """The distinct cells."""
        return Distinct(self.cells, self._missing, self.declared, self.notation)

    def trimmed(self) -> Trimmed:
        """Return the cells without the blanks around them.

        Not kept: what it works out takes more memory than the cells, and few look at it.
        """
        return Trimmed(self.cells, self.absent)

    @once
    def plain(self) -> Plain | None:
        """The column as plain numbers, dates or times, None if it is not."""
        if self.declared in ("text", "boolean"):
            return None
        return recognized(self.trimmed(), self.notation)

    @once
    def is_varied(self) -> bool:
        """Whether the first cells are rarely equal: then so are the others, most likely."""
        first = self.cells.slice(0, SAMPLE)
        return bool(2 * pc.count_distinct(first).as_py() > len(first))

    def texts(self) -> Any:
        """Return the cells of all records; missing ones are null."""
        if self.absent is None:
            return self.cells
        if np.diff(offsets_of(self.cells))[self.absent].any():
            return pc.if_else(pa.array(self.absent), pa.scalar(None, pa.string()), self.cells)
        return with_nulls(self.cells, self.absent)

    def first(self, count: int) -> list[str]:
        """Return some of the first cells that are not missing."""
        some = self.cells.slice(0, count)
        if self.absent is not None:
            rows = np.flatnonzero(~self.absent[: 10 * count])[:count]
            some = self.cells.take(pa.array(rows))
        texts: list[str] = some.to_pylist()
        return texts


# Columns of plain numbers, dates and times, recognized by their bytes all at once.
#
# Most columns of most files are of one kind. Whether all cells are can be told from how many bytes
# are no digits and from where those stand, without a look at each distinct cell (`distinct.py`);
# the values are Arrow's own. What is not recognized here may still be a number or a date: a slow
# look tells.
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
        found = as_dates(cells, len(text), notation.date)
        if found is None and notation.date == STRICT.date:
            found = as_moments(cells, text.decode())
        if found is not None:
            return found
    return as_numbers(cells, notation.decimal) or as_exponents(cells, notation.decimal)


@dataclass(frozen=True, repr=False)
class Moments(Plain):
    """Dates, or dates and times of one form, of the calendar; `length` is that of each text.

    `zone` is what stands after every time, beyond that length.
    """

    kind: Kind
    moments: Any
    length: int
    separator: str = ""
    zone: str = ""

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - of numbers only
        """Return the dates, or dates and times."""
        return self.moments if kind is self.kind else None


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


def as_dates(cells: Trimmed, length: int, form: str) -> Moments | None:
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


def as_moments(cells: Trimmed, first: str) -> Moments | None:
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
