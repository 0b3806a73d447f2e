"""Composition (Ganta, Kasiviswanathan and Smith 2008): two releases of the same people, met.

In plain words: somebody knows a person's quasi-identifiers, finds the person's class in this
release and a class of the other that fits, and keeps the records whose sensitive values occur in
both. So many candidates are left: over the combinations of sensitive values, the smaller of the
counts in the two classes, summed. Where the releases share no sensitive column, it is the size of
the smaller class, which is only a bound: any other column that both have could tell more.

Classes of this release are made of all its quasi-identifiers, those of the other of the ones that
it has too. Two classes are compatible if in each of these columns their cells may stand for one
value: equal texts; equal numbers; numbers, dates and intervals ([a,b), [a,b], <a, >=a, 2026-03,
2026-Q1) that overlap; masks of one length (12** and 123*) that agree; a missing cell or * and
anything. All other words are compared for equality: that France lies in Europe is not known here,
nor what [mild,severe] spans, and an attack by such words is not found.

Classes are looked up by the columns that hold no intervals and masks, and compared one by one in
the others; more than PAIRS such comparisons are refused. Both releases' classes are in memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shoal.errors import InputError, in_shape
from shoal.models.matching import is_star
from shoal.release import covers
from shoal.release.judge import counting
from shoal.release.judge.source import Key, Source
from shoal.release.judge.trees import number
from shoal.release.judge.verification import Composition

PAIRS = 20_000_000
A_CELL = 10  # how much longer two cells take to compare than to look up
WARNING = (
    "two releases of the same people tell more together than each alone; a third would tell more, "
    "and this compares two"
)
MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
FAR = Fraction(10) ** 401

Span = tuple[Fraction, Fraction, bool]  # from, to, and whether the last one belongs to it


@dataclass
class Group:
    """A class: its records by their sensitive values, and its cells in the shared columns."""

    __repr__ = in_shape

    cells: Key
    values: Counter[Key]
    size: int = 0


def compose(
    ours: AbstractContextManager[Source], theirs: AbstractContextManager[Source],
    quasi: Sequence[str], sensitive: Sequence[str], k: int,
) -> Composition:  # fmt: skip
    """Return what is left of the classes of a release for somebody who has the other too."""
    with theirs as other:
        columns = [name for name in quasi if name in other.header]
        hidden = [name for name in sensitive if name in other.header]
        if not columns and not hidden:
            raise InputError(f"{other.name}: it shares no column with this release")
        second = _groups(other, columns, columns, hidden)
    with ours as source:
        first = _groups(source, quasi, columns, hidden)
    try:
        return _met(first, second, columns, hidden, k)
    finally:
        _span.cache_clear()  # no values of records stay behind


def _groups(
    source: Source, quasi: Sequence[str], columns: Sequence[str], sensitive: Sequence[str]
) -> list[Group]:
    def full(*_: Any) -> bool:
        raise InputError(
            f"{source.name}: more than {counting.SPILL} classes are too many to meet another "
            "release; name fewer quasi-identifiers"
        )

    counts, _ = counting.tally(source.keys([*quasi, *sensitive]), full)
    places = [list(quasi).index(name) for name in columns]
    found: dict[Key, Group] = {}
    for row, times in counts.items():
        key = row[: len(quasi)]
        if key not in found:
            cells = tuple(_comparable(key[place], source.as_bytes) for place in places)
            found[key] = Group(cells, Counter())
        values = tuple(_comparable(cell, source.as_bytes) for cell in row[len(quasi) :])
        found[key].values[values] += times
        found[key].size += times
    return list(found.values())


def _comparable(cell: Any, as_bytes: bool) -> Any:
    """Return what cells of any two files are compared by: numbers, or texts; None for a star."""
    if is_star(cell):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | Decimal):
        return Decimal(cell)
    if isinstance(cell, float):
        return Decimal(repr(cell))
    text = cell.encode("latin-1").decode("utf-8", "surrogateescape") if as_bytes else str(cell)
    found = number(text)
    return text if found is None else found


def _met(
    first: list[Group],
    second: list[Group],
    columns: Sequence[str],
    sensitive: Sequence[str],
    k: int,
) -> Composition:
    scanned = [i for i in range(len(columns)) if _has_ranges(first, i) or _has_ranges(second, i)]
    exact = [i for i in range(len(columns)) if i not in scanned]
    _check_work(first, second, exact, scanned)
    near = {i: _near(_cells(first, i), _cells(second, i)) for i in scanned}
    smallest: int | None = None
    pairs = below = records = 0
    for one, others in _lookups(first, second, exact):
        at_risk: set[Key] = set()
        for other in others:
            if not all(other.cells[i] in near[i][one.cells[i]] for i in scanned):
                continue
            common = one.values.keys() & other.values.keys()
            left = sum(min(one.values[value], other.values[value]) for value in common)
            if not left:
                continue
            pairs += 1
            smallest = left if smallest is None else min(smallest, left)
            if left < k:
                below += 1
                at_risk |= common
        records += sum(one.values[value] for value in at_risk)
    return Composition(smallest, pairs, below, records, tuple(columns), tuple(sensitive))


def _has_ranges(groups: list[Group], place: int) -> bool:
    return any(isinstance(cell, str) and _is_range(cell) for cell in _cells(groups, place))


def _cells(groups: list[Group], place: int) -> set[Any]:
    return {group.cells[place] for group in groups}


def _near(first: set[Any], second: set[Any]) -> dict[Any, set[Any]]:
    """Return the cells of the other release that each cell of this one overlaps."""
    return {one: {other for other in second if _overlap(one, other)} for one in first}


def _is_range(cell: str) -> bool:
    span = _span(cell)
    return cell[-1] == "*" or (span is not None and span[0] != span[1])


def _patterns(groups: list[Group], exact: Sequence[int]) -> dict[frozenset[int], list[Group]]:
    found: dict[frozenset[int], list[Group]] = {}
    for group in groups:
        stars = frozenset(i for i in exact if group.cells[i] is None)
        found.setdefault(stars, []).append(group)
    return found


def _check_work(
    first: list[Group], second: list[Group], exact: Sequence[int], scanned: Sequence[int]
) -> None:
    theirs = _patterns(second, exact)
    work = sum(len(_cells(first, i)) * len(_cells(second, i)) for i in scanned) * A_CELL
    for stars, groups in _patterns(first, exact).items():
        for other, others in theirs.items():
            compared = [i for i in exact if i not in stars | other]
            there = Counter(tuple(group.cells[i] for i in compared) for group in others)
            work += sum(there[tuple(group.cells[i] for i in compared)] for group in groups)
    if work > PAIRS:
        raise InputError(
            f"too many pairs of classes to compare with the other release ({work}, at most "
            f"{PAIRS}); name more of the quasi-identifiers that both write without intervals"
        )


def _lookups(first: list[Group], second: list[Group], exact: Sequence[int]) -> Any:
    """Yield every class with those of the other release that the exact columns allow."""
    theirs = _patterns(second, exact)
    for stars, groups in _patterns(first, exact).items():
        indexes = []
        for other, others in theirs.items():
            compared = [i for i in exact if i not in stars | other]
            index: dict[Key, list[Group]] = {}
            for group in others:
                index.setdefault(tuple(group.cells[i] for i in compared), []).append(group)
            indexes.append((compared, index))
        for group in groups:
            yield (
                group,
                (
                    other
                    for compared, index in indexes
                    for other in index.get(tuple(group.cells[i] for i in compared), ())
                ),
            )


def _overlap(one: Any, other: Any) -> bool:
    """Tell whether two cells may stand for one value."""
    if one is None or other is None or one == other:
        return True
    mine, its = _span(one), _span(other)
    if mine and its:
        return _reaches(mine, its) and _reaches(its, mine)
    return _agree(str(one), str(other))


def _reaches(one: Span, other: Span) -> bool:
    """Tell whether one begins before the other ends."""
    return one[0] < other[1] or (other[2] and one[0] == other[1])


def _agree(one: str, other: str) -> bool:
    """Tell whether masks of one length agree in what both of them keep."""
    if len(one) != len(other) or (one[-1] != "*" and other[-1] != "*"):
        return False
    kept = min(len(one.rstrip("*")), len(other.rstrip("*")))
    return one[:kept] == other[:kept]


@lru_cache(maxsize=200_000)
def _span(cell: Any) -> Span | None:
    """Return what a number, a date, an interval or a part of the calendar spans."""
    if isinstance(cell, Decimal):
        if not cell.is_finite() or abs(cell.adjusted()) > 400:
            return None
        return Fraction(cell), Fraction(cell), True
    between, beyond = covers.BETWEEN.fullmatch(cell), covers.BEYOND.fullmatch(cell)
    if between:
        low, high = covers.number(between[1]), covers.number(between[2])
        return None if low is None or high is None else (low, high, between[3] == "]")
    if beyond:
        bound = covers.number(beyond[2])
        if bound is None:
            return None
        return (-FAR, bound, False) if beyond[1] == "<" else (bound, FAR, True)
    return _calendar(cell)


def _calendar(cell: str) -> Span | None:
    quarter, month = covers.QUARTER.fullmatch(cell), MONTH.fullmatch(cell)
    if quarter:
        return _months(int(quarter[1]), 3 * int(quarter[2]) - 2, 3)
    if month and 1 <= int(month[2]) <= 12:
        return _months(int(month[1]), int(month[2]), 1)
    day = covers.number(cell)
    return None if day is None else (day, day, True)


def _months(year: int, month: int, many: int) -> Span | None:
    after = month + many
    try:
        begin = date(year, month, 1).toordinal()
        end = date(year + (after > 12), (after - 1) % 12 + 1, 1).toordinal()
    except ValueError:
        return None
    return Fraction(begin), Fraction(end), False
