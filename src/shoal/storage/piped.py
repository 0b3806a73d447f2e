"""Folders that hold what came from stdin while a command runs: no recipe names a file in them."""

from __future__ import annotations

from pathlib import Path

PIPED = "shoal-stdin-"


def is_piped(path: str) -> bool:
    """Tell whether a file holds what came from stdin, and is gone when the run is over."""
    return Path(path).parent.name.startswith(PIPED)
