"""Recipes: settings in a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from shoal.errors import RequestError, shown
from shoal.settings.hints import stored
from shoal.settings.model import Settings, build
from shoal.settings.renamed import as_named_before

HASHED = "sha256:"  # before the hash of a file that a recipe does not name, in packs of old
COMMITTED = "commitment:"  # before the commitment to what a published recipe does not tell


def load(path: Path) -> Settings:
    """Read a recipe; unknown keys, wrong types and broken TOML are errors with their place."""
    return _built(_as_of_old(_parse(path)), path.name)


def load_tree(path: Path) -> dict[str, Any]:
    """Read a recipe that need not be whole, for others to complete; what it says is checked."""
    tree = _as_of_old(_parse(path))
    protect = tree.get("protect", {})
    whole_tree = {**tree, "protect": {"k": 2, **protect} if isinstance(protect, dict) else protect}
    _built(whole_tree, path.name)
    return tree


def _built(tree: dict[str, Any], name: str) -> Settings:
    """Return checked settings of a recipe, whose keys errors name as it has them."""
    try:
        return build(tree, name)
    except RequestError as error:
        raise RequestError(stored(error.marked)) from None


def _as_of_old(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the recipe of an earlier version in today's form.

    It counts records, and keeps its other columns, however many records these single out, and the
    names of its methods mean what they meant: notes and verdict say so. The recipe of a run names a
    version and every choice, so that one without a choice is older.
    """
    protect, roles = tree.get("protect"), tree.get("roles")
    if "shoal" not in tree or not isinstance(protect, dict) or not protect:
        return tree
    if "form" not in tree:
        protect = as_named_before(protect)
        tree = {**tree, "protect": protect}
    if "count" in protect:
        return tree
    made = {**tree, "protect": {**protect, "count": "records"}}
    if isinstance(roles, dict) and isinstance(roles.get("other"), list):
        kept = [name for name in roles["other"] if name != roles.get("weight")]
        made["roles"] = {"keep_unique": kept, **roles}
    return made


def _parse(path: Path) -> dict[str, Any]:
    name = shown(path.name)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise RequestError(f"there is no recipe {shown(path)}") from None
    except OSError as error:
        raise RequestError(f"the recipe {name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RequestError(f"the recipe {name} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"the recipe {name} is not TOML: {error}") from None
    except RecursionError:
        raise RequestError(f"the recipe {name} is nested too deeply") from None
