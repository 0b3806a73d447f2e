"""JSON lines: Python's json looks at every line, then DuckDB reads them by the types it found.

DuckDB does not show the texts of numbers: those of more digits than a double holds, and whole ones
that other readers round, are seen by Python alone, as are columns that a line names twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.errors import InputError, shown
from shoal.judge.checks import LINE, check_names, once
from shoal.judge.engine import Engine, text
from shoal.judge.source import Source

READER = "DuckDB, after Python's json"
TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
EXACT, EXACT_DIGITS = 2**53, 16  # up to which every reader holds whole numbers as they are


def json_view(engine: Engine, path: Path, table: str) -> Source:
    """Make a view of a file of JSON lines: an object a line; what it does not name is missing."""
    kinds: dict[str, set[type]] = {}
    for names, types in dict.fromkeys(_shapes(path)):
        for name, kind in zip(names, types, strict=True):
            kinds.setdefault(name, set()).add(kind)
    if not kinds:
        raise InputError(f"{path.name}: there is no record")
    check_names(list(kinds), path.name)
    columns = {name: _type(kinds[name], f"{path.name}: column {shown(name)}") for name in kinds}
    typed = ",\n    ".join(f"{text(name)}: '{kind}'" for name, kind in columns.items())
    engine.make(
        f"""
CREATE VIEW {table} AS
SELECT *
FROM read_json(
  {text(engine.link(path))}, format = 'newline_delimited', auto_detect = false,
  compression = 'none', maximum_object_size = {LINE + 2},
  columns = {{
    {typed}
  }}
)""".strip(),
        f"The release: {path.name}, an object a line",
    )
    return Source(path.name, table, columns, reader=READER)


def _type(kinds: set[type], column: str) -> str:
    """Return the DuckDB type of a column; whole numbers beside others are numbers."""
    there = kinds - {type(None)}
    if type(...) in there:
        raise InputError(
            f"{column} holds numbers of too many digits, which readers read differently; write "
            "the shortest digits of a double, or texts"
        )
    there = {float} if there == {int, float} else there
    if len(there) > 1 or not there <= TYPES.keys():
        raise InputError(f"{column} holds values of several kinds, or lists")
    return TYPES[there.pop()] if there else "VARCHAR"


def _shapes(path: Path) -> Iterator[tuple[tuple[str, ...], tuple[type, ...]]]:
    """Yield the names, and the types of the values, of each line that is not blank."""
    decode = json.JSONDecoder(
        object_pairs_hook=once, parse_float=_number, parse_int=_whole, parse_constant=int
    ).decode
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LINE), b""), 1):
            try:
                record = decode(line.decode()) if line.strip() else {}
                signs = (
                    json.dumps(record, ensure_ascii=False, default=str) if b"\\u" in line else ""
                )
                signs.encode()  # halves of pairs are no signs
                if len(line) == LINE or not isinstance(record, dict) or "\\u0000" in signs:
                    raise ValueError
            except (ValueError, RecursionError):
                raise InputError(
                    f"{path.name}, line {number}: not a JSON object of different columns, or "
                    f"longer than {LINE // 2**20} MB"
                ) from None
            yield tuple(record), tuple(map(type, record.values()))


def _number(digits: str) -> Any:
    """Return a number; an ellipsis for one that is not the double that it is read as."""
    value = float(digits)
    is_it = repr(value) == digits or Decimal(repr(value)) == Decimal(digits)
    return value if is_it else ...


def _whole(digits: str) -> Any:
    """Return a whole number; an ellipsis for one that a double does not hold."""
    if len(digits) < EXACT_DIGITS:
        return int(digits)
    return int(digits) if len(digits) < 2 * EXACT_DIGITS and abs(int(digits)) <= EXACT else ...
