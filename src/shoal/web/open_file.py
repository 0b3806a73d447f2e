"""Opened files of a session, and the names of files and hierarchies."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.system.names import is_reserved
from shoal.table.hierarchy.specify import is_file
from shoal.web.errors import Refused
from shoal.web.estimates import Estimates


@dataclass
class Opened:
    """An opened file: its path, inspection and draft settings.

    Of a database, `tables` are those that can be opened, and `table` is the one that is meant.
    """

    id: str
    name: str
    bytes: int
    origin: str
    path: Path
    place: Path
    opened: float = field(default_factory=time.time)
    state: str = "looking"
    error: str | None = None
    look: dict[str, Any] | None = None
    draft: Any = None
    reading: dict[str, Any] = field(default_factory=dict)  # how it is to be read, where asked
    tables: list[str] = field(default_factory=list)
    table: str | None = None
    trees: dict[str, dict[str, Any]] = field(default_factory=dict)
    estimates: Estimates = field(default_factory=Estimates)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)  # looks at it
    touched: float = field(default_factory=time.time)

    @property
    def source(self) -> str:
        """The path that is read: of a database with its table."""
        return str(self.path) if self.table is None else f"{self.path}#{self.table}"

    def choose(self, table: Any) -> None:
        """Take one of the tables of a database; no table where none is said."""
        if table is not None and table not in self.tables:
            raise Refused(400, "there is no such table in this file")
        self.table = table

    def take(self, look: dict[str, Any]) -> None:
        """Keep what a worker saw; of a database of several tables one is to be chosen first."""
        self.tables, self.table = look.pop("tables"), look.pop("table")
        if self.tables and self.table is None:
            self.state = "choosing"
            return
        self.look, self.state = look, "ready"

    def card(self) -> dict[str, Any]:
        """Return what a list says of it."""
        keys = "id", "name", "bytes", "origin", "state", "opened"
        return {key: getattr(self, key) for key in keys}

    def to_json(self) -> dict[str, Any]:
        """Return the file as JSON."""
        trees = [
            {"id": key, "column": tree["column"], "levels": tree["levels"]}
            for key, tree in self.trees.items()
        ]
        more = {"error": self.error, "draft": self.draft, "trees": trees, "look": self.look,
                "reading": self.reading, "tables": self.tables, "table": self.table}  # fmt: skip
        return {**self.card(), **more}


def check_ready(file: Opened) -> None:
    """Raise Refused for a file that is not inspected yet, or could not be read."""
    if file.state != "ready":
        raise Refused(409, "the file is not ready")


def plain_name(name: str) -> str:
    """Return a name of a file as it can be shown, whatever bytes it is of."""
    return name.encode("utf-8", "replace").decode()


def tree_names(hierarchies: dict[str, str]) -> dict[str, str]:
    """Return the download names of the files of hierarchies."""
    names: dict[str, str] = {}
    for column, rule in hierarchies.items():
        if is_file(rule):
            name = f"trees/{kept_name(f'{column}.csv', '.csv')}"
            again = f"trees/{len(names)}-{name.removeprefix('trees/')}"
            names[rule] = name if name not in names.values() else again
    return names


def last_part(name: str) -> str:
    """Return a file's name without folders before it."""
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def kept_name(name: str, ending: str) -> str:
    """Return the name a file gets on disk: the last part of its own, of plain signs alone."""
    stem = last_part(name)[: -len(ending)]
    plain = "".join(c if c.isprintable() and c not in '/:*?"<>|#' else "_" for c in stem)
    plain = plain.encode("utf-8", "replace")[:80].decode("utf-8", "ignore").strip(" .")
    usable = plain and not plain.startswith("-") and not is_reserved(plain)
    return f"{plain if usable else 'table' + plain}{ending}"
