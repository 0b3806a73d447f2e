"""Classes of two releases that could hold the same person, and their intersections.

Classes are looked up by the columns that hold no intervals and masks, and compared one by one in
the others; too many such comparisons are refused. Where they have many patterns of stars,
they are looked up as bits (`judge/models/matching.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shoal.errors import InputError
from shoal.judge import covers
from shoal.judge.limits import limits
from shoal.judge.models.matching import Block, members
from shoal.judge.readers.source import Key
from shoal.judge.verification import Composition

MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
FAR = Fraction(10) ** 401
Span = tuple[Fraction, Fraction, bool]  # from, to, and whether the last one belongs to it
A_CELL = 10  # how much longer two cells take to compare than to look up


@dataclass(repr=False)
class Group:
    """A class: its records by their sensitive values, and its cells in the shared columns."""

    cells: Key
    values: Counter[Key]
    size: int = 0


def met(
    first: list[Group],
    second: list[Group],
    columns: Sequence[str],
    sensitive: Sequence[str],
    k: int,
) -> Composition:
    """Return what is left of the classes that meet, by the values that both have."""
    scanned = [i for i in range(len(columns)) if _has_ranges(first, i) or _has_ranges(second, i)]
    exact = [i for i in range(len(columns)) if i not in scanned]
    _check_work(first, second, exact, scanned)
    near = {i: _near(cells_of(first, i), cells_of(second, i)) for i in scanned}
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
    return any(isinstance(cell, str) and is_range(cell) for cell in cells_of(groups, place))


def cells_of(groups: list[Group], place: int) -> set[Any]:
    """Return the different cells of a column."""
    return {group.cells[place] for group in groups}


def _near(first: set[Any], second: set[Any]) -> dict[Any, set[Any]]:
    """Return the cells of the other release that each cell of this one overlaps."""
    return {one: {other for other in second if overlap(one, other)} for one in first}


def _patterns(groups: list[Group], exact: Sequence[int]) -> dict[frozenset[int], list[Group]]:
    by_pattern: dict[frozenset[int], list[Group]] = {}
    for group in groups:
        stars = frozenset(i for i in exact if group.cells[i] is None)
        by_pattern.setdefault(stars, []).append(group)
    return by_pattern


def _check_work(
    first: list[Group], second: list[Group], exact: Sequence[int], scanned: Sequence[int]
) -> None:
    work = sum(len(cells_of(first, i)) * len(cells_of(second, i)) for i in scanned) * A_CELL
    if _as_bits(first, second, exact):
        for block, _ in _blocks(second, exact):
            work += sum(block.matching(_exact(group, exact)).bit_count() for group in first)
    else:
        theirs = _patterns(second, exact)
        for stars, groups in _patterns(first, exact).items():
            for other, others in theirs.items():
                compared = [i for i in exact if i not in stars | other]
                there = Counter(_exact(group, compared) for group in others)
                work += sum(there[_exact(group, compared)] for group in groups)
    most = limits().pairs
    if work > most:
        raise InputError(
            f"too many pairs of classes to compare with the other release ({work}, at most "
            f"{most}); name more of the quasi-identifiers that both write without intervals"
        )


def _exact(group: Group, places: Sequence[int]) -> Key:
    return tuple(group.cells[i] for i in places)


def _as_bits(first: list[Group], second: list[Group], exact: Sequence[int]) -> bool:
    """Tell whether there are so many patterns of stars that classes meet sooner as bits."""
    ours, theirs = len(_patterns(first, exact)), len(_patterns(second, exact))
    by_pattern = ours * len(second) + theirs * len(first)
    return len(second) + len(first) * -(-len(second) // limits().block) < by_pattern


def _blocks(groups: list[Group], exact: Sequence[int]) -> Iterator[tuple[Block, list[Group]]]:
    block = limits().block
    for start in range(0, len(groups), block):
        some = groups[start : start + block]
        yield Block([_exact(group, exact) for group in some], _is_none, root=False), some


def _is_none(cell: Any) -> bool:
    return cell is None


def _lookups(
    first: list[Group], second: list[Group], exact: Sequence[int]
) -> Iterator[tuple[Group, Iterator[Group]]]:
    """Yield every class with those of the other release that the exact columns allow."""
    if _as_bits(first, second, exact):
        blocks = list(_blocks(second, exact))
        for group in first:
            key = _exact(group, exact)
            yield group, (
                some[i] for block, some in blocks for i in members(block.matching(key))
            )  # fmt: skip
        return
    theirs = _patterns(second, exact)
    for stars, groups in _patterns(first, exact).items():
        indexes = []
        for other, others in theirs.items():
            compared = [i for i in exact if i not in stars | other]
            index: dict[Key, list[Group]] = {}
            for group in others:
                index.setdefault(_exact(group, compared), []).append(group)
            indexes.append((compared, index))
        for group in groups:
            yield (
                group,
                (
                    other
                    for compared, index in indexes
                    for other in index.get(_exact(group, compared), ())
                ),
            )


def is_range(cell: str) -> bool:
    """Tell whether a cell is a mask, or spans more than one value."""
    ends = span(cell)
    return cell[-1] == "*" or (ends is not None and ends[0] != ends[1])


def overlap(one: Any, other: Any) -> bool:
    """Tell whether two cells may stand for one value."""
    if one is None or other is None or one == other:
        return True
    mine, its = span(one), span(other)
    if mine and its:
        return _reaches(mine, its) and _reaches(its, mine)
    return _agree(*(_padded(cell, beside) for cell, beside in ((one, other), (other, one))))


def _padded(cell: Any, beside: Any) -> str:
    """Return a text; a number beside a mask gets the zeros back that it began with."""
    return str(cell).zfill(len(beside)) if isinstance(cell, Decimal) else str(cell)


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
def span(cell: Any) -> Span | None:
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
