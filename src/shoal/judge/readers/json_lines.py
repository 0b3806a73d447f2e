"""JSON lines, read by Python's own json: an object a line, and what it does not name is missing.

A file is read twice, some records at a time: once for its columns and what they hold, then for the
records, whenever these are wanted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.judge.limits import limits
from shoal.judge.readers.arrow import rows_in
from shoal.judge.readers.cells import ArrowCells
from shoal.judge.readers.lines import bounded
from shoal.judge.readers.source import Made, Source, check_header

READER = "Python's json"
RECORDS = 16_384  # at a time, at most: as Python's values they take much room
TYPES = {bool: "bool", int: "int64", float: "float64", str: "string"}  # Arrow's names

Record = Mapping[str, Any]


def json_lines(path: Path) -> Source:
    """Return an opened file of JSON lines."""
    kinds: dict[str, set[type]] = {}
    count = 0
    for record in _records(path):
        count += 1
        for name, value in record.items():
            kinds.setdefault(name, set()).add(type(value))
    if not kinds:
        raise InputError(f"{path.name}: there is no record")
    header = list(kinds)
    check_header(header, path.name)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        chosen = [header[place] for place in places]
        types = {name: _type(kinds[name], name, path.name) for name in chosen}
        records = _records(path)
        while some := list(islice(records, min(limits().batch, RECORDS))):
            columns = (_array(some, name, types[name], path.name) for name in chosen)
            yield make([ArrowCells(column) for column in columns])

    rows = partial(rows_in, batches)
    return Source(path.name, header, rows, False, batches, count, reader=READER)


def _type(kinds: set[type], column: str, name: str) -> str:
    """Return the Arrow type of a column; whole numbers beside others are numbers."""
    there = kinds - {type(None)}
    if there == {int, float}:
        there = {float}
    if len(there) > 1 or not there <= TYPES.keys():
        raise InputError(f"{name}: column {column[:60]!r} holds values of several kinds, or lists")
    return TYPES[there.pop()] if there else "null"


def _array(records: Sequence[Record], column: str, kind: str, name: str) -> Any:
    """Return the cells of a column as an Arrow array."""
    import pyarrow as pa

    values = [record.get(column) for record in records]
    if kind == "float64":
        values = [None if value is None else float(value) for value in values]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError):
        raise InputError(
            f"{name}: column {column[:60]!r} holds numbers of too many digits"
        ) from None


def _records(path: Path) -> Iterator[Record]:
    """Yield the record of each line that is not blank."""
    with path.open("rb") as file:
        for number, line in enumerate(bounded(file, path.name), 1):
            if line.strip():
                yield _record(line, path.name, number)


def _record(line: bytes, name: str, number: int) -> Record:
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
