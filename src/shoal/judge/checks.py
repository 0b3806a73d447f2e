"""What every reader refuses: names of columns that look the same, and files that unpack to much."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from shoal.errors import InputError, shown

# Cyrillic, Greek and other letters that look like Latin ones, small and capital apart.
LIKE = "авеёкмнорстухѕіїјһԁԛԝАВЕЁКМНОРСТУХЅІЇЈҺԌԚԜαιοκρτυχγνωϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡℓոսօ"
LATIN = "abeekmhopctyxsiijhdqwABEEKMHOPCTYXSIIJHGQWaiokptuxyvwcABEZHIKMNOPTYXiaglnuo"
CONFUSABLE = str.maketrans(LIKE, LATIN)
UNSEEN = ("Z", "C")  # categories of Unicode: spaces, and signs that nobody sees
LINE = 2**24  # bytes of a line of text: a longer one is none
PIECE = 2**20  # bytes that are read at once
RATIO, FREE = 200, 64 * 2**20  # what unpacks to more than both is no table


def check_names(names: Sequence[str], file: str) -> None:
    """Refuse a column without a name, and two whose names are equal or look the same."""
    seen: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        if "\0" in name or not (look := _look(name)):
            raise InputError(
                f"{file}: column {place} has no name that can be seen, and readers call it "
                "differently (pandas Unnamed: 0, R X); give it one, or take it out"
            )
        if seen.get(look) == name:
            raise InputError(f"{file}: two columns are named {shown(name)}")
        if look in seen:
            raise InputError(
                f"{file}: the columns {shown(seen[look])} and {shown(name)} look the same (case, "
                "spaces, letters of other alphabets); rename one"
            )
        seen[look] = name


def _look(name: str) -> str:
    """Return what names have in common that look the same."""
    plain = unicodedata.normalize("NFKC", name).translate(CONFUSABLE).casefold()
    plain = unicodedata.normalize("NFKC", plain).translate(CONFUSABLE)
    return "".join(sign for sign in plain if unicodedata.category(sign)[0] not in UNSEEN)


def check_unpacked(size: int, packed: int, name: str) -> None:
    """Refuse a file that unpacks to far more than a table of its size would."""
    if size > FREE and size > RATIO * packed:
        raise InputError(f"{name}: unpacks to more than {RATIO} times its size; not a table")


def more(name: str, what: str, instead: str = "write csv or Parquet") -> InputError:
    """Return the error of a file that holds more than its records and their columns."""
    return InputError(
        f"{name}: it holds {what} beside its records, and whoever opens it can read that; {instead}"
    )


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; one that names a key twice is none, as readers differ."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError
    return content
