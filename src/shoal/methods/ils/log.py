"""Log of a search: gains by part, pairs by pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.measures.loss import percent
from shoal.methods.ils.state import State


def gains(
    runs: Sequence[Any], total: float, parts: Mapping[str, tuple[int, ...]]
) -> dict[str, dict[str, float]]:
    """Sum up over all runs how often each part was used and what it gained, in percent.

    `parts` has the places in a state of: how often, the gain, and how often it improved, if noted.
    """
    counts = np.sum([s.counts for s in runs], axis=0)
    sums = np.sum([s.sums for s in runs], axis=0)
    by_part = {}
    for name, (applied, by, *improved) in parts.items():
        noted = {"improved": int(counts[improved[0]])} if improved else {}
        gain = percent(float(sums[by]), total)
        by_part[name] = {"applied": int(counts[applied]), **noted, "gain": gain}
    return by_part


def pairs_by_pass(runs: list[State]) -> list[float]:
    """Return the pairs looked at in a pass, on average over all descents, long or short."""
    pairs = np.sum([s.pairs for s in runs], axis=0)
    used = int(np.count_nonzero(pairs[:, 1]))
    return [float(number) for number in pairs[:used, 0] / max(pairs[0, 1], 1.0)]
