"""Composition of two releases (Ganta, Kasiviswanathan and Smith 2008).

In plain words: somebody knows a person's quasi-identifiers, finds the person's class in this
release and a class of the other that fits, and keeps the records whose sensitive values occur in
both. So many candidates are left: over the combinations of sensitive values, the smaller of the
counts in the two classes, summed. Where the releases share no sensitive column, it is the size of
the smaller class, which is only a bound: any other column that both have could tell more.

Classes of this release are made of all its quasi-identifiers, those of the other of the ones that
it has too, and of its own, where a paper beside it names them. Two classes are compatible if in
each of the shared columns their cells may stand for one value: equal texts; equal numbers; numbers,
dates and intervals ([a,b), [a,b], <a, >=a, 2026-03, 2026-Q1) that overlap; masks of one length
(12** and 123*) that agree; a missing cell or * and anything. All other words are compared for
equality: that France lies in Europe is not known here, nor what [mild,severe] spans, and an attack
by such words is not found.

Where nobody says which columns are sensitive, all that both releases have and neither groups count:
those that agree together, and each alone. Means, medians, modes and medoids do not say whom they
stand for: where a quasi-identifier of both is released so (a paper says it, or it is single numbers
or dates without any interval and nobody says what they are), or one release keeps what the other
groups, this cannot be judged from the releases alone. With the original it can be
judged: `composition_people.py`.

Which classes meet is told by `composition_classes.py`. Both releases' classes are in memory.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

from shoal.errors import InputError
from shoal.judge import composition_people
from shoal.judge.classes import Counted, Subset
from shoal.judge.composition_classes import Group, cells_of, is_range, met, overlap, span
from shoal.judge.composition_people import Shared
from shoal.judge.declared import SINGLE, Beside
from shoal.judge.disk import Spill
from shoal.judge.hierarchies import number
from shoal.judge.limits import limits
from shoal.judge.models.matching import is_star
from shoal.judge.readers.source import Key, Source
from shoal.judge.sensitive import Combination, Sensitive
from shoal.judge.verification import Composition
from shoal.judge.wanted import Wanted

WARNING = (
    "two releases of the same people tell more together than each alone; a third would tell more, "
    "and this compares two"
)


@dataclass(frozen=True)
class CompositionRequest:
    """Roles of the two releases as requested (None: unknown), and papers beside them."""

    quasi: Sequence[str]
    sensitive: Sequence[str] | None
    k: int
    ours: Beside | None = None
    theirs: Beside | None = None
    roles: tuple[str, str] = ("", "")

    def their_quasi(self, header: Sequence[str]) -> list[str]:
        """Return the quasi-identifiers of the other release, as far as they are known."""
        known = () if self.theirs is None else self.theirs.quasi_identifiers
        return list(dict.fromkeys(name for name in (*self.quasi, *known) if name in header))


def compose(
    ours: AbstractContextManager[Source],
    theirs: AbstractContextManager[Source],
    request: CompositionRequest,
) -> Composition:
    """Return the candidate sets that remain when both releases are known."""
    with ours as source, theirs as other:
        shared = [name for name in source.header if name in other.header]
        columns = [name for name in request.quasi if name in other.header]
        keys = request.their_quasi(other.header)
        crossed = [name for name in shared if name in keys and name not in columns]
        if request.sensitive is None:
            hidden = [name for name in shared if name not in (*columns, *keys)]
        else:
            hidden = [name for name in request.sensitive if name in shared and name not in keys]
        if not columns and not hidden and not crossed:
            raise InputError(f"{other.name}: it shares no column with this release")
        second = _groups(other, keys, columns, hidden)
        first = _groups(source, request.quasi, columns, hidden)
    try:
        single = {
            *_single(first, columns, request.ours),
            *_single(second, columns, request.theirs),
            *crossed,
        }
        meetings = [
            met(_only(first, hidden, some), _only(second, hidden, some), columns, some, request.k)
            for some in _sets(first, second, hidden, request.sensitive is None)
        ]
        least = [one.smallest for one in meetings if one.smallest is not None]
        worst = max(meetings, key=lambda one: (one.records, one.below, one.pairs))
        return replace(
            worst,
            smallest=min(least, default=None),
            unjudged=tuple(name for name in shared if name in single),
            roles=request.roles,
        )
    finally:
        span.cache_clear()  # no values of records stay behind


def _single(groups: list[Group], columns: Sequence[str], known: Beside | None) -> set[str]:
    """Return the columns whose values may be means or the like, and do not say of what."""
    aggregators = {} if known is None else known.released_as
    names = set()
    for place, name in enumerate(columns):
        if name in aggregators:
            if aggregators[name] in SINGLE:
                names.add(name)
        elif _is_single(cells_of(groups, place)):
            names.add(name)
    return names


def _is_single(cells: Iterable[Any]) -> bool:
    """Tell whether cells are numbers or dates, and none is an interval or a mask."""
    some = False
    for cell in cells:
        if isinstance(cell, str) and is_range(cell):
            return False
        some = some or (cell is not None and span(cell) is not None)
    return some


def _sets(
    first: list[Group], second: list[Group], hidden: Sequence[str], by_default: bool
) -> list[list[str]]:
    """Return the sets of sensitive columns that records are compared by.

    By default those that agree (half of the records of the smaller release find their value in the
    other) together, and each alone: one that was changed between the releases hides nothing.
    """
    if not by_default or len(hidden) < 2:
        return [list(hidden)]
    least = min(sum(group.size for group in groups) for groups in (first, second))
    agree = []
    for place, name in enumerate(hidden):
        ours, theirs = (_whole(groups, place) for groups in (first, second))
        if 2 * sum((ours & theirs).values()) >= least:
            agree.append(name)
    every = [agree, *([name] for name in hidden)]
    return [list(some) for some in dict.fromkeys(map(tuple, every))]


def _whole(groups: list[Group], place: int) -> Counter[Any]:
    counts: Counter[Any] = Counter()
    for group in groups:
        for values, times in group.values.items():
            counts[values[place]] += times
    return counts


def _only(groups: list[Group], hidden: Sequence[str], some: Sequence[str]) -> list[Group]:
    """Return classes with some of their sensitive columns."""
    if list(hidden) == list(some):
        return groups
    places = [list(hidden).index(name) for name in some]
    kept = []
    for group in groups:
        values: Counter[Key] = Counter()
        for row, times in group.values.items():
            values[tuple(row[place] for place in places)] += times
        kept.append(Group(group.cells, values, group.size))
    return kept


def place_people(
    ours: AbstractContextManager[Source], theirs: AbstractContextManager[Source],
    original: AbstractContextManager[Source], request: CompositionRequest, key: Sequence[str],
    in_order: tuple[bool, bool],
) -> Shared:  # fmt: skip
    """Return with how many others each person of the original shares both classes."""
    try:
        with original as source:
            _, cells = composition_people.read_all(source, _comparable)
        rows = len(next(iter(cells.values())))
        sides = (
            _side(ours, request.quasi, request.ours, cells, in_order[0]),
            _side(theirs, None, request.theirs, cells, in_order[1], request),
        )
        return composition_people.share(cells, rows, sides, key, request.k, _may_cover)
    finally:
        span.cache_clear()


def _side(
    opened: AbstractContextManager[Source], quasi: Sequence[str] | None, known: Beside | None,
    original: composition_people.Cells, in_order: bool, request: CompositionRequest | None = None,
) -> composition_people.Side:  # fmt: skip
    """Return a release, read; where its roles are unknown, by all columns that it changed."""
    with opened as source:
        raw, cells = composition_people.read_all(source, _comparable)
    if quasi is None:
        assert request is not None
        quasi = request.their_quasi(source.header)
        if known is None:
            more = composition_people.changed(original, cells)
            quasi = [name for name in source.header if name in {*quasi, *more}]
    rows = list(zip(*(cells[name] for name in quasi), strict=True))
    groups = [Group(row, Counter()) for row in dict.fromkeys(rows)]
    exact = frozenset(quasi) - _single(groups, quasi, known)
    classes = composition_people.numbered(list(zip(*(raw[name] for name in quasi), strict=True)))
    return composition_people.Side(source.name, cells, classes, quasi, exact, in_order)


def _may_cover(cell: Any, own: Any, exact: bool) -> bool:
    """Tell whether a released cell may stand for an original one; what is not known may."""
    if cell is None or own is None or cell == own:
        return True
    if isinstance(cell, Decimal):
        return not (exact and isinstance(own, Decimal))
    return overlap(cell, own) if is_range(cell) else True


def _groups(
    source: Source, quasi: Sequence[str], columns: Sequence[str], sensitive: Sequence[str]
) -> list[Group]:
    def full(*_: Any) -> bool:
        raise InputError(
            f"{source.name}: more than {limits().entries} classes are too many to meet another "
            "release; name fewer quasi-identifiers, or say which columns are sensitive"
        )

    counts, _ = tally(source.keys([*quasi, *sensitive]), full)
    places = [list(quasi).index(name) for name in columns]
    groups: dict[Key, Group] = {}
    for row, times in counts.items():
        key = row[: len(quasi)]
        if key not in groups:
            cells = tuple(_comparable(key[place], source.as_bytes) for place in places)
            groups[key] = Group(cells, Counter())
        values = tuple(_comparable(cell, source.as_bytes) for cell in row[len(quasi) :])
        groups[key].values[values] += times
        groups[key].size += times
    return list(groups.values())


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
    value = number(text)
    return text if value is None else value


# Counting of classes, in memory while there are few, else on disk.
#
# More than a few records are counted batch by batch, as words (`cell_words.py`). Where only sizes
# count these are all that is kept; else the cells of few classes are read again (`classes.py`).
# Beyond some 400,000 entries (distinct combinations of quasi-identifiers and sensitive values) the
# counts go to temporary files and are judged part by part (`disk.py`): the result is the same, but
# other readings of missing cells than `own`, for which any two classes may have to meet, are not
# counted then.
#
# Precondition: records come in the order of the file. Postcondition: what is returned yields every
# class once.


def tally(rows: Iterator[Key], full: Callable[[Counter[Key], array[int]], bool]) -> tuple[
    Counter[Key], array[int]
]:  # fmt: skip
    """Count rows; return how often and where first each occurs, in order of first appearance.

    `full` is called when there are too many; if it takes them all, counting begins anew.
    """
    counts: Counter[Key] = Counter()
    firsts = array("q")
    now = limits()
    seen = 0
    while batch := list(islice(rows, now.rows)):
        before = len(counts)
        counts.update(batch)
        at = 0
        for row in reversed(list(islice(reversed(counts), len(counts) - before))):
            at = batch.index(row, at)
            firsts.append(seen + at + 1)
        seen += len(batch)
        if len(counts) > now.entries and full(counts, firsts):
            counts.clear()
            del firsts[:]
    return counts, firsts


def count(
    source: Source, quasi: Sequence[str], sensitive: Sequence[Sensitive],
    subsets: Sequence[Subset], reading: str, spill: Callable[[], Spill],
    combined: Sequence[Combination] = (),
) -> Counted:  # fmt: skip
    """Return the classes of a release, from memory or, if they are many, from `spill`.

    Of every class the values of the sensitive columns are counted, then those of `combined` ones.
    """
    now = limits()
    places = source.places([*quasi, *(column.name for column in sensitive)])
    wanted = Wanted(
        source, places, len(quasi), sensitive, subsets, reading, spill, now.entries, combined
    )
    try:
        if source.batches is None or 0 < source.records <= min(now.few, now.entries):
            return wanted.in_memory(*tally(source.rows(places), lambda *_: False))
        from shoal.judge.readers.batches import by_batches

        return by_batches(wanted, source.batches, now.entries)
    except TypeError:
        raise InputError(f"{source.name}: a column holds lists, not values") from None
