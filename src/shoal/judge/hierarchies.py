"""Hierarchies of sensitive values, for t-closeness; the judge's own reader.

A tree is a csv file of lines `value;parent;…;*`, or prefixes of texts: `prefixes:3,2`. The node of
a value at a level is the word of its line there; how high it is is the number of its level.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from shoal.errors import InputError, RequestError, shown
from shoal.judge.readers.lines import bounded

NUMBER = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?\s*", re.ASCII)
PREFIXES = "prefixes:"
LARGEST = 64 * 2**20  # bytes of a file
LINE = 2**20  # bytes of a line


def number(text: str) -> Decimal | None:
    """Return the number that a text is, None for other texts."""
    return Decimal(text.strip()) if NUMBER.fullmatch(text) else None


@dataclass(frozen=True, repr=False)
class Tree:
    """The words above each value, the lowest first, or the lengths of prefixes."""

    height: int
    lines: dict[str, tuple[str, ...]]
    lengths: tuple[int, ...] = ()

    def path(self, value: str) -> list[tuple[int, str]] | None:
        """Return the nodes above a value, without the root; None if the tree lacks it."""
        if self.lengths:
            words = [value[:kept] + "*" * (len(value) - kept) for kept in self.lengths]
        elif value in self.lines:
            words = list(self.lines[value])
        else:
            return None
        return [(level, word) for level, word in enumerate(words, 1)]


def read_tree(rule: str | os.PathLike[str], column: str) -> Tree:
    """Return the hierarchy of a column, from a file or a rule."""
    if isinstance(rule, str) and rule.startswith(PREFIXES):
        parts = rule.removeprefix(PREFIXES).split(",")
        lengths = tuple(int(part) if part.isdecimal() else 0 for part in parts)
        if not all(lengths) or list(lengths) != sorted(set(lengths), reverse=True):
            raise RequestError(f"the hierarchy of {shown(column)}: say prefixes:3,2")
        return Tree(len(lengths) + 1, {}, lengths)
    path = Path(rule)
    if not path.is_file():
        raise InputError(
            f"the hierarchy of {shown(column)}: there is no file {shown(path.name)}; verify takes "
            "a FILE.csv or prefixes:3,2"
        )
    try:
        with path.open("rb") as file:
            lines = list(bounded(file, shown(path.name), LINE, LARGEST))
        text = b"".join(lines).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{shown(path.name)}: cannot be read as UTF-8 text") from None
    reason = "no hierarchy; every line must be value;parent;…;*"
    for sign in ";,\t":
        try:
            rows = _rows(text, sign)
        except csv.Error as error:
            if "field limit" in str(error):
                most = csv.field_size_limit()
                reason = f"a cell of more than {most} characters; is a quote missing?"
            continue
        if rows:
            return _joined(rows, path.name)
    raise InputError(f"{shown(path.name)}: {reason}")


def _rows(text: str, sign: str) -> list[list[str]]:
    """Return the lines by a delimiter, or none if they do not all end in the root."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    rows = [row for row in reader if row]
    good = all(len(row) == len(rows[0]) > 1 and row[-1] == "*" for row in rows)
    return rows if good else []


def _joined(rows: Sequence[Sequence[str]], name: str) -> Tree:
    lines: dict[str, tuple[str, ...]] = {}
    for number_, row in enumerate(rows, 1):
        above = tuple(row[1:-1])
        if lines.setdefault(row[0], above) != above:
            raise InputError(f"{shown(name)}: the value of path {number_} has two parents")
    return Tree(len(rows[0]) - 1, lines)
