"""Options that messages name, as data: each door says them in its own words.

A message is written with `option("drop", [name])` in an f-string, which puts a mark into the text.
What shows the text, says the option as its reader writes it: Python `drop=['name']`, the command
line `--drop name`, a recipe or stored file `roles.drop = ["name"]`, the desk the field's label.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_START, _END, _OPEN = "\ue000", "\ue001", "\ue002"  # of private use: no name shows such signs
_MARK = re.compile(f"{_START}([^{_END}]*){_END}")
LONGEST = 60  # signs of a name that a message shows


class Blank(str):
    """A word that stands for what the reader puts in, such as COLUMN or FILE."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


COLUMN, FILE, OUT, STEP = Blank("COLUMN"), Blank("FILE"), Blank("OUT"), Blank("STEP")


@dataclass(frozen=True)
class Hint:
    """An option that a message names, and the value to give it, as settings hold it.

    Without a value (None) it is only named. `python` is what Python says where none of its
    functions takes the option.
    """

    name: str
    value: Any = None
    python: str = ""

    def __str__(self) -> str:
        """Return it as Python says it."""
        if self.python or self.value is None:
            return self.python or self.name
        return f"{self.name}={self.value!r}"

    @property
    def mark(self) -> str:
        """The text that stands for it in a message; its own signs are escaped there."""
        return f"{_START}{json.dumps([self.name, _coded(self.value), self.python])}{_END}"


Door = Callable[[Hint], str]
_DOOR: ContextVar[Door] = ContextVar("door", default=str)


def option(name: str, value: Any = None, python: str = "") -> str:
    """Return an option for a message: its name in the table of options, and the value to give it.

    A value is as settings hold it: a list of columns, a dict by column, a text, a number, True;
    without one the option is named only. `python` is said in Python in place of an option that
    none of its functions takes.
    """
    return Hint(name, value, python).mark


class Message(str):
    """A text in Python's words that knows the options it names; `at` says it at another door."""

    parts: tuple[str | Hint, ...]

    def __new__(cls, text: str) -> Message:
        """Make a message of a text with marks."""
        if isinstance(text, Message):
            return text
        parts = tuple(_parts(str(text)))
        made = super().__new__(cls, "".join(map(str, parts)))
        made.parts = parts
        return made

    def at(self, door: Door) -> str:
        """Return the message in a door's words."""
        return "".join(part if isinstance(part, str) else door(part) for part in self.parts)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The options that it names."""
        return tuple(part for part in self.parts if isinstance(part, Hint))

    @property
    def marked(self) -> str:
        """The text with marks, for another message to take it up."""
        return self.at(lambda hint: hint.mark)


def marked(text: str) -> str:
    """Return a text with marks, for another message to take it up."""
    return Message(text).marked


def said(text: str) -> str:
    """Return a text in the words of the door that runs: Python's, unless `speaking` says others."""
    return Message(text).at(_DOOR.get())


def spoken(tree: Any) -> Any:
    """Return plain values with every message in them in the words of the door that runs."""
    if isinstance(tree, Message):
        return said(tree)
    if isinstance(tree, dict):
        return {key: spoken(one) for key, one in tree.items()}
    return [spoken(one) for one in tree] if isinstance(tree, list | tuple) else tree


@contextmanager
def speaking(door: Door) -> Iterator[None]:
    """Let all messages be said in a door's words."""
    before = _DOOR.set(door)
    try:
        yield
    finally:
        _DOOR.reset(before)


def cleaned(text: str, limit: int = LONGEST) -> str:
    """Return a text on one line, without control signs, not too long."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _parts(text: str) -> Iterator[str | Hint]:
    """Yield the parts of a text with marks: texts, and hints between them."""
    for at, part in enumerate(_MARK.split(text)):
        if at % 2:
            yield _hint(part)
        elif part:
            yield part


def _hint(mark: str) -> Hint | str:
    """Return the hint that a mark stands for; signs of private use that are none of ours stay."""
    try:
        name, value, python = json.loads(mark)
    except (ValueError, TypeError):
        return cleaned(mark)
    return Hint(name, _decoded(value), python)


def _coded(value: Any) -> Any:
    """Return a value as JSON has it: cleaned texts, and blanks marked."""
    if isinstance(value, Blank):
        return f"{_OPEN}{value}"
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, Mapping):
        return {_coded(key): _coded(one) for key, one in value.items()}
    return [_coded(one) for one in value] if isinstance(value, Sequence) else value


def _decoded(value: Any) -> Any:
    """Return a value that JSON has, with its blanks."""
    if isinstance(value, str):
        return Blank(value[1:]) if value.startswith(_OPEN) else value
    if isinstance(value, dict):
        return {_decoded(key): _decoded(one) for key, one in value.items()}
    return [_decoded(one) for one in value] if isinstance(value, list) else value
