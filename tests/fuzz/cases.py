"""A case as plain data: what it is made of, written as JSON and read again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Column:
    """A column: its cells as texts (None: missing), and the Arrow kind that they are of."""

    name: str
    kind: str
    cells: tuple[str | None, ...]


@dataclass(frozen=True)
class Case:
    """A table, how it is handed over, what is asked of it, and through which door.

    `files` are hierarchies by name of the file, as lines of cells; an option names one as
    `file:NAME`.
    """

    seed: int
    columns: tuple[Column, ...]
    options: dict[str, Any]
    source: str = "arrow"
    door: str = "python"
    files: dict[str, list[list[str]]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return len(self.columns[0].cells) if self.columns else 0

    def replace(self, **changes: Any) -> Case:
        """Return the case with something changed."""
        return replace(self, **changes)

    def only_rows(self, rows: list[int]) -> Case:
        """Return the case with some of its records."""
        columns = tuple(
            replace(column, cells=tuple(column.cells[row] for row in rows))
            for column in self.columns
        )
        return self.replace(columns=columns)

    def to_json(self) -> str:
        """Return the case as a line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str) -> Case:
        """Return the case that a line of JSON tells of."""
        told = json.loads(text)
        columns = tuple(
            Column(one["name"], one["kind"], tuple(one["cells"])) for one in told.pop("columns")
        )
        return cls(columns=columns, **told)


@dataclass(frozen=True)
class Finding:
    """What should not have happened: which oracle says so, of what, and the case."""

    oracle: str
    what: str
    case: Case
    trace: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What two findings of one mistake have in common: the oracle and the place."""
        return self.oracle, self.trace.strip().rsplit("\n", 1)[-1] or self.oracle
