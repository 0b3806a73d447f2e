"""Requirement: k and the thresholds beyond it, frozen and checked.

Each sensitive column is judged on its own, by the rules that `rules` makes of a requirement. A rule
is a model with its number: what a class has, and whether that is enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from shoal.errors import RequestError, nearest_names, shown
from shoal.judge.models import diversity
from shoal.judge.models.closeness import Counts, Distance
from shoal.judge.models.share import largest_share

KINDS = ("distinct", "entropy", "recursive")
MISSING = ("ignored", "value")  # what a missing sensitive cell is to l-diversity and alpha
Threshold = float | Mapping[str, float] | None


@dataclass(frozen=True)
class Requirement:
    """k, and what else is asked: numbers for all columns, or by the names of columns.

    `l`, `l_kind` and `c` are l-diversity, `t` t-closeness and `alpha` (α,k)-anonymity of sensitive
    columns; `dominance` is the p of the p % rule, for numbers that are released as means; `k_of`
    is an own k for some of the quasi-identifiers. `missing_sensitive` is what a missing sensitive
    cell is to l-diversity and alpha: ignored, or a value of its own, which it always is to t.
    """

    k: int
    l: Threshold = None  # noqa: E741 - its name in the literature
    l_kind: str = "distinct"
    c: float | None = None
    t: Threshold = None
    alpha: Threshold = None
    dominance: Threshold = None
    k_of: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    missing_sensitive: str = "ignored"

    def __post_init__(self) -> None:
        if self.l_kind not in KINDS:
            raise RequestError(f"l_kind must be one of {', '.join(KINDS)}")
        if self.missing_sensitive not in MISSING:
            raise RequestError(f"missing_sensitive must be one of {', '.join(MISSING)}")
        if self.l is None and (self.c is not None or self.l_kind != "distinct"):
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
        _check(self.dominance, "dominance", lambda x: x > 0, "a percentage above 0")
        for columns, k in self.k_of.items():
            if not columns or isinstance(k, bool) or not isinstance(k, int) or k < 1:
                raise RequestError("k_of must be a whole number of at least 1 for named columns")

    @property
    def of_sensitive(self) -> bool:
        """Whether anything is asked of sensitive columns."""
        return not (self.l is None and self.t is None and self.alpha is None)

    def of_column(self, name: str) -> bool:
        """Tell whether anything is asked of a sensitive column."""
        return any(self.threshold(what, name) is not None for what in ("l", "t", "alpha"))

    @property
    def more_than_k(self) -> bool:
        """Whether groups of k are not enough."""
        return self.of_sensitive or self.dominance is not None

    def shown_by_records(self) -> Requirement:
        """Return the requirement on people as far as records show it: distinct values count."""
        if self.l_kind == "distinct":
            return replace(self, t=None, alpha=None)
        return replace(self, l=None, l_kind="distinct", c=None, t=None, alpha=None)

    def check(self, sensitive: Sequence[str], quasi_identifiers: Sequence[str]) -> None:
        """Raise RequestError for thresholds of unknown columns."""
        if self.of_sensitive and not sensitive:
            raise RequestError("l, t and alpha are asked of sensitive columns; name at least one")
        for what in ("l", "t", "alpha"):
            _check_names(getattr(self, what), sensitive, what, "sensitive column")
        _check_names(self.dominance, quasi_identifiers, "dominance", "quasi-identifier")
        for columns in self.k_of:
            _check_names(dict.fromkeys(columns, 0.0), quasi_identifiers, "k_of", "quasi-identifier")

    def threshold(self, what: str, column: str) -> float | None:
        """Return the threshold of a column by one of the fields."""
        threshold: Threshold = getattr(self, what)
        return threshold.get(column) if isinstance(threshold, Mapping) else threshold

    def rules(self, column: str, distance: Distance | None) -> list[Rule]:
        """Return the rules that a sensitive column must keep; `distance` is for t-closeness."""
        rules = []
        wanted = self.threshold("l", column)
        if wanted is not None:
            rules.append(_diversity(column, wanted, self.l_kind, self.c))
        t = self.threshold("t", column)
        if t is not None:
            assert distance is not None
            rules.append(_closeness(column, t, distance))
        alpha = self.threshold("alpha", column)
        if alpha is not None:
            rules.append(
                Rule("(α,k)-anonymity", column, alpha, True,
                     lambda counts: largest_share(counts.values()),
                     lambda counts: largest_share(counts.values()) <= alpha)
            )  # fmt: skip
        return rules


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


def _diversity(column: str, wanted: float, kind: str, c: float | None) -> Rule:
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


def _closeness(column: str, t: float, distance: Distance) -> Rule:
    return Rule(f"t-closeness ({distance.name} distance)", column, t, True, distance,
                lambda counts: distance(counts) <= t)  # fmt: skip


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
