"""What a piece of code in the text names, and where that is defined."""

from __future__ import annotations

import re
from functools import cache

from command_tree import every_command
from places import Place, places

from shoal.settings.table import TABLE

OF_RISK = {"guide/risk"}  # pages on which names are those of a table's own risk
SEVERAL = {"best", "exact", "fast", "centroid", "diameter", "ls"}  # words with other meanings, too


@cache
def flags() -> dict[str, Place]:
    """Return the place of every option of the command line."""
    found: dict[str, set[Place]] = {}
    for path, command, ctx in every_command():
        for param in command.get_params(ctx):
            for flag in (*param.opts, *param.secondary_opts):
                if flag.startswith("-"):
                    found.setdefault(flag, set()).add(places()["command", path])
    alone = {flag: pages.pop() for flag, pages in found.items() if len(pages) == 1}
    own = {flag: places()["option", name] for name, one in TABLE.items() for flag in one.flags}
    return alone | own


@cache
def recipe_keys() -> dict[str, Place]:
    """Return the place of every key of a recipe."""
    return {one.key: places()["option", name] for name, one in TABLE.items() if one.key}


def place_of(text: str, page: str = "") -> Place | None:
    """Return where what a piece of code on a page names is defined; none where that is not sure."""
    known = places()
    if found := re.match(r"shoal\.([A-Za-z_]+(?:\.[A-Za-z_]+)*)", text):
        path = found[1].split(".")
        for end in (len(path), 1):
            for kind in ("name", "error"):
                if (place := known.get((kind, ".".join(path[:end])))) is not None:
                    return place
        return None
    if text.startswith("shoal "):
        words = re.match(r"shoal((?: [a-z-]+)*)", text)[1].split()
        paths = [" ".join(["shoal", *words[:end]]) for end in (2, 1)]
        found_paths = [path for path in paths if ("command", path) in known]
        if found_paths:
            return known["command", found_paths[0]]
        groups = {path.rpartition(" ")[0] for path, _, _ in every_command()}  # shoal hierarchy
        return Place("generated/commands/index") if paths[-1] in groups - {"shoal"} else None
    if found := re.match(r"--?[a-z][\w-]*", text):
        return flags().get(found[0])
    if found := re.match(r"([a-z_0-9]+)=", text):
        return known.get(("option", found[1]))
    if text in recipe_keys():
        return recipe_keys()[text]
    if text in SEVERAL:
        return None
    if text[:1].isupper():
        kinds: tuple[str, ...] = ("error", "name")
    elif "_" in text and text in TABLE:
        kinds = ("option",)
    else:
        kinds = ("method", "measure", "risk figure")
    if page in OF_RISK:
        kinds = ("risk figure", *kinds)
    return next((known[kind, text] for kind in kinds if (kind, text) in known), None)
