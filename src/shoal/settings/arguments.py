"""Arguments of Python functions as plain values: names of columns, whole numbers, dicts."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from shoal.errors import RequestError


def names(given: Any, what: str) -> list[str]:
    """Return a list of column names from one name, several or None."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    try:
        every = list(given)
    except TypeError:
        every = [given]
    if any(isinstance(name, bool) or not isinstance(name, str | int) for name in every):
        raise RequestError(f"{what} must be column names")
    return [str(name) for name in every]


def count(number: Any, what: str) -> int | None:
    """Return a whole number, or None where none is given."""
    return None if number is None else whole(number, what)


def whole(number: Any, what: str) -> int:
    """Return a whole number of any integer type; a bool, a float or a text is an error."""
    try:
        if isinstance(number, bool):
            raise TypeError
        return operator.index(number)
    except TypeError:
        raise RequestError(f"{what} must be a whole number") from None


def pairs(given: Any, what: str) -> dict[str, Any]:
    """Return values by column or part."""
    if not isinstance(given, Mapping):
        raise RequestError(f"{what} must be a dict: of a name what is said of it")
    return dict(given)


def plain(number: Any) -> Any:
    """Return a number of any type as Python's own, anything else as it is."""
    if isinstance(number, bool) or not isinstance(number, Real):
        return number
    return int(number) if isinstance(number, Integral) else float(number)
