"""Fields of steps: their types, and values of them from Python, TOML and the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.errors import RequestError

ColumnName = Annotated[str, "column"]  # a form offers the columns that there are
RuleText = Annotated[str, "rule"]  # a hierarchy: a rule, or a file
Columns = tuple[str, ...]
Values = Mapping[str, str]
Number = int | float
Threshold = int | float | str  # a number, or a date as text


def types_of(cls: Any) -> dict[str, Any]:
    """Return the types of a step's fields, by name, in their order."""
    from dataclasses import fields

    hints = get_type_hints(cls)
    return {own.name: hints[own.name] for own in fields(cls)}


def taken(value: Any, type_: Any, place: str) -> Any:
    """Return a value as a field of a type holds it; raise RequestError if it is none.

    Texts stand for numbers (`-1`, `1%`) and lists of names (`a,b`), so that a word of the command
    line, a value of TOML and one of Python come to the same.
    """
    options = get_args(type_) if get_origin(type_) in (UnionType, Union) else (type_,)
    if value is None and NoneType in options:
        return None
    plain = tuple(one for one in options if one is not NoneType)
    if get_origin(plain[0]) is Literal:
        return _choice(value, get_args(plain[0]), place)
    if plain[0] == Columns:
        return _names(value, place)
    if get_origin(plain[0]) is get_origin(Values):
        return _values(value, place)
    if plain == (str,):
        return _text(value, place)
    if plain == (bool,):
        return _flag(value, place)
    if plain == (int,):
        return _whole(value, place)
    return _number(value, place, str in plain)


def _choice(value: Any, choices: tuple[Any, ...], place: str) -> Any:
    if value not in choices:
        raise RequestError(f"{place} must be {', '.join(choices[:-1])} or {choices[-1]}")
    return value


def _names(value: Any, place: str) -> tuple[str, ...]:
    if isinstance(value, str):
        import csv

        names = next(csv.reader([value], strict=True), [])
    else:
        names = list(value) if isinstance(value, list | tuple) else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise RequestError(f"{place} must be names of columns")
    if len(set(names)) < len(names):
        raise RequestError(f"{place} names a column twice")
    return tuple(names)


def _values(value: Any, place: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or not value:
        raise RequestError(f"{place} must be a table: of each value what becomes of it")
    if not all(isinstance(one, str) for one in value.values()):
        raise RequestError(f"{place}: what becomes of a value must be a text")
    return {str(key): one for key, one in value.items()}


def _text(value: Any, place: str) -> str:
    """Return a text; a date is one as it is written."""
    value = value.isoformat() if hasattr(value, "isoformat") else value
    if not isinstance(value, str) or not value:
        raise RequestError(f"{place} must be a text")
    return value


def _flag(value: Any, place: str) -> bool:
    words = {"yes": True, "true": True, "no": False, "false": False}
    if isinstance(value, str) and value in words:
        return words[value]
    if not isinstance(value, bool):
        raise RequestError(f"{place} must be yes or no")
    return value


def _whole(value: Any, place: str) -> int:
    import operator

    try:
        if isinstance(value, bool):
            raise TypeError
        return int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        raise RequestError(f"{place} must be a whole number") from None


def _number(value: Any, place: str, or_text: bool) -> int | float | str:
    """Return a number of any type as Python's own; a text is read as one, `1%` as a share."""
    if isinstance(value, str):
        digits = value.strip().removesuffix("%")
        try:
            number = int(digits) if digits.lstrip("+-").isdecimal() else float(digits)
        except ValueError:
            if or_text and value:
                return value
            raise RequestError(f"{place} must be a number") from None
        number = number / 100 if digits != value.strip() else number
    elif isinstance(value, bool) or not hasattr(value, "__float__"):
        if or_text and hasattr(value, "isoformat"):
            return str(value.isoformat())
        raise RequestError(f"{place} must be a number")
    else:
        number = int(value) if hasattr(value, "__index__") else float(value)
    if not math.isfinite(number):
        raise RequestError(f"{place} must be a number, and finite")
    return number
