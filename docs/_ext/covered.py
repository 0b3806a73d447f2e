"""Whether the built site defines every public thing once, and leads to it from elsewhere.

Also, whether every link within the site leads to a file and a place on it. What is in the margins
(contents, search) does not count: it names every page anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag

from places import places

ARTICLE = re.compile(r'<article role="main".*?</article>', re.DOTALL)
LINK = re.compile(r'<a\s[^>]*?href="([^"]*)"')
ID = re.compile(r'\sid="([^"]*)"')


class Read:
    """What a built page holds: its anchors, and where its text leads."""

    def __init__(self, file: Path, site: Path):
        text = file.read_text(encoding="utf-8")
        self.ids = ID.findall(text)
        self.links: set[tuple[str, str]] = set()
        found = ARTICLE.search(text)
        for href in LINK.findall(found[0] if found else ""):
            address, anchor = urldefrag(href)
            if re.match(r"[a-z]+:", address):
                continue
            there = (file.parent / unquote(address)).resolve() if address else file
            if there.is_relative_to(site):
                self.links.add((there.relative_to(site).as_posix(), unquote(anchor)))


def problems(site: Path) -> Iterator[str]:
    """Yield what is not defined, defined twice or led to from nowhere, and links to nowhere."""
    site = site.resolve()
    pages = {p.relative_to(site).as_posix(): Read(p, site) for p in sorted(site.rglob("*.html"))}
    into: dict[tuple[str, str], set[str]] = {}
    for name, page in pages.items():
        for file, anchor in page.links:
            into.setdefault((file, anchor), set()).add(name)
            into.setdefault((file, ""), set()).add(name)
            if file not in pages and not (site / file).exists():
                yield f"{name}: leads to {file}, which is not there"
            elif anchor and file in pages and anchor not in pages[file].ids:
                yield f"{name}: leads to {file}#{anchor}, which is not there"
    for (kind, name), place in places().items():
        file = f"{place.page}.html"
        if file not in pages:
            yield f"{kind} {name} has no page {file}"
        elif place.anchor and pages[file].ids.count(place.anchor) != 1:
            yield f"{kind} {name} is not defined once on {file}"
        elif not into.get((file, place.anchor), set()) - {file}:
            yield f"{kind} {name} is linked from no other page"
