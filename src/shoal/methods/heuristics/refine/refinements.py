"""The refinements by name: which steps, in which order, and when they end.

Those of a paper's name are the paper's; those that end in + are our own form of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.heuristics.fixed_size import fixed_size, overall_extremes
from shoal.methods.heuristics.refine import groups as groupings
from shoal.methods.heuristics.refine import printed
from shoal.methods.heuristics.refine.groups import FEW, given
from shoal.methods.heuristics.refine.steps import (
    PHASE_TWO,
    REFRESHED,
    better,
    by_falling_loss,
    dissolve_each,
    shrink_each,
    split,
)
from shoal.progress import Reporter

Grouping = Callable[[Floats, int, Reporter], Integers]
Refinement = Callable[[Floats, Integers, int, Reporter], Integers]


PHASE_ONE = partial(fixed_size, references=overall_extremes)


def phase_two(
    matrix: Floats, labels: Integers, k: int, report: Reporter, few: int = FEW,
    part: Grouping = PHASE_ONE,
) -> Integers:  # fmt: skip
    """Dissolve groups by falling loss, each once; split what reached 2k (TFRP, phase II, 2007).

    Groups below 2k are tried in the order of their SSE; a group takes in up to 4k - 1. `part`
    splits: phase I of TFRP with the reference points of the group to be split, or the method that
    made the groups.
    """
    groups = groupings.make(matrix, labels, k, few)
    order = by_falling_loss(matrix, groups.labels)
    dissolve_each(groups, order, k, PHASE_TWO, report)
    best = groups.labels.copy()
    following = given(groups)
    for group in np.flatnonzero(groups.sizes >= 2 * k):
        rows = np.flatnonzero(best == group)
        parts = part(np.ascontiguousarray(matrix[rows]), k, Reporter(None))
        best[rows] = following + parts
        following += int(parts.max()) + 1
    return better(matrix, labels, best)


def decompose_once(
    matrix: Floats, labels: Integers, k: int, report: Reporter, few: int = FEW
) -> Integers:
    """Dissolve groups in the order of their numbers, each once; split what reached 2k.

    `Decompose` of Khomnotai, Lin, Peng and Santra 2018 (suffix 2), the best of three forms.
    """
    both = _both_ways(partial(_decomposed, few=few), matrix, labels, k, report)
    return better(matrix, both, printed.decompose(matrix, labels, k, report, few))


def iterate(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int = FEW) -> Integers:
    """Repeat {Decompose, Shrink} as long as SSE falls (2018, figure 1; suffix 3): best of three."""
    both = _both_ways(partial(_iterated, few=few), matrix, labels, k, report)
    return better(matrix, both, printed.iterate(matrix, labels, k, report, few))


def _both_ways(
    step: Refinement, matrix: Floats, labels: Integers, k: int, report: Reporter
) -> Integers:
    """Run a refinement with the groups in their order and in reverse; return the better result.

    The order matters: in order of creation eia loses 3.2 % more than printed for GSMS-NN2 at
    k = 30, in reverse 9 % more for MDAV-NN2 at k = 10. The better of the two is 1.1 % above the
    printed form at the most, which is why that is tried too.
    """
    forth = better(matrix, labels, step(matrix, labels, k, report))
    back = better(matrix, labels, step(matrix, labels.max() - labels, k, report))
    return better(matrix, forth, back)


def _iterated(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    while True:
        smaller = _decomposed(matrix, labels, k, report, few)
        shrunk = _shrunk(matrix, smaller, k, report, few)
        best = better(matrix, labels, shrunk)
        if best is labels:
            return labels
        labels = best


def _decomposed(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    groups = groupings.make(matrix, labels, k, few)
    dissolve_each(groups, np.arange(given(groups)), k, REFRESHED, report)
    return split(groups, k)


def _shrunk(matrix: Floats, labels: Integers, k: int, report: Reporter, few: int) -> Integers:
    groups = groupings.make(matrix, labels, k, few)
    shrink_each(groups, k, report)
    return split(groups, k)


HOW: dict[str, Refinement] = {
    "phase2": phase_two,
    "decompose": printed.decompose,
    "iterative": printed.iterate,
    "decompose+": decompose_once,
    "iterative+": iterate,
}
