"""Proposal of the words and codes that stand for missing cells, on evidence alone.

A known word is proposed where the other cells of its column are numbers or dates; a code, such as
-1 or 9999, where it is repeated and lies beyond all other numbers of its column. What also occurs
where nothing speaks for it is not proposed, or said: `missing` is for all columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.errors import listed
from shoal.hints import option
from shoal.table.dialects.notation import Notation
from shoal.table.dialects.propose_dates import DATE

MOSTLY = 0.8
FEW = 5  # so many different numbers show a range
WORDS = frozenset((
    "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "(null)", "none", "\\n", "#nv", "nv",
    ".", "..", "-", "--", "?", "??", "k.a.", "k. a.", "k.a", "keine angabe", "unbekannt", "fehlt",
    "missing", "unknown", "not available", "not applicable", "0000-00-00", "00.00.0000",
))  # fmt: skip
CODES = frozenset(
    (-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
)  # fmt: skip

Columns = Mapping[str, Sequence[str]]


@dataclass
class Missing:
    """Words and codes with the columns that speak for each; what else is to be said of them."""

    words: dict[str, list[str]] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)


def is_word(cell: str) -> bool:
    """Tell whether a cell is a word for missing that is in use."""
    return cell.casefold() in WORDS


def mostly(cells: Sequence[str], notation: Notation) -> bool:
    """Tell whether most cells are numbers of a notation."""
    fits = sum(notation.number.fullmatch(cell) is not None for cell in cells)
    return bool(cells) and fits >= MOSTLY * len(cells)


def find_missing(columns: Columns, notation: Notation) -> Missing:
    """Return what seems to stand for missing cells."""
    found, strange = Missing(), []
    for name, cells in columns.items():
        rest = [cell for cell in cells if not is_word(cell)]
        counts = Counter(rest)
        numbers = mostly(rest, notation)
        dates = sum(DATE.fullmatch(cell) is not None for cell in rest) >= MOSTLY * len(rest)
        if not rest or not (numbers or dates):
            continue
        codes = _codes(counts, notation) if numbers else []
        for word in [*dict.fromkeys(cell for cell in cells if is_word(cell)), *codes]:
            found.words.setdefault(word, []).append(name)
        if numbers and not all(notation.number.fullmatch(cell) for cell in rest):
            strange.append(name)
    _check_elsewhere(columns, found)
    if strange:
        found.findings.append(
            f"{listed(strange)}: cells among the numbers that are none; if they stand for missing "
            f"values say {option('missing')}, and {option('show_rows', python='the table')} shows "
            "records"
        )
    return found


def _codes(counts: Counter[str], notation: Notation) -> list[str]:
    """Return codes that lie beyond all other numbers and occur more than once."""
    values = {
        cell: float(notation.plain(cell)) for cell in counts if notation.number.fullmatch(cell)
    }
    usual = [value for value in values.values() if value not in CODES]
    if len(usual) < FEW:
        return []
    low, high = min(usual), max(usual)
    spread = max(high - low, 1.0)
    return [
        cell for cell, value in values.items()
        if value in CODES and counts[cell] > 1
        and (value < low - spread or value > high + spread or value < 0 <= low)
    ]  # fmt: skip


def _check_elsewhere(columns: Columns, found: Missing) -> None:
    """Leave out codes that are values of other columns; say so of words."""
    for word, names in list(found.words.items()):
        other = [name for name, cells in columns.items() if name not in names and word in cells]
        if not other:
            continue
        if is_word(word):
            found.findings.append(
                f"{word} stands in {listed(other)}, too, where {option('missing')} makes it "
                "missing as well"
            )
            continue
        del found.words[word]
        found.findings.append(
            f"{word} seems to stand for missing in {listed(names)}, and for itself in "
            f"{listed(other)}: mend the file where it is missing"
        )
