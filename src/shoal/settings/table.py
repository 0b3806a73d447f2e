"""The table of options: every field of the settings, and of a run, that has an `Option`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from shoal.errors import RequestError
from shoal.hints import Message
from shoal.settings.kinds import TEXT
from shoal.settings.model import STREAM, Settings
from shoal.settings.option import PANELS, Option
from shoal.settings.run import RunOptions

RUN = "run"  # the part of options that no recipe holds
NEEDED = MISSING  # the default of an option that must be given
# what a stream takes no note of, though `anonymize` does: it is made batch by batch, under a ledger
UNSTREAMED = frozenset({
    "by", "count", "engine", "expect_overlap", "force", "group", "household", "incomplete",
    "k_of", "keep_order", "memory", "refine", "report", "scheduler", "secret", "small_strata",
    "stable", "steps", "suppress", "totals", "totals_within", "weight", "weights_as", "withhold",
    "work",
})  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """An option: its name, its place in the settings, its type and default, and what it is."""

    name: str
    part: str  # empty for what stands in the settings themselves
    field: str
    default: Any
    option: Option
    choices: tuple[str, ...] = ()  # its values, where these are a few words

    @property
    def flags(self) -> tuple[str, ...]:
        """Its words on the command line."""
        return self.option.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def flag(self) -> str:
        """Its word in messages and equivalents."""
        return self.flags[0]

    @property
    def key(self) -> str:
        """Its key in a recipe; empty where no recipe has it."""
        return "" if self.part == RUN else f"{self.part}.{self.field}".lstrip(".")

    @property
    def argument_default(self) -> Any:
        """Its default as an argument: None for an empty collection."""
        return None if self.default in ((), {}) else self.default

    def words(self, value: Any) -> Iterator[str]:
        """Yield the option with its values: in one word where a value could pass for an option."""
        words = self.option.kind.words(value)
        if not words:
            yield self.flag
        for word in words:
            if word.startswith("-") or not word:
                yield f"{self.flag}={word}"
            else:
                yield from (self.flag, word)

    @property
    def type(self) -> str:
        """Its type as an argument, as a line of Python."""
        return self.option.kind.type + (" | None" if self.argument_default is None else "")


def _of_model(model: type[BaseModel], part: str = "") -> Iterator[Entry]:
    for name, info in model.model_fields.items():
        for option in info.metadata:
            if isinstance(option, Option):
                default = NEEDED if info.default is PydanticUndefined else info.default
                words = _words_of(info.annotation) if option.kind is TEXT else ()
                yield Entry(option.argument or name, part, name, default, option, words)
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _of_model(info.annotation, name)


def _words_of(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for part in get_args(annotation) for word in _words_of(part))


def _of_run() -> Iterator[Entry]:
    hints = get_type_hints(RunOptions, include_extras=True)
    for own in fields(RunOptions):
        option = get_args(hints[own.name])[1]
        yield Entry(own.name, RUN, own.name, own.default, option)


def _entries() -> list[Entry]:
    every = [*_of_model(Settings), *_of_run()]
    return sorted(every, key=lambda entry: PANELS.index(entry.option.panel))


TABLE = {entry.name: entry for entry in _entries()}


def options_of(function: str) -> list[Entry]:
    """Return the options that a Python function takes."""
    return [entry for entry in TABLE.values() if function in takers_of(entry)]


def options_of_command(command: str) -> list[Entry]:
    """Return the options that a command takes."""
    return [entry for entry in TABLE.values() if command in commands_of(entry)]


def takers_of(entry: Entry) -> tuple[str, ...]:
    """Return the functions that take an option: a stream takes most of those of `anonymize`."""
    return _with_stream(entry, entry.option.takers)


def commands_of(entry: Entry) -> tuple[str, ...]:
    """Return the commands that take an option."""
    return _with_stream(entry, entry.option.commands)


def _with_stream(entry: Entry, takers: tuple[str, ...]) -> tuple[str, ...]:
    streamed = "anonymize" in takers and entry.name not in UNSTREAMED
    return (*takers, STREAM) if streamed else takers


F = TypeVar("F", bound=Callable[..., Any])
NAMED = inspect.Parameter.KEYWORD_ONLY
PROGRESS = """progress : bool or callable, default False
    True shows how far it is: on a terminal, in a notebook, else in lines on stderr. A callable
    gets a `Progress`, as `callback` does."""


def takes_options(name: str, called: str | None = None) -> Callable[[F], F]:
    """Let a function whose last parameter is `**options` take those that the table gives it.

    `inspect.signature`, `help` and editors show them; arguments that are none of them are a
    TypeError, those that the table refuses in words a RequestError. `called` is its name, where it
    takes those of another function.
    """

    def decorated(function: F) -> F:
        signature = _signature(function, name)

        @wraps(function)
        def checked(*args: Any, **given: Any) -> Any:
            _refuse(name, given)
            try:
                signature.bind(*args, **given)
            except TypeError as error:
                raise TypeError(f"{called or name}() {error}") from None
            return function(*args, **given)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        checked.__doc__ = _documented(inspect.getdoc(function) or "", name)
        return checked  # type: ignore[return-value]

    return decorated


def _documented(text: str, name: str) -> str:
    """Return a docstring with `{options}` and `{progress}` spelled out."""
    text = text.replace("{progress}", PROGRESS)
    return text.replace("{options}", "\n".join(map(_described, options_of(name))))


def _described(entry: Entry) -> str:
    """Return an option as an entry of numpydoc's Parameters."""
    default = "" if entry.default is NEEDED else f", default {entry.argument_default!r}"
    return f"{entry.name} : {entry.type}{default}\n    {Message(entry.option.help)}"


def _signature(function: Callable[..., Any], name: str) -> inspect.Signature:
    """Return a function's signature with the options in the place of `**options`.

    An option that the function has a parameter for, as for k, stands where that one does.
    """
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    more = [one for one in options_of(name) if one.name not in signature.parameters]
    return signature.replace(parameters=[*own, *map(_parameter, more)])


def _parameter(entry: Entry) -> inspect.Parameter:
    default = inspect.Parameter.empty if entry.default is NEEDED else entry.argument_default
    return inspect.Parameter(entry.name, NAMED, default=default, annotation=entry.type)


def _refuse(function: str, given: dict[str, Any]) -> None:
    """Raise RequestError for options that mean nothing to a function. given IN/OUT."""
    for name in [name for name in given if name in TABLE]:
        instead = TABLE[name].option.instead.get(function)
        if instead is not None and given.pop(name) not in (None, False):
            raise RequestError(f"{name} says nothing to a comparison; {instead}")
