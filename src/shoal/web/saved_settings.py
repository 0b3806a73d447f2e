"""Settings of a file as a recipe to keep, and back to what the page's form says."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from shoal.errors import ShoalError
from shoal.hints import Message
from shoal.settings import build, load_tree
from shoal.settings.toml import tupled
from shoal.table.hierarchy.specify import is_file
from shoal.table.steps.recode import hides_values
from shoal.table.steps.registry import step_of
from shoal.web.asked import RELEASE, asked_settings
from shoal.web.errors import Refused
from shoal.web.labels import as_field
from shoal.web.open_file import Opened, last_part, tree_names
from shoal.web.request import DEFAULTS, PARTS
from shoal.web.series.ledgers import Ledgers
from shoal.web.step_forms import read_step

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
