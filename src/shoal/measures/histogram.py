"""Histograms before and after, in bins that disclose no record.

The bins span the released values, which are public; whatever of the original lies beyond is
counted in the outermost bins, so that no extreme value shows. Of the original, a bin with fewer
than k records is left empty, and others with it until at least two bins and k records are: the
total is known, and what is missing from it must not be a small count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers

BINS = 20


@dataclass(frozen=True)
class Histogram:
    """Counts of records by bin; `hidden` is the number of bins of the original left empty.

    `step` is what counts of the original were rounded down to a multiple of, where they were.
    """

    edges: list[float]
    before: list[int]
    after: list[int]
    hidden: int
    step: float | None = None


def is_whole(values: Floats) -> bool:
    """Tell whether all numbers are whole."""
    return bool(np.all(values == np.floor(values)))


def counted(values: Floats, edges: Floats) -> Integers:
    """Return how many values are in each bin; what lies beyond is counted in the outermost."""
    return np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0].astype(np.int64)


def shown_histogram(edges: Floats, counts: Integers, released: Integers, k: int) -> Histogram:
    """Return what may be shown of the original's counts beside those of the release."""
    small = (counts > 0) & (counts < k)
    while small.any() and (small.sum() < 2 or counts[small].sum() < k):
        rest = np.flatnonzero(~small & (counts > 0))
        if not rest.size:
            break
        small[rest[counts[rest].argmin()]] = True
    shown = np.where(small, 0, counts)
    return Histogram(edges.tolist(), shown.tolist(), released.tolist(), int(small.sum()))


def edges_of(low: float, high: float, whole: bool, bins: int = BINS) -> Floats:
    """Cut a range into bins of one width; whole numbers never share half a bin."""
    whole = whole and abs(low) < 2**52 and abs(high) < 2**52
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


def evenly(spans: Floats, edges: Floats) -> Floats:
    """Return what share of each span lies in each bin, (bins, spans); beyond counts at the ends."""
    low, high = np.clip(spans, edges[0], edges[-1]).T
    wide = high - low
    inside = np.minimum(high, edges[1:, None]) - np.maximum(low, edges[:-1, None])
    share: Floats = np.maximum(inside, 0.0) / np.where(wide > 0, wide, 1.0)
    at = np.clip(np.searchsorted(edges, low, side="right") - 1, 0, edges.size - 2)
    points = np.flatnonzero(wide == 0)
    share[:, points] = 0.0
    share[at[points], points] = 1.0
    return share
