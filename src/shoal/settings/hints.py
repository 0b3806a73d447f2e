"""Hints of messages in the words of the command line, and of recipes and stored files.

Names and flags come from the table of options; `BEYOND` has what only some commands and functions
take.
"""

from __future__ import annotations

import json
import shlex

from shoal.hints import Blank, Hint, Message
from shoal.settings.table import TABLE
from shoal.settings.toml import toml_key

BEYOND = {
    "against": "--against", "hierarchy check": "`shoal hierarchy check`", "input": "--input",
    "keep": "--keep", "key": "--key", "methods": "--methods", "original": "--original",
    "output": "-o",
    "port": "--port", "population": "--population", "private": "--private", "recipe": "--recipe",
    "sampling_fraction": "--sampling-fraction", "show_rows": "--show-rows",
}  # fmt: skip


def as_command(hint: Hint) -> str:
    """Return a hint as words of the command line; one that no command takes as a recipe's key."""
    if hint.name in BEYOND:
        value = "" if hint.value is None else f" {shlex.quote(str(hint.value))}"
        return f"{BEYOND[hint.name]}{value}"
    entry = TABLE[hint.name]
    if not entry.option.commands:
        return as_recipe(hint)
    if hint.value is None:
        return entry.flag
    return shlex.join(entry.words(hint.value))


def as_recipe(hint: Hint) -> str:
    """Return a hint as a recipe has it; one that no recipe holds as the command line says it."""
    if hint.name in BEYOND or not TABLE[hint.name].key:
        return as_command(hint)
    key = TABLE[hint.name].key
    return key if hint.value is None else f"{key} = {_toml(hint.value)}"


def _toml(value: object) -> str:
    """Return a value as TOML writes it in one line; blanks are words without quotes."""
    if isinstance(value, Blank):
        return str(value)
    if isinstance(value, dict):
        pairs = (f"{toml_key(key)} = {_toml(one)}" for key, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def stored(text: str) -> str:
    """Return a text as files hold it that are kept: its hints as a recipe says them."""
    return Message(text).at(as_recipe)
