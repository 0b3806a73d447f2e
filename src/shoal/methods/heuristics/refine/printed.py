"""The refinements of the 2018 paper in the form that prints its figures.

The pseudo-code of Khomnotai, Lin, Peng and Santra leaves open in which order groups are visited
and when centroids move. In this form groups are visited by falling SSE, no centroid moves during a
pass of Decompose, left-over records of a split stay in it, and groups made by a split come before
all others, the last one first. It never adds to the loss: SSE is at most the sum of the distances
to the centroids from before, and a split of a group loses no more than the group. With suffix 3
the records that a method leaves over join only after the first Decompose.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.heuristics.fixed_size import join_nearest
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine.groups import FEW, Groups, given
from shoal.methods.heuristics.refine.steps import (
    FROZEN,
    better,
    by_falling_loss,
    dissolve_each,
    shrink_each,
    split,
)
from shoal.progress import Reporter


def decompose(
    matrix: Floats, labels: Integers, k: int, report: Reporter, few: int = FEW
) -> Integers:
    """Dissolve groups by falling SSE, each once; split large ones (2018, figure 2; suffix 2)."""
    return better(matrix, labels, _decomposed(matrix, labels, k, report, few))


def iterate(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int = FEW) -> Integers:
    """Repeat {Decompose, Shrink} until the partition stays (2018, figure 1; suffix 3).

    Records that a method left over (-1) join the nearest groups after the first Decompose.
    """
    joined = labels.copy()
    join_nearest(matrix, joined, np.flatnonzero(labels < 0))
    smaller = _decomposed(matrix, labels, k, report, few)
    best = _shrunk(matrix, smaller, k, report, few)
    while best is not labels:
        labels = best
        smaller = _decomposed(matrix, labels, k, report, few)
        best = better(matrix, labels, _shrunk(matrix, smaller, k, report, few))
    return better(matrix, joined, labels)


def _decomposed(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    """Return the groups after Decompose, numbered as they are visited next."""
    placed = labels >= 0
    own = np.ascontiguousarray(matrix[placed])
    _, compact = np.unique(labels[placed], return_inverse=True)
    ranks = np.argsort(by_falling_loss(own, compact))
    groups = groupings.make(own, ranks[compact], k, few)
    dissolve_each(groups, np.arange(given(groups)), k, FROZEN, report)
    found = np.full(labels.size, -1, dtype=np.int64)
    _, found[placed] = np.unique(groups.labels, return_inverse=True)
    join_nearest(matrix, found, np.flatnonzero(~placed))
    return _split(groupings.make(matrix, found, k, few), k)


def _shrunk(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    """Return the groups after Shrink, numbered as they are visited next."""
    groups = groupings.make(matrix, labels, k, few)
    shrink_each(groups, k, report)
    return _split(groups, k)


def _split(groups: Groups, k: int) -> Integers:
    """Split large groups; the new ones come before the others, the last one first."""
    before = given(groups)
    labels = split(groups, k, within=True)
    _, found = np.unique(np.where(labels < before, labels, -labels), return_inverse=True)
    return found.astype(np.int64)
