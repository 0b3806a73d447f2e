"""Source: an opened release, as a table that queries can name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.judge.papers import Manifest


@dataclass(frozen=True)
class Source:
    """An opened release: `table` is its name in the engine, `columns` the DuckDB type of each.

    `as_text` tells that every cell is the text of a csv file, and empty ones are NULL; of all other
    files cells are values. `manifest` is what a folder says of itself, `reader` what reads the
    file, and `warnings` are about it.
    """

    name: str
    table: str
    columns: dict[str, str]
    as_text: bool = False
    reader: str = ""
    warnings: tuple[str, ...] = ()
    manifest: Manifest | None = None

    def check(self, wanted: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for name in wanted:
            if name not in self.columns:
                close = difflib.get_close_matches(name, self.columns, n=3, cutoff=0.5)
                hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
                raise InputError(f"{self.name}: there is no column {name[:60]!r}{hint}")
