"""Plain: a column of one kind that was recognized by its bytes, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.errors import in_shape
from shoal.table.roles import Kind


@dataclass(frozen=True)
class Plain:
    """A recognized column: its values as a kind, if it is of that kind."""

    __repr__ = in_shape

    texts: Any

    def values(self, kind: Kind, decimals: int) -> Any | None:  # noqa: ARG002 - of those that need it
        """Return the values, None if they are not of a kind."""
        return None
