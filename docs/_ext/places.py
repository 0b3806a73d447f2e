"""Where every public thing is defined on the site: a page, and a place on it.

Names of Python, errors, commands, options, measures, figures of risk and methods: each has one
place. `code_links.py` leads readers there, `covered.py` asks whether the built site has it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import api_pages
import method_pages
from command_tree import every_command

import shoal
from shoal.measures.definitions import DEFINITIONS
from shoal.measures.disclosure.figures import DISCLOSURE
from shoal.settings.table import TABLE

OPTIONS, MEASURES, RISK = "reference/options", "measures/README", "risk/README"


class Place(NamedTuple):
    """A page of the site by its name, and the anchor on it; none where the page is about it."""

    page: str
    anchor: str = ""


def anchor(kind: str, key: str) -> str:
    """Return the anchor of an option or measure."""
    return f"{kind}-{key}".replace("_", "-").replace(".", "-")


@cache
def places() -> dict[tuple[str, str], Place]:
    """Return where every public thing is defined, by its kind and name."""
    found: dict[tuple[str, str], Place] = {}
    for name in api_pages.every():
        kind = "error" if api_pages.is_error(name) else "name"
        found[kind, name] = Place(f"generated/api/{api_pages.stem(name)}")
    for path, _, _ in every_command():
        found["command", path] = Place(f"generated/commands/{path.replace(' ', '-')}")
    for name in TABLE:
        found["option", name] = Place(OPTIONS, anchor("option", name))
    for key in DEFINITIONS:
        found["measure", key] = Place(MEASURES, anchor("measure", key))
    for key in DISCLOSURE:
        found["risk figure", key] = Place(RISK, anchor("measure", key))
    for info in shoal.methods():
        found["method", info.name] = Place(f"generated/methods/{method_pages.stem(info.name)}")
    return found
