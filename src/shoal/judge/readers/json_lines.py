"""JSON lines, read by Python's own json: an object a line, and what it does not name is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.judge.readers.lines import bounded
from shoal.judge.readers.source import Source
from shoal.judge.readers.whole import whole

READER = "Python's json"


def json_lines(path: Path) -> Source:
    """Return an opened file of JSON lines."""
    columns: dict[str, list[Any]] = {}
    records = 0
    with path.open("rb") as file:
        for number, line in enumerate(bounded(file, path.name), 1):
            if not line.strip():
                continue
            for name, value in _record(line, path.name, number).items():
                cells = columns.setdefault(name, [])
                cells.extend([None] * (records - len(cells)))
                cells.append(value)
            records += 1
    for cells in columns.values():
        cells.extend([None] * (records - len(cells)))
    if not columns:
        raise InputError(f"{path.name}: there is no record")
    return whole(path.name, list(columns), columns, records, READER)


def _record(line: bytes, name: str, number: int) -> dict[str, Any]:
    """Return the record of a line; one that names a column twice is none."""
    try:
        pairs = json.loads(line, object_pairs_hook=lambda pairs: pairs, parse_constant=_no_constant)
        record = dict(pairs)
    except (ValueError, TypeError, RecursionError):
        raise InputError(f"{name}, line {number}: not a JSON object") from None
    if (
        not isinstance(pairs, list)
        or len(record) < len(pairs)
        or not line.lstrip().startswith(b"{")
    ):
        raise InputError(f"{name}, line {number}: not a JSON object of different columns")
    return record


def _no_constant(text: str) -> None:
    raise ValueError(text)
