"""Distributions before and after, in bins that give nobody away.

The bins span the released values, which are public; whatever of the original lies beyond is
counted in the outermost bins, so that no extreme value shows. Of the original, a bin with fewer
than k records is left empty, and others with it until at least two bins and k records are: the
total is known, and what is missing from it must not be a small count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

BINS = 20


@dataclass(frozen=True)
class Histogram:
    """Counts of records by bin; `hidden` is the number of bins of the original left empty."""

    edges: list[float]
    before: list[int]
    after: list[int]
    hidden: int


def histogram(before: Floats, after: Floats, k: int, bins: int = BINS) -> Histogram:
    """Return the counts of both in the same bins."""
    edges = _edges(after, bins)
    low, high = edges[0], edges[-1]
    counts = np.histogram(np.clip(before, low, high), edges)[0]
    small = (counts > 0) & (counts < k)
    while small.any() and (small.sum() < 2 or counts[small].sum() < k):
        rest = np.flatnonzero(~small & (counts > 0))
        if not rest.size:
            break
        small[rest[counts[rest].argmin()]] = True
    shown = np.where(small, 0, counts)
    released = np.histogram(after, edges)[0]
    return Histogram(edges.tolist(), shown.tolist(), released.tolist(), int(small.sum()))


def _edges(values: Floats, bins: int) -> Floats:
    """Cut the range of the values into bins of one width; whole numbers never share half a bin."""
    low, high = float(values.min()), float(values.max())
    whole = bool(np.all(values == np.floor(values))) and abs(low) < 2**52 and abs(high) < 2**52
    if whole:
        width = max(1.0, float(np.ceil((high - low + 1) / bins)))
        count = int((high - low) // width) + 1
        return np.asarray(low - 0.5 + width * np.arange(count + 1), dtype=np.float64)
    half_low, half_high = low / 2, high / 2  # halves: the difference may not fit a float
    steps = np.linspace(0.0, 1.0, bins + 1)
    edges: Floats = 2 * (half_low * (1 - steps) + half_high * steps)
    edges[0], edges[-1] = low, high
    if not np.all(np.diff(edges) > 0):
        margin = max(abs(low), 1e-300) * 1e-3
        return np.array([low - margin, high + margin])
    return edges
