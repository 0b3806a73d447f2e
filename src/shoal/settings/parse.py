"""Words of the command line that hold several values: lists of names, COLUMN=VALUE, numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal.errors import InputError, RequestError, shown


def split_names(given: Sequence[str] | None) -> list[str]:
    """Return column names from `a,b` options; a name with a comma in it stands in quotes."""
    try:
        parts = [
            list(csv.reader(io.StringIO(part, newline=""), strict=True)) for part in given or []
        ]
    except csv.Error:
        raise RequestError("a list of columns has quotes that do not close") from None
    if any(len(rows) > 1 for rows in parts):
        raise RequestError("a column name with a line break must stand in quotes")
    return [name for rows in parts for row in rows for name in row]


def split_pairs(given: Sequence[str] | None, option: str, first: bool = False) -> dict[str, str]:
    """Return COLUMN=VALUE options as a dict, split at the last = (or the first)."""
    pairs: dict[str, str] = {}
    for part in given or []:
        name, equals, value = part.partition("=") if first else part.rpartition("=")
        if not equals or not name or name in pairs:
            raise RequestError(f"{option} {shown(part)}: say COLUMN=VALUE, once for a column")
        pairs[name] = value
    return pairs


def split_key(key: str) -> tuple[str, ...]:
    """Return the names in a line of csv."""
    try:
        rows = list(csv.reader(io.StringIO(key, newline=""), strict=True))
    except csv.Error:
        rows = [[], []]
    if len(rows) > 1:
        raise RequestError(f"k_of: {shown(key)} is no line of csv; say a,b, or in quotes")
    return tuple(rows[0]) if rows else ()


def joined_key(names: Iterable[str]) -> str:
    """Return names as a line of csv."""
    line = io.StringIO()
    csv.writer(line).writerow(names)  # it puts names with the signs of line ends in quotes
    return line.getvalue().removesuffix("\r\n")


def number(text: str) -> int | float:
    """Return a whole number as an int, another one as a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def lines_of(path: str, name: str) -> list[str]:
    """Return the lines of a file that lists the values of a column."""
    from shoal.table.files.opening import read_bytes

    try:
        text = read_bytes(Path(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"the order of {shown(name)}: {shown(path)} is not UTF-8 text") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines
