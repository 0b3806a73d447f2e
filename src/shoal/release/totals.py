"""Totals that stay: group means moved by a step of their rounding, so that totals are as given.

Of all changes that give a total, the one of least squares moves every mean by the same (Deville and
Särndal 1992: calibration, linear case). On a grid of steps, groups move by f or f + 1 steps each,
so that the steps times records are what the total lacks: a subset of the groups with a given sum of
sizes, those first whose rounded mean is farthest below the exact one. Where no subset has that sum,
some move down while others move up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers

MOST = 1  # steps that a mean may move: its rounding is half a step


@dataclass(frozen=True, eq=False, repr=False)
class Means:
    """Means of groups in steps of their rounding, what they were exactly, and records of each."""

    steps: Integers
    exact: Floats
    sizes: Integers

    @property
    def total(self) -> int:
        """The total over all records, in steps."""
        return sum(a * b for a, b in zip(self.steps.tolist(), self.sizes.tolist(), strict=True))


def calibrated(means: Means, total: int) -> Integers | None:
    """Return the means in steps whose total is as given; None where no move by MOST steps has it.

    Ensures that no mean moves by more than MOST steps.
    """
    whole = int(means.sizes.sum())
    lacking = total - means.total
    least, rest = divmod(lacking, whole)
    if least < -MOST or (least > MOST or (least == MOST and rest)):
        return None
    if not rest:
        return means.steps + least
    below = means.exact - means.steps
    chosen = _with_sum(means.sizes, below, rest)
    if chosen is not None:
        return means.steps + least + chosen
    twice = np.concatenate((means.sizes, means.sizes))  # from MOST steps down, each up to two up
    first = np.concatenate((below + 2.0, below))
    chosen = _with_sum(twice, first, lacking + MOST * whole)
    if chosen is None:
        return None
    moved: Integers = means.steps - MOST + chosen.reshape(2, -1).sum(axis=0)
    return moved


def nearest_total(means: Means, total: int) -> int:
    """Return the total nearest to a given one that moves by MOST steps have."""
    whole = int(means.sizes.sum())
    low, high = means.total - MOST * whole, means.total + MOST * whole
    start = min(max(total, low), high)
    for apart in range(2 * int(means.sizes.max())):
        for near in (start - apart, start + apart):
            if calibrated(means, near) is not None:
                return near
    return means.total


def _with_sum(sizes: Integers, below: Floats, total: int) -> Integers | None:
    """Return which groups (1, else 0) have a sum of sizes, the highest of `below` where possible.

    `reach[i]` has a bit for every sum that the groups after the first i have.
    """
    order = np.argsort(-below, kind="stable")
    within = (1 << (total + 1)) - 1
    reach = [1]
    for size in sizes[order[::-1]].tolist():
        reach.append((reach[-1] | reach[-1] << size) & within)
    if not reach[-1] >> total & 1:
        return None
    chosen = np.zeros(sizes.size, dtype=np.int64)
    left = total
    for at, group in enumerate(order.tolist()):
        size = int(sizes[group])
        if left >= size and reach[sizes.size - at - 1] >> (left - size) & 1:
            chosen[group] = 1
            left -= size
    return chosen
