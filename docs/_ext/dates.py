"""The date of every page of measurements: when its figures were changed last, by the history."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]


@cache
def changed() -> dict[str, str]:
    """Return the date of the last change of figures by folder; nothing without a history."""
    command = [
        "git",
        "log",
        "--format=@%cs",
        "--name-only",
        "-M",
        "--diff-filter=AM",
        "--",
        ":/docs/*.csv",
        ":/docs/*.svg",
    ]
    ran = subprocess.run(command, cwd=DOCS, check=False, capture_output=True, text=True)
    found: dict[str, str] = {}
    date = ""
    for line in ran.stdout.splitlines():
        if line.startswith("@"):
            date = line[1:]
        elif line.startswith("docs/"):
            found.setdefault(line.split("/")[1], date)
    return found


def tell(_: Any, page: str, source: list[str]) -> None:
    """Say at the end of a page of measurements when its figures were changed last."""
    folder, _, name = page.partition("/")
    if name == "README" and folder in changed():
        source[0] += f"\n\n*Figures last changed on {changed()[folder]}.*\n"


def setup(app: Any) -> dict[str, bool]:
    """Say dates when pages are read."""
    app.connect("source-read", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
