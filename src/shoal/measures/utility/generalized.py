"""ILoss and NCP of released words and intervals, cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Integers
from shoal.measures.sides import Numbers, Side, Words


def is_generalized(side: Side, paired: bool) -> bool:
    """Tell whether a column is released as words and intervals that cover the originals.

    A column as it was is; means are not, nor are values of other records (mode, medoid). Row i of
    both sides is one person's where `paired`.
    """
    if isinstance(side, Numbers):
        return not side.is_single or _covers(side, paired)
    if paired:
        wide = len(side.values) + 1
        forms, values = side.links
        released = side.after >= 0
        value = np.where(side.before < 0, wide - 1, side.before)
        pairs = np.unique(side.after[released] * wide + value[released])
        return bool(np.isin(pairs, forms * wide + values).all())
    return has_forms(side) or not len(side.forms) or _same(side.before, side.after)


def has_forms(side: Side) -> bool:
    """Tell whether a column releases anything but single values."""
    if isinstance(side, Numbers):
        return not side.is_single or not side.has_after.all()
    return bool((side.own < 0).any() or (side.after < 0).any())


def _covers(side: Numbers, paired: bool) -> bool:
    """Tell whether every number that is released is its original."""
    if not paired:
        return _same(side.known, side.after[~np.isnan(side.after)])
    return not bool(((side.before != side.low) & side.has_after).any())


def _same(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> bool:
    return bool(np.array_equal(np.sort(before), np.sort(after)))


def class_widths(side: Side, classes: Integers) -> float:
    """Return the sum of NCP over the cells of a column that releases means or single values.

    A cell leaves open what the originals of its class span, as if the class released that. One
    that says nothing leaves open everything; missing originals are apart. Row i of both sides is
    one person's.
    """
    number = isinstance(side, Numbers)
    there = side.has_before if isinstance(side, Numbers) else side.before >= 0
    released = side.has_after if isinstance(side, Numbers) else side.after >= 0
    both, silent = there & released, int((there & ~released).sum())
    own, values = classes[both], side.before[both]
    if not own.size or values.min() == values.max():
        return float(silent)
    sizes = np.bincount(own)
    if number:
        low, high = np.full(sizes.size, np.inf), np.full(sizes.size, -np.inf)
        np.minimum.at(low, own, values)
        np.maximum.at(high, own, values)
        wide = np.where(sizes > 0, high - low, 0.0) / (values.max() - values.min())
    else:
        assert isinstance(side, Words)
        pairs = np.unique(own * len(side.values) + values) // len(side.values)
        wide = np.maximum(np.bincount(pairs, minlength=sizes.size) - 1, 0)
        wide = wide / (np.unique(values).size - 1)
    return float((wide * sizes).sum()) + silent


def cell_costs(side: Side, paired: bool) -> tuple[float, float]:
    """Return the sums of ILoss and NCP over the cells of a column, missing originals apart.

    Where the pairing is unknown, the missing originals are among the cells that say nothing.
    """
    absent = ~side.has_before if isinstance(side, Numbers) else side.before < 0
    silent = ~side.has_after if isinstance(side, Numbers) else side.after < 0
    if paired:
        return float(side.losses[~absent].sum()), float(side.widths[~absent].sum())
    without = min(int(absent.sum()), int(silent.sum()))
    return float(side.losses.sum()) - without, float(side.widths.sum()) - without
