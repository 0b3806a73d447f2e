"""Risks that follow from the sizes of the classes: prosecutor, marketer, journalist, uniques."""

from __future__ import annotations

from functools import cache

import numpy as np

from shoal.kernels.arrays import Floats, Integers

NODES = 200  # of the quadrature; exact for classes of up to 399
LARGE = 300  # members from which on 1/F is as good as certain


def share_below(classes: Integers, size: int, matching: Integers | None = None) -> float:
    """Return the share of records in classes of fewer records, in percent.

    `matching` are the records that match each class, where these are not its own.
    """
    sizes = np.bincount(classes)
    counts = sizes if matching is None else matching
    return 100.0 * float(sizes[counts < size].sum()) / classes.size


def expected_share(members: Integers, share: Floats) -> Floats:
    """Return E[1/F | f] for classes of f sampled records, a share p of the population's.

    F - f is negative binomial (Benedetti and Franconi 1998): the integral
    p * I(f), I(f) = int_0^1 u^(f-1) / (p + (1-p) u) du; I(f+1) = (1/f - p I(f)) / (1-p), which
    loses no digits for p <= 1/2. Large classes are p/f, to 1/f of that.
    """
    shares = np.empty(members.size)
    for at, (size, p) in enumerate(zip(members.tolist(), share.tolist(), strict=True)):
        shares[at] = _expected(size, p)
    return shares


def _expected(size: int, p: float) -> float:
    if p >= 1.0:
        return 1.0 / size
    if size > LARGE:
        return p / size * (1.0 + (1.0 - p) / size)
    if p <= 0.5:
        q = 1.0 - p
        value = -np.log(p) / q
        for f in range(1, size):
            value = (1.0 / f - p * value) / q
        return float(p * value)
    nodes, weights = _legendre()
    return float(p * (weights * nodes ** (size - 1) / (p + (1.0 - p) * nodes)).sum())


@cache
def _legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1.0) / 2.0, weights / 2.0


def population_risks(classes: Integers, weights: Floats) -> Floats:
    """Return of every class the expected 1/F."""
    sizes = np.bincount(classes)
    total = np.maximum(np.bincount(classes, weights=weights), sizes)
    pairs, back = np.unique(np.stack([sizes, total], axis=1), axis=0, return_inverse=True)
    members = pairs[:, 0].astype(np.int64)
    risks: Floats = expected_share(members, pairs[:, 0] / pairs[:, 1])[back.reshape(-1)]
    return risks


def population_uniques(classes: Integers, weights: Floats) -> float:
    """Return the estimated share of records that are alone in the population, in percent."""
    sizes = np.bincount(classes)
    alone = np.maximum(weights[sizes[classes] == 1], 1.0)
    return 100.0 * float((1.0 / alone).sum()) / classes.size
