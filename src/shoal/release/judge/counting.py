"""Classes counted from the first record on, in memory while there are few.

Beyond SPILL entries (distinct combinations of quasi-identifiers and sensitive values) the counts go
to temporary files and are judged part by part (`disk.py`): the result is the same, but other
readings of missing cells than `own`, for which any two classes may have to meet, are not counted
then.

Precondition: records come in the order of the file. Postcondition: what is returned yields every
class once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from shoal.errors import InputError, RequestError
from shoal.release.judge.classes import Counted, Memory, Subset
from shoal.release.judge.disk import Disk
from shoal.release.judge.reading import Key, Source
from shoal.release.judge.sensitive import Sensitive
from shoal.release.judge.spill import Spill

SPILL = 400_000
BATCH = 512  # few enough that their cells die young: nothing for the garbage collector


def tally(rows: Iterator[Key], full: Callable[[Counter[Key], array[int]], bool]) -> tuple[
    Counter[Key], array[int]
]:  # fmt: skip
    """Count rows; return how often and where first each occurs, in order of first appearance.

    `full` is called when there are more than SPILL; if it takes them all, counting begins anew.
    """
    counts: Counter[Key] = Counter()
    firsts = array("q")
    seen = 0
    while batch := list(islice(rows, BATCH)):
        before = len(counts)
        counts.update(batch)
        at = 0
        for row in reversed(list(islice(reversed(counts), len(counts) - before))):
            at = batch.index(row, at)
            firsts.append(seen + at + 1)
        seen += len(batch)
        if len(counts) > SPILL and full(counts, firsts):
            counts.clear()
            del firsts[:]
    return counts, firsts


def count(
    source: Source, quasi: Sequence[str], sensitive: Sequence[Sensitive],
    subsets: Sequence[Subset], reading: str, spill: Callable[[], Spill],
) -> Counted:  # fmt: skip
    """Return the classes of a release, from memory or, if they are many, from `spill`."""
    width = len(quasi)
    disk: Disk | None = None

    def full(counts: Counter[Key], firsts: array[int]) -> bool:
        nonlocal disk
        if reading != "own":
            raise RequestError(
                f"missing_as {reading} is counted in memory, and there are more than {SPILL} "
                "classes; verify with missing_as own, which is stricter"
            )
        disk = disk or Disk(spill(), sensitive, subsets)
        disk.take(counts, firsts, width)
        return True

    rows = source.keys([*quasi, *(column.name for column in sensitive)])
    try:
        counts, firsts = tally(rows, full)
    except TypeError:
        raise InputError(f"{source.name}: a column holds lists, not values") from None
    if disk is None:
        return Memory(counts, firsts, width, sensitive, subsets, reading)
    disk.take(counts, firsts, width)
    counts.clear()
    disk.finish()
    return disk
