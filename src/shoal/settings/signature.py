"""Signatures of functions that take options: real names, types and defaults from the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from shoal.errors import RequestError
from shoal.hints import Message
from shoal.settings.table import NEEDED, TABLE, Entry, options_of

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
