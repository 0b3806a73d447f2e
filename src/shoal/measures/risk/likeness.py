"""How sensitive values are spread over the classes: gain, change, range, combinations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import joined, renumbered
from shoal.measures.risk.figures import counts_in_classes


class Shares(NamedTuple):
    """The largest gain and change of a value, and the share of classes that lack one, in percent.

    The gain is (q - p) / p (Cao and Karras 2012), the change |ln(q / p)| (Brickell and Shmatikov
    2008), q and p the shares of a value in its class and in all.
    """

    gain: float
    change: float
    lacking: float


def shares(classes: Integers, codes: Integers) -> Shares | None:
    """Return how the shares of values in classes differ from those in all; -1 is missing.

    None where there is no value at all.
    """
    there = codes >= 0
    if not there.any():
        return None
    count = int(classes.max()) + 1
    group, value, counts = counts_in_classes(classes[there], codes[there])
    size = np.bincount(classes[there], minlength=count)
    every = np.bincount(codes[there])
    ratio = counts * (float(there.sum()) / every[value]) / size[group]
    kinds = np.bincount(group, minlength=count)
    lacking = kinds < np.count_nonzero(every)
    change = float(np.abs(np.log(ratio)).max())
    return Shares(max(0.0, float(ratio.max()) - 1.0), change, 100.0 * float(lacking.mean()))


class Range(NamedTuple):
    """The smallest range of a class, in percent of that of all, and its fewest different numbers.

    The e and the k of (k,e)-anonymity (Zhang and others 2007).
    """

    percent: float
    different: int


def ranges(classes: Integers, values: Floats) -> Range | None:
    """Return how widely numbers are spread in classes; None where all are one number."""
    there = ~np.isnan(values)
    known = values[there]
    if not known.size or known.min() == known.max():
        return None
    count, own = int(classes.max()) + 1, classes[there]
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, own, known)
    np.maximum.at(high, own, known)
    width = np.where(low <= high, high - low, 0.0)
    codes = np.unique(known, return_inverse=True)[1].reshape(-1).astype(np.int64)
    group, _, _ = counts_in_classes(own, codes)
    different = np.bincount(group, minlength=count)
    whole = float(known.max() - known.min())
    return Range(100.0 * float(width.min()) / whole, int(different.min()))


def combinations(classes: Integers, columns: Sequence[Integers]) -> int:
    """Return the fewest different combinations of values in a class; -1 is missing."""
    codes, there = np.zeros_like(classes), np.ones(classes.size, dtype=bool)
    for own in columns:
        codes = joined(codes, renumbered(own + 1))
        there &= own >= 0
    count = int(classes.max()) + 1
    if not there.any():
        return 0
    group, _, _ = counts_in_classes(classes[there], codes[there])
    return int(np.bincount(group, minlength=count).min())
