"""Texts of validation errors."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from shoal.errors import RequestError, nearest_names
from shoal.hints import option


def place(source: str, *path: object) -> str:
    """Return a key's path as a person wrote it: in a recipe whole, as an argument its last name."""
    if source:
        return f"{source}: {'.'.join(str(part) for part in path)}"
    names = [str(part) for part in path if not isinstance(part, int)]
    return ".".join(names[1:] or names) or "the settings"


def explain(error: ValidationError, source: str, model: type[BaseModel]) -> str:
    """Return an error of validation as one line: the key's path and what is wrong."""
    every = error.errors(include_url=False, include_input=False)
    first = next((one for one in every if one["type"] == "extra_forbidden"), every[0])
    keys = tuple(part for part in first["loc"] if not _is_branch(part))
    where = place(source, *keys)
    if first["type"] == "extra_forbidden":
        known = _known_keys(keys[:-1], model)
        return f"{where} is not a known key{nearest_names(str(keys[-1]), known)}"
    if first["type"] == "missing":
        instead = f"; say {option('k')}, or a {option('preset')}" if keys[-1] == "k" else ""
        return f"{where} is needed and not given{instead}"
    if first["type"] == "value_error" and isinstance(first["ctx"]["error"], RequestError):
        said: str = first["ctx"]["error"].marked
        return f"{where}: {said}" if source else said
    reason = first["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    if any(one["type"].startswith("float") for one in every if one["loc"][:2] == keys[:2]):
        reason = "a number"  # of any kind: the branch of whole numbers comes first
    reason = "a table" if reason.startswith("dictionary or") else reason
    reason = {"integer": "a whole number", "tuple": "a list of names", "string": "a text"}.get(
        reason, reason
    )
    return f"{where} must be {reason}"


def _is_branch(part: object) -> bool:
    """Tell whether a part of a location names a branch of a union type."""
    return part == "int" or str(part).startswith(("dict[", "literal["))


def _known_keys(path: tuple[object, ...], model: type[BaseModel]) -> list[str]:
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)
