"""What an engine finds when it groups a release by its quasi-identifiers, in its own way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counted:
    """How many records and classes there are, and the size of the smallest."""

    records: int
    classes: int
    smallest: int
