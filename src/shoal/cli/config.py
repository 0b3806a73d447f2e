"""Variables and the configuration file: resources, paths and display of commands, nothing else.

An option on the command line comes before its variable SHOAL_…, that before the configuration file,
that before the default. What decides about a release (k, roles, models, method, seed) is in none of
them: it would change what is released without being seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from shoal.cli.display import COLORS, PROGRESS
from shoal.errors import RequestError, nearest_names, shown

PREFIX = "SHOAL_"
FILE = "SHOAL_CONFIG"
READ_ELSEWHERE = FILE, "SHOAL_DATA", "SHOAL_CHARTS"
ELSEWHERE = "it is said on the command line or in a recipe"

Rule = tuple[str, Callable[[Any], bool]]
TEXT: Rule = ("a text", lambda value: isinstance(value, str) and bool(value))
YES: Rule = ("true or false", lambda value: isinstance(value, bool))


def _one_of(words: tuple[str, ...]) -> Rule:
    return f"one of {', '.join(words)}", lambda value: value in words


KEYS: dict[str, Rule] = {
    "threads": ("a whole number from 1", lambda value: type(value) is int and value >= 1),
    "memory": TEXT,
    "work": TEXT,
    "scheduler": TEXT,
    "quiet": YES,
    "verbose": YES,
    "progress": _one_of(PROGRESS),
    "color": _one_of(COLORS),
}


def variable(key: str) -> str:
    """Return the variable of a key."""
    return PREFIX + key.upper()


def config_path() -> Path:
    """Return where the configuration file is looked for: SHOAL_CONFIG, or the platform's place."""
    named = os.environ.get(FILE)
    if named:
        return Path(named)
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home, "shoal") if home else Path(typer.get_app_dir("shoal"))) / "config.toml"


def read_config() -> dict[str, Any]:
    """Return what the configuration file says, checked; nothing where there is none."""
    path = config_path()
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if os.environ.get(FILE):
            raise RequestError(f"{FILE}: there is no file {shown(path)}") from None
        return {}
    except OSError as error:
        raise RequestError(f"{shown(path)}: cannot be read: {error.strerror}") from None
    import tomllib

    try:
        values = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RequestError(f"{shown(path)}: not a TOML file in UTF-8") from None
    for key, value in values.items():
        _check(path, key, value)
    return values


def color_of(words: list[str]) -> str:
    """Return whether to print in color, by command line, variable and configuration file.

    Help is printed before a command line is checked, and whatever the file is like: what is wrong
    is said when a command runs.
    """
    if "--no-color" in words:
        return "never"
    named = os.environ.get(variable("color"))
    if named is None:
        try:
            named = read_config().get("color")
        except RequestError:
            named = None
    return named if named in COLORS else COLORS[0]


def _check(path: Path, key: str, value: Any) -> None:
    """Raise RequestError for a key that a configuration file does not have, or a wrong value."""
    if key not in KEYS:
        if key in _of_releases():
            raise RequestError(
                f"{shown(path)}: {key} is never read from a configuration file, which holds "
                f"resources, paths and display only; {ELSEWHERE}"
            )
        raise RequestError(f"{shown(path)}: no such key: {shown(key)}{nearest_names(key, KEYS)}")
    what, is_right = KEYS[key]
    if not is_right(value):
        raise RequestError(f"{shown(path)}: {key} must be {what}")


def check_variables() -> None:
    """Raise RequestError for a variable named as an option that is never read from one."""
    color = os.environ.get(variable("color"))
    if color and color not in COLORS:
        raise RequestError(f"{variable('color')} must be {KEYS['color'][0]}")
    known = {*map(variable, KEYS), *READ_ELSEWHERE}
    others = [name for name in os.environ if name.startswith(PREFIX) and name not in known]
    options = _of_releases() if others else set()
    for name in others:
        if name.removeprefix(PREFIX).lower() in options:
            raise RequestError(
                f"{name} is never read from a variable: these hold resources, paths and display "
                f"only; {ELSEWHERE}"
            )


def _of_releases() -> set[str]:
    """Return the names of all other options and parts of a recipe, as they could be written."""
    from shoal.settings.model import Settings
    from shoal.settings.table import TABLE

    flags = (flag.lstrip("-") for entry in TABLE.values() for flag in entry.flags)
    names = {*TABLE, *flags, *Settings.model_fields}
    return {name.replace("-", "_") for name in names} | names
