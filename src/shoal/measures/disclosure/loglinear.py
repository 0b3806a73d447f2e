"""Risk of unique records by a Poisson log-linear model of all cells of the key.

The number F of people in a cell is Poisson with mean λ, each is in the sample with chance π; the
records of a cell, f, are Poisson with mean μ = πλ, and F - f with mean (1-π)λ, whatever f is. log μ
is a sum of main effects of the columns, and of two-way effects of some pairs (Skinner and Holmes
1998, J. Off. Stat. 14(4); Elamir and Skinner 2006, J. Off. Stat. 22(3)). Pairs are added one by
one, those first that depend most on each other, as long as the likelihood gains more than its price
(BIC). Of the models on the way the last one is chosen whose estimated bias of the risk is not
significant; Skinner and Shlomo (2008, J. Am. Stat. Assoc. 103) choose forward by such a statistic,
too. Models with too few effects take people for rarer than they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.disclosure.fit import Cells, Pair, fit_dense, fit_forest
from shoal.measures.disclosure.key import Key

DENSE = 1 << 16  # cells of a table that is fitted whole
BARELY = 1.96  # |z| up to which a bias is not significant
SMALL = 1e-8  # below, (1 - exp(-v)) / v is 1 - v/2


@dataclass(frozen=True)
class Step:
    """A model that was tried: the pairs with two-way effects, the bias of τ1 and its z."""

    pairs: tuple[Pair, ...]
    bias: float
    z: float


@dataclass(frozen=True, eq=False)
class LogLinear:
    """The chosen model and its risks.

    `risks` is E[1/F | f = 1] of every unique record, not-a-number for others; `alone` expects the
    sample uniques that are population uniques (τ1), `right` the right matches of uniques (τ2).
    `steps` are the models tried, of which `chosen` is the number; `accepted` tells whether its bias
    is not significant, `forest` whether pairs could not make a circle, for the table is large.
    """

    __repr__ = in_shape

    risks: Floats
    alone: float
    right: float
    steps: tuple[Step, ...]
    chosen: int
    accepted: bool
    forest: bool


def log_linear(key: Key, classes: Integers, fraction: float, seed: int = 0) -> LogLinear:
    """Fit models one after the other; return the last good one, else the one with the least |z|."""
    shape = tuple(int(codes.max(initial=0)) + 1 for codes in key.codes)
    forest = math.prod(shape) > DENSE
    order = _dependent(key, shape)
    pairs = _without_circles(order) if forest else order
    steps: list[Step] = []
    fits: list[Floats] = []
    for many in range(len(pairs) + 1):
        cells = (fit_forest if forest else fit_dense)(key.codes, shape, pairs[:many], classes, seed)
        steps.append(Step(tuple(pairs[:many]), *bias_of(cells, fraction)))
        fits.append(cells.own)
    good = [at for at, step in enumerate(steps) if abs(step.z) <= BARELY]
    chosen = good[-1] if good else min(range(len(steps)), key=lambda at: abs(steps[at].z))
    unique = np.bincount(classes)[classes] == 1
    rest = (1.0 - fraction) / fraction * fits[chosen][classes]
    risks = np.where(unique, _mean_share(rest), np.nan)
    alone = float(np.exp(-rest[unique]).sum())
    right = float(risks[unique].sum())
    return LogLinear(risks, alone, right, tuple(steps), chosen, bool(good), forest)


def _mean_share(rest: Floats) -> Floats:
    """Return E[1/F | f = 1] = (1 - exp(-v)) / v, F - 1 Poisson with mean v."""
    safe = np.maximum(rest, SMALL)
    return np.where(rest < SMALL, 1.0 - rest / 2.0, -np.expm1(-safe) / safe)


def bias_of(cells: Cells, fraction: float) -> tuple[float, float]:
    """Return the estimated bias of τ1 = Σ P(F=1 | f=1) over unique records, and its z.

    If a cell's true mean is λ and the model's l, the bias of the cell is g(λ) = πλ exp(-πλ)
    (exp(-(1-π)l) - exp(-(1-π)λ)); to second order, with g(l) = 0, g'(l) = π(1-π) l exp(-l) and
    g''(l) = π(1-π) exp(-l) (2 - (1+π)l). λ - l and its square are estimated without bias by
    (f - πl)/π and ((f - πl)² - f)/π². Under the model these are uncorrelated with variances πl/π²
    and 2(πl)²/π⁴, which gives the variance of the sum. (The idea is Skinner and Shlomo's, 2008,
    section 3.)
    """
    pi = fraction
    means = cells.means / pi
    decay = np.exp(-means) * (1.0 - pi)
    first = means * decay
    second = decay * (2.0 - (1.0 + pi) * means) / (2.0 * pi)
    gap = cells.counts - cells.means
    terms = first * gap + second * (gap**2 - cells.counts)
    spread = first**2 * cells.means + 2.0 * (second * cells.means) ** 2
    bias = float((cells.weights * terms).sum())
    variance = float((cells.weights * spread).sum())
    return bias, bias / math.sqrt(variance) if variance > 0.0 else 0.0


def _dependent(key: Key, shape: Sequence[int]) -> list[Pair]:
    """Return the pairs of columns that depend on each other, the most dependent first.

    By G² - df log n, where that is above 0: what a two-way effect adds to the likelihood, less its
    parameters (Schwarz 1978).
    """
    gains: dict[Pair, float] = {}
    rows = key.rows
    for i in range(len(shape)):
        for j in range(i + 1, len(shape)):
            both = np.unique(key.codes[i] * shape[j] + key.codes[j], return_counts=True)
            left, right = np.bincount(key.codes[i]), np.bincount(key.codes[j])
            expected = left[both[0] // shape[j]] * right[both[0] % shape[j]] / rows
            gain = 2.0 * float((both[1] * np.log(both[1] / expected)).sum())
            freedom = (np.count_nonzero(left) - 1) * (np.count_nonzero(right) - 1)
            gains[i, j] = gain - freedom * math.log(rows)
    ranked = sorted(gains, key=lambda pair: -gains[pair])
    return [pair for pair in ranked if gains[pair] > 0.0]


def _without_circles(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that join columns which those before them do not join."""
    groups: dict[int, int] = {}
    kept = []
    for i, j in pairs:
        one, other = groups.get(i, i), groups.get(j, j)
        if one != other:
            kept.append((i, j))
            members = {i, j, *groups}
            groups |= {at: one for at in members if groups.get(at, at) in (one, other)}
    return kept
