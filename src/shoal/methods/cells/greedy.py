"""A first solution: the cheapest masks under which k records are equal."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.cells.patterns import NONE, Patterns


def first_masks(patterns: Patterns) -> Integers:
    """Return a mask for every record, so that every pattern in use has at least k records.

    Mask by mask, from the cheapest on, all records are taken that at least k of those without one
    are equal with. The rest, fewer than k, join patterns in use; where they match none, everything
    of them is suppressed, and of as many others as k needs.
    """
    k, rows = patterns.k, patterns.rows
    masks = np.full(rows, NONE, dtype=np.int64)
    for mask in range(patterns.costs.size):
        free = np.flatnonzero(masks == NONE)
        own = patterns.ids[free, mask]
        counts = np.bincount(own[own != NONE], minlength=patterns.count)
        taken = (own != NONE) & (counts[np.maximum(own, 0)] >= k)
        masks[free[taken]] = mask
    free = np.flatnonzero(masks == NONE)
    if not free.size:
        return masks
    used = np.zeros(patterns.count + 1, dtype=bool)
    known = np.flatnonzero(masks != NONE)
    used[patterns.ids[known, masks[known]]] = True
    used[NONE] = False
    fits = used[patterns.ids[free]]
    if fits.any(axis=1).all():
        masks[free] = fits.argmax(axis=1)
        return masks
    masks[free] = patterns.costs.size - 1
    return _filled(patterns, masks, free.size)


def _filled(patterns: Patterns, masks: Integers, have: int) -> Integers:
    """Suppress all of as many more records as k needs: of large classes, else of whole ones."""
    k, last = patterns.k, patterns.costs.size - 1
    while have < k:
        others = np.flatnonzero(masks != last)
        own = patterns.ids[others, masks[others]]
        sizes = np.bincount(own, minlength=patterns.count)
        spare = np.flatnonzero(sizes[own] > k)
        if spare.size:
            dearest = others[spare[masks[others[spare]].argmax()]]
            masks[dearest], have = last, have + 1
        else:
            whole = others[own == own[masks[others].argmax()]]
            masks[whole], have = last, have + whole.size
    return masks
