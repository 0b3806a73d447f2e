"""Means, variances, SSE/SST and what rounding adds to it, of columns that release numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import percent
from shoal.report.chunk import Aggregation, Pair
from shoal.report.figures.ranges import Ranges

ROUNDED = ("mean", "majority")  # aggregators that release something near the mean of a group


def chunk(pair: Pair, ranges: Ranges) -> dict[str, Any] | None:
    """Sum up the kept cells of a column that has places, about the means of all."""
    if not pair.has_places:
        return None
    scale = ranges.scale(pair.name)
    before, after = (scale.place(side) for side in pair.cells())
    own = np.ones(before.size) if pair.weights is None else pair.weights[pair.kept]
    sums: dict[str, Any] = {
        "kept": before.size,
        "mass": pair.mass(pair.kept),
        "error": float((own * (before - after) ** 2).sum()),
    }
    for side, values, center in zip(("before", "after"), (before, after), scale.centers,
                                    strict=True):  # fmt: skip
        apart = values - center
        sums[side] = [float((own * apart).sum()), float((own * apart * apart).sum())]
    if pair.aggregator in ROUNDED and pair.is_numbers:
        sums["rounding"] = off_the_means(before, after, pair.labels[pair.kept], own)
    return sums


def off_the_means(before: Floats, after: Floats, labels: Integers, weights: Floats) -> float:
    """Return the squared distances between what groups release and their means, over records.

    Squared errors of a group's records about a value are those about their mean, plus this.
    """
    mass = np.bincount(labels, weights)
    sums = np.bincount(labels, weights * before)
    means = np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)
    return float((weights * (means[labels] - after) ** 2).sum())


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Any]:
    """Return means and variances of both sides of columns with numbers.

    Variances are of days, and None where no float can hold them.
    """
    moments: dict[str, Any] = {}
    for name, own in sums["numbers"].items():
        if ranges.edges(name) is None:
            continue
        divisor = own["mass"] if ranges.columns[name]["same"]["weighted"] else own["kept"] - 1
        unit = ranges.scale(name).unit / ranges.columns[name]["same"]["parts"]
        moments[name] = {}
        for side in ("before", "after"):
            variance = _about_mean(own, side) / max(divisor, 1) * unit * unit
            moments[name][f"mean_{side}"] = ranges.mean(name, side)
            moments[name][f"variance_{side}"] = variance if math.isfinite(variance) else None
    return moments


def variation_lost(own: dict[str, Any], there: float) -> float:
    """Return 100 SSE/SST of a column, of which `there` cells were not missing.

    A suppressed cell has lost everything, whatever it was: a figure that depended on it would give
    it away.
    """
    share = own["mass"] / there
    lost = percent(own["error"], _about_mean(own, "before"))
    return float(lost * share + 100.0 * (1.0 - share))


def rounding_loss(own: dict[str, Any], there: float) -> float | None:
    """Return how much of SSE/SST is due to rounding, in percent; None for a column without means.

    Rounded to the precision of the data, or to the more frequent of two values.
    """
    if "rounding" not in own:
        return None
    share = own["mass"] / there
    return float(percent(own["rounding"], _about_mean(own, "before")) * share)


def _about_mean(own: dict[str, Any], side: str) -> float:
    """Return the sum of squares about the mean, from sums about a center near it."""
    total, squares = own[side]
    return max(0.0, float(squares - total * total / own["mass"]))


NUMBERS = Aggregation(chunk, finalize, by_column=True)
