"""SUDA scores: how special each unique record is, and which columns make it so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.disclosure.sets import MinimalUniques, contributions

FRACTION = 0.01  # of the population in the sample, where nobody says it


@dataclass(frozen=True, eq=False)
class Suda:
    """Scores of records; `dis` those with the file's own risk, `columns` each one's share of all.

    `special` marks records that some of the columns alone make unique; `smallest` is the size of
    the smallest such set of every record, 0 where it has none.
    """

    __repr__ = in_shape

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
