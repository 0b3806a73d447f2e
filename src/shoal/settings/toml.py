"""Trees of settings as TOML."""

from __future__ import annotations

import json
import re
from typing import Any


def toml_of(tree: dict[str, Any], path: str = "", head: str = "") -> str:
    """Write a tree of tables: plain values first, then the tables; empty ones are left out.

    `head` is the line above a table of a list, `[[steps]]`.
    """
    plain = [
        (key, value)
        for key, value in tree.items()
        if not isinstance(value, dict) and not _is_tables(value)
    ]
    text = "".join(f"{toml_key(key)} = {_value(value)}\n" for key, value in plain)
    if path and (plain or head):
        text = f"{head or f'[{path}]'}\n{text}"
    parts = [text] if text else []
    for key, value in tree.items():
        own = f"{path}.{toml_key(key)}" if path else toml_key(key)
        if isinstance(value, dict) and value:
            parts.append(toml_of(value, own))
        elif _is_tables(value):
            parts += [toml_of(one, own, f"[[{own}]]") for one in value]
    return "\n".join(parts)


def _is_tables(value: Any) -> bool:
    """Tell whether a value is a list of tables."""
    return isinstance(value, tuple) and bool(value) and all(isinstance(v, dict) for v in value)


def without_none(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree without None, for which TOML has no word."""
    return {
        key: without_none(value) if isinstance(value, dict) else value
        for key, value in tree.items()
        if value is not None
    }


def toml_key(key: str) -> str:
    """Write a key; one with other signs than a word's in quotes."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    """Write a value; JSON's strings are TOML's, but for the delete sign."""
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def tupled(tree: Any) -> Any:
    """Return lists as tuples: the model is frozen all the way down."""
    if isinstance(tree, dict):
        return {key: tupled(value) for key, value in tree.items()}
    return tuple(tree) if isinstance(tree, list) else tree
