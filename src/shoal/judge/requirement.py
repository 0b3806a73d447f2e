"""Requirement: k and the thresholds beyond it, frozen and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from shoal.errors import RequestError, nearest_names, shown

KINDS = ("distinct", "entropy", "recursive")
LIKENESS = ("enhanced", "basic")
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
        for what, known in (("l_kind", KINDS), ("missing_sensitive", MISSING),
                            ("beta_kind", LIKENESS)):  # fmt: skip
            if getattr(self, what) not in known:
                raise RequestError(f"{what} must be one of {', '.join(known)}")
        if self.beta is None and self.beta_kind != "enhanced":
            raise RequestError("beta_kind is a kind of β-likeness; say beta too")
        if self.l is None and not self.l_of and (self.c is not None or self.l_kind != "distinct"):
            raise RequestError("l_kind and c are kinds of l-diversity; say l too")
        if (self.l_kind == "recursive") != (self.c is not None):
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
        asked = [
            *((what, getattr(self, what), sensitive, "sensitive column") for what in OF_COLUMNS),
            *(("l_of", columns, sensitive, "sensitive column") for columns in self.l_of),
            ("dominance", self.dominance, quasi_identifiers, "quasi-identifier"),
            *(("k_of", columns, quasi_identifiers, "quasi-identifier") for columns in self.k_of),
        ]
        for what, given, known, role in asked:
            for name in given if isinstance(given, Mapping | tuple) else ():
                if name not in known:
                    raise RequestError(
                        f"{what} is given for {shown(name)}, which is no {role}"
                        f"{nearest_names(name, known)}"
                    )

    def threshold(self, what: str, column: str) -> float | None:
        """Return the threshold of a column by one of the fields."""
        threshold: Threshold = getattr(self, what)
        return threshold.get(column) if isinstance(threshold, Mapping) else threshold


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _check(threshold: Threshold, what: str, allowed: Callable[[float], bool], words: str) -> None:
    if isinstance(threshold, Mapping) and not threshold:
        raise RequestError(f"{what} names no column")
    every = threshold.values() if isinstance(threshold, Mapping) else [threshold]
    for value in every:
        if value is not None and not (_is_number(value) and allowed(value)):
            raise RequestError(f"{what} must be {words}")
