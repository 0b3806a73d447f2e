"""The slow twin of reading and writing csv: one sign, one cell at a time."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal


def records(text, delimiter=","):
    """The cells of well-formed csv text, each with whether it stood in quotes, and its line."""
    rows, row, cell, quoted, inside, line, first = [], [], "", False, False, 1, 1
    at = 0
    while at < len(text):
        sign = text[at]
        if inside:
            if sign == '"' and text[at + 1 : at + 2] == '"':
                cell, at = cell + '"', at + 1
            elif sign == '"':
                inside = False
            else:
                cell += sign
        elif sign == '"':
            inside = quoted = True
        elif sign == delimiter:
            row, cell, quoted = [*row, (cell, quoted)], "", False
        elif sign == "\n":
            rows.append((first, [*row, (cell.removesuffix("\r") if not quoted else cell, quoted)]))
            row, cell, quoted, first = [], "", False, line + 1
        elif not (quoted and sign == "\r"):
            cell += sign
        line += sign == "\n"
        at += 1
    if row or cell or quoted:
        rows.append((first, [*row, (cell, quoted)]))
    return rows


def shown_by_clocks(cell):
    """The date and time that a cell shows, without its zone."""
    return datetime.fromisoformat(cell).replace(tzinfo=None)


def kind_and_values(cells):
    """What plain cells are, and their values; None stands for an empty cell."""
    present = [cell.strip(" \t") for cell in cells if cell != ""]
    for kind, pattern, value in (
        ("integer", r"[+-]?(0|[1-9][0-9]*)", int),
        ("integer", r"[+-]?(0|[1-9][0-9]*)\.0", lambda cell: int(cell.removesuffix(".0"))),
        ("decimal", r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)", Decimal),
        ("float", r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?", float),
        ("date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat),
        ("datetime", r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}.*", shown_by_clocks),
    ):
        if present and all(re.fullmatch(pattern, cell, re.ASCII) for cell in present):
            return kind, [None if c == "" else value(c.strip(" \t")) for c in cells]
    return "text", [None if c == "" else c for c in cells]


def written(rows, delimiter=","):
    """Csv text of rows of (cell, in quotes)."""
    lines = []
    for row in rows:
        cells = ['"' + c.replace('"', '""') + '"' if quoted else c for c, quoted in row]
        lines.append(delimiter.join(cells) + "\n")
    return "".join(lines)
