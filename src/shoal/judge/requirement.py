"""Requirement: k and the thresholds beyond it, frozen and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from shoal.errors import RequestError, nearest_names, shown
from shoal.judge import refuse

KINDS = ("distinct", "entropy", "recursive")
LIKENESS = ("enhanced", "basic")
MISSING = ("ignored", "value")  # what a missing sensitive cell is to l-diversity and alpha
OF_COLUMNS = ("l", "t", "alpha", "beta", "delta", "e")  # thresholds of sensitive columns
RANGES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "l": (lambda x: x >= 1, "a number of at least 1"),
    "t": (lambda x: 0 <= x <= 1, "a number between 0 and 1"),
    "alpha": (lambda x: 0 < x <= 1, "a number above 0, at most 1"),
    **dict.fromkeys(("beta", "delta", "e"), (lambda x: x > 0, "a number above 0")),
    "dominance": (lambda x: x > 0, "a percentage above 0"),
}
WHOLE = {"l": (lambda x: x >= 1 and x == int(x), "a whole number of at least 1")}
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
        kinds = {"l_kind": KINDS, "missing_sensitive": MISSING, "beta_kind": LIKENESS}
        refuse(
            *((getattr(self, what) not in known, f"{what} must be one of {', '.join(known)}")
              for what, known in kinds.items()),
            (self.beta is None and self.beta_kind != "enhanced",
             "beta_kind is a kind of β-likeness; say beta too"),
            (self.l is None and not self.l_of and (self.c is not None or self.l_kind != "distinct"),
             "l_kind and c are kinds of l-diversity; say l too"),
            ((self.l_kind == "recursive") != (self.c is not None),
             "recursive l-diversity needs c, and only that kind has one"),
            (self.c is not None and not (_is_number(self.c) and self.c > 0),
             "c must be a number above 0"),
            error=RequestError,
        )  # fmt: skip
        for what, (is_allowed, words) in (
            RANGES | (WHOLE if self.l_kind != "entropy" else {})
        ).items():
            given = getattr(self, what)
            every = given.values() if isinstance(given, Mapping) else [given]
            refuse(
                (isinstance(given, Mapping) and not given, f"{what} names no column"),
                (any(one is not None and not (_is_number(one) and is_allowed(one))
                     for one in every), f"{what} must be {words}"),
                error=RequestError,
            )  # fmt: skip
        refuse(
            *((len(columns) < 2 or type(least) is not int,
               "l_of must be a whole number for two or more columns together")
              for columns, least in self.l_of.items()),
            *((type(least) is int and (least < 1 or len(set(columns)) < len(columns)),
               "l_of must be at least 1, and name each column once")
              for columns, least in self.l_of.items()),
            *((not columns or type(k) is not int or k < 1,
               "k_of must be a whole number of at least 1 for named columns")
              for columns, k in self.k_of.items()),
            error=RequestError,
        )  # fmt: skip

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
        some = ", ".join((*OF_COLUMNS, "l_of"))
        refuse((self.of_sensitive and not sensitive,
                f"{some} are asked of sensitive columns; name at least one"),
               error=RequestError)  # fmt: skip
        asked = [
            *((what, getattr(self, what), sensitive, "sensitive column") for what in OF_COLUMNS),
            *(("l_of", columns, sensitive, "sensitive column") for columns in self.l_of),
            ("dominance", self.dominance, quasi_identifiers, "quasi-identifier"),
            *(("k_of", columns, quasi_identifiers, "quasi-identifier") for columns in self.k_of),
        ]
        refuse(
            *((True, f"{what} is given for {shown(name)}, which is no {role}"
               f"{nearest_names(name, known)}") for what, given, known, role in asked
              for name in (given if isinstance(given, Mapping | tuple) else ())
              if name not in known),
            error=RequestError,
        )  # fmt: skip

    def threshold(self, what: str, column: str) -> float | None:
        """Return the threshold of a column by one of the fields."""
        threshold: Threshold = getattr(self, what)
        return threshold.get(column) if isinstance(threshold, Mapping) else threshold


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
