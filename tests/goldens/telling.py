"""What came out of a door, told by names: one adapter between reports and goldens.

A figure's name is its place in the report, read backwards and without the words that only hold
the tree together: `columns/age/mean_before` is "mean before of age". Where the tree of a report
changes and the figure stays, a line of RENAMED keeps the name, and the record holds.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

# words of the tree that say nothing in the name of a figure
STRUCTURE = {"columns", "measures", "utility", "risk", "value", "by", "input", "risks", "figures"}
# what differs from run to run: clocks, secrets, versions, places; and sentences made of figures
CHANGING = {
    "seconds", "megabytes", "created", "issued", "time", "versions", "schema", "commitment",
    "sha256", "path", "curve", "created_at", "shoal", "seconds_by_stage", "folder", "pairs_by_pass",
    "sentence", "text", "citation", "key", "bytes", "size_bytes", "commitments", "platform",
}  # fmt: skip
# names of list entries, the first that is there
ENTRY = ("name", "column", "title", "kind", "size", "what")
RENAMED: dict[str, str] = {}


def hash_of(value: Any) -> str:
    """Return a short hash of plain values."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    text = value if isinstance(value, str) else json.dumps(_hashable(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _hashable(value: Any) -> Any:
    """Return values as JSON has them, floats to ten digits: a last bit is no change."""
    if isinstance(value, Mapping):
        return {str(key): _hashable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_hashable(one) for one in value]
    if isinstance(value, float):
        return f"{value:.10g}"
    return value if isinstance(value, str | int | bool | None) else str(value)


def labels_of(labels: Any) -> str:
    """Return a hash of groups that does not depend on the numbers they have."""
    first: dict[int, int] = {}
    return hash_of([first.setdefault(int(label), len(first)) for label in labels])


def cells_of(table: Any) -> str:
    """Return a hash of the cells of a Table, in their order."""
    return hash_of([[column.name, column.values.to_pylist()] for column in table.columns])


def chart_of(spec: Any) -> list[str]:
    """Return hashes of a chart: of the values that it shows, and of all, colors and sizes too."""
    return [hash_of(list(_values(spec))), hash_of(spec)]


def _values(spec: Any) -> Iterator[Any]:
    if isinstance(spec, Mapping):
        for key, value in spec.items():
            if key == "values":
                yield value
            else:
                yield from _values(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _values(value)


def told(tree: Any) -> dict[str, Any]:
    """Return the figures of a tree by their names; lists of numbers stay lists."""
    found: dict[str, Any] = {}
    for place, value in _leaves(tree, ()):
        name = name_of(place)
        while name in found:  # two places of one name: the longer one is told whole
            name = f"{name} ({'/'.join(place)})" if "(" not in name else f"{name}'"
        found[name] = value
    return found


def name_of(place: tuple[str, ...]) -> str:
    """Return the name of a figure."""
    path = "/".join(place)
    for pattern, name in RENAMED.items():
        if match := re.fullmatch(pattern, path):
            return match.expand(name)
    words = [word.replace("_", " ") for word in place if word not in STRUCTURE] or list(place)
    return " of ".join(reversed(words))


def _leaves(tree: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            if str(key) not in CHANGING:
                yield from _leaves(value, (*place, str(key)))
    elif isinstance(tree, list | tuple):
        if all(isinstance(one, int | float | None) for one in tree):
            yield place, [_plain(one) for one in tree]
        elif all(isinstance(one, str) for one in tree):
            yield (place, list(tree)) if _short(tree) else ((*place, "count"), len(tree))
        else:
            for number, value in enumerate(tree):
                yield from _leaves(value, (*place, _entry(value, number)))
    elif tree is not None and (not isinstance(tree, str) or _short([tree])):
        yield place, _plain(tree)


def _entry(value: Any, number: int) -> str:
    if isinstance(value, Mapping):
        for key in ENTRY:
            if isinstance(value.get(key), str | int):
                return f"{value.get('model', '')} {value[key]}".lstrip()
    return str(number + 1)


def _short(texts: Any) -> bool:
    """Tell whether texts are words, as a method's name, and no sentences."""
    return all(len(text) < 40 and text.count(" ") < 4 for text in texts)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int | bool | str | None):
        return value
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def without_places(text: str, *places: str) -> str:
    """Return a message without paths, times and random names."""
    for place in sorted(places, key=len, reverse=True):
        text = text.replace(place, "…")
    text = re.sub(r"\b\d+(\.\d+)? (s|ms|min|MB|GB|kB)\b", r"… \2", text)
    return re.sub(r"\b[0-9a-f]{32,64}\b|(?<=the last begins )[0-9a-f]{12}\b", "…", text)
