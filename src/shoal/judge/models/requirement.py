"""Requirement: k and the thresholds beyond it, frozen and checked.

Each sensitive column is judged on its own, by the rules (`requirement.py`) that `rules` makes of a
requirement; combinations of some by those of `combined`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Real
from typing import Any

from shoal.errors import RequestError, nearest_names, shown
from shoal.judge.models import disclosure, diversity, likeness
from shoal.judge.models.closeness import Counts, Distance

Number = Callable[[int], Fraction | None]  # what a code stands for; None: it is missing
KINDS = ("distinct", "entropy", "recursive")
MISSING = ("ignored", "value")  # what a missing sensitive cell is to l-diversity and alpha
OF_COLUMNS = ("l", "t", "alpha", "beta", "delta", "e")  # thresholds of sensitive columns
Threshold = float | Mapping[str, float] | None


@dataclass(frozen=True)
class Requirement:
    """k, and what else is asked: numbers for all columns, or by the names of columns.

    `l`, `l_kind` and `c` are l-diversity, `t` t-closeness, `alpha` (α,k)-anonymity, `beta` and
    `beta_kind` β-likeness, `delta` δ-disclosure privacy of sensitive columns, `e` (k,e)-anonymity
    of sensitive numbers; `l_of` is an l of combinations of sensitive columns. `dominance` is the p
    of the p % rule, for numbers that are released as means; `k_of` is an own k for some of the
    quasi-identifiers. `missing_sensitive` is what a missing sensitive cell is to all but t and e:
    ignored, or a value of its own, which it always is to t, never to e.
    """

    k: int
    l: Threshold = None  # noqa: E741 - its name in the literature
    l_kind: str = "distinct"
    c: float | None = None
    t: Threshold = None
    alpha: Threshold = None
    beta: Threshold = None
    beta_kind: str = "enhanced"
    delta: Threshold = None
    e: Threshold = None
    l_of: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    dominance: Threshold = None
    k_of: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    missing_sensitive: str = "ignored"

    def __post_init__(self) -> None:
        if self.l_kind not in KINDS:
            raise RequestError(f"l_kind must be one of {', '.join(KINDS)}")
        if self.missing_sensitive not in MISSING:
            raise RequestError(f"missing_sensitive must be one of {', '.join(MISSING)}")
        if self.beta_kind not in likeness.KINDS:
            raise RequestError(f"beta_kind must be one of {', '.join(likeness.KINDS)}")
        if self.beta is None and self.beta_kind != "enhanced":
            raise RequestError("beta_kind is a kind of β-likeness; say beta too")
        if self.l is None and not self.l_of and (self.c is not None or self.l_kind != "distinct"):
            raise RequestError("l_kind and c are kinds of l-diversity; say l too")
        recursive = self.l_kind == "recursive"
        if recursive != (self.c is not None):
            raise RequestError("recursive l-diversity needs c, and only that kind has one")
        if self.c is not None and not (_is_number(self.c) and self.c > 0):
            raise RequestError("c must be a number above 0")
        whole = self.l_kind != "entropy"
        _check(self.l, "l", lambda x: x >= 1 and (not whole or x == int(x)),
               "a whole number of at least 1" if whole else "a number of at least 1")  # fmt: skip
        _check(self.t, "t", lambda x: 0 <= x <= 1, "a number between 0 and 1")
        _check(self.alpha, "alpha", lambda x: 0 < x <= 1, "a number above 0, at most 1")
        for what in ("beta", "delta", "e"):
            _check(getattr(self, what), what, lambda x: x > 0, "a number above 0")
        _check(self.dominance, "dominance", lambda x: x > 0, "a percentage above 0")
        for columns, least in self.l_of.items():
            if len(columns) < 2 or isinstance(least, bool) or not isinstance(least, int):
                raise RequestError("l_of must be a whole number for two or more columns together")
            if least < 1 or len(set(columns)) < len(columns):
                raise RequestError("l_of must be at least 1, and name each column once")
        for columns, k in self.k_of.items():
            if not columns or isinstance(k, bool) or not isinstance(k, int) or k < 1:
                raise RequestError("k_of must be a whole number of at least 1 for named columns")

    @property
    def of_sensitive(self) -> bool:
        """Whether anything is asked of sensitive columns."""
        return bool(self.l_of) or any(getattr(self, what) is not None for what in OF_COLUMNS)

    def of_column(self, name: str) -> bool:
        """Tell whether anything is asked of a sensitive column, on its own or with others."""
        alone = any(self.threshold(what, name) is not None for what in OF_COLUMNS)
        return alone or any(name in columns for columns in self.l_of)

    @property
    def more_than_k(self) -> bool:
        """Whether groups of k are not enough."""
        return self.of_sensitive or self.dominance is not None

    def shown_by_records(self) -> Requirement:
        """Return the requirement on people as far as records show it: distinct values count."""
        counted = replace(self, t=None, alpha=None, beta=None, beta_kind="enhanced", delta=None)
        if self.l_kind == "distinct":
            return counted
        return replace(counted, l=None, l_of={}, l_kind="distinct", c=None)

    def check(self, sensitive: Sequence[str], quasi_identifiers: Sequence[str]) -> None:
        """Raise RequestError for thresholds of unknown columns."""
        if self.of_sensitive and not sensitive:
            raise RequestError(
                f"{', '.join((*OF_COLUMNS, 'l_of'))} are asked of sensitive columns; name at least "
                "one"
            )
        for what in OF_COLUMNS:
            _check_names(getattr(self, what), sensitive, what, "sensitive column")
        for columns in self.l_of:
            _check_names(dict.fromkeys(columns, 0.0), sensitive, "l_of", "sensitive column")
        _check_names(self.dominance, quasi_identifiers, "dominance", "quasi-identifier")
        for columns in self.k_of:
            _check_names(dict.fromkeys(columns, 0.0), quasi_identifiers, "k_of", "quasi-identifier")

    def threshold(self, what: str, column: str) -> float | None:
        """Return the threshold of a column by one of the fields."""
        threshold: Threshold = getattr(self, what)
        return threshold.get(column) if isinstance(threshold, Mapping) else threshold

    def rules(
        self,
        column: str,
        distance: Distance | None,
        whole: Counts | None = None,
        number: Number | None = None,
    ) -> list[Rule]:
        """Return the rules that a sensitive column must keep.

        `distance` is for t-closeness, `whole`, for beta and delta, counts the values of the whole
        release; `number`, for e, says which number a code stands for.
        """
        rules = []
        of = {what: self.threshold(what, column) for what in OF_COLUMNS}
        if of["l"] is not None:
            rules.append(diversity_rule(column, of["l"], self.l_kind, self.c))
        if of["t"] is not None:
            assert distance is not None
            rules.append(closeness_rule(column, of["t"], distance))
        if of["alpha"] is not None:
            rules.append(share_rule(column, of["alpha"]))
        if of["beta"] is not None:
            assert whole is not None
            rules.append(likeness_rule(column, of["beta"], self.beta_kind, whole))
        if of["delta"] is not None:
            assert whole is not None
            rules.append(disclosure_rule(column, of["delta"], whole))
        if of["e"] is not None:
            assert number is not None
            rules += spread_rules(column, self.k, of["e"], number)
        return rules

    def combined(self, columns: tuple[str, ...], name: str) -> Rule:
        """Return the rule that combinations of some sensitive columns must keep."""
        rule = diversity_rule(name, self.l_of[columns], self.l_kind, self.c)
        return replace(rule, model=f"{rule.model} of combinations")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _check(threshold: Threshold, what: str, allowed: Callable[[float], bool], words: str) -> None:
    every = (
        threshold.values()
        if isinstance(threshold, Mapping)
        else ()
        if threshold is None
        else (threshold,)
    )
    if isinstance(threshold, Mapping) and not threshold:
        raise RequestError(f"{what} names no column")
    for value in every:
        if not _is_number(value) or not allowed(value):
            raise RequestError(f"{what} must be {words}")


def _check_names(threshold: Threshold, known: Sequence[str], what: str, role: str) -> None:
    for name in threshold if isinstance(threshold, Mapping) else ():
        if name not in known:
            raise RequestError(
                f"{what} is given for {shown(name)}, which is no {role}{nearest_names(name, known)}"
            )


# Rules: a privacy model with its number, of one sensitive column or of a combination.
#
# A rule says what a class has and whether that is enough, from how often each value occurs in it.


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
             lambda counts: float(width(numbers(counts))),
             lambda counts: width(numbers(counts)) >= wanted),
    ]  # fmt: skip


# (α,k)-anonymity (Wong, Li, Fu and Wang 2006): no sensitive value is more than α of a class.
#
# In plain words: whoever has found a person's class cannot be surer than α of any sensitive value.
#
# Precondition: `counts` says how often each sensitive value occurs in a class, whatever its
# spelling. Missing values are left out of it, or are a value of their own, as is asked
# (`missing_sensitive`); a class of nothing but left-out ones tells nothing and has it. It holds for
# the union of classes that have it.
def largest_share(counts: Iterable[int]) -> float:
    """Return the share of the most frequent value; of a class without records 0."""
    every = list(counts)
    size = sum(every)
    return max(every) / size if size else 0.0


# (k,e)-anonymity of numbers (Zhang, Koudas, Srivastava and Yu 2007, ICDE, definition 1).
#
# In plain words: whoever has found a person's class knows neither the person's number nor about how
# large it is: a class holds at least k different numbers, and from the least to the greatest it is
# at least e.
#
# Precondition: `numbers` are the exact values of a class; missing ones are left out. Postcondition:
# a class without numbers has no range at all. Both parts hold for the union of classes that have
# them.
def width(numbers: Iterable[Fraction]) -> Fraction:
    """Return how far it is from the least number to the greatest, exactly."""
    every = list(numbers)
    return max(every) - min(every) if every else Fraction(0)
