"""The steps that refinements are made of, each over all groups, and what they compare by."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.nearest import rounding, slack
from shoal.measures.loss import group_means, squared_error
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine.groups import Groups, given
from shoal.methods.heuristics.refine.scatter import dissolve
from shoal.methods.heuristics.refine.shrink import shrink
from shoal.methods.heuristics.refine.split import split_large
from shoal.progress import Reporter

GROUPS_A_CALL = 200
FALLS = 1e-12  # of the loss: less than this is rounding


def sse(matrix: Floats, labels: Integers) -> float:
    """Return the sum of the squared distances of all records to their group's centroid."""
    return float(squared_error(matrix, labels).sum())


def dissolve_each(groups: Groups, order: Integers, k: int, rule: int, report: Reporter) -> None:
    """Try to dissolve every group, in a given order, by one of the rules of `scatter`."""
    at, count = 0, order.size
    while at < count:
        report("refining", at, count)
        tree = groupings.plant(groups)
        at = dissolve(groups, tree, order, k, rule, at, min(at + GROUPS_A_CALL, count))


def shrink_each(groups: Groups, k: int, report: Reporter) -> None:
    """Let records leave every group larger than k, in the order of their numbers."""
    at, count = 0, given(groups)
    while at < count:
        report("refining", at, count)
        tree = groupings.plant(groups)
        at = shrink(groups, tree, k, at, min(at + GROUPS_A_CALL, count))


def split(groups: Groups, k: int, within: bool = False) -> Integers:
    """Split every group of 2k or more; return the labels. `within` is that of `split_large`."""
    while not split_large(groups, groupings.plant(groups), k, within):
        pass
    return groups.labels


def better(matrix: Floats, old: Integers, new: Integers) -> Integers:
    """Return the new labels, numbered without gaps, if they lose less than the old ones."""
    before = sse(matrix, old)
    _, compact = np.unique(new, return_inverse=True)
    falls = sse(matrix, compact) < before - _noise(matrix, before)
    return compact.astype(np.int64) if falls else old


def _noise(matrix: Floats, loss: float) -> float:
    """Return by how much rounding may change a loss."""
    return float(FALLS * loss + matrix.shape[0] * slack(0.0, rounding(matrix)))


def by_falling_loss(matrix: Floats, labels: Integers) -> Integers:
    """Return the groups by falling SSE; those equal but for rounding in their own order."""
    gaps = matrix - group_means(matrix, labels)[labels]
    losses = np.bincount(labels, weights=(gaps * gaps).sum(axis=1))
    order = np.argsort(-losses, kind="stable")
    falling = losses[order]
    noise = _noise(matrix, float(losses.sum()))
    ranks = np.cumsum(np.append(False, falling[1:] < falling[:-1] - noise))
    return order[np.lexsort((order, ranks))]
