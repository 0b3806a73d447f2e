"""Names of methods that mean something else than in earlier versions, or have another name now.

A paper's name is the paper's algorithm; our own form of it ends in +, or has a name of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

FORM = 2  # of recipes: since 2 a paper's name is the paper's algorithm
REFINED_2018 = tuple(
    f"{base}{suffix}"
    for base, suffix in product(
        ("cbfs-nn", "cbfs-nc", "mdav-nn", "mdav-nc", "tfrp-nn", "tfrp-nc", "gsms-nn"), "23"
    )
)
CHANGED = {name: f"{name}+" for name in (*REFINED_2018, "decompose", "iterative")} | {
    "ls": "ls-steepest",
    "lsc": "lsc-steepest",
    "ilsm": "ilsm-steepest",
    "ilsmc": "ilsmc-near",
}
READ_ANEW = "diameter", "centroid+", "diameter+"  # still there, by a reading nearer to the paper
ALIASES = {"centroid+": "centroid-phase2", "diameter+": "diameter-phase2"}
NAMING = "method", "start", "refine"  # fields of the protection that may name a method


def as_named_before(protect: Mapping[str, Any]) -> dict[str, Any]:
    """Return the protection of a recipe of form 1, with today's names of its methods."""
    names = {key: CHANGED.get(protect[key], protect[key]) for key in NAMING
             if isinstance(protect.get(key), str)}  # fmt: skip
    return {**protect, **names}


def renamed_notes(protect: Any, form: int | None, recipe: bool) -> list[str]:
    """Return notes on methods of a recipe of form 1 (as it is named now), and on old names."""
    named = [getattr(protect, key) for key in NAMING]
    is_older = recipe and form is None
    before = {new: old for old, new in CHANGED.items()} if is_older else {}
    notes = [
        f"the recipe is of an earlier version, whose {before[name]} is {name} now: {name} is run"
        for name in named
        if name in before
    ]
    notes += [
        f"{name} has been {ALIASES[name]} since a + marks what is no paper's own"
        for name in named
        if name in ALIASES
    ]
    return notes + [
        f"the recipe is of an earlier version: {name} is nearer to its paper now, and may make "
        "other groups"
        for name in named
        if is_older and name in READ_ANEW
    ]
