"""Facts on the cells of a column, combined from pieces.

The facts of a whole column are those of its pieces, joined; what a column is gets decided from
them alone (`decide.py`), so that a file read in pieces is read as it would be in one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow.compute as pc

from shoal.errors import in_shape
from shoal.table.distinct import (
    ANY_MOMENT,
    DATE,
    DATETIME,
    FITTING,
    FIXED,
    FOREIGN_DATE,
    FOREIGN_NUMBER,
    INTEGER,
    SPECIAL,
    ZERO_LED,
    Distinct,
)

BOOLEAN_WORDS = {"true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"}
SURE_FLOAT = 300  # so many digits before or after the point are neither infinite nor zero

CODE = "number or zero-led"  # broken where a cell is neither

# what some cell is
BEYOND_INTEGER = "beyond 64 bits"
INFINITE = "infinite"
VANISHED = "vanished"
NO_DAY = "not of the calendar"
MISFIT = "not of the declared type"

# what dates break, and what numbers break: nobody need look
NOT_NUMBERS = frozenset((INTEGER, FIXED, CODE, FOREIGN_NUMBER))
NOT_MOMENTS = frozenset((DATE, DATETIME, ANY_MOMENT, FOREIGN_DATE))


@dataclass(frozen=True)
class Facts:
    """Counts of records, patterns that some cell breaks, and what is found in some cell.

    `words` are the distinct cells while they are few words for true and false, None otherwise.
    `decimals` and `whole` are the most digits after and before the point, where all are numbers;
    `forms` are the lengths and separators of dates and times.
    """

    __repr__ = in_shape

    present: int = 0
    numbers: int = 0
    special: int = 0
    dates: int = 0
    broken: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    words: frozenset[str] | None = frozenset()
    decimals: int | None = None
    whole: int = 0
    forms: frozenset[tuple[int, str]] = frozenset()

    def joined(self, other: Facts) -> Facts:
        """Return the facts of both pieces."""
        decimals = [facts.decimals for facts in (self, other) if facts.decimals is not None]
        words = None
        if self.words is not None and other.words is not None:
            words = self.words | other.words
        return Facts(
            self.present + other.present,
            self.numbers + other.numbers,
            self.special + other.special,
            self.dates + other.dates,
            self.broken | other.broken,
            self.marks | other.marks,
            words if words is None or len(words) <= len(BOOLEAN_WORDS) else None,
            max(decimals, default=None),
            max(self.whole, other.whole),
            self.forms | other.forms,
        )


def look(cells: Distinct) -> Facts:
    """Return the facts of a piece; what all its cells are says what none of them is."""
    present = cells.records
    if not present or cells.declared == "text":
        return Facts(present)
    fits = cells.declared not in FITTING or cells.fitting().all()
    marks = frozenset(() if fits else (MISFIT,))
    return Facts(present, marks=marks, words=_words(cells)).joined(_kind_facts(cells, present))


def _words(cells: Distinct) -> frozenset[str] | None:
    few = cells.raw.to_pylist() if len(cells.raw) <= len(BOOLEAN_WORDS) else [""]
    known = all(text.strip(" \t").lower() in BOOLEAN_WORDS for text in few)
    return frozenset(few) if known else None


def _kind_facts(cells: Distinct, present: int) -> Facts:
    if cells.all(INTEGER):
        return _integers(cells, present)
    if cells.all(FIXED):
        return _fixed(cells, present, NOT_MOMENTS | {INTEGER})
    if cells.numbers.all():
        return Facts(
            numbers=present,
            broken=NOT_MOMENTS | {INTEGER, FIXED, FOREIGN_NUMBER},
            marks=_extremes(cells),
            decimals=max(cells.float_decimals()),
        )
    dates = cells.matches(DATE)
    if dates.all():
        _, wrong = cells.calendar(times=False)
        return Facts(
            dates=present,
            broken=NOT_NUMBERS | {DATETIME, ANY_MOMENT, FOREIGN_DATE},
            marks=frozenset((NO_DAY,) if wrong.any() else ()),
        )
    if cells.all(DATETIME):
        return _times(cells)
    return _mixed(cells, cells.count(dates))


def _integers(cells: Distinct, present: int) -> Facts:
    if cells.integers is None:
        large = Facts(marks=frozenset((BEYOND_INTEGER,)))
        return large.joined(_fixed(cells, present, NOT_MOMENTS))
    ends = pc.min_max(cells.integers).as_py()
    whole = max(len(str(abs(end))) for end in ends.values())
    return Facts(numbers=present, broken=NOT_MOMENTS, decimals=0, whole=whole)


def _fixed(cells: Distinct, present: int, broken: frozenset[str]) -> Facts:
    before, after = cells.digits()
    whole, decimals = int(before.max()), int(after.max())
    extreme = max(whole, decimals) > SURE_FLOAT
    return Facts(
        numbers=present,
        broken=broken if before.all() else broken | {FOREIGN_NUMBER},  # .5 has no digit before it
        marks=_extremes(cells) if extreme else frozenset(),
        decimals=decimals,
        whole=whole,
    )


def _extremes(cells: Distinct) -> frozenset[str]:
    marks = set()
    if not np.isfinite(cells.floats).all():
        marks.add(INFINITE)
    if cells.vanished().any():
        marks.add(VANISHED)
    return frozenset(marks)


def _times(cells: Distinct) -> Facts:
    lengths = pc.utf8_length(cells.present).unique().to_pylist()
    separators = pc.utf8_slice_codeunits(cells.present, 10, 11).unique().to_pylist()
    forms = frozenset(product(lengths, separators))
    wrong = len(forms) == 1 and cells.calendar(times=True)[1].any()
    return Facts(
        broken=NOT_NUMBERS | {DATE, FOREIGN_DATE},
        marks=frozenset((NO_DAY,) if wrong else ()),
        forms=forms,
    )


def _mixed(cells: Distinct, dates: int) -> Facts:
    """Return the facts of cells that are of no one kind: each pattern is looked for."""
    zero_led = cells.matches(ZERO_LED)
    broken = {INTEGER, FIXED, DATE, DATETIME}
    broken |= {p for p in (ANY_MOMENT, FOREIGN_DATE, FOREIGN_NUMBER) if not cells.all(p)}
    if not np.all(cells.numbers | zero_led):
        broken.add(CODE)
    return Facts(
        numbers=cells.count(cells.numbers),
        special=cells.count(cells.matches(SPECIAL)),
        dates=dates,
        broken=frozenset(broken),
        marks=frozenset((ZERO_LED,) if zero_led.any() else ()),
    )
