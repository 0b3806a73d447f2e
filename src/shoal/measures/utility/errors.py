"""Cell by cell: SSE/SST and IL1s. Row i of both sides is one person."""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.measures.loss import percent
from shoal.measures.sides import Numbers


def variation_lost(side: Numbers, weights: Floats | None = None) -> float:
    """Return 100 SSE/SST of the cells that say something; 0 where these do not vary.

    Cells count by the `weights` (n) of their records, where there are some.

    A suppressed cell has lost everything, whatever it was: a figure that depended on it would give
    it away.
    """
    there = side.has_before
    kept = there & side.has_after
    if not kept.any():
        return 100.0
    own = np.ones(there.size) if weights is None else weights
    share = float(own[kept].sum()) / float(own[there].sum())
    b, a, own = side.before[kept], side.after[kept], own[kept]
    centered = b - (b * own).sum() / own.sum()
    lost = percent(float((own * (b - a) ** 2).sum()), float((own * centered * centered).sum()))
    return lost * share + 100.0 * (1.0 - share)


def il1s(side: Numbers) -> tuple[float, int]:
    """Return the sum of |x - x'| / (sqrt(2) s) over the cells that are numbers, and how many."""
    if not side.deviation:
        return 0.0, 0
    apart = np.abs(side.before - side.after)
    apart = apart[~np.isnan(apart)]
    return float(apart.sum()) / (math.sqrt(2.0) * side.deviation), apart.size
