"""What there is to tell of a search: gains by part, pairs by pass, the curve of the loss."""

from __future__ import annotations

import numpy as np

from shoal.measures.loss import percent
from shoal.search.layout import (
    BY_DISSOLVE,
    BY_DISSOLVING,
    BY_DISTILL,
    BY_DISTILLING,
    BY_SHIFTS,
    BY_SWAPS,
    DISSOLVED,
    DISTILLED,
    SHIFTS,
    SWAPS,
)
from shoal.search.state import State

CURVE_POINTS = 400


def gains(runs: list[State], total: float) -> dict[str, dict[str, float]]:
    """Sum up over all runs how often each part was used and what it gained, in percent."""
    counts = np.sum([s.counts for s in runs], axis=0)
    sums = np.sum([s.sums for s in runs], axis=0)
    return {
        "shift": {"applied": int(counts[SHIFTS]), "gain": percent(sums[BY_SHIFTS], total)},
        "swap": {"applied": int(counts[SWAPS]), "gain": percent(sums[BY_SWAPS], total)},
        "dissolve": {
            "applied": int(counts[DISSOLVED]),
            "improved": int(counts[BY_DISSOLVING]),
            "gain": percent(sums[BY_DISSOLVE], total),
        },
        "distill": {
            "applied": int(counts[DISTILLED]),
            "improved": int(counts[BY_DISTILLING]),
            "gain": percent(sums[BY_DISTILL], total),
        },
    }


def pairs_by_pass(runs: list[State]) -> list[float]:
    """Return the pairs looked at in a pass, on average over all descents, long or short."""
    pairs = np.sum([s.pairs for s in runs], axis=0)
    used = int(np.count_nonzero(pairs[:, 1]))
    return [float(number) for number in pairs[:used, 0] / max(pairs[0, 1], 1.0)]


def thinned(curve: list[tuple[int, float]], last: int, end: float) -> list[tuple[int, float]]:
    """Return at most CURVE_POINTS of a curve's points, its first and its end among them."""
    if len(curve) > CURVE_POINTS - 1:
        keep = np.unique(np.linspace(0, len(curve) - 1, CURVE_POINTS - 1).astype(int))
        curve = [curve[i] for i in keep]
    return [*curve, (last, end)]
