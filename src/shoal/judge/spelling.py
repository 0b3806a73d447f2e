"""Spellings of one sensitive value; the judge's own definition.

Compatibility forms and cases of letters are made one (NFKC, case folding), and whatever takes no
ink is left out: white space, control and format characters, and those that Unicode lists as
ignorable. What reads as a number then is compared as a number, a date as a date. Nothing left, or a
star, or a word that stands for a missing cell: the cell says nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from unicodedata import category, decimal, normalize

from shoal.judge.hierarchies import number
from shoal.judge.models.matching import is_star

INKLESS = frozenset(
    place
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2065, 0x2065),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0xE0000, 0xE0FFF),
    )
    for place in range(first, last + 1)
)


def plain_text(text: str) -> str:
    """Return the letters that all spellings of a text share."""
    for _ in range(1 + len(text)):  # mostly once; each further round has less to change
        made = []
        for sign in normalize("NFKC", text).casefold():
            kind = category(sign)
            if kind in ("Cc", "Cf") or kind[0] == "Z" or ord(sign) in INKLESS:
                continue
            made.append(str(decimal(sign)) if kind == "Nd" else sign)
        again = "".join(made)
        if again == text:
            break
        text = again
    return text


def plain_value(value: Any, silent: Collection[Any], moments: bool = False) -> Any:
    """Return what all spellings of a value have in common, None for what says nothing.

    `silent` holds such forms of the words that stand for missing cells; `moments` tells that texts
    may be moments.
    """
    if is_star(value):
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    plain = value
    if isinstance(value, bool):
        plain = str(value).lower()
    elif isinstance(value, int | float | Decimal):
        plain = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    elif isinstance(value, str):
        moment = _moment(value) if moments else None
        letters = plain_text(value)
        digits = number(letters)
        plain = moment if moment is not None else letters if digits is None else digits
        if letters in ("", "*"):
            return None
    return None if plain in silent else plain


def _moment(text: str) -> tuple[str, Any, str] | None:
    """Return a moment of a day as what it is, whatever it is written like; a date alone is text."""
    trimmed = text.strip(" \t")
    if len(trimmed) < 16 or not trimmed[:4].isdigit() or trimmed[4] != "-":
        return None
    try:
        moment = datetime.fromisoformat(trimmed)
    except ValueError:
        return None
    fraction = trimmed.partition(".")[2]
    beyond = "".join(sign for sign in fraction[6:9] if sign.isdigit()).rstrip("0")
    return "moment", moment if moment.tzinfo is None else moment.astimezone(UTC), beyond
