"""Names of columns that read alike: they differ in case, spaces around them or Unicode form."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from shoal.errors import listed


def names_alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the sets of names that differ in case, spaces around them or Unicode form alone."""
    by_form: dict[str, list[str]] = {}
    for name in names:
        by_form.setdefault(_plain(name), []).append(name)
    return [tuple(same) for same in by_form.values() if len(same) > 1]


def similar_name_notes(names: Iterable[str]) -> list[str]:
    """Return notes on names of columns that read alike."""
    return [
        f"the names {listed(same)} differ only in case, spaces or Unicode form; "
        "are the right columns meant?"
        for same in names_alike(names)
    ]


def _plain(name: str) -> str:
    """Return a name without what two names that read alike may differ in."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf").strip()
