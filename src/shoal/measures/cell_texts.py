"""What a released text covers: an interval of numbers, or some of a column's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from shoal.errors import InputError
from shoal.kernels.arrays import Integers
from shoal.table.hierarchy.listed import BEYOND, ENDLESS, FAR, INTERVAL
from shoal.table.hierarchy.values import Axis

Ranks = Mapping[str, Fraction]


def span(text: str, axis: Axis, ranks: Ranks) -> tuple[Fraction, Fraction, str] | None:
    """Return the ends of what a text covers, and a mark of how; None where it names no numbers.

    The mark is "]" for [a,b], ")" for [a,b), "<" and ">" where an end is open, "" for a number.
    `ranks` are those of the values of an ordinal column, which may hold commas.
    """
    if ranks:
        return _ranked(text, ranks)
    between, beyond = INTERVAL.fullmatch(text), BEYOND.fullmatch(text)
    try:
        if between:
            low, high = (_end(part, axis) for part in (between[1], between[2]))
            if low == -FAR or high == FAR:
                return low, high, "<" if low == -FAR else ">"
            return low, high, between[3]
        if beyond:
            bound = _end(beyond[2], axis)
            return (-FAR, bound, "<") if beyond[1] == "<" else (bound, FAR, ">")
        number = axis.read(text, "")
    except InputError:
        return None
    return number, number, ""


def _end(text: str, axis: Axis) -> Fraction:
    return ENDLESS[text] * FAR if text in ENDLESS else axis.read(text, "")


def _ranked(text: str, ranks: Ranks) -> tuple[Fraction, Fraction, str] | None:
    if text in ranks:
        return ranks[text], ranks[text], ""
    if text[:1] != "[" or text[-1:] != "]":
        return None
    inner = text[1:-1]
    for at in (place for place, sign in enumerate(inner) if sign == ","):
        low, high = ranks.get(inner[:at]), ranks.get(inner[at + 1 :])
        if low is not None and high is not None:
            return low, high, "]"
    return None


def cover(text: str, values: Sequence[str], place: Mapping[str, int]) -> Integers | None:
    """Return the words that a text covers: itself, or what a mask (12**) fits; None if unknown."""
    if text in place:
        return np.array([place[text]], dtype=np.int64)
    kept = text.rstrip("*")
    if kept != text:
        fits = [i for i, v in enumerate(values) if len(v) == len(text) and v.startswith(kept)]
        return np.array(fits, dtype=np.int64) if fits else None
    return None
