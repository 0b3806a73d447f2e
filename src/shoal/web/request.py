"""Requests of a page -> settings. Nothing of them is taken as a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import ShoalError
from shoal.hints import Message
from shoal.settings import build
from shoal.settings.kinds import DECIMALS, FLAG, NUMBERS, REAL, SHARE, WHOLE
from shoal.settings.table import NEEDED, TABLE
from shoal.table.hierarchy.specify import is_file
from shoal.web.errors import Refused
from shoal.web.labels import as_field
from shoal.web.step_forms import read_steps

DESK = [entry for entry in TABLE.values() if entry.option.desk]
PARTS: dict[str, set[str] | None] = {
    part: {entry.field for entry in DESK if entry.part == part}
    for part in ("roles", "protect", "release", "input")
}
PARTS |= {entry.field: None for entry in DESK if not entry.part}
TREE = "tree:"
DEFAULTS = {"k": 5, "spreadsheet_safe": True, "weights_as": "mean"}  # where the desk has its own
NUMERIC = WHOLE, REAL, NUMBERS, SHARE
KINDS = {FLAG: "flag", DECIMALS: "digits", **dict.fromkeys(NUMERIC, "number")}


def form_options() -> list[dict[str, Any]]:
    """Return the options of the page's form: their part of a recipe, kind and default."""
    return [
        {
            "name": entry.name,
            "part": entry.part,
            "kind": KINDS.get(entry.option.kind, "text"),
            "default": DEFAULTS.get(entry.name, entry.argument_default),
            "needed": entry.default is NEEDED,
        }
        for entry in DESK
    ]


@dataclass(frozen=True)
class HierarchyRequest:
    """Request for the hierarchy of a column, by a rule or as text."""

    column: str
    rule: str | None = None
    text: str | None = None
    input: dict[str, Any] = field(default_factory=dict)


def read_recipe(
    recipe: Mapping[str, Any],
    trees: Mapping[str, Mapping[str, Any]],
    reading: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a tree of settings that is whole and right, with the paths of the desk's own trees.

    `reading` is how the file was read when it was looked at.
    """
    if not isinstance(recipe, Mapping):
        raise Refused(400, "a recipe is wanted")
    tree: dict[str, Any] = {"release": {"spreadsheet_safe": DEFAULTS["spreadsheet_safe"]}}
    if reading:
        tree["input"] = dict(reading)
    for part, values in recipe.items():
        if part == "steps":
            tree[part] = read_steps(values)
            continue
        if part not in PARTS or not isinstance(values, Mapping):
            raise Refused(400, "the recipe has a part that is not known here")
        known = PARTS[part]
        if known is not None and set(values) - known:
            raise Refused(400, f"the recipe's part {part} says something that is not known here")
        given = {key: value for key, value in values.items() if value is not None}
        tree[part] = {**tree.get(part, {}), **given}
    given = {}
    for name, rule in tree.get("hierarchies", {}).items():
        given[name] = _rule(rule, trees)
    tree["hierarchies"] = given
    try:
        build(tree)
    except ShoalError as error:
        raise Refused(400, Message(error.marked).at(as_field)) from None
    return tree


def read_input(given: Any) -> dict[str, Any]:
    """Return how a file is to be read, checked."""
    if not isinstance(given, Mapping) or set(given) - (PARTS["input"] or set()):
        raise Refused(400, "the input says something that is not known here")
    options = {key: value for key, value in given.items() if value is not None}
    try:
        build({"protect": {"k": 2}, "input": options})
    except ShoalError as error:
        raise Refused(400, Message(error.marked).at(as_field)) from None
    return options


def read_fraction(given: Any) -> float:
    """Return which share of the population is in a file, checked."""
    if type(given) not in (int, float) or not 0 < given <= 1:
        raise Refused(400, "the share of the population is above 0 and at most 1")
    return float(given)


def read_tree(body: Mapping[str, Any], trees: Mapping[str, Mapping[str, Any]]) -> HierarchyRequest:
    """Return the hierarchy that a page asks for."""
    column, rule, text = (body.get(key) for key in ("column", "rule", "text"))
    given = read_input(body.get("input") or {})
    if not isinstance(column, str):
        raise Refused(400, "name the column")
    if text is not None:
        if not isinstance(text, str) or not text.strip():
            raise Refused(400, "the hierarchy is empty")
        return HierarchyRequest(column, text=text, input=given)
    if rule is not None:
        rule = _rule(rule, trees)
    return HierarchyRequest(column, rule=rule, input=given)


def _rule(rule: Any, trees: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a rule, or the path of a tree that lies on the desk; a path of a client is none."""
    if not isinstance(rule, str):
        raise Refused(400, "a hierarchy is a rule")
    if rule.startswith(TREE):
        known = trees.get(rule.removeprefix(TREE))
        if known is None:
            raise Refused(400, "there is no such hierarchy on the desk")
        return str(known["path"])
    if is_file(rule):
        raise Refused(
            400,
            "a hierarchy is widths:, cuts:, quantiles:, prefixes:, dates, balanced, flat, or a "
            "text",
        )
    return rule
