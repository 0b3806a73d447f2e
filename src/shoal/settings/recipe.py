"""Recipes: settings in a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import RequestError, shown
from shoal.judge.requirement import OF_COLUMNS, Requirement
from shoal.settings.hints import stored
from shoal.settings.model import FORM, Settings, build
from shoal.settings.parse import joined_key

COMMITTED = "commitment:"  # before the commitment to what a published recipe does not tell


def load(path: Path) -> Settings:
    """Read a recipe; unknown keys, wrong types and broken TOML are errors with their place."""
    return _built(_parse(path), path.name)


def load_tree(path: Path) -> dict[str, Any]:
    """Read a recipe that need not be whole, for others to complete; what it says is checked."""
    tree = _parse(path)
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


def _parse(path: Path) -> dict[str, Any]:
    name = shown(path.name)
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8-sig"))
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
    if (form := tree.get("form", FORM)) != FORM:
        raise RequestError(f"the recipe {name} is of form {shown(form)}; only {FORM} can be read")
    return tree


def requirements_beyond_k(requirement: Requirement) -> dict[str, Any]:
    """Return the requirements beyond k, as in a recipe."""
    usual = Requirement(requirement.k)
    names = (*OF_COLUMNS, "c", "dominance", "missing_sensitive", "l_kind", "beta_kind")
    thresholds = {name: getattr(requirement, name) for name in names}
    fields: dict[str, Any] = {
        name: dict(threshold) if isinstance(threshold, Mapping) else threshold
        for name, threshold in thresholds.items()
        if threshold != getattr(usual, name)
    }
    for name in ("l_of", "k_of"):
        if counts := getattr(requirement, name):
            fields[name] = {joined_key(columns): least for columns, least in counts.items()}
    return fields
