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

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.disclosure.key import Key, combined
from shoal.partition import first_rows

# Poisson log-linear models with main effects and two-way effects, fitted to a table of counts.
#
# A table of few cells is fitted whole, by iterative proportional fitting. One of many is fitted
# with pairs that make no circle: the expected count of a cell is then a product of shares of one
# and two columns (Lauritzen 1996, section 4.4), and the cells without a record are drawn by it.

Pair = tuple[int, int]
ROUNDS = 200
CLOSE = 1e-7  # largest change of a cell in a round, in records
DRAWS = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Cells with their counts and expected counts, each standing for `weights` cells.

    `own` is the expected count of every class of the records.
    """

    counts: Floats
    means: Floats
    weights: Floats
    own: Floats


def fit_dense(
    codes: Sequence[Integers],
    shape: Sequence[int],
    pairs: Sequence[Pair],
    classes: Integers,
    seed: int,  # noqa: ARG001 - as `fit_forest`, which draws
) -> Cells:
    """Fit all cells of a table by iterative proportional fitting (Deming and Stephan 1940)."""
    place = np.ravel_multi_index(tuple(codes), tuple(shape))
    table = np.bincount(place, minlength=int(np.prod(shape))).reshape(tuple(shape)).astype(float)
    paired = {j for pair in pairs for j in pair}
    alone = [(j,) for j in range(len(shape)) if j not in paired]
    margins: list[tuple[int, ...]] = [*pairs, *alone]
    fitted = np.full(table.shape, table.sum() / table.size)
    for _ in range(ROUNDS):
        before = fitted
        for margin in margins:
            rest = tuple(j for j in range(len(shape)) if j not in margin)
            wanted, there = table.sum(axis=rest, keepdims=True), fitted.sum(rest, keepdims=True)
            fitted = fitted * np.divide(wanted, there, out=np.zeros_like(there), where=there > 0)
        if np.abs(fitted - before).max() <= CLOSE:
            break
    means = fitted.reshape(-1)
    first = first_rows(classes, int(classes.max(initial=-1)) + 1)
    return Cells(table.reshape(-1), means, np.ones(means.size), means[place[first]])


def fit_forest(
    codes: Sequence[Integers],
    shape: Sequence[int],
    pairs: Sequence[Pair],
    classes: Integers,
    seed: int,
) -> Cells:
    """Fit the cells that records are in, and a sample of those that none is in."""
    rows = classes.size
    sizes = np.bincount(classes)
    first = first_rows(classes, sizes.size)
    drawn = _draw(codes, pairs, np.random.default_rng(seed))
    asked = [np.concatenate((one[first], more)) for one, more in zip(codes, drawn, strict=True)]
    means = np.full(asked[0].size, float(rows))
    shares = [
        np.bincount(one, minlength=size) / rows for one, size in zip(codes, shape, strict=True)
    ]
    for one, share in zip(asked, shares, strict=True):
        means *= share[one]
    for i, j in pairs:
        seen, counts = np.unique(codes[i] * shape[j] + codes[j], return_counts=True)
        wanted = asked[i] * shape[j] + asked[j]
        at = np.minimum(np.searchsorted(seen, wanted), seen.size - 1)
        both = np.where(seen[at] == wanted, counts[at] / rows, 0.0)
        means *= both / (shares[i][asked[i]] * shares[j][asked[j]])
    own, others = means[: first.size], means[first.size :]
    labels = combined(asked, asked[0].size)
    known = np.zeros(int(labels.max()) + 1, dtype=bool)
    known[labels[: first.size]] = True
    empty = ~known[labels[first.size :]] & (others > 0)
    weights = rows / (DRAWS * others[empty])  # a cell is drawn with chance μ/n
    return Cells(
        np.concatenate((sizes.astype(float), np.zeros(weights.size))),
        np.concatenate((own, others[empty])),
        np.concatenate((np.ones(own.size), weights)),
        own,
    )


def _draw(
    codes: Sequence[Integers], pairs: Sequence[Pair], random: np.random.Generator
) -> list[Integers]:
    """Draw cells by the model: each column by that it depends on, a record's value at a time."""
    rows = codes[0].size
    drawn: dict[int, Integers] = {}
    left = list(pairs)
    for root in range(len(codes)):
        if root in drawn:
            continue
        drawn[root] = codes[root][random.integers(0, rows, DRAWS)]
        reached = [root]
        while reached:
            i = reached.pop()
            for pair in [one for one in left if i in one]:
                left.remove(pair)
                j = pair[0] if pair[1] == i else pair[1]
                drawn[j] = _given(codes[i], codes[j], drawn[i], random)
                reached.append(j)
    return [drawn[j] for j in range(len(codes))]


def _given(
    known: Integers, wanted: Integers, values: Integers, random: np.random.Generator
) -> Integers:
    """Draw of each value a record that has it, and return what that has in another column."""
    order = np.argsort(known, kind="stable")
    counts = np.bincount(known)
    starts = np.cumsum(counts) - counts
    picked = starts[values] + (random.random(values.size) * counts[values]).astype(np.int64)
    found: Integers = wanted[order[picked]]
    return found


DENSE = 1 << 16  # cells of a table that is fitted whole
BARELY = 1.96  # |z| up to which a bias is not significant
SMALL = 1e-8  # below, (1 - exp(-v)) / v is 1 - v/2


@dataclass(frozen=True)
class Step:
    """A model that was tried: the pairs with two-way effects, the bias of τ1 and its z."""

    pairs: tuple[Pair, ...]
    bias: float
    z: float


@dataclass(frozen=True, eq=False, repr=False)
class LogLinear:
    """The chosen model and its risks.

    `risks` is E[1/F | f = 1] of every unique record, not-a-number for others; `alone` expects the
    sample uniques that are population uniques (τ1), `right` the right matches of uniques (τ2).
    `steps` are the models tried, of which `chosen` is the number; `accepted` tells whether its bias
    is not significant, `forest` whether pairs could not make a circle, for the table is large.
    """

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
