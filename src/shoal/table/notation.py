"""How a csv file writes its text, its numbers and its dates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Notation:
    """The encoding of the text, the sign before decimals, and the order and signs of a date.

    `date` is made of %Y, %m and %d, each once, and of single ASCII signs.
    """

    encoding: str = "utf-8"
    decimal: str = "."
    date: str = "%Y-%m-%d"


STRICT = Notation()
