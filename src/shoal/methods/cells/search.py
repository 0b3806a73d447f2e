"""The search for the cheapest masks: two starts, local search, perturbations."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.cells.greedy import first_masks
from shoal.methods.cells.local import Masks
from shoal.methods.cells.patterns import Patterns
from shoal.partition import rows_of_groups
from shoal.progress import Reporter


def cheapest_masks(
    patterns: Patterns, groups: Integers, rounds: int, seed: int, report: Reporter
) -> Masks:
    """Return masks by greedy choice and by groups, the better of both after local search.

    Groups that are generalized by flat trees release what differs within them as suppressed: the
    search for the least ILoss by column weights is one for the fewest cells.
    """
    solutions = [
        Masks(patterns, one) for one in (first_masks(patterns), masks_of(patterns, groups))
    ]
    for one in solutions:
        one.descend(report)
    best = min(solutions, key=lambda one: one.cost)
    random = np.random.default_rng(seed)
    for done in range(rounds):
        report("suppressing", done, rounds)
        other = Masks(patterns, best.masks)
        other.perturb(random)
        other.descend(report)
        best = min(best, other, key=lambda one: one.cost)
    report("suppressing", rounds, rounds)
    return best


def masks_of(patterns: Patterns, groups: Integers) -> Integers:
    """Return the mask of every record by groups: the columns in which one's cells differ."""
    last = patterns.hidden.shape[1]
    powers = 1 << np.arange(last)
    number = np.empty(1 << last, dtype=np.int64)
    number[patterns.hidden @ powers] = np.arange(1 << last)
    masks = np.empty(groups.size, dtype=np.int64)
    for rows in rows_of_groups(np.array(groups)):
        own = patterns.codes[rows]
        varying = (own.max(axis=0) > own.min(axis=0)) | (own.min(axis=0) < 0)
        masks[rows] = number[int(varying @ powers)]
    return masks
