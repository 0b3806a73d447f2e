"""Facts on the cells of a column, combined from pieces.

The facts of a whole column are those of its pieces, joined; what a column is gets decided from
them alone (`decide.py`), so that a file read in pieces is read as it would be in one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.csv_text.cells import Cells, Moments
from shoal.table.csv_text.distinct import (
    ANY_MOMENT,
    DATE,
    DATETIME,
    EXPONENT,
    FITTING,
    FIXED,
    FOREIGN_DATE,
    FOREIGN_NUMBER,
    INTEGER,
    POINT_ZERO,
    SPECIAL,
    ZERO_LED,
    Distinct,
)
from shoal.table.csv_text.plain_numbers import Exponents, Numbers, Trimmed
from shoal.table.dialects.notation import ZONE
from shoal.table.dialects.significant import Significant
from shoal.table.roles import Kind

BOOLEAN_WORDS = {"true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"}
SURE_FLOAT = 300  # so many digits before or after the point are neither infinite nor zero

CODE = "number or zero-led"  # broken where a cell is neither

NO_DIGITS = Significant()

# what some cell is
BEYOND_INTEGER = "beyond 64 bits"
INFINITE = "infinite"
VANISHED = "vanished"
NO_DAY = "not of the calendar"
MISFIT = "not of the declared type"
ANY_ZONE = "of a format with %z"

SOME = 64  # cells that are looked at before all are


def _among(numbers: bytes, special: bytes) -> Any:
    """Return two bits for every byte: whether it is one of numbers, and one of special texts."""
    both = [np.isin(np.arange(256), list(signs)) for signs in (numbers, special)]
    return (both[0] | both[1] << 1).astype(np.uint8)


# what numbers, dates and times begin and end with, and what special texts do, as nan and inf
BEGINS = _among(b"+-.0123456789", b"+-iInN")
ENDS = _among(b".0123456789Z", b"fFyYnN")
LETTERS = np.array([chr(sign).isascii() and chr(sign).isalpha() for sign in range(256)])

FOREIGN = (ANY_MOMENT, FOREIGN_DATE, FOREIGN_NUMBER)  # none begins with a letter

# what dates break, and what numbers break: nobody need look
NOT_NUMBERS = frozenset((INTEGER, POINT_ZERO, FIXED, CODE, FOREIGN_NUMBER))
NOT_MOMENTS = frozenset((DATE, DATETIME, ANY_MOMENT, FOREIGN_DATE))


@dataclass(frozen=True, repr=False)
class Facts:
    """Counts of records, patterns that some cell breaks, and what is found in some cell.

    `words` are the distinct cells while they are few words for true and false, None otherwise.
    `decimals` and `whole` are the most digits after and before the point, where all are numbers;
    `significant` are the digits of such numbers that tell floats; `forms` are the lengths and
    separators of dates and times, `zones` what stands after them.
    """

    present: int = 0
    numbers: int = 0
    special: int = 0
    dates: int = 0
    broken: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    words: frozenset[str] | None = frozenset()
    decimals: int | None = None
    whole: int = 0
    significant: Significant = NO_DIGITS
    forms: frozenset[tuple[int, str]] = frozenset()
    zones: frozenset[str] = frozenset()

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
            self.significant.joined(other.significant),
            self.forms | other.forms,
            self.zones | other.zones,
        )


def look(cells: Cells) -> Facts:
    """Return the facts of a piece; what all its cells are says what none of them is."""
    present = cells.records
    if not present or cells.declared == "text":
        return Facts(present)
    found = _plain_facts(cells, present) or _text_facts(cells)
    if found is not None:
        return Facts(present, words=_words_of(cells)).joined(found)
    distinct = cells.distinct
    fits = cells.declared not in FITTING or distinct.fitting().all()
    marks = frozenset(() if fits else (MISFIT,))
    found = _kind_facts(distinct, present)
    return Facts(present, marks=marks, words=_words(distinct.raw)).joined(found)


def _words(few: Any) -> frozenset[str] | None:
    """Return distinct cells where they are few, and all are words for true and false."""
    words = few.to_pylist() if len(few) <= len(BOOLEAN_WORDS) else [""]
    return frozenset(words) if all(_is_word(text) for text in words) else None


def _words_of(cells: Cells) -> frozenset[str] | None:
    """Return the distinct cells if they are few words; the first ones often show that not."""
    for count in (1, SOME):
        if not all(_is_word(text) for text in cells.first(count)):
            return None
    return _words(cells.texts().unique().drop_null())


def _is_word(text: str) -> bool:
    return text.strip(" \t").lower() in BOOLEAN_WORDS


def _plain_facts(cells: Cells, present: int) -> Facts | None:
    """Return the facts of plain numbers, dates or times; None where a slow look is needed."""
    plain = cells.plain
    match plain:
        case Moments() if cells.declared != "number":
            return _of_moments(plain, present)
        case Numbers() if cells.declared != "date":
            return _of_numbers(plain, present)
        case Exponents() if cells.declared != "date":
            return Facts(
                numbers=present,
                broken=NOT_MOMENTS | {INTEGER, POINT_ZERO, FIXED, FOREIGN_NUMBER},
                decimals=plain.decimals,
                significant=plain.significant,
            )
    return None


def _of_moments(plain: Moments, present: int) -> Facts:
    if plain.kind is Kind.DATE:
        broken = NOT_NUMBERS | {DATETIME, ANY_MOMENT, FOREIGN_DATE}
        return Facts(dates=present, broken=broken)
    forms = frozenset(((plain.length, plain.separator),))
    zones = frozenset((plain.zone,))
    return Facts(broken=NOT_NUMBERS | {DATE, FOREIGN_DATE}, forms=forms, zones=zones)


def _of_numbers(plain: Numbers, present: int) -> Facts | None:
    if max(plain.whole, plain.decimals) > SURE_FLOAT:
        return None
    broken, marks = NOT_MOMENTS, frozenset[str]()
    if plain.points:
        broken |= {INTEGER, FOREIGN_NUMBER} if plain.bare else {INTEGER}
    if not plain.zeros:
        broken |= {POINT_ZERO}
    if (plain.zeros or not plain.points) and plain.integers is None:
        marks = frozenset((BEYOND_INTEGER,))
    return Facts(
        numbers=present, broken=broken, marks=marks, decimals=plain.decimals, whole=plain.whole,
        significant=plain.significant,
    )  # fmt: skip


def _text_facts(cells: Cells) -> Facts | None:
    """Return the facts of texts that are rarely numbers, from those that begin and end as such.

    None where all do, or where a look at the distinct cells is as quick.
    """
    if cells.declared is not None or not cells.notation.is_plain:
        return None
    trimmed = cells.trimmed()
    likely, letters = _likely(trimmed), bool(LETTERS.take(trimmed.first).any())
    if (likely.any() or not letters) and not cells.is_varied:
        return None
    if likely[trimmed.present].all():
        return None
    texts = trimmed.texts.filter(pa.array(likely))
    numbers, special, dates, zero_led = (
        _matching(texts, pattern) for pattern in (f"{FIXED}|{EXPONENT}", SPECIAL, DATE, ZERO_LED)
    )
    broken = {INTEGER, POINT_ZERO, FIXED, DATE, DATETIME, CODE}
    broken |= {pattern for pattern in FOREIGN if letters or _is_broken(trimmed, pattern)}
    return Facts(
        numbers=numbers,
        special=special,
        dates=dates,
        broken=frozenset(broken),
        marks=frozenset((ZERO_LED,) if zero_led else ()),
    )


def _likely(cells: Trimmed) -> Any:
    """Return which texts may be numbers, dates, times or special, by their first and last byte."""
    likely = BEGINS.take(cells.first)
    if likely.any():
        likely &= ENDS.take(cells.last)
    return likely > 0


def _matching(texts: Any, pattern: str) -> int:
    """Return how many texts match; for none the pattern is not even compiled."""
    return pc.sum(pc.match_substring_regex(texts, pattern)).as_py() if len(texts) else 0


def _is_broken(cells: Trimmed, pattern: str) -> bool:
    """Tell whether some text does not match; the first ones often show it."""
    for texts in (cells.texts.slice(0, SOME), cells.texts):
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py() is False:
            return True
    return False


def _kind_facts(cells: Distinct, present: int) -> Facts:
    if cells.all(INTEGER):
        return _integers(cells, present)
    if cells.all(POINT_ZERO):
        marks = frozenset((BEYOND_INTEGER,) if cells.integers is None else ())
        return Facts(marks=marks).joined(_fixed(cells, present, NOT_MOMENTS | {INTEGER}))
    if cells.all(FIXED):
        return _fixed(cells, present, NOT_MOMENTS | {INTEGER, POINT_ZERO})
    if cells.numbers.all():
        decimals = cells.float_decimals()
        return Facts(
            numbers=present,
            broken=NOT_MOMENTS | {INTEGER, POINT_ZERO, FIXED, FOREIGN_NUMBER},
            marks=_extremes(cells),
            decimals=int(decimals.max()),
            significant=cells.significant(decimals),
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
        return large.joined(_fixed(cells, present, NOT_MOMENTS | {POINT_ZERO}))
    ends = pc.min_max(cells.integers).as_py()
    whole = max(len(str(abs(end))) for end in ends.values())
    return Facts(
        numbers=present,
        broken=NOT_MOMENTS | {POINT_ZERO},
        decimals=0,
        whole=whole,
        significant=cells.significant(np.zeros(len(cells.present), dtype=np.int64), whole),
    )


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
        significant=cells.significant(after, whole + decimals),
    )


def _extremes(cells: Distinct) -> frozenset[str]:
    marks = set()
    if not np.isfinite(cells.floats).all():
        marks.add(INFINITE)
    if cells.vanished().any():
        marks.add(VANISHED)
    return frozenset(marks)


def _times(cells: Distinct) -> Facts:
    bare = pc.replace_substring_regex(cells.present, f"{ZONE}$", "")
    lengths = pc.utf8_length(bare).unique().to_pylist()
    zones = pc.struct_field(pc.extract_regex(cells.present, f"(?P<z>{ZONE}?)$"), "z").unique()
    separators = pc.utf8_slice_codeunits(cells.present, 10, 11).unique().to_pylist()
    forms = frozenset(product(lengths, separators))
    marks = {NO_DAY} if len(forms) == 1 and cells.calendar(times=True)[1].any() else set()
    return Facts(
        broken=NOT_NUMBERS | {DATE, FOREIGN_DATE},
        marks=frozenset(marks | ({ANY_ZONE} if cells.takes_zones else set())),
        forms=forms,
        zones=frozenset(zones.to_pylist()),
    )


def _mixed(cells: Distinct, dates: int) -> Facts:
    """Return the facts of cells that are of no one kind: each pattern is looked for."""
    zero_led = cells.matches(ZERO_LED)
    broken = {INTEGER, POINT_ZERO, FIXED, DATE, DATETIME}
    broken |= {p for p in FOREIGN if not cells.all(p)}
    if not np.all(cells.numbers | zero_led):
        broken.add(CODE)
    return Facts(
        numbers=cells.count(cells.numbers),
        special=cells.count(cells.special()),
        dates=dates,
        broken=frozenset(broken),
        marks=frozenset((ZERO_LED,) if zero_led.any() else ()),
    )
