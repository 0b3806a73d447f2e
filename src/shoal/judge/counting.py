"""Counting of classes, in memory while there are few, else on disk.

Beyond SPILL entries (distinct combinations of quasi-identifiers and sensitive values) the counts go
to temporary files and are judged part by part (`disk.py`): the result is the same, but other
readings of missing cells than `own`, for which any two classes may have to meet, are not counted
then. Parquet and dataframes of so many records are counted batch by batch, as words
(`cell_words.py`); if they have few classes, their cells are read again, for the plain path.

Precondition: records come in the order of the file. Postcondition: what is returned yields every
class once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING

from shoal.errors import InputError
from shoal.judge.classes import Counted, Subset
from shoal.judge.sensitive import Sensitive
from shoal.judge.source import Key, Source
from shoal.judge.spill import Spill
from shoal.judge.wanted import Wanted

if TYPE_CHECKING:
    from shoal.judge.disk import Disk

SPILL = 400_000
_HOLDING: ContextVar[int | None] = ContextVar("holding", default=None)
BATCH = 512  # few enough that their cells die young: nothing for the garbage collector


@contextmanager
def holding(entries: int) -> Iterator[None]:
    """Let counts go to files beyond so many entries, where that is less than SPILL."""
    before = _HOLDING.set(entries)
    try:
        yield
    finally:
        _HOLDING.reset(before)


def most() -> int:
    """Return how many entries are held in memory."""
    own = _HOLDING.get()
    return SPILL if own is None else min(own, SPILL)


def tally(rows: Iterator[Key], full: Callable[[Counter[Key], array[int]], bool]) -> tuple[
    Counter[Key], array[int]
]:  # fmt: skip
    """Count rows; return how often and where first each occurs, in order of first appearance.

    `full` is called when there are more than SPILL; if it takes them all, counting begins anew.
    """
    counts: Counter[Key] = Counter()
    firsts = array("q")
    seen, limit = 0, most()
    while batch := list(islice(rows, BATCH)):
        before = len(counts)
        counts.update(batch)
        at = 0
        for row in reversed(list(islice(reversed(counts), len(counts) - before))):
            at = batch.index(row, at)
            firsts.append(seen + at + 1)
        seen += len(batch)
        if len(counts) > limit and full(counts, firsts):
            counts.clear()
            del firsts[:]
    return counts, firsts


def count(
    source: Source, quasi: Sequence[str], sensitive: Sequence[Sensitive],
    subsets: Sequence[Subset], reading: str, spill: Callable[[], Spill],
) -> Counted:  # fmt: skip
    """Return the classes of a release, from memory or, if they are many, from `spill`."""
    places = source.places([*quasi, *(column.name for column in sensitive)])
    wanted = Wanted(source, places, len(quasi), sensitive, subsets, reading, spill, most())
    try:
        if source.batches is None or source.records <= most():
            return _by_rows(wanted)
        from shoal.judge.batches import by_batches

        return by_batches(wanted, source.batches, most())
    except TypeError:
        raise InputError(f"{source.name}: a column holds lists, not values") from None


def _by_rows(wanted: Wanted) -> Counted:
    disk: Disk | None = None

    def full(counts: Counter[Key], firsts: array[int]) -> bool:
        from shoal.judge import cell_words

        nonlocal disk
        disk = disk or wanted.on_disk(cell_words.layout_of_counts(wanted.sensitive, wanted.subsets))
        disk.add(
            cell_words.of_counts(counts, firsts, wanted.width, wanted.sensitive, wanted.subsets)
        )
        return True

    counts, firsts = tally(wanted.source.rows(wanted.places), full)
    if disk is None:
        return wanted.in_memory(counts, firsts)
    full(counts, firsts)
    counts.clear()
    disk.finish()
    return disk
