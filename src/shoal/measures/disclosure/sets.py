"""All sets of columns up to a size: what each tells apart, and which make whom unique.

Sets are bit masks and visited in their order as numbers: each is refined from the one without its
lowest column, and comes after all sets within it. A record that a set makes unique, and no earlier
set within it, has the set as a minimal sample unique (Elliot, Manning and Ford 2002; Manning,
Haglin and Keane 2008, Data Min. Knowl. Disc. 16, whose recursion over items this replaces by one
over columns).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.kernels.stripped import add_minimal, refine

WHOLE = 62  # columns: a set is a number of so many bits
ROOM = 1024  # of chains, at least


@dataclass(frozen=True)
class SetCount:
    """What a set of columns tells apart.

    `distinct` combinations; `unique` records alone with theirs; `below` records in classes of fewer
    than k; `pairs` of records that agree in all columns of the set.
    """

    mask: int
    records: int
    distinct: int
    unique: int
    below: int
    pairs: int

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the set, by number."""
        return columns_of(self.mask)

    @property
    def distinction(self) -> float:
        """The share of records that stay if no two may agree (Motwani and Xu 2007, VLDB)."""
        return self.distinct / self.records

    @property
    def separation(self) -> float:
        """The share of pairs of records that the set tells apart (Motwani and Xu 2007, VLDB)."""
        every = comb(self.records, 2)
        return 1.0 - self.pairs / every if every else 1.0


@dataclass(frozen=True, eq=False, repr=False)
class MinimalUniques:
    """Minimal sample uniques: of every one the record and the set of columns."""

    records: Integers
    masks: Integers

    @property
    def sizes(self) -> Integers:
        """The number of columns of each."""
        return np.bitwise_count(self.masks).astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Walk:
    """The counts of all sets up to a size, in the order of their masks, and minimal uniques."""

    counts: dict[int, SetCount]
    uniques: MinimalUniques


def columns_of(mask: int) -> tuple[int, ...]:
    """Return the columns of a set, by number."""
    return tuple(j for j in range(mask.bit_length()) if mask >> j & 1)


def count_of_sets(width: int, most: int) -> int:
    """Return how many sets of columns there are up to a size."""
    return sum(comb(width, size) for size in range(1, min(most, width) + 1))


def walk(codes: tuple[Integers, ...], most: int, k: int) -> Walk:
    """Visit all sets of up to `most` columns: exact, each record as often as it is not unique."""
    return _Walker(codes, most, k).walked()


class _Walker:
    """The state of a walk: one partition a depth, and chains of minimal uniques."""

    def __init__(self, codes: tuple[Integers, ...], most: int, k: int) -> None:
        self.codes, self.most, self.k = codes, min(most, len(codes)), k
        self.rows = codes[0].size
        size = max(int(one.max(initial=0)) for one in codes) + 1
        self.count, self.place = (np.zeros(size, dtype=np.int64) for _ in range(2))
        self.alone = np.empty(self.rows, dtype=np.int64)
        self.levels = [self._level() for _ in range(self.most + 1)]
        self.heads = np.full(self.rows, -1, dtype=np.int64)
        self.masks, self.nexts = (np.empty(ROOM, dtype=np.int64) for _ in range(2))
        self.used = 0
        self.counts: dict[int, SetCount] = {}

    def _level(self) -> tuple[Integers, Integers]:
        """Return room for a partition: rows, and where classes start."""
        return np.empty(self.rows, dtype=np.int64), np.zeros(self.rows + 1, dtype=np.int64)

    def walked(self) -> Walk:
        """Return what the walk finds."""
        rows, starts = self.levels[0]
        rows[:] = np.arange(self.rows)
        starts[1] = self.rows
        self._extend(0, 0, 1, len(self.codes))
        every = {mask: self.counts.get(mask) or self._unique(mask) for mask in self._masks()}
        return Walk(every, self._uniques())

    def _extend(self, mask: int, depth: int, classes: int, below: int) -> None:
        """Visit a set with each column below its lowest, and what follows from it."""
        for j in range(below):
            wider, made = mask | 1 << j, self._refined(depth, classes, j, mask | 1 << j)
            starts = self.levels[depth + 1][1]
            self.counts[wider] = self._counted(wider, np.diff(starts[: made + 1]))
            if made and depth + 1 < self.most:
                self._extend(wider, depth + 1, made, j)

    def _refined(self, depth: int, classes: int, j: int, mask: int) -> int:
        """Refine the partition of a depth by a column into that of the next; return its classes."""
        rows, starts = self.levels[depth]
        finer, finer_starts = self.levels[depth + 1]
        made, lone = refine(rows, starts, classes, self.codes[j], self.count, self.place, finer,
                            finer_starts, self.alone)  # fmt: skip
        if self.used + lone > self.masks.size:
            size = 2 * (self.used + lone)
            self.masks, self.nexts = (np.resize(one, size) for one in (self.masks, self.nexts))
        self.used = add_minimal(
            self.alone, lone, mask, self.heads, self.masks, self.nexts, self.used
        )
        return int(made)

    def _counted(self, mask: int, sizes: Integers) -> SetCount:
        """Return the counts of a set whose classes of two and more have these sizes."""
        unique = self.rows - int(sizes.sum())
        below = int(sizes[sizes < self.k].sum()) + (unique if self.k > 1 else 0)
        pairs = int((sizes * (sizes - 1) // 2).sum())
        return SetCount(mask, self.rows, unique + sizes.size, unique, below, pairs)

    def _unique(self, mask: int) -> SetCount:
        """Return the counts of a set within which another makes every record unique."""
        return self._counted(mask, np.empty(0, dtype=np.int64))

    def _masks(self) -> Iterator[int]:
        """Yield all sets up to the size, in order."""
        yield from sorted(_masks_below(0, len(self.codes), self.most))

    def _uniques(self) -> MinimalUniques:
        """Return the minimal uniques of all chains."""
        owners = np.empty(self.used, dtype=np.int64)
        at, rows = self.heads, np.arange(self.rows)
        while at.size:
            there = at >= 0
            at, rows = at[there], rows[there]
            owners[at] = rows
            at = self.nexts[at]
        return MinimalUniques(owners, self.masks[: self.used].copy())


def _masks_below(mask: int, below: int, left: int) -> Iterator[int]:
    """Yield the sets that add up to `left` columns below a number to a set."""
    if left:
        for j in range(below):
            yield mask | 1 << j
            yield from _masks_below(mask | 1 << j, j, left - 1)


def contributions(uniques: MinimalUniques, scores: Floats, width: int) -> Floats:
    """Return of every column the scores of the minimal uniques that it is in."""
    return np.array([scores[uniques.masks >> j & 1 == 1].sum() for j in range(width)])


FRACTION = 0.01  # of the population in the sample, where nobody says it


@dataclass(frozen=True, eq=False, repr=False)
class Suda:
    """Scores of records; `dis` those with the file's own risk, `columns` each one's share of all.

    `special` marks records that some of the columns alone make unique; `smallest` is the size of
    the smallest such set of every record, 0 where it has none.
    """

    scores: Floats
    dis: Floats
    columns: Floats
    special: Flags
    smallest: Integers
    file_risk: float


def weight_of(size: int, width: int, most: int) -> float:
    """Return what a minimal sample unique of a size adds to a record's score.

    The product of (ATT - i) for i from the size to M, ATT columns in all, M the largest size looked
    for, at most ATT - 1 (Elliot, Manning and Ford 2002, Int. J. Uncertainty Fuzziness Knowl.-Based
    Syst. 10(5)): in how many ways the set grows to one of M + 1 columns, each unique again.
    """
    return float(np.prod([width - i for i in range(size, min(most, width - 1) + 1)]))


def file_risk(sizes: Integers, fraction: float) -> float:
    """Return the chance that a unique match is right, by data intrusion simulation (DIS).

    pi U / (pi U + (1 - pi) P): U records unique in the sample, P in pairs, pi the sampling fraction
    (Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)). `sizes` are those of the classes.
    """
    unique, paired = int((sizes == 1).sum()), 2 * int((sizes == 2).sum())
    against = (1.0 - fraction) * paired
    return fraction * unique / (fraction * unique + against) if unique else 0.0


def score(
    uniques: MinimalUniques, sizes: Integers, shape: tuple[int, int], most: int, fraction: float
) -> Suda:
    """Return the scores of all records, of which there are shape[0] with shape[1] columns.

    `sizes` are those of the classes by all columns. DIS-SUDA spreads the file's risk over the
    scored records: the odds against a right match are on average those of the file, and fall with
    the score S as S^-q, q = 1 + (8 - ATT) / 20 (Elliot, Manning, Mayes, Gurd and Bane 2005, SUDA:
    a program for detecting special uniques; q as in the program of the International Household
    Survey Network).
    """
    rows, width = shape
    worth = np.array([0.0, *(weight_of(size, width, most) for size in range(1, width + 1))])
    own = worth[uniques.sizes]
    scores = np.bincount(uniques.records, own, rows).astype(float)
    whole = file_risk(sizes, fraction)
    dis, scored = np.zeros(rows), scores > 0
    if whole > 0 and scored.any():
        falls = scores[scored] ** -(1.0 + (8.0 - width) / 20.0)
        dis[scored] = 1.0 / (1.0 + (1.0 / whole - 1.0) * falls / falls.mean())
    total = float(scores.sum())
    shares = contributions(uniques, own, width) / total if total else np.zeros(width)
    smallest = np.full(rows, width + 1, dtype=np.int64)
    np.minimum.at(smallest, uniques.records, uniques.sizes)
    return Suda(scores, dis, shares, smallest < width, np.where(scored, smallest, 0), whole)
