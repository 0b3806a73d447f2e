"""Which sensitive values are spellings of one, sign by sign, importing nothing of ours."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from functools import cache

BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2065\u2800\u3164\uffa0"


def is_blank(sign):
    """Whether a sign cannot be seen."""
    if unicodedata.category(sign) in ("Cc", "Cf", "Zs", "Zl", "Zp") or sign in BLANKS:
        return True
    return any(a <= sign <= b for a, b in (
        ("\ufe00", "\ufe0f"), ("\ufff0", "\ufff8"), ("\U000e0000", "\U000e0fff"),
    ))  # fmt: skip


def as_number(text):
    """The number that a text is, None if it is none; with a comma, an underscore it is none."""
    digits = text.replace("e", "").replace(".", "").replace("+", "").replace("-", "")
    if not digits.isascii() or not digits.isdecimal():
        return None
    try:
        return Fraction(text)
    except ValueError:
        return None


def form(value):
    """What all spellings of a value have in common; None where it says nothing."""
    if value is None or value != value:
        return None
    return text_form(value) if isinstance(value, str) else value


@cache
def text_form(value):
    """The same of a text; the same few texts come again and again."""
    for _ in range(10):
        value = unicodedata.normalize("NFKC", value)
        value = value.casefold()
        value = "".join(sign for sign in value if not is_blank(sign))
        value = "".join(
            str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in value
        )
    if value in ("", "*"):
        return None
    number = as_number(value)
    return value if number is None else number


def known(values):
    """The forms of the values that say something."""
    return [made for made in map(form, values) if made is not None]


def by_people(persons, values):
    """The values of some records, each person's once."""
    return [value for _, value in sorted(set(zip(persons, values, strict=True)), key=str)]
