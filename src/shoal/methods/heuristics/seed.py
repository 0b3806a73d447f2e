"""Seeding: which record of the pool starts the next group."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.kernels.jit import inlined
from shoal.kernels.tree import Pool
from shoal.methods.heuristics.pool import centroid, farthest_from, point


@inlined
def farthest_from_centroid(pool: Pool) -> int:
    """Return argmax D(x, mean of the pool): the record most in need of company.

    CBFS (Laszlo and Mukherjee 2005) and MDAV (Domingo-Ferrer and Torra 2005).
    """
    return farthest_from(pool, centroid(pool))


@inlined
def farthest_in_turn(pool: Pool, references: Floats, turn: int) -> int:
    """Return argmax D(x, R), where R is the next of the fixed reference points.

    TFRP (Chang, Li and Huang 2007). Without reference points it is the pool's centroid.
    references IN (points, d).
    """
    if references.shape[0] == 0:
        return farthest_from_centroid(pool)
    return farthest_from(pool, references[turn % references.shape[0]])


@inlined
def opposite(pool: Pool, first: int) -> int:
    """Return argmax D(x, first record), which need not be in the pool any more (MDAV)."""
    return farthest_from(pool, point(pool, first))


def column_extremes(matrix: Floats) -> Floats:
    """Return the reference points of the 2018 paper: each attribute's maximum, then minimum."""
    return np.array([matrix.max(axis=0), matrix.min(axis=0)])


def overall_extremes(matrix: Floats) -> Floats:
    """Return those of the 2007 paper: the least of all values in every place, then the largest."""
    width = matrix.shape[1]
    return np.array([np.full(width, matrix.min()), np.full(width, matrix.max())])
