"""Commas in texts, at which a range [least,greatest] may be read."""

from __future__ import annotations

from collections.abc import Iterator


def splits(text: str) -> Iterator[tuple[str, str]]:
    """Return what stands before and after every comma of a text."""
    for place, sign in enumerate(text):
        if sign == ",":
            yield text[:place], text[place + 1 :]
