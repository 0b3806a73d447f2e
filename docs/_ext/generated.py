"""Pages that the code writes: methods, commands, public names, schemas. They are not kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import api_pages
import command_pages
import method_pages
import root_pages
import schema_pages
import stored

PLACE = Path(__file__).parents[1] / "generated"


def adapt(_: Any, name: str, source: list[str]) -> None:
    """Put stored outputs into their pages; links to folders lead nowhere: leave their words."""
    source[0] = re.sub(r"<!-- stored: (.*?) -->", lambda at: stored.told(at[1]), source[0])
    if name == "records/README":
        source[0] = re.sub(r"\[([^]]*)\]\(labels/?\)", r"\1", source[0])


def write_all(_: Any = None) -> None:
    """Write every generated page."""
    api_pages.write(PLACE / "api")
    command_pages.write(PLACE / "commands")
    method_pages.write(PLACE / "methods")
    method_pages.gallery(PLACE)
    schema_pages.write(PLACE / "schemas")
    root_pages.write(PLACE / "developers")


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx reads its sources."""
    app.connect("builder-inited", write_all)
    app.connect("source-read", adapt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write_all()
