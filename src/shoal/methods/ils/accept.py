"""Acceptance criteria: whether a local optimum becomes the incumbent."""

from __future__ import annotations

import math

from shoal.kernels.jit import inlined
from shoal.kernels.random import uniform
from shoal.methods.ils.layout import (
    BEST_SUM,
    CURRENT,
    FIRST,
    INCUMBENT_SUM,
    ITERATION,
    LAST,
    RULE,
    TOTAL,
)
from shoal.methods.ils.state import State

FIXED, DYNAMIC, RECORD, LATE, ANNEALING = range(5)  # the codes of `parameters`


@inlined
def accepts(s: State) -> bool:
    """Tell whether the current grouping is accepted as the incumbent. s IN/OUT."""
    current, incumbent, best = s.sums[CURRENT], s.sums[INCUMBENT_SUM], s.sums[BEST_SUM]
    rule, first = s.choices[RULE], s.levels[FIRST]
    chance = first
    if rule == LATE:
        at = s.counts[ITERATION] % s.history.shape[0]
        chance = 1.0 if current <= max(s.history[at], incumbent) else 0.0
        s.history[at] = min(incumbent, s.history[at])
    elif rule == RECORD:
        chance = 1.0 if current <= best * (1.0 + first) else 0.0
    elif rule != FIXED:
        since = best if rule == DYNAMIC else incumbent
        if rule == ANNEALING:
            first *= (s.levels[LAST] / first) ** (
                s.counts[ITERATION] % s.choices[TOTAL] / s.choices[TOTAL]
            )
        chance = math.exp(min(0.0, since - current) / (first * best)) if best > 0.0 else 0.0
    return uniform(s.random) < chance  # type: ignore[no-any-return]
