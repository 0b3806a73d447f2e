"""Spellings of one value, for l-diversity and alpha.

A text's form is what NFKC, case folding and leaving out what cannot be seen (spaces, control and
format signs, signs that Unicode tells to ignore) make of it, again and again until nothing changes;
digits of any script are those of ASCII. What is a number then is equal as one: 1, 1.0 and " 1".
Letters that only look alike are different values. A text of nothing that can be seen is missing, as
`*` is and whatever has the form of a word that means missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.table.hierarchy.values import Distinct
from shoal.table.roles import STAR, Column, Kind

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,5})?", re.ASCII)
UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")  # categories: control, format, separators
IGNORED = (  # Default_Ignorable_Code_Point of other categories, and the blank of Braille
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065),
    (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)  # fmt: skip
GONE = ("", STAR)
MISSING = -1


def form_of(text: str) -> str | Decimal:
    """Return what two texts have in common if they are spellings of one value."""
    now = _step(text)
    while now != text:
        text, now = now, _step(now)
    return Decimal(now) if NUMBER.fullmatch(now) else now


def _step(text: str) -> str:
    if text.isascii() and text.isalnum():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(_digit(sign) for sign in folded if not _is_unseen(sign))


def _digit(sign: str) -> str:
    return sign if sign.isascii() or not sign.isdecimal() else str(unicodedata.decimal(sign))


def _is_unseen(sign: str) -> bool:
    if sign.isspace() or unicodedata.category(sign) in UNSEEN:
        return True
    place = ord(sign)
    return any(first <= place <= last for first, last in IGNORED)


def forms_of(column: Column, values: Distinct, missing: Iterable[str]) -> Integers:
    """Return a number for the form of each distinct value, from 0 on; -1 is missing.

    A form has the place of the first of its values among the forms. Values that are no texts are
    equal as values.
    """
    nothing = {"", STAR, *(form_of(word) for word in missing)}
    if column.kind not in (Kind.TEXT, Kind.UNKNOWN):  # bytes are read as texts
        plain = len(nothing) == 2  # the form of every value need not be known
        gone = np.array(
            [text in GONE or not (plain or form_of(text) not in nothing) for text in values.texts],
            dtype=bool,
        )
        return np.where(gone, MISSING, np.cumsum(~gone) - 1).astype(np.int64)
    numbers: dict[str | Decimal, int] = {}
    forms = []
    for text in values.texts:
        form = form_of(text)
        forms.append(MISSING if form in nothing else numbers.setdefault(form, len(numbers)))
    return np.array(forms, dtype=np.int64)


def spelled(texts: Sequence[str], forms: Integers) -> bool:
    """Tell whether some value has several spellings, or is a spelling of a missing one."""
    there = forms[forms >= 0]
    gone = sum(1 for text in texts if text in GONE)
    return np.unique(there).size < there.size or int((forms < 0).sum()) > gone
