"""Code in the text leads to where it is defined: `shoal.verify`, `--quasi`, `mdav`, `il1s`.

Of a name that stands several times in a section, the first is a link. What could mean two things
(`best` is an effort and a method) is left alone.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from named import place_of
from places import MEASURES, OPTIONS, RISK, Place, anchor, places

from shoal.settings.table import TABLE


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
        if node.tagname == "desc_signature":
            return None
        node = node.parent
    return node


def link(app: Any, doctree: nodes.document, page: str) -> None:
    """Make code of single backticks in docstrings, and links of what names something public."""
    for quoted in list(doctree.findall(nodes.title_reference)):
        quoted.replace_self(nodes.literal("", quoted.astext()))
    seen: set[tuple[int, Place]] = set()
    for literal in list(doctree.findall(nodes.literal)):
        place = place_of(literal.astext(), page)
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
