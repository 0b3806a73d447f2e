"""What words and intervals leave open: ILoss and NCP of every released cell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.measures.sides import Numbers, Side

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def is_generalized(side: Side, paired: bool) -> bool:
    """Tell whether a column is released as words and intervals that cover the originals.

    Means are not, nor are values of other records (mode, medoid). Row i of both sides is one
    person's where `paired`.
    """
    if isinstance(side, Numbers):
        return not side.said
    if paired:
        wide = len(side.values) + 1
        forms, values = side.links
        said = side.after >= 0
        value = np.where(side.before < 0, wide - 1, side.before)
        pairs = np.unique(side.after[said] * wide + value[said])
        return bool(np.isin(pairs, forms * wide + values).all())
    return bool((side.own < 0).any()) or not len(side.forms)


def cell_costs(side: Side, paired: bool) -> tuple[float, float]:
    """Return the sums of ILoss and NCP over the cells of a column, missing originals apart.

    Where nobody knows who is who, the missing originals are among the cells that say nothing.
    """
    absent = np.isnan(side.before) if isinstance(side, Numbers) else side.before < 0
    silent = np.isnan(side.low) if isinstance(side, Numbers) else side.after < 0
    if paired:
        return float(side.losses[~absent].sum()), float(side.widths[~absent].sum())
    without = min(int(absent.sum()), int(silent.sum()))
    return float(side.losses.sum()) - without, float(side.widths.sum()) - without
