"""Kinds of options: one value as words of a command, as a Python argument, and in settings.

Settings hold what TOML holds. Every kind says how words and arguments become that, and how that is
said again as words and as an argument.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shoal.errors import RequestError, shown
from shoal.settings.arguments import names, pairs, plain, whole
from shoal.settings.words import (
    joined_key,
    lines_of,
    number,
    split_key,
    split_names,
    split_pairs,
)


class Described(Protocol):
    """What tells itself as a tree, as a `shoal.Search` does."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        ...


class Kind:
    """A text: one word, one argument, one value."""

    word: Any = str  # what the command line takes
    type: str = "str"  # what Python takes

    def read(self, words: Any, _flag: str) -> Any:
        """Return the value that words of the command line say."""
        return words

    def take(self, argument: Any, _name: str) -> Any:
        """Return the value that an argument says."""
        return argument

    def words(self, value: Any) -> list[str]:
        """Return a value as words, each of which follows the flag."""
        return [str(value)]

    def argument(self, value: Any) -> Any:
        """Return a value as an argument."""
        return value

    @property
    def repeats(self) -> bool:
        """Whether the command line takes it several times."""
        return self.word is not bool and self.word == list[str]


class Whole(Kind):
    """A whole number."""

    word, type = int, "int"

    def take(self, argument: Any, name: str) -> Any:
        """Return a number of any integer type as an int."""
        return whole(argument, name)


class Real(Kind):
    """A number."""

    word, type = float, "float"

    def take(self, argument: Any, _name: str) -> Any:
        """Return a number of any type as Python's own."""
        return plain(argument)


class Flag(Kind):
    """Yes or no; `--no-...` where yes is the default."""

    word, type = bool, "bool"

    def words(self, _value: Any) -> list[str]:
        """Return nothing: the flag is enough."""
        return []


class Unless(Flag):
    """Yes, unless the flag is given."""

    def read(self, words: Any, _flag: str) -> Any:
        """Return the contrary of the flag."""
        return not words


class Folder(Kind):
    """A path."""

    word: Any = Path
    type = "str | Path"

    def read(self, words: Any, _flag: str) -> Any:
        """Return the path as a text."""
        return str(words)

    def take(self, argument: Any, _name: str) -> Any:
        """Return the path as a text."""
        return str(argument)


class Place(Folder):
    """A path, or a URL."""

    word, type = str, "str | os.PathLike[str]"

    def take(self, argument: Any, _name: str) -> Any:
        """Return the place as a text."""
        return os.fspath(argument)


class Several(Kind):
    """Texts, one a word."""

    word, type = list[str], "Sequence[str]"

    def take(self, argument: Any, name: str) -> Any:
        """Return one text or several as a list."""
        return names(argument, name)

    def words(self, value: Any) -> list[str]:
        """Return a word a text."""
        return list(value)

    def argument(self, value: Any) -> Any:
        """Return a list."""
        return list(value)


@dataclass(frozen=True)
class Names(Several):
    """Names of columns: `a,b`; a name with a comma stands in quotes."""

    some: bool = False  # an empty list is an error
    type: str = "Sequence[str] | str"

    def read(self, words: Any, flag: str) -> Any:
        """Return the names in all words."""
        return self._checked(split_names(words), flag)

    def take(self, argument: Any, name: str) -> Any:
        """Return one name or several as a list."""
        return self._checked(names(argument, name), name)

    def words(self, value: Any) -> list[str]:
        """Return one word with all names."""
        return [joined_key(value)]

    def _checked(self, found: list[str], what: str) -> list[str]:
        if self.some and not found:
            raise RequestError(f"{what} names no column")
        return found


@dataclass(frozen=True)
class ByColumn(Kind):
    """A value for each of some columns: `COLUMN=VALUE`."""

    type: str = "Mapping[str, str]"
    value: Callable[[str], Any] = str
    wrong: str = "not a number"
    first: bool = False  # the first = ends the name, not the last
    word = list[str]

    def read(self, words: Any, flag: str) -> Any:
        """Return a dict of what is said of columns."""
        found = {}
        for name, text in split_pairs(words, flag, self.first).items():
            try:
                found[name] = self.value(text)
            except ValueError:
                raise RequestError(f"{flag} {shown(name)}: {self.wrong}") from None
        return found

    def take(self, argument: Any, name: str) -> Any:
        """Return a dict, with paths as texts."""
        every = pairs(argument, name).items()
        return {column: str(v) if isinstance(v, Path) else v for column, v in every}

    def words(self, value: Any) -> list[str]:
        """Return a word a column."""
        return [f"{column}={one}" for column, one in value.items()]


@dataclass(frozen=True)
class Either(ByColumn):
    """A value for all columns, or `COLUMN=VALUE` for some."""

    wrong: str = "must be one number, or COLUMN=NUMBER"

    def read(self, words: Any, flag: str) -> Any:
        """Return the value, or a dict of what is said of columns."""
        try:
            if len(words) == 1 and "=" not in words[0]:
                return self.value(words[0])
            return {name: self.value(text) for name, text in split_pairs(words, flag).items()}
        except RequestError:
            raise
        except ValueError:
            raise RequestError(f"{flag} {self.wrong}") from None

    def take(self, argument: Any, _name: str) -> Any:
        """Return numbers of any type as Python's own."""
        if isinstance(argument, Mapping):
            return {column: plain(one) for column, one in argument.items()}
        return plain(argument)

    def words(self, value: Any) -> list[str]:
        """Return one word, or a word a column."""
        return super().words(value) if isinstance(value, Mapping) else [str(value)]


class SizeOf(Kind):
    """An own k for some columns: `age,zip=10`; settings have the names as a line of csv."""

    word, type = list[str], "Mapping[Any, int]"

    def read(self, words: Any, flag: str) -> Any:
        """Return the k of every list of names."""
        found: dict[str, int] = {}
        for said, text in split_pairs(words, flag).items():
            key = joined_key(split_names([said]))
            if not (text.isascii() and text.isdecimal()) or key in found:
                raise RequestError(
                    f"{flag} {shown(said)}: say a,b=NUMBER, once for the same columns"
                )
            found[key] = int(text)
        return found

    def take(self, argument: Any, name: str) -> Any:
        """Return the k of every name or tuple of names."""
        if not isinstance(argument, Mapping):
            raise RequestError(f'{name} must be like {{("age", "zip"): 10}}')
        return {joined_key(names(key, name)): whole(k, name) for key, k in argument.items()}

    def words(self, value: Any) -> list[str]:
        """Return a word for each list of names."""
        return [f"{key}={k}" for key, k in value.items()]

    def argument(self, value: Any) -> Any:
        """Return a dict of tuples of names."""
        return {split_key(key): k for key, k in value.items()}


class Orders(Kind):
    """The order of a column's values: `pain=mild,severe`, or `pain=@FILE`."""

    word, type = list[str], "Mapping[str, Sequence[str]]"

    def read(self, words: Any, flag: str) -> Any:
        """Return lists of values; one with a comma in it is in quotes."""
        found = {
            name: lines_of(text[1:], name) if text.startswith("@") else split_names([text])
            for name, text in split_pairs(words, flag, first=True).items()
        }
        for name, values in found.items():
            if not values:
                raise RequestError(f"{flag} {shown(name)}: the order names no value")
        return found

    def take(self, argument: Any, _name: str) -> Any:
        """Return orders that were checked one by one."""
        from shoal.table.order import read_orders

        return read_orders(argument)

    def words(self, value: Any) -> list[str]:
        """Return a word a column."""
        return [f"{column}={joined_key(values)}" for column, values in value.items()]


class Tree(Kind):
    """What a search is made of: a `shoal.Search`, or its parts by name."""

    word, type = None, "Described | Mapping[str, Any]"

    def take(self, argument: Any, name: str) -> Any:
        """Return its parts as plain values."""
        own = getattr(argument, "to_dict", None)
        return own() if own is not None else pairs(argument, name)


def step(text: str) -> int | float:
    """Return digits as a whole number, anything else as a float."""
    return int(text) if text.isascii() and text.isdecimal() else float(text)


def digits(text: str) -> int | str:
    """Return a number of decimals, or `none`."""
    return text if text == "none" else int(text)


TEXT, WHOLE, REAL, FLAG, UNLESS = Kind(), Whole(), Real(), Flag(), Unless()
FOLDER, PATH, SEVERAL = Folder(), Place(), Several()
NAMES, SOME_NAMES = Names(), Names(some=True)
SIZE_OF, ORDERS, TREE = SizeOf(), Orders(), Tree()
WORDS_OF, RULES = ByColumn(), ByColumn("Mapping[str, str] | str | Path", first=True)
FACTORS = ByColumn("Mapping[str, float]", float)
STEPS = ByColumn("Mapping[str, float]", step, "the step is not a number")
NUMBERS = Either("float | Mapping[str, float]", number)
CHOICES = Either("str | Mapping[str, str]")
DECIMALS = Either(
    "int | str | Mapping[str, int | str]", digits,
    "must be one whole number or none, or COLUMN=NUMBER",
)  # fmt: skip
