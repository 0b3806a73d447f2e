"""Pitman's model of class sizes: how many people of a population are unique in it."""

from __future__ import annotations

import math

from shoal.kernels.arrays import Integers
from shoal.measures.disclosure.roots import bracket, digamma, root

LEAST = 1e-6  # of α, which lies between 0 and 1
EQUAL = 1e12  # times its step, a number that a sum adds nothing to


def pitman(held: Integers, counts: Integers, fraction: float) -> float | None:
    """Return the estimated number of unique people by Pitman's model (Hoshino 2001, J. Off. Stat.).

    Γ(θ+1) / Γ(θ+α) N^α; θ and α maximize the likelihood of Pitman's sampling formula:
    Σ_{i<u} 1/(θ+iα) = Σ_{i<n} 1/(θ+i) and Σ_{i<u} i/(θ+iα) = Σ_i s_i Σ_{j<i} 1/(j-α). No answer
    where all records are unique, or all in one class.
    """
    classes, drawn = int(counts.sum()), int((held * counts).sum())
    if classes in (1, drawn):
        return None

    def rest(alpha: float) -> float:
        theta = _theta(alpha, classes, drawn)
        inside = (classes - 1 - theta * _harmonic(theta, alpha, classes)) / alpha
        over = digamma(1.0 - alpha)
        return inside - sum(
            int(many) * (digamma(float(size) - alpha) - over)
            for size, many in zip(held, counts, strict=True) if size > 1
        )  # fmt: skip

    alpha = LEAST if rest(LEAST) <= 0.0 else root(rest, LEAST, 1.0 - LEAST)
    theta = _theta(alpha, classes, drawn)
    logs = math.lgamma(theta + 1.0) - math.lgamma(theta + alpha)
    return math.exp(logs + alpha * math.log(drawn / fraction))


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
