"""The slide negative binomial model of class sizes: how many people are unique in a population.

F - 1 is negative binomial with α and β, so that a class is of one with chance β^α (Chen and
Keller-McNulty 1998, J. Off. Stat. 14(1)). With the generating function
G(z) = z (β / (1 - (1-β) z))^α a class has one and two records in a sample of the fraction π with
chances π G'(1-π) and π² G''(1-π) / 2. α and β are those for which K classes of the population give
s_1 and s_2 of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.measures.disclosure.roots import bracket, root

LEAST = 1e-6  # of β, which lies between 0 and 1
STEPS = 300  # of β, between which the equations are solved
HALVINGS = 50  # of an interval of β


def classes_of_population(held: Integers, counts: Integers, fraction: float) -> float:
    """Return how many classes the population has (Shlosser's, as Haas and Stokes 1998 change it).

    u + s_1 [Σ i π² (1-π²)^(i-1) s_i / Σ (1-π)^i ((1+π)^i - 1) s_i]
        [Σ (1-π)^i s_i / Σ i π (1-π)^(i-1) s_i]².
    """
    i, s, pi = held.astype(float), counts.astype(float), fraction
    first = (i * pi**2 * (1.0 - pi**2) ** (i - 1) * s).sum()
    second = (((1.0 - pi**2) ** i - (1.0 - pi) ** i) * s).sum()
    third = ((1.0 - pi) ** i * s).sum()
    fourth = (i * pi * (1.0 - pi) ** (i - 1) * s).sum()
    unique = float(s[held == 1].sum())
    return float(s.sum() + unique * first / second * (third / fourth) ** 2)


def slide_negative_binomial(held: Integers, counts: Integers, fraction: float) -> float | None:
    """Return the estimated number of unique people, K β^α; None where no α and β fit."""
    one, two = (float(counts[held == size].sum()) for size in (1, 2))
    if fraction >= 1.0:
        return one
    classes = classes_of_population(held, counts, fraction)
    model = Slide(classes, fraction, one, two)
    for branch in (1, 0):
        for beta, alpha in model.fits(branch):
            return classes * math.exp(alpha * math.log(beta))
    return None


@dataclass(frozen=True)
class Slide:
    """K classes of the population, of which `one` and `two` have one and two sampled records."""

    classes: float
    fraction: float
    one: float
    two: float

    def fits(self, branch: int) -> Iterator[tuple[float, float]]:
        """Yield the β and α that expect both numbers, on one side of the most classes of one."""
        near_one = 1.0 - np.geomspace(LEAST, 0.5, STEPS)[::-1]
        grid = np.concatenate((np.geomspace(LEAST, 0.5, STEPS), near_one[1:])).tolist()
        gaps = [self.misfit(beta, branch) for beta in grid]
        for at in range(1, len(grid)):
            low, high = grid[at - 1], grid[at]
            if gaps[at - 1] is None and gaps[at] is None:
                continue
            if gaps[at - 1] is None:
                low = self._edge(high, low, branch)
            elif gaps[at] is None:
                high = self._edge(low, high, branch)
            first, last = self.misfit(low, branch), self.misfit(high, branch)
            if first is not None and last is not None and (first > 0) != (last > 0):
                beta = self._between(low, high, first, branch)
                alpha = self.alpha(beta, branch)
                if alpha is not None:
                    yield beta, alpha

    def _edge(self, inside: float, outside: float, branch: int) -> float:
        """Return the last β, on the way from one that has an α to one without, that has one."""
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2.0
            if self.alpha(middle, branch) is None:
                outside = middle
            else:
                inside = middle
        return inside

    def _between(self, low: float, high: float, at_low: float, branch: int) -> float:
        """Return the β between two at which both equations hold."""
        sign = 1.0 if at_low > 0 else -1.0

        def rest(beta: float) -> float:
            gap = self.misfit(beta, branch)
            return -1.0 if gap is None else sign * gap

        return root(rest, low, high)

    def misfit(self, beta: float, branch: int) -> float | None:
        """Return how many classes of two too many are expected, where those of one are right."""
        alpha = self.alpha(beta, branch)
        return None if alpha is None else self.classes * self.expected(alpha, beta)[1] - self.two

    def alpha(self, beta: float, branch: int) -> float | None:
        """Return the α that expects the classes of one; None where there is none on this side.

        Their number rises with α up to a peak (branch 0), and falls beyond it (branch 1).
        """
        q = (1.0 - beta) * (1.0 - self.fraction)
        falls = -math.log(beta / (1.0 - q))
        peak = max(1.0 / falls - (1.0 - q) / q, 0.0)

        def rest(alpha: float) -> float:
            return self.classes * self.expected(alpha, beta)[0] - self.one

        if rest(peak) <= 0.0:
            return None
        if branch:
            return root(rest, peak, bracket(rest, peak + 1.0))
        return None if rest(0.0) > 0.0 else root(lambda alpha: -rest(alpha), 0.0, peak)

    def expected(self, alpha: float, beta: float) -> tuple[float, float]:
        """Return the chances that a class has one and two records in the sample."""
        q, pi = 1.0 - beta, self.fraction
        inside = 1.0 - q * (1.0 - pi)
        power = math.exp(alpha * math.log(beta / inside))
        once = pi * power * (1.0 + alpha * q * (1.0 - pi) / inside)
        twice = pi**2 / 2.0 * power * alpha * q * (2.0 + (alpha - 1.0) * q * (1.0 - pi))
        return once, twice / inside**2
