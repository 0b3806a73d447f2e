"""Cases drawn from a seed: two to five options together."""

from __future__ import annotations

from collections.abc import Iterator


def drawn() -> Iterator:
    """Yield the cases."""
    yield from ()
