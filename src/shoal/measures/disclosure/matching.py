"""How many records of one table match each record of another, where cells may be missing.

The readings are those of the judge (`shoal.judge.models.matching`): equal cells match in each.
Whoever looks for the person behind a record of the table itself follows `root` where the other
record has a star; whoever links a table to its population, where the table's own record has one,
which then covers any value. `wildcard`: a star on either side matches anything; `own`: only a star
of the same kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import joined
from shoal.measures.disclosure.key import Key


class Covers(NamedTuple):
    """Whether a star matches any value: one of the record looked for, one of those looked at."""

    own: bool
    other: bool


WITHIN = {
    "own": Covers(False, False),
    "root": Covers(False, True),
    "wildcard": Covers(True, True),
}
OUTSIDE = {**WITHIN, "root": Covers(True, False)}  # of a population


def matches(key: Key, others: Key, covers: Covers, weights: Floats | None = None) -> Floats:
    """Return the number of other records, or their weights together, that match each record.

    Both keys have codes in common. Records are compared by patterns of stars: any two patterns
    agree in the columns in which neither has one.
    """
    if not (covers.own or covers.other):
        return _equal(key.codes, others.codes, weights, key.rows, others.rows)
    counts = np.zeros(key.rows)
    theirs = list(_patterns(others))
    for mine, rows in _patterns(key):
        for other, at in theirs:
            compared = _compared(mine, other, covers)
            if compared is None:
                continue
            counts[rows] += _equal(
                [key.codes[j][rows] for j in compared],
                [others.codes[j][at] for j in compared],
                None if weights is None else weights[at],
                rows.size,
                at.size,
            )
    return counts


def _patterns(key: Key) -> Iterator[tuple[tuple[bool, ...], Integers]]:
    """Yield every pattern of stars with its rows."""
    numbers = np.zeros(key.rows, dtype=np.int64)
    for flags in key.stars:
        numbers = joined(numbers, flags.astype(np.int64))
    order = np.argsort(numbers, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        if rows.size:
            yield tuple(bool(flags[rows[0]]) for flags in key.stars), rows


def _compared(mine: tuple[bool, ...], theirs: tuple[bool, ...], covers: Covers) -> list[int] | None:
    """Return the columns in which two patterns must agree; None where they never match."""
    for own, other in zip(mine, theirs, strict=True):
        if (own and not other and not covers.own) or (other and not own and not covers.other):
            return None
    return [j for j, (own, other) in enumerate(zip(mine, theirs, strict=True))
            if not own and not other]  # fmt: skip


def _equal(
    own: Integers | list[Integers] | tuple[Integers, ...],
    other: Integers | list[Integers] | tuple[Integers, ...],
    weights: Floats | None,
    rows: int,
    others: int,
) -> Floats:
    """Return how many others, or what weight of them, equal each record in all codes."""
    labels = np.zeros(rows + others, dtype=np.int64)
    for mine, theirs in zip(own, other, strict=True):
        labels = joined(labels, np.concatenate((mine, theirs)))
    size = int(labels.max(initial=0)) + 1
    counted: Floats = np.bincount(labels[rows:], weights, size).astype(float)
    return counted[labels[:rows]]
