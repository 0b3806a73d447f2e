"""Kinds of options: conversion between command line words, arguments and settings.

Settings hold what TOML holds. A kind says how words and arguments become that, and how that is said
again as words and as an argument.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Protocol

from shoal.errors import Json, RequestError, shown
from shoal.settings.parse import joined_key, lines_of, number, split_key, split_names, split_pairs


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


class Described(Protocol):
    """What tells itself as a tree, as a `shoal.Search` does."""

    def to_dict(self) -> dict[str, Json]:
        """Return it as plain values."""
        ...


def _same(value: Any, _name: str = "") -> Any:
    return value


def _text(value: Any, _name: str = "") -> str:
    return str(value)


@dataclass(frozen=True)
class Kind:
    """A kind of option.

    `word` is the type of its words on the command line (None: it has none) and `type` that of its
    argument. `read` makes the value of words and their flag, `take` of an argument and its name;
    `words` and `argument` convert back.
    """

    word: Any
    type: str
    read: Callable[[Any, str], Any] = _same
    take: Callable[[Any, str], Any] = _same
    words: Callable[[Any], list[str]] = lambda value: [str(value)]
    argument: Callable[[Any], Any] = _same


def _names(names: list[str], what: str) -> list[str]:
    if not names:
        raise RequestError(f"{what} names no column")
    return names


def _by_column(value: Callable[[str], Any], wrong: str, words: Any, flag: str) -> dict[str, Any]:
    """Read `COLUMN=VALUE`, each column once."""
    by_column = {}
    for name, text in split_pairs(words, flag).items():
        try:
            by_column[name] = value(text)
        except ValueError:
            raise RequestError(f"{flag} {shown(name)}: {wrong}") from None
    return by_column


def _either(value: Callable[[str], Any], wrong: str, words: Any, flag: str) -> Any:
    """Read a value for all columns, or `COLUMN=VALUE` for some."""
    if len(words) > 1 or "=" in words[0]:
        words = split_pairs(words, flag)
    try:
        if isinstance(words, dict):
            return {name: value(text) for name, text in words.items()}
        return value(words[0])
    except ValueError:
        raise RequestError(f"{flag} {wrong}") from None


def _plain(argument: Any, _name: str) -> Any:
    """Take numbers of any type, for all columns or by name."""
    if isinstance(argument, Mapping):
        return {column: plain(one) for column, one in argument.items()}
    return plain(argument)


def _rules(argument: Any, name: str) -> dict[str, Any]:
    """Take rules and files by column."""
    every = pairs(argument, name).items()
    return {column: str(rule) if isinstance(rule, Path) else rule for column, rule in every}


def _pair_words(value: Any) -> list[str]:
    """Return a value for all columns as one word, or one word a column."""
    if isinstance(value, Mapping):
        return [f"{column}={one}" for column, one in value.items()]
    return [str(value)]


def _read_sizes(words: Any, flag: str) -> dict[str, int]:
    """Read an own k for some columns, `age,zip=10`; settings have the names as a line of csv."""
    sizes: dict[str, int] = {}
    for columns, text in split_pairs(words, flag).items():
        key = joined_key(split_names([columns]))
        if not (text.isascii() and text.isdecimal()) or key in sizes:
            raise RequestError(
                f"{flag} {shown(columns)}: say a,b=NUMBER, once for the same columns"
            )
        sizes[key] = int(text)
    return sizes


def _read_counts(text: str, flag: str) -> list[int]:
    """Read whole numbers, `5,2,8`."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise RequestError(f"{flag} must be whole numbers: 5,2,8")
    return [int(part) for part in parts]


def _take_counts(argument: Any, name: str) -> list[int]:
    """Take whole numbers."""
    if isinstance(argument, str) or not isinstance(argument, Iterable):
        raise RequestError(f"{name} must be whole numbers, such as (5, 2, 8)")
    return [whole(one, name) for one in argument]


def _take_sizes(argument: Any, name: str) -> dict[str, int]:
    """Take an own k for a name or a tuple of names."""
    if not isinstance(argument, Mapping):
        raise RequestError(f'{name} must be like {{("age", "zip"): 10}}')
    return {joined_key(names(key, name)): whole(k, name) for key, k in argument.items()}


def _read_orders(words: Any, flag: str) -> dict[str, list[str]]:
    """Read `pain=mild,severe`, or `pain=@FILE`; a value with a comma in it is in quotes."""
    orders = {
        name: lines_of(text[1:], name) if text.startswith("@") else split_names([text])
        for name, text in split_pairs(words, flag, first=True).items()
    }
    for name, values in orders.items():
        if not values:
            raise RequestError(f"{flag} {shown(name)}: the order names no value")
    return orders


def _take_orders(argument: Any, _name: str) -> dict[str, tuple[str, ...]]:
    from shoal.table.ordinal import read_orders

    return read_orders(argument)


def _take_search(argument: Any, name: str) -> dict[str, Any]:
    """Take a `shoal.Search`, or its parts by name."""
    own = getattr(argument, "to_dict", None)
    return own() if own is not None else pairs(argument, name)


def _read_share(text: str, flag: str) -> float:
    """Read a share, `1%` or `0.01`."""
    digits = text.strip().removesuffix("%")
    try:
        share = float(digits)
    except ValueError:
        raise RequestError(f"{flag} must be a share: 1%, or 0.01") from None
    return share / 100 if digits != text.strip() else share


def _take_share(argument: Any, name: str) -> Any:
    """Take a share as a number, or as a text with its sign."""
    return _read_share(argument, name) if isinstance(argument, str) else plain(argument)


def _read_steps(given: Any, _name: str) -> list[dict[str, Any]]:
    """Take steps of a release as tables: from words, tables, or values of `shoal.steps`."""
    from shoal.table.steps.registry import steps_of

    return [step.to_dict() for step in steps_of(given)]


def _step_words(value: Any) -> list[str]:
    """Return steps as words, one word a step."""
    from shoal.table.steps.registry import steps_of
    from shoal.table.steps.words import as_words

    return [as_words(step) for step in steps_of(value)]


def _take_place(argument: Any, name: str) -> str:
    """Take a path or a URL."""
    if not isinstance(argument, str | os.PathLike):
        raise RequestError(f"{name} must be a path")
    return str(os.fspath(argument))


def _step(text: str) -> int | float:
    return int(text) if text.isascii() and text.isdecimal() else float(text)


def _digits(text: str) -> int | str:
    return text if text == "none" else int(text)


EACH, COLUMNS = list[str], "Sequence[str] | str"
NUMBER_WRONG = "must be one number, or COLUMN=NUMBER"
CHOICE_WRONG = "must be one word, or COLUMN=WORD"
DIGITS_WRONG = "must be one whole number or none, or COLUMN=NUMBER"
TEXT = Kind(str, "str")
WHOLE = Kind(int, "int", take=whole)
REAL = Kind(float, "float", take=_plain)
SHARE = Kind(str, "float | str", _read_share, _take_share)
FLAG = Kind(bool, "bool", words=lambda _: [])
UNLESS = Kind(bool, "bool", lambda given, _: not given, words=lambda _: [])  # yes, if not given
FOLDER = Kind(Path, "str | Path", _text, _text)
PLACE = Kind(str, "str | os.PathLike[str]", take=_take_place)
SEVERAL = Kind(EACH, "Sequence[str]", take=names, words=list, argument=list)
COUNTS = Kind(
    str, "Sequence[int]", _read_counts, _take_counts,
    lambda value: [",".join(map(str, value))], list,
)  # fmt: skip
NAMES = Kind(
    EACH, COLUMNS, lambda words, _: split_names(words), names,
    lambda value: [joined_key(value)], list,
)  # fmt: skip
SOME_NAMES = Kind(
    EACH, COLUMNS, lambda words, flag: _names(split_names(words), flag),
    lambda given, name: _names(names(given, name), name), NAMES.words, list,
)  # fmt: skip
WORDS_OF = Kind(EACH, "Mapping[str, str]", split_pairs, pairs, _pair_words)
RULES = Kind(
    EACH, "Mapping[str, str] | str | Path", partial(split_pairs, first=True), _rules, _pair_words
)
FACTORS = Kind(
    EACH, "Mapping[str, float]", partial(_by_column, float, "not a number"), pairs, _pair_words
)
STEPS = Kind(
    EACH, "Mapping[str, float]", partial(_by_column, _step, "the step is not a number"), pairs,
    _pair_words,
)  # fmt: skip
NUMBERS = Kind(
    EACH, "float | Mapping[str, float]", partial(_either, number, NUMBER_WRONG), _plain, _pair_words
)
CHOICES = Kind(
    EACH, "str | Mapping[str, str]", partial(_either, str, CHOICE_WRONG), _plain, _pair_words
)
DECIMALS = Kind(
    EACH, "int | str | Mapping[str, int | str]", partial(_either, _digits, DIGITS_WRONG), _plain,
    _pair_words,
)  # fmt: skip
SIZE_OF = Kind(
    EACH, "Mapping[Any, int]", _read_sizes, _take_sizes, _pair_words,
    lambda value: {split_key(key): k for key, k in value.items()},
)  # fmt: skip
ORDERS = Kind(
    EACH, "Mapping[str, Sequence[str]]", _read_orders, _take_orders,
    lambda value: [f"{column}={joined_key(values)}" for column, values in value.items()],
)  # fmt: skip
STEP_LIST = Kind(EACH, "Sequence[Any]", _read_steps, _read_steps, _step_words, list)
TREE = Kind(None, "Described | Mapping[str, Any]", take=_take_search)
