"""Survey weights as whole numbers: sums over groups are exact, in whatever order.

Without weights every record has mass 1. With weights masses are UNIT on average, and what trees
lose is divided by UNIT, so that losses have the same scale.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers

UNIT = 2**30


def masses_of(weights: Floats | None, rows: int) -> Integers:
    """Return the mass of every record: 1 where all weigh the same."""
    if weights is None or not rows or weights.min() == weights.max():
        return np.ones(rows, dtype=np.int64)
    shares = weights / weights.max()
    masses: Integers = np.maximum(np.rint(shares / shares.mean() * UNIT), 1.0).astype(np.int64)
    return masses


def unit_of(masses: Integers) -> int:
    """Return the mass of an average record."""
    return UNIT if masses.size and masses.max() > 1 else 1
