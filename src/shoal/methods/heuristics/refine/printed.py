"""The refinements of the 2018 paper in the form that prints its figures.

The pseudo-code of Khomnotai, Lin, Peng and Santra leaves open in which order groups are visited
and when centroids move. In this form groups are visited by falling SSE, no centroid moves during a
pass of Decompose, left-over records of a split stay in it, and groups made by a split come before
all others, the last one first. It never adds to the loss: SSE is at most the sum of the distances
to the centroids from before, and a split of a group loses no more than the group.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine.groups import FEW, Groups, given
from shoal.methods.heuristics.refine.scatter import FROZEN
from shoal.methods.heuristics.refine.steps import (
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
    """Repeat {Decompose, Shrink} until the partition stays (2018, figure 1; suffix 3)."""
    while True:
        smaller = _decomposed(matrix, labels, k, report, few)
        best = better(matrix, labels, _shrunk(matrix, smaller, k, report, few))
        if best is labels:
            return labels
        labels = best


def _decomposed(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    """Return the groups after Decompose, numbered as they are visited next."""
    _, labels = np.unique(labels, return_inverse=True)
    ranks = np.argsort(by_falling_loss(matrix, labels))
    groups = groupings.make(matrix, ranks[labels], k, few)
    count = given(groups)
    dissolve_each(groups, np.arange(count), k, FROZEN, report)
    return _split(groups, k, count)


def _shrunk(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    """Return the groups after Shrink, numbered as they are visited next."""
    groups = groupings.make(matrix, labels, k, few)
    count = given(groups)
    shrink_each(groups, k, report)
    return _split(groups, k, count)


def _split(groups: Groups, k: int, count: int) -> Integers:
    """Split large groups; the new ones come before the `count` old ones, the last one first."""
    labels = split(groups, k, within=True)
    return np.where(labels < count, labels, count - 1 - labels)
