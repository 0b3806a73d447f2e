"""Steps as a page asks for them: the fields of every kind, and steps of a page, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from shoal.errors import ShoalError
from shoal.hints import Message
from shoal.table.hierarchy.specify import is_file
from shoal.table.steps.fields import Columns, Number, Threshold, Values
from shoal.table.steps.registry import STEPS, step_of
from shoal.table.steps.step import Step, When
from shoal.web.errors import Refused
from shoal.web.labels import as_field

MOST = 100  # steps of a recipe
FORMS = {str: "text", bool: "flag", int: "whole", Columns: "columns", Values: "values"}
NO_FILE = "step level: its hierarchy must be a rule here, such as widths:5,10 or prefixes:3"


def step_forms() -> list[dict[str, Any]]:
    """Return every kind of step with its fields, as a form asks for them."""
    return [
        {
            "kind": kind,
            "after": cls.when is When.AFTER,
            "suits": cls.suits.value,
            "fields": _fields(cls),
        }
        for kind, cls in STEPS.items()
    ]


def _fields(cls: type[Step]) -> list[dict[str, Any]]:
    """Return the fields of a step: what each is, its choices, its default, whether it is needed."""
    hints = get_type_hints(cls, include_extras=True)
    found = []
    for own in fields(cls):
        type_ = hints[own.name]
        plain = _without_none(type_)
        needed = own.default is MISSING and own.default_factory is MISSING
        found.append(
            {
                "name": own.name,
                "is": _form(plain),
                "choices": list(get_args(plain)) if get_origin(plain) is Literal else [],
                "default": None if needed else own.default,
                "needed": needed,
            }
        )
    return found


def _without_none(type_: Any) -> Any:
    """Return a type without None beside it."""
    options = [one for one in get_args(type_) if one is not NoneType]
    if NoneType not in get_args(type_):
        return type_
    if len(options) == 1:
        return options[0]
    return Threshold if str in options else Number


def _form(plain: Any) -> str:
    """Return by what a field of a type is asked for."""
    if hasattr(plain, "__metadata__"):
        return str(plain.__metadata__[0])
    if get_origin(plain) is Literal:
        return "choice"
    if plain == Threshold:
        return "threshold"
    return FORMS.get(plain, "number")


def read_step(given: Any) -> dict[str, Any]:
    """Return a step as a recipe has it; raise Refused for one that is wrong, or names a file."""
    if not isinstance(given, Mapping):
        raise Refused(400, "a step is a table with its kind")
    try:
        tree = step_of(given).to_dict()
    except ShoalError as error:
        raise Refused(400, Message(error.marked).at(as_field)) from None
    if tree["kind"] == "level" and is_file(tree["hierarchy"]):
        raise Refused(400, NO_FILE)
    return tree


def read_steps(given: Any) -> list[dict[str, Any]]:
    """Return the steps of a recipe."""
    if not isinstance(given, list) or len(given) > MOST:
        raise Refused(400, "the steps of a recipe are a list")
    return [read_step(one) for one in given]
