"""Code in the text leads to where it is defined: `shoal.verify`, `--quasi`, `mdav`, `il1s`.

Of a name that stands several times in a section, the first is a link. What could mean two things
(`best` is an effort and a method) is left alone.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from docutils import nodes
from places import MEASURES, OPTIONS, RISK, Place, anchor, command_tree, places

from shoal.settings.table import TABLE

SEVERAL = {"best", "exact", "fast", "centroid", "diameter", "ls"}  # words with other meanings, too


@cache
def flags() -> dict[str, Place]:
    """Return the place of every option of the command line."""
    found: dict[str, set[Place]] = {}
    for path, command, ctx in command_tree():
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


def place_of(text: str) -> Place | None:
    """Return where what a piece of code names is defined; none where that is not sure."""
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
        paths = (" ".join(["shoal", *words[:end]]) for end in (2, 1))
        return next((known["command", path] for path in paths if ("command", path) in known), None)
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
    return next((known[kind, text] for kind in kinds if (kind, text) in known), None)


def set_anchors(app: Any, doctree: nodes.document) -> None:
    """Give options, measures and figures of risk the anchors of their places."""
    page = app.env.docname
    if page == OPTIONS:
        for row in doctree.findall(nodes.row):
            name = next(iter(row.findall(nodes.literal)), None)
            if name is not None and name.astext() in TABLE:
                row["ids"].append(anchor("option", name.astext()))
    elif page in (MEASURES, RISK):
        wanted = {place.anchor for place in places().values() if place.page == page}
        for section in doctree.findall(nodes.section):
            key = next(iter(section.findall(nodes.literal)), None)
            name = "" if key is None else anchor("measure", key.astext())
            if name in wanted and key.parent.parent is section:
                section["ids"].append(name)


def section_of(node: nodes.Node) -> nodes.Node | None:
    """Return the section that a node stands in; none where it is no text to read on with."""
    while node is not None and not isinstance(node, nodes.section):
        if isinstance(node, nodes.reference | nodes.title | nodes.term | nodes.raw):
            return None
        if "code-cell" in " ".join(node.get("classes", ())) or node.tagname.startswith("desc"):
            return None
        node = node.parent
    return node


def link(app: Any, doctree: nodes.document, page: str) -> None:
    """Make links of the code that names something public."""
    seen: set[tuple[int, Place]] = set()
    for literal in list(doctree.findall(nodes.literal)):
        place = place_of(literal.astext())
        section = section_of(literal)
        if place is None or section is None or place.page == page or (id(section), place) in seen:
            continue
        seen.add((id(section), place))
        address = app.builder.get_relative_uri(page, place.page)
        target = f"{address}#{place.anchor}" if place.anchor else address
        reference = nodes.reference("", "", internal=True, refuri=target)
        literal.parent.replace(literal, reference)
        reference += literal


def setup(app: Any) -> dict[str, bool]:
    """Set anchors when a page was read, and links when it is written."""
    app.connect("doctree-read", set_anchors)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
