"""Rules: a privacy model with its number, of one sensitive column or of a combination.

A rule says what a class has and whether that is enough, from how often each value occurs in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.judge.models import disclosure, diversity, likeness, spread
from shoal.judge.models.closeness import Counts, Distance
from shoal.judge.models.share import largest_share

Number = Callable[[int], Fraction | None]  # what a code stands for; None: it is missing


@dataclass(frozen=True)
class Rule:
    """One model for one column, with its `threshold`; `most` tells that less is better.

    `figure` is that of a class, `holds` tells whether it is enough; both take how often each value
    occurs in it.
    """

    model: str
    column: str
    threshold: float
    most: bool
    figure: Callable[[Counts], float]
    holds: Callable[[Counts], bool]

    def worst(self, figures: Iterable[float]) -> float:
        """Return the worst of what several classes have."""
        return max(figures, default=0.0) if self.most else min(figures, default=0.0)


def diversity_rule(column: str, wanted: float, kind: str, c: float | None) -> Rule:
    """Return l-diversity of a kind."""
    if kind == "entropy":
        return Rule("entropy l-diversity", column, wanted, False,
                    lambda counts: diversity.entropy(counts.values()),
                    lambda counts: diversity.has_entropy(counts.values(), wanted))  # fmt: skip
    least = int(wanted)
    if kind == "recursive":
        assert c is not None
        return Rule(f"recursive (c,{least})-diversity", column, c, True,
                    lambda counts: diversity.recursive(counts.values(), least),
                    lambda counts: diversity.is_recursive(counts.values(), c, least))  # fmt: skip
    return Rule("distinct l-diversity", column, least, False,
                lambda counts: diversity.distinct(counts.values()),
                lambda counts: diversity.distinct(counts.values()) >= least)  # fmt: skip


def closeness_rule(column: str, t: float, distance: Distance) -> Rule:
    """Return t-closeness by a distance."""
    return Rule(f"t-closeness ({distance.name} distance)", column, t, True, distance,
                lambda counts: distance(counts) <= t)  # fmt: skip


def share_rule(column: str, alpha: float) -> Rule:
    """Return (α,k)-anonymity."""
    return Rule("(α,k)-anonymity", column, alpha, True,
                lambda counts: largest_share(counts.values()),
                lambda counts: largest_share(counts.values()) <= alpha)  # fmt: skip


def likeness_rule(column: str, beta: float, kind: str, whole: Counts) -> Rule:
    """Return β-likeness of a kind; `whole` counts the values of the whole release."""
    return Rule(f"{kind} β-likeness", column, beta, True,
                lambda counts: likeness.gain(counts, whole, kind),
                lambda counts: likeness.is_like(counts, whole, beta, kind))  # fmt: skip


def disclosure_rule(column: str, delta: float, whole: Counts) -> Rule:
    """Return δ-disclosure privacy; `whole` counts the values of the whole release."""
    return Rule("δ-disclosure privacy", column, delta, True,
                lambda counts: disclosure.change(counts, whole),
                lambda counts: disclosure.change(counts, whole) < delta)  # fmt: skip


def spread_rules(column: str, k: int, e: float, number: Number) -> list[Rule]:
    """Return both parts of (k,e)-anonymity; `number` says what codes stand for."""
    wanted = Fraction(str(e))

    def numbers(counts: Counts) -> set[Fraction]:
        every = (number(code) for code, count in counts.items() if count)
        return {one for one in every if one is not None}

    return [
        Rule("(k,e)-anonymity, different numbers", column, k, False,
             lambda counts: len(numbers(counts)), lambda counts: len(numbers(counts)) >= k),
        Rule("(k,e)-anonymity, range", column, e, False,
             lambda counts: float(spread.width(numbers(counts))),
             lambda counts: spread.width(numbers(counts)) >= wanted),
    ]  # fmt: skip
