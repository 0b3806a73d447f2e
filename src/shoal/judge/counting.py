"""Counting of classes, in memory while there are few, else on disk.

More than a few records are counted batch by batch, as words (`cell_words.py`). Where only sizes
count these are all that is kept; else the cells of few classes are read again (`classes.py`).
Beyond some 400,000 entries (distinct combinations of quasi-identifiers and sensitive values) the
counts go to temporary files and are judged part by part (`disk.py`): the result is the same, but
other readings of missing cells than `own`, for which any two classes may have to meet, are not
counted then.

Precondition: records come in the order of the file. Postcondition: what is returned yields every
class once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from shoal.errors import InputError
from shoal.judge.classes import Counted, Subset
from shoal.judge.combination import Combination
from shoal.judge.limits import limits
from shoal.judge.readers.source import Key, Source
from shoal.judge.sensitive import Sensitive
from shoal.judge.spill import Spill
from shoal.judge.wanted import Wanted


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
