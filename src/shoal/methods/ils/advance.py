"""The search kernel: local search, then acceptance and perturbation."""

from __future__ import annotations

from shoal.kernels.arrays import Floats
from shoal.kernels.jit import loop, part
from shoal.methods.ils.accept import accepts
from shoal.methods.ils.layout import (
    BEST_SUM,
    BREACH,
    BY_DISSOLVE,
    BY_DISSOLVING,
    CURRENT,
    IMPROVED,
    ITERATION,
    LEVEL,
    LOSS,
    MAY_SPLIT,
    PAIRWISE,
    PATIENCE,
    PERTURBED,
    RETURN_TO_BEST,
    RETURNS,
    SINCE,
    STOP,
    TARGET,
)
from shoal.methods.ils.local import is_optimal, look
from shoal.methods.ils.perturb import choose, dissolve, distill, find_double
from shoal.methods.ils.state import State, keep, restore_incumbent


@loop
def advance(s: State, trace: Floats, budget: int) -> bool:
    """Go on with a search for a budget of pairs of groups; tell whether it has ended.

    It ends at the local optimum after STOP perturbations, or where TARGET or PATIENCE say so. s
    IN/OUT, trace OUT (at least STOP - SINCE + 1): the best loss after every perturbation. Where
    pairs are visited one by one, it goes on as far as the next perturbation: `pairwise` descends.
    """
    counts, sums = s.counts, s.sums
    while budget > 0:
        if not is_optimal(s):
            if s.choices[PAIRWISE] == 1:
                return False
            budget -= look(s) + 1
            continue
        always = counts[ITERATION] == 0 and s.choices[PAIRWISE] == 0  # first and last
        split = (always or s.choices[MAY_SPLIT] == 1) and s.choices[BREACH] == 0
        double = find_double(s) if split else -1
        kind = 2
        if double < 0:  # a local optimum: decide, then perturb
            counts[LEVEL] = 0
            decide(s)
            trace[counts[ITERATION] - s.choices[SINCE]] = sums[BEST_SUM]
            if (
                counts[ITERATION] >= s.choices[STOP]
                or sums[BEST_SUM] <= s.levels[TARGET]
                or counts[ITERATION] - counts[IMPROVED] >= s.choices[PATIENCE]
            ):
                return True
            kind = choose(s)
            if kind == 0:
                return True
            counts[PERTURBED] = kind
            counts[ITERATION] += 1
        if kind == 2:
            distill(s, double)
        else:
            dissolve(s)
        budget -= 1
    return False


@part
def decide(s: State) -> None:
    """Keep a local optimum, or return to the incumbent. s IN/OUT."""
    counts, sums = s.counts, s.sums
    if counts[ITERATION] == 0:  # the way from the start may have been long, and its errors large
        sums[CURRENT] = 0.0
        for group in range(s.centers.shape[0]):
            sums[CURRENT] += s.centers[group, LOSS]
    better = counts[ITERATION] == 0 or sums[CURRENT] < sums[BEST_SUM] * (1.0 - 1e-11)
    kind = counts[PERTURBED] - 1
    counts[PERTURBED] = 0
    if better and kind >= 0:
        counts[BY_DISSOLVING + kind] += 1
        sums[BY_DISSOLVE + kind] += sums[BEST_SUM] - sums[CURRENT]
        counts[IMPROVED] = counts[ITERATION]
    if better or (kind >= 0 and accepts(s)):
        for since in range(2):
            if better or (since == 0 and s.choices[RETURN_TO_BEST] == 0):
                keep(s, since)
    elif kind >= 0:
        restore_incumbent(s)
        counts[RETURNS] += 1
