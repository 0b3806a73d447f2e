"""Options by name -> a tree of settings -> settings; and the options of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from shoal.settings.model import Settings, build
from shoal.settings.run import RunOptions
from shoal.settings.table import NEEDED, RUN, TABLE


def tree_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of options as a tree of settings; those of a run are left out."""
    tree: dict[str, Any] = {"protect": {}}
    for name, value in values.items():
        entry = TABLE[name]
        if entry.part != RUN:
            place = tree.setdefault(entry.part, {}) if entry.part else tree
            place[entry.field] = value
    return tree


def values_in(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options that a tree of settings says."""
    values = {}
    for entry in TABLE.values():
        place = tree.get(entry.part, {}) if entry.part else tree
        if entry.part != RUN and place.get(entry.field) is not None:
            values[entry.name] = place[entry.field]
    return values


def run_of(values: Mapping[str, Any]) -> RunOptions:
    """Return values of options as those of a run; those of settings are left out."""
    return RunOptions(**{name: one for name, one in values.items() if TABLE[name].part == RUN})


def values_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that arguments of a function say, by the names of options."""
    given = dict(arguments)
    if isinstance(given.get("hierarchies"), str | os.PathLike):
        given["hierarchy_folder"] = given.pop("hierarchies")
    values = {}
    for name, argument in given.items():
        entry = TABLE[name]
        if entry.default is NEEDED and argument is None:
            continue
        if argument is not None or entry.argument_default is not None:
            values[name] = entry.option.kind.take(argument, name)
    return values


def arguments_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of options as arguments of a function."""
    arguments = {name: TABLE[name].option.kind.argument(value) for name, value in values.items()}
    if "hierarchy_folder" in arguments:
        arguments["hierarchies"] = arguments.pop("hierarchy_folder")
    return arguments


def settings_and_run(arguments: Mapping[str, Any]) -> tuple[Settings, RunOptions]:
    """Return what arguments of a function ask for: settings, checked, and the options of a run."""
    values = values_of(arguments)
    return build(tree_of(values)), run_of(values)
