"""Class counts of a release, as an engine returns them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counted:
    """How many records and classes there are, and the size of the smallest."""

    records: int
    classes: int
    smallest: int
