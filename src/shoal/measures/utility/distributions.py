"""Means, variances, quantiles, distributions, correlations and tables, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.measures.compared import Spread
from shoal.measures.pairing import correlation_matrix
from shoal.measures.result import Each
from shoal.measures.sides import Numbers, Side, Words

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
CELLS = 4_000_000  # of a table of two columns, at most


@dataclass(frozen=True)
class Moments:
    """A column's mean, variance (n - 1) and quantiles, on its scale."""

    mean: float
    variance: float
    quantiles: tuple[float, ...]


def moments(x: Floats, around: int) -> Moments | None:
    """Return the moments of values in order; None where there is none.

    Every quantile is the mean of `around` values around it, so that no single one is disclosed.
    """
    if not x.size:
        return None
    mean = float(x.mean())
    variance = float(((x - mean) ** 2).sum() / max(x.size - 1, 1))
    places = [q * (x.size - 1) for q in QUANTILES]
    return Moments(mean, variance, tuple(_around(x, place, around) for place in places))


def weighted_moments(values: Floats, weights: Floats, around: int) -> Moments | None:
    """Return the moments of the values that are there, each by its weight; None without.

    A quantile is the least value with so much weight up to it, or a mean around that.
    """
    there = ~np.isnan(values)
    x = values[there]
    if not x.size:
        return None
    order = np.argsort(x, kind="stable")
    x, w = x[order], weights[there][order]
    mean = float((w * x).sum() / w.sum())
    spread = w.sum() - (w * w).sum() / w.sum()
    variance = float((w * (x - mean) ** 2).sum() / spread) if spread > 0 else 0.0
    upto = np.cumsum(w) / w.sum()
    places = [float(np.searchsorted(upto, q * (1 - 1e-12))) for q in QUANTILES]
    return Moments(mean, variance, tuple(_around(x, place, around) for place in places))


def _around(ordered: Floats, place: float, count: int) -> float:
    """Return the mean of so many values around a place between two; of one the value there."""
    if count <= 1:
        low = min(int(np.floor(place)), ordered.size - 1)
        high = min(low + 1, ordered.size - 1)
        share = place - low
        return float(ordered[low] * (1.0 - share) + ordered[high] * share)
    begin = max(0, min(round(place - (count - 1) / 2.0), ordered.size - count))
    return float(ordered[begin : begin + count].mean())


def largest_gap(ordered: Floats, after: Spread) -> float:
    """Return the Kolmogorov-Smirnov distance of originals, in order, and released numbers.

    Between two released numbers only the originals' share grows: the gap is largest at a released
    number, or just below one.
    """
    if not ordered.size or not after.size:
        return 0.0 if ordered.size == after.size else 1.0
    below, upto = (np.searchsorted(ordered, after.values, side) for side in ("left", "right"))
    gaps = [
        np.abs(own / ordered.size - released / after.size).max()
        for own, released in ((below, after.begins), (upto, after.ends))
    ]
    return float(max(gaps))


@dataclass(frozen=True)
class Pair:
    """Two columns by name, and a figure of both before and after."""

    columns: tuple[str, str]
    before: float
    after: float


def correlations(sides: Sequence[Numbers], each: Each) -> list[Pair]:
    """Return the correlation of every pair of columns of numbers that vary before.

    A column that does not vary after has lost it: 0.
    """
    both = [side.before for side in sides], [side.after for side in sides]
    before, after = each(correlation_matrix, both)
    return [
        Pair((sides[i].name, sides[j].name), float(before[i, j]),
             0.0 if np.isnan(after[i, j]) else float(after[i, j]))
        for i, j in combinations(range(len(sides)), 2)
        if not np.isnan(before[i, j])
    ]  # fmt: skip


def marginal_gap(side: Words) -> float:
    """Return the total variation distance of a column's values, in percent."""
    return _gap(_table([side], "before"), _table([side], "after"))


def table_gaps(sides: Sequence[Side]) -> dict[tuple[str, str], float]:
    """Return the total variation distance of every table of two columns of categories, percent."""
    words = [side for side in sides if isinstance(side, Words)]
    return {
        (a.name, b.name): _gap(_table([a, b], "before"), _table([a, b], "after"))
        for a, b in combinations(words, 2)
        if len(a.values) * len(b.values) <= CELLS
        and (len(a.forms) + 1) * (len(b.forms) + 1) <= CELLS
    }


def _gap(before: Floats, after: Floats) -> float:
    return 50.0 * float(np.abs(before - after).sum())


def _table(sides: Sequence[Words], when: str) -> Floats:
    """Return the shares of the combinations of values of one or two columns; missing is a value."""
    codes, shape = [], []
    for side in sides:
        own = side.before if when == "before" else side.after
        size = len(side.values) if when == "before" else len(side.forms)
        codes.append(np.where(own < 0, size, own))
        shape.append(size + 1)
    flat = codes[0] if len(codes) == 1 else codes[0] * shape[1] + codes[1]
    counts = np.bincount(flat, minlength=int(np.prod(shape))) / max(flat.size, 1)
    table: Floats = counts.reshape(shape)
    if when == "after":
        table = _spread(sides[0], table)
        if len(sides) > 1:
            table = _spread(sides[1], table.T).T
    return table


def _spread(side: Words, counts: Floats) -> Floats:
    """Spread counts of forms over values, and, last, over missing cells.

    What says nothing is as likely a missing cell as these are among all originals.
    """
    gone = float((side.before < 0).mean()) if side.before.size else 0.0
    stars = float((side.after < 0).mean()) if side.after.size else 0.0
    share = min(1.0, gone / stars) if stars else 0.0
    silent = counts[-1]
    counted = np.concatenate([counts[:-1], [(1.0 - share) * silent]])
    return np.concatenate([side.spread(counted), [share * silent]])
