"""Files that are read as a whole: workbooks, and what another process has read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any

from shoal.errors import InputError
from shoal.judge.limits import limits
from shoal.judge.readers.arrow import check_plain, rows_in
from shoal.judge.readers.cells import ArrowCells
from shoal.judge.readers.source import Made, Source, check_header

RATIO, FREE = 200, 64 * 2**20  # what unpacks to more than both is no table


def check_unpacked(size: int, packed: int, name: str) -> None:
    """Refuse a file that unpacks to far more than a table of its size would."""
    if size > FREE and size > RATIO * packed:
        raise InputError(f"{name}: unpacks to more than {RATIO} times its size; not a table")


def whole(
    name: str, header: Sequence[str], columns: Mapping[str, Any], records: int, reader: str
) -> Source:
    """Return an opened file whose columns, Arrow arrays or lists of values, are held in memory."""
    check_header(header, name)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        chosen = [_array(columns[header[place]], header[place], name) for place in places]
        for place, column in zip(places, chosen, strict=True):
            check_plain(column.type, header[place], name)
        size = limits().batch
        for begin in range(0, records, size):
            yield make([ArrowCells(column.slice(begin, size)) for column in chosen])

    rows = partial(rows_in, batches)
    return Source(name, list(header), rows, False, batches, records, reader=reader)


def _array(values: Any, column: str, name: str) -> Any:
    """Return an Arrow array; whole numbers beside others are numbers, other kinds do not mix."""
    import pyarrow as pa

    if not isinstance(values, list):
        return values
    kinds = {_kind(value) for value in values if value is not None}
    if kinds == {"whole", "number"}:
        values, kinds = [None if v is None else float(v) for v in values], {"number"}
    if kinds == {"date", "moment"}:
        values = [None if v is None else _moment(v) for v in values]
        kinds = {"moment"}
    if len(kinds) > 1 or kinds & {"other"}:
        raise InputError(f"{name}: column {column[:60]!r} holds values of several kinds, or lists")
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        raise InputError(
            f"{name}: column {column[:60]!r} holds numbers of too many digits"
        ) from None


def _kind(value: Any) -> str:
    for kind, types in (("flag", bool), ("whole", int), ("number", float), ("text", str),
                        ("moment", datetime), ("date", date)):  # fmt: skip
        if isinstance(value, types):
            return kind
    return "other"


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
