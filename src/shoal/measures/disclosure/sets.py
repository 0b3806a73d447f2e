"""All sets of columns up to a size: what each tells apart, and which make whom unique.

Sets are bit masks and visited in their order as numbers: each is refined from the one without its
lowest column, and comes after all sets within it. A record that a set makes unique, and no set
within it, has the set as a minimal sample unique (Elliot, Manning and Ford 2002; Manning, Haglin
and Keane 2008, Data Min. Knowl. Disc. 16, whose recursion over items this replaces by one over
columns).

NumPy counts here, and not DuckDB: the 92 sets of up to three of eight columns take 1.7 CPU seconds
in either for 1,000,000 records, and 8 ms instead of 170 for 300.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.compared import joined

WHOLE = 62  # columns: a set is a number of so many bits


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
    found = _Walk(codes, k)
    found.visit(0, np.zeros(codes[0].size, dtype=np.int64), len(codes), min(most, len(codes)))
    records = np.concatenate(found.records) if found.records else np.empty(0, dtype=np.int64)
    sizes = [rows.size for rows in found.records]
    masks = np.repeat(np.array(list(found.counts), dtype=np.int64), sizes)
    return Walk(found.counts, MinimalUniques(records, masks))


class _Walk:
    """The sets that were visited: their counts, minimal uniques, and whom each makes unique."""

    def __init__(self, codes: tuple[Integers, ...], k: int) -> None:
        self.codes, self.k, self.rows = codes, k, codes[0].size
        self.counts: dict[int, SetCount] = {}
        self.records: list[Integers] = []
        self.alone: dict[int, Any] = {0: np.packbits(np.zeros(self.rows, dtype=bool))}

    def visit(self, mask: int, labels: Integers, below: int, left: int) -> None:
        """Visit a set, whose classes are numbered, with each column below its lowest."""
        for j in range(below):
            wider, finer = mask | 1 << j, joined(labels, self.codes[j])
            sizes = np.bincount(finer)
            alone = np.packbits(sizes[finer] == 1)
            within = [self.alone[wider ^ 1 << one] for one in columns_of(wider)]
            new = alone & ~np.bitwise_or.reduce(within)
            self.records.append(np.flatnonzero(np.unpackbits(new, count=self.rows)))
            self.alone[wider] = alone
            self.counts[wider] = SetCount(
                wider, self.rows, sizes.size, int((sizes == 1).sum()),
                int(sizes[sizes < self.k].sum()), int((sizes * (sizes - 1) // 2).sum()),
            )  # fmt: skip
            if left > 1:
                self.visit(wider, finer, j, left - 1)


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
