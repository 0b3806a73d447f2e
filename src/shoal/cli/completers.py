"""What shells may complete beyond options: methods, words, and columns of the table that is named.

Only what is cheap is looked up. Shells evaluate what they are offered, and column names are
whatever somebody wrote into a file: those with unusual signs are left out.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import typer

from shoal.cli.command import TABLE

SAFE = re.compile(r"\w[\w.-]*")
HEAD = 2**16  # bytes of a file that are looked at


def completer(entry: Any, columns: bool) -> Any:
    """Return what completes the value of an option of the table; None: files, as shells do."""
    if entry.name in ("method", "start"):
        return method_names
    if entry.choices:
        return lambda: list(entry.choices)
    return column_names if columns or entry.name in ("weight", "person", "household") else None


def method_names() -> list[str]:
    """Return the names of all methods."""
    from shoal.methods.registry import METHODS

    return ["auto", *METHODS]


def column_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the table on the command line, after those that are typed: a,b,…"""
    typed, comma, _ = incomplete.rpartition(",")
    used = set(typed.split(","))
    tables = [one.name for one in ctx.command.params if one.metavar == TABLE]
    named = [ctx.params.get(name) for name in tables]
    files = [Path(str(one)) for one in (*named, *ctx.args) if one]  # all, while a value is missing
    names = next((_header(file) for file in files if file.is_file()), [])
    safe = [name for name in names if SAFE.fullmatch(name) and name not in used]
    return [f"{typed}{comma}{name}" for name in safe]


def _header(path: Path) -> list[str]:
    """Return the names in the header of a csv or Parquet file; none where that fails."""
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            return list(pq.read_schema(path).names)
        with path.open("rb") as file:
            first = file.read(HEAD).partition(b"\n")[0].decode("utf-8-sig").strip("\r")
        sign = max(",;\t|", key=first.count)
        return next(csv.reader([first], delimiter=sign), [])
    except (OSError, ValueError, csv.Error):  # also of pyarrow
        return []
