"""Array layout of splitting: few arrays, many columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.random import Random
from shoal.methods.topdown.trees import Trees

RECORD, BIN, PART, SPARE = range(4)  # columns of the places
BEGIN, STOP = 0, 1  # columns of the stack
LEAST, GREATEST, LEASTS = 0, 1, 2  # of a column of a tally; LEASTS is a mass
SIZE, NODE, TO = 0, 1, 2  # of a tally, in the row behind its columns
MASS = TO  # while splits are weighed; where parts go is known afterwards

# places in the counts: sets on the stack, records left over, groups made, cells looked at; the
# split that is best so far: column, kind, and which bin or node; columns that vary, and k
WAITING, OPEN, MADE, LOOKED, COLUMN, KIND, WHICH, WIDTH, K = range(9)
# places in the sums: price of mass 1 that is left over, power of the entropy, noise on scores;
# score of the best split so far, what the set costs
PRICE, POWER, NOISE, SCORE, COST = range(5)

QUANTILES = 16  # bins of a range
FINE = 4 * QUANTILES  # steps that they are made of


class Work(NamedTuple):
    """Records to split, and room to work in; all arrays but the first two are changed in place."""

    codes: Integers  # (records, columns) nodes
    masses: Integers  # (records)
    places: Integers  # (records, 4) a record, those of one set side by side; its bin and part
    tallies: Integers  # (2 bins + 4, columns + 1, 3) of bins, of all from one on, of sets
    bins: Integers  # (nodes) the bin of a node, or -1
    active: Integers  # (columns) those that vary in the set
    stack: Integers  # (records // k + 2, 2) sets to split
    open: Integers  # (records) those left over
    labels: Integers  # (records) groups made
    counts: Integers
    sums: Floats
    random: Random


def make(trees: Trees, codes: Integers, k: int, seed: int, masses: Integers | None = None) -> Work:
    """Return room for splitting records into parts of at least k; without masses each has 1."""
    rows, width = codes.shape
    bins = max(trees.fan + 2, FINE + 1)
    counts = np.zeros(K + 1, dtype=np.int64)
    counts[K] = k
    return Work(
        codes=codes,
        masses=np.ones(rows, dtype=np.int64) if masses is None else masses,
        places=np.zeros((rows, SPARE + 1), dtype=np.int64),
        tallies=np.zeros((2 * bins + 4, width + 1, LEASTS + 1), dtype=np.int64),
        bins=np.full(trees.tree.shape[0], -1, dtype=np.int64),
        active=np.zeros(width, dtype=np.int64),
        stack=np.zeros((rows // k + 2, 2), dtype=np.int64),
        open=np.zeros(rows, dtype=np.int64),
        labels=np.full(rows, -1, dtype=np.int64),
        counts=counts,
        sums=np.zeros(COST + 1),
        random=np.array([seed], dtype=np.uint64),
    )
