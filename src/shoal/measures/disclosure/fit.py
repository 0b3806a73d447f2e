"""Poisson log-linear models with main effects and two-way effects, fitted to a table of counts.

A table of few cells is fitted whole, by iterative proportional fitting. One of many is fitted with
pairs that make no circle: the expected count of a cell is then a product of shares of one and two
columns (Lauritzen 1996, section 4.4), and the cells without a record are drawn by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.disclosure.key import combined
from shoal.partition import first_rows

Pair = tuple[int, int]
ROUNDS = 200
CLOSE = 1e-7  # largest change of a cell in a round, in records
DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells with their counts and expected counts, each standing for `weights` cells.

    `own` is the expected count of every class of the records.
    """

    __repr__ = in_shape

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
