"""What a release keeps, counted anew: k, l, alpha and t of its classes. Imports nothing of ours."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from naive import judging, shares, spelling

FAR = Fraction(10) ** 400  # beyond all numbers that there are
ROOM = Fraction(1, 10**9)  # figures that are asked for as floats


def classes(columns: Sequence[Sequence[Hashable]], rows: int) -> list[list[int]]:
    """Return the rows of every class: those that agree in all columns."""
    return judging.classes([tuple(cells(column[row]) for column in columns) for row in range(rows)])


def cells(cell: Any) -> Any:
    """Return a cell so that it equals itself, not-a-number too, and can be a key: an interval."""
    if isinstance(cell, dict):
        return tuple((name, cells(value)) for name, value in cell.items())
    return "nan" if cell != cell else cell


def units(members: Sequence[int], owners: Sequence[Hashable] | None) -> int:
    """Return how many records, people or households a class has."""
    return len(members) if owners is None else len({owners[row] for row in members})


def is_missing(cell: Any) -> bool:
    """Whether a cell says nothing."""
    return cell is None or cell != cell or cell in ("", "*")


def sensitive(values: Sequence[Any], missing_counts: bool) -> list[Any]:
    """Return the forms of sensitive values; the missing ones are out, or a value of their own."""
    forms = [spelling.form(_plain(value)) for value in values]
    if missing_counts:
        return ["\0missing" if form is None else form for form in forms]
    return [form for form in forms if form is not None]


def _plain(value: Any) -> Any:
    return Fraction(value) if isinstance(value, Decimal) and value.is_finite() else value


def breaks_l(values: Sequence[Any], wanted: float, kind: str, c: float | None) -> bool:
    """Whether a class's sensitive values (forms) break l-diversity."""
    if kind == "entropy":
        size = len(values)
        if size == 0:
            return True
        if float(wanted).is_integer():
            return not judging.has_entropy(values, int(wanted))
        return judging.entropy(values) < wanted * (1 - 1e-9)
    if kind == "recursive":
        if not values:
            return True
        found = judging.recursive(values, int(wanted))
        return not found < Fraction(c) + ROOM
    return len(set(values)) < wanted


def breaks_alpha(values: Sequence[Any], alpha: float) -> bool:
    """Whether a value is more than a share of a class's sensitive values (forms)."""
    return any(judging.share(values, value) > Fraction(alpha) + ROOM for value in set(values))


def breaks_beta(values: Sequence[Any], whole: Sequence[Any], beta: float) -> bool:
    """Whether a value of a class gains more than β, as basic and enhanced β-likeness forbid."""
    return bool(values) and shares.gain(values, whole) > Fraction(beta) + ROOM


def breaks_delta(values: Sequence[Any], whole: Sequence[Any], delta: float) -> bool:
    """Whether the share of a value in a class changes by δ or more, or is none."""
    return bool(whole) and (not values or shares.change(values, whole) > delta + 1e-9)


def distance(part: Sequence[Any], whole: Sequence[Any]) -> Fraction:
    """Return the earth mover's distance of two lists of values: ordered for numbers and dates."""
    known = [value for value in whole if not is_missing(value)]
    plain = [[None if is_missing(v) else _place(v) for v in values] for values in (part, whole)]
    if known and all(_on_a_line(value) for value in known):
        return judging.ordered_distance(*plain)
    return judging.equal_distance(*plain)


def _on_a_line(value: Any) -> bool:
    return isinstance(value, int | float | Decimal | date) and not isinstance(value, bool)


def _place(value: Any) -> Any:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, datetime):
        return Fraction((value.replace(tzinfo=None) - datetime.min) // timedelta(microseconds=1))
    if isinstance(value, date):
        return Fraction(value.toordinal())
    if math.isinf(value):
        return FAR if value > 0 else -FAR
    return Fraction(value)
