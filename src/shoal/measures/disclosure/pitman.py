"""Pitman's model of class sizes: how many people of a population are unique in it."""

from __future__ import annotations

import math

from shoal.kernels.arrays import Integers
from shoal.measures.disclosure.roots import bracket, digamma, root

LEAST = 1e-6  # of α, which lies between 0 and 1
EQUAL = 1e12  # times its step, a number that a sum adds nothing to


def pitman(held: Integers, counts: Integers, fraction: float) -> float | None:
    """Return the estimated number of unique people (Hoshino 2001, J. Off. Stat. 17(4)).

    Γ(θ+1) / Γ(θ+α) N^α; no answer where all records are unique, or all in one class.
    """
    found = fit_pitman(held, counts)
    if found is None:
        return None
    theta, alpha = found
    logs = math.lgamma(theta + 1.0) - math.lgamma(theta + alpha)
    return math.exp(logs + alpha * math.log(float((held * counts).sum()) / fraction))


def fit_pitman(held: Integers, counts: Integers) -> tuple[float, float] | None:
    """Return the θ and α that maximize the likelihood of Pitman's sampling formula.

    `held` are sizes of classes, `counts` how many have each. At the maximum
    Σ_{i<u} 1/(θ+iα) = Σ_{i<n} 1/(θ+i) and Σ_{i<u} i/(θ+iα) = Σ_i s_i Σ_{j<i} 1/(j-α).
    """
    classes, drawn = int(counts.sum()), int((held * counts).sum())
    if classes in (1, drawn):
        return None
    several = [(int(size), int(many)) for size, many in zip(held, counts, strict=True) if size > 1]

    def rest(alpha: float) -> float:
        theta = _theta(alpha, classes, drawn)
        inside = (classes - 1 - theta * _harmonic(theta, alpha, classes)) / alpha
        over = digamma(1.0 - alpha)
        return inside - sum(many * (digamma(size - alpha) - over) for size, many in several)

    alpha = LEAST if rest(LEAST) <= 0.0 else root(rest, LEAST, 1.0 - LEAST)
    return _theta(alpha, classes, drawn), alpha


def _harmonic(theta: float, alpha: float, end: int) -> float:
    """Return Σ 1/(θ + iα) for 0 < i < end."""
    ratio = theta / alpha
    if ratio > EQUAL:
        return (end - 1) / theta
    return (digamma(ratio + end) - digamma(ratio + 1.0)) / alpha


def _theta(alpha: float, classes: int, drawn: int) -> float:
    """Return the best θ for an α: it is above -α."""

    def rest(shifted: float) -> float:
        theta = shifted - alpha
        return _harmonic(theta, alpha, classes) - _harmonic(theta, 1.0, drawn)

    return root(rest, 0.0, bracket(rest, 1.0)) - alpha
