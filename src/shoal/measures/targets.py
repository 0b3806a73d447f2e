"""Target columns of models, in few values."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.sides import Numbers, Side

TARGETS = 5  # of a column of numbers
MOST = 50  # values that a model tells apart; the rarer ones are one


def targets(side: Side) -> tuple[Integers, Integers, int]:
    """Return the sensitive values as few numbers: of originals, of the release; -1 is unknown.

    Numbers count in fifths of the released ones, the rarest of many words are one value.
    """
    if isinstance(side, Numbers):
        edges = edges_of(side.after, TARGETS)
        return binned(side.before, edges), binned(side.after, edges), edges.size + 1
    own = np.append(side.own, -1)[side.after]
    size = len(side.values)
    if size <= MOST:
        return side.before, own, size
    counts = np.bincount(own[own >= 0], minlength=size)
    rank = np.empty(size + 1, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(size), MOST - 1)
    rank[size] = -1
    return rank[side.before], rank[own], MOST


def edges_of(values: Floats, bins: int) -> Floats:
    """Return where numbers are cut into bins of about as many each."""
    there = values[~np.isnan(values)]
    if not there.size:
        return np.zeros(0)
    return np.unique(np.quantile(there, np.arange(1, bins) / bins))


def binned(values: Floats, edges: Floats) -> Integers:
    """Return the bins of numbers, -1 of what is missing."""
    bins = np.searchsorted(edges, values, "right").astype(np.int64)
    bins[np.isnan(values)] = -1
    return bins
