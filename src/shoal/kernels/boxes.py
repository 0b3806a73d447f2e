"""Lower and upper bounds on distances to the records in a box.

Rounding is monotonic, so the distance to a box, summed in the order in which distances are summed,
is never more than the distance to a record in it: skipping loses nothing, not even a tie.

Far corners of boxes say little where attributes are many: in eight of them, nearly all boxes reach
beyond the farthest record. So each record carries one more number, its squared distance to a
pivot m, the centroid when the tree was built, with bounds like any attribute. From
|x - c|² = |x - m|² + |c - m|² - 2 (x - m)·(c - m), the first term at most the node's largest and
the last one a sum over the sides of the box, follows a bound that tells the outer leaves.
"""

from __future__ import annotations

from shoal.kernels.arrays import Floats
from shoal.kernels.jit import hot


@hot
def least_distances(lows: Floats, highs: Floats, size: int, center: Floats, bounds: Floats) -> None:
    """Compute the distances from a center to the boxes of a frame: 0 inside one.

    lows IN, highs IN (d + 1, FAN), center IN (d), bounds OUT (FAN). A box without records is
    infinitely far.
    """
    for i in range(size):
        bounds[i] = 0.0
    for j in range(center.shape[0]):
        value = center[j]
        low, high = lows[j], highs[j]
        for i in range(size):
            below, above = low[i] - value, value - high[i]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            bounds[i] += gap * gap


@hot
def aim(pivot: Floats, center: Floats, direction: Floats) -> float:
    """Set the direction from the pivot to a center; return its squared length.

    pivot IN (d), center IN (d), direction OUT (d).
    """
    length = 0.0
    for j in range(center.shape[0]):
        direction[j] = center[j] - pivot[j]
        length += direction[j] * direction[j]
    return length


@hot
def most_distances(
    lows: Floats,
    highs: Floats,
    size: int,
    pivot: Floats,
    direction: Floats,
    length: float,
    bounds: Floats,
) -> None:
    """Compute what no distance from a center to a record in the boxes of a frame exceeds.

    lows IN, highs IN (d + 1, FAN), pivot IN (d), direction IN (d), length IN: `aim` gave them;
    bounds OUT (FAN). A box without records has -1.
    """
    width = pivot.shape[0]
    for i in range(size):
        bounds[i] = 0.0
    for j in range(width):
        step, middle = -2.0 * direction[j], pivot[j]
        low, high = lows[j], highs[j]
        for i in range(size):
            one, other = (low[i] - middle) * step, (high[i] - middle) * step
            bounds[i] += one if one > other else other
    near, reach = lows[width], highs[width]
    for i in range(size):
        bounds[i] += (reach[i] + length) * (1.0 + 1e-12)  # more than rounding can take away
        if near[i] > reach[i]:
            bounds[i] = -1.0
