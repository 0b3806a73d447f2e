"""Squared Euclidean distances, in blocks that stay in the nearest cache."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.jit import hot

BLOCK = 512


@hot
def squared_distances(
    points: npt.NDArray[np.float64],
    start: int,
    stop: int,
    center: npt.NDArray[np.float64],
    block: npt.NDArray[np.float64],
) -> None:
    """Fill block with the distances of points[:, start:stop] to a center.

    points IN (d, n), center IN (d), block OUT (at least stop - start). Attributes are added in
    their order for every record, so the result does not depend on the block size.
    """
    size = stop - start
    width = center.shape[0]
    for i in range(size):
        block[i] = 0.0
    whole = width - width % 4
    for j in range(0, whole, 4):  # four at a time: a sum stays in its register
        c0, c1, c2, c3 = center[j], center[j + 1], center[j + 2], center[j + 3]
        p0, p1 = points[j, start:stop], points[j + 1, start:stop]
        p2, p3 = points[j + 2, start:stop], points[j + 3, start:stop]
        for i in range(size):
            d0, d1, d2, d3 = p0[i] - c0, p1[i] - c1, p2[i] - c2, p3[i] - c3
            block[i] = (((block[i] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3
    for j in range(whole, width):
        value = center[j]
        p0 = points[j, start:stop]
        for i in range(size):
            d0 = p0[i] - value
            block[i] += d0 * d0
