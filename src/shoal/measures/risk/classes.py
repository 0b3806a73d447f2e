"""Risks that follow from the sizes of the classes: prosecutor, marketer, journalist, uniques."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers

TERMS = 60  # of the series, or steps of the recurrence: exact to the last digits


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
    loses no digits for p <= 1/2. For larger p, and for large classes, as p times the series of
    m! (f-1)! / (f+m)! (1-p)^m, the hypergeometric function, whose terms fall fast.
    """
    p = np.minimum(share, 1.0)
    shares = p * _series(members, 1.0 - p)
    steps = np.flatnonzero((p <= 0.5) & (members <= TERMS))
    shares[steps] = p[steps] * _recurrence(members[steps], p[steps])
    return shares


def _series(members: Integers, q: Floats) -> Floats:
    """Return I(f) as a sum, for q = 1 - p of at most 1/2 or large f."""
    term = 1.0 / members
    total = term.copy()
    for m in range(1, TERMS):
        term = term * (q * m / (members + m))
        total += term
    return total


def _recurrence(members: Integers, p: Floats) -> Floats:
    """Return I(f) step by step from I(1) = -log(p) / (1-p), for p of at most 1/2."""
    order = np.argsort(-members, kind="stable")  # those that go on are in front
    sizes, p = members[order], p[order]
    q = 1.0 - p
    values = -np.log(p) / q
    for f in range(1, int(sizes.max(initial=1))):
        end = int(np.searchsorted(-sizes, -f, side="left"))  # larger than f
        values[:end] = (1.0 / f - p[:end] * values[:end]) / q[:end]
    found = np.empty_like(values)
    found[order] = values
    return found


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
