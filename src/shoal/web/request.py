"""Requests of a page -> settings. Nothing of them is taken as a path."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from shoal.errors import ShoalError
from shoal.hints import Message
from shoal.settings import build, load_tree
from shoal.settings.kinds import DECIMALS, FLAG, NUMBERS, REAL, SHARE, WHOLE
from shoal.settings.presets import with_preset
from shoal.settings.table import NEEDED, TABLE
from shoal.settings.toml import tupled
from shoal.table.hierarchy.specify import is_file
from shoal.table.steps.recode import hides_values
from shoal.table.steps.registry import STEPS, step_of
from shoal.table.steps.step import Columns, Number, Step, Threshold, Values, When
from shoal.web.bodies import Refused
from shoal.web.labels import as_field
from shoal.web.series.ledgers import Ledgers
from shoal.web.uploads import Opened, last_part, tree_names

MOST = 100  # steps of a recipe
FORMS = {str: "text", bool: "flag", int: "whole", Columns: "columns", Values: "values"}
NO_FILE = "step level: its hierarchy must be a rule here, such as widths:5,10 or prefixes:3"
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


RELEASE = "anonymize"
COMPARISON = "compare"
ALIKE = ("preset", "suppress")  # what would make the runs of a comparison differ
OWN = ("types", "missing")  # of how a file is read, what the form says; the rest goes with the file


def as_toml(file: Opened, recipe: Mapping[str, Any], ledgers: Ledgers) -> str:
    """Return a recipe as TOML: names of columns and choices, and no record.

    A hierarchy that was given as a file is named, not held: its lines may be values of records. So
    is a ledger. What random steps follow from is in it: settings are for their owner.
    """
    tree = asked_settings(file, RELEASE, recipe, ledgers)
    if "series" in tree:
        tree["series"] = {**tree["series"], "ledger": last_part(tree["series"]["ledger"])}
    names = tree_names(tree["hierarchies"])
    tree["hierarchies"] = {
        column: last_part(names.get(rule, rule)) for column, rule in tree["hierarchies"].items()
    }
    name = last_part(file.name) if file.table is None else f"{last_part(file.name)}#{file.table}"
    tree["input"] = {**tree.get("input", {}), "path": name}
    return build(tree).to_toml()


def from_toml(file: Opened, text: str, ledgers: Ledgers) -> dict[str, Any]:
    """Return the recipe that a TOML text is for this file, and what of it the form cannot say.

    How the file is written stays as it is: another year's file may be written otherwise.
    """
    place = file.place / f"opened-{secrets.token_hex(4)}.toml"
    place.write_text(text, encoding="utf-8")
    try:
        tree = load_tree(place)
    except ShoalError as error:
        said = Message(error.marked).at(as_field).replace(place.name, "run.toml")
        raise Refused(400, said) from None
    finally:
        place.unlink(missing_ok=True)
    left: list[str] = []
    recipe: dict[str, Any] = {"steps": _steps(tree, left), "series": _series(tree, ledgers, left)}
    if isinstance(tree.get("secret"), str) and recipe["steps"]:
        recipe["secret"] = tree["secret"]
    for part, values in tree.items():
        if isinstance(values, Mapping) and part != "series":
            recipe[part] = _known(part, values, left)
    return {"recipe": {part: one for part, one in recipe.items() if one}, "left": left}


def _steps(tree: Mapping[str, Any], left: list[str]) -> list[dict[str, Any]]:
    """Return the steps of a recipe that the page can have: of published ones values are hidden."""
    found = []
    for place, given in enumerate(tree.get("steps", ()), 1):
        try:
            step = read_step(given)
        except Refused:
            left.append(f"steps, {place}")
            continue
        if hides_values(step_of(given)):
            left.append(f"steps, {place}")
        else:
            found.append(step)
    return found


def _series(tree: Mapping[str, Any], ledgers: Ledgers, left: list[str]) -> dict[str, Any]:
    """Return the series of a recipe, where its ledger is on the desk by its name."""
    given = {key: one for key, one in dict(tree.get("series", {})).items() if one is not None}
    if not given.get("ledger"):
        return {}
    known = ledgers.named(given["ledger"])
    if known is None:
        left.append("series.ledger")
        return {}
    return {**given, "ledger": known}


def _known(part: str, values: Mapping[str, Any], left: list[str]) -> dict[str, Any]:
    """Return what the form can say of a part; names of the rest are added to a list."""
    if part == "hierarchies":
        left += [f"{part}.{name}" for name, rule in values.items() if is_file(str(rule))]
        return {name: rule for name, rule in values.items() if not is_file(str(rule))}
    usual = build({"protect": {"k": 2}}).model_dump().get(part, {})
    known = set(OWN) if part == "input" else PARTS.get(part) or set()
    said = {
        key: value
        for key, value in values.items()
        if tupled(value) != usual.get(key) or key in DEFAULTS
    }
    if part != "input":  # how another year's file is written is its own matter
        quiet = known | {key for own, key in QUIET if own == part}
        left += [f"{part}.{key}" for key in said if key not in quiet]
    return {key: value for key, value in said.items() if key in known}


QUIET = {("release", "output")}  # said by the place of a run, not by its settings


def asked_settings(
    file: Opened, kind: str, recipe: Mapping[str, Any], ledgers: Ledgers
) -> dict[str, Any]:
    """Return the settings of a job or a question about a file.

    A series and its ledger are for a release alone: a sample is not tried under a ledger, and a
    comparison releases nothing.
    """
    if not isinstance(recipe, Mapping):
        raise Refused(400, "a recipe is wanted")
    plain = {part: one for part, one in recipe.items() if part not in ("series", "secret")}
    tree = with_preset(read_recipe(plain, file.trees, file.reading))
    if recipe.get("secret") is not None:
        tree["secret"] = recipe["secret"]
    if recipe.get("series") and kind == RELEASE:
        tree["series"] = ledgers.series(recipe["series"])
    if kind == COMPARISON:
        tree["protect"] = {key: one for key, one in tree["protect"].items() if key not in ALIKE}
    try:
        build(tree)
    except ShoalError as error:
        raise Refused(400, Message(error.marked).at(as_field)) from None
    return tree
