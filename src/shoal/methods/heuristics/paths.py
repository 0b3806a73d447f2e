"""Methods that turn many attributes into one: a path or a tree through all records, then cuts."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.nearest import COORDINATE_ERROR, rounding
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.heuristics.optimal import cut_path
from shoal.methods.heuristics.optimal import optimal_1d as optimal_column
from shoal.methods.heuristics.order import hilbert as hilbert_order
from shoal.methods.heuristics.order import through_groups
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine.steps import by_falling_loss, split
from shoal.methods.heuristics.spanning import cut_tree, spanning_tree
from shoal.progress import Reporter


def hilbert(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Cut a Hilbert curve through all records where that loses least."""
    return _along(matrix, hilbert_order(matrix), k, report)


def mdav_mhm(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Cut a path through the groups of MDAV where that loses least: never more than MDAV."""
    return _along(matrix, through_groups(matrix, mdav(matrix, k, report, classic=True)), k, report)


def _along(matrix: Floats, order: Integers, k: int, report: Reporter) -> Integers:
    report("cutting", 0, matrix.shape[0])
    labels = np.empty(matrix.shape[0], dtype=np.int64)
    labels[order] = cut_path(np.ascontiguousarray(matrix[order].T), k)
    report("cutting", matrix.shape[0], matrix.shape[0])
    return labels


def optimal_1d(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Group the one column there is so that no grouping loses less."""
    rows = matrix.shape[0]
    report("cutting", 0, rows)
    labels = optimal_column(np.ascontiguousarray(matrix[:, 0]), k, error=COORDINATE_ERROR)
    report("cutting", rows, rows)
    return labels


def mst(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Cut the longest edges of the minimum spanning tree, then split what has 2k records."""
    rows = matrix.shape[0]
    report("spanning", 0, rows)
    labels = cut_tree(*spanning_tree(matrix), k, rounding(matrix))
    ranks = np.argsort(by_falling_loss(matrix, labels))
    groups = groupings.make(matrix, ranks[labels], k)
    _, compact = np.unique(split(groups, k), return_inverse=True)
    report("spanning", rows, rows)
    return compact.astype(np.int64)
