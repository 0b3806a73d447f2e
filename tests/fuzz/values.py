"""What a group releases of a column, worked out anew. Imports nothing of ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from fuzz.covering import number

CLOSE = Fraction(1, 10**9)
Room = tuple[Fraction | None, Fraction]


def is_number(value: Any) -> bool:
    """Whether a value has a place on a line: numbers and dates, not booleans and texts."""
    return number(value) is not None and not isinstance(value, str | bool)


def fits(
    way: str | None,
    released: Any,
    members: Sequence[Any],
    weights: Sequence[Any] | None,
    step: Fraction | None,
    close: Fraction = CLOSE,
) -> bool:
    """Whether a released value is what a group's values give, by one of the ways it may go.

    `way` is what was asked for; None: what is usual. `step` is to what numbers are rounded, None
    where they have all digits; `close` how exact such digits are, as a share of the value.
    """
    if way in ("mode", "medoid") or not all(is_number(value) for value in members):
        return _is_mode(released, members, weights) if way == "mode" else released in members
    ways = {"mean": [_mean], "median": [_median]}.get(way or "", [_mean, _mode])
    place = number(released)
    if place is None:
        return False
    return any(made(place, members, weights, (step, close)) for made in ways)


def _mean(released: Any, members: Sequence[Any], weights: Any, by: Room) -> bool:
    places = [number(value) for value in members]
    shares = [Fraction(1)] * len(places) if weights is None else [Fraction(w) for w in weights]
    mean = sum(p * w for p, w in zip(places, shares, strict=True)) / sum(shares)
    return abs(released - mean) <= _room(members, by, mean)


def _median(released: Any, members: Sequence[Any], weights: Any, by: Room) -> bool:
    places = sorted(number(value) for value in members)
    middle = places[(len(places) - 1) // 2], places[len(places) // 2]
    if weights is not None:  # between the least and the largest, the place is by weights
        middle = places[0], places[-1]
    room = _room(members, by, middle[1])
    return middle[0] - room <= released <= middle[1] + room


def _mode(released: Any, members: Sequence[Any], weights: Any, _by: Room) -> bool:
    counts: Counter[Any] = Counter()
    for value, weight in zip(members, weights or [1] * len(members), strict=True):
        counts[number(value)] += Fraction(weight)
    return bool(counts) and counts[released] == max(counts.values())


def _is_mode(released: Any, members: Sequence[Any], weights: Any) -> bool:
    counts: Counter[Any] = Counter()
    for value, weight in zip(members, weights or [1] * len(members), strict=True):
        counts[value] += Fraction(weight)
    return released in counts and counts[released] >= max(counts.values()) - CLOSE


def _room(members: Sequence[Any], by: Room, size: Fraction) -> Fraction:
    """Return how far a rounded value may lie from the true one."""
    step, close = by
    if isinstance(members[0], date):
        return Fraction(1, 2)  # times: rounded to what the column writes, a day at the most
    exact = close * max(abs(size), *(abs(number(value) or 0) for value in members))
    return exact if step is None else step / 2 + exact
