"""Intervals of numbers and dates as they are handed over: texts, structs of two ends, two columns.

Inside, a released interval is a text, `[72,76]`, or a single value where both ends are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from shoal.errors import RequestError, listed
from shoal.hints import option
from shoal.release.plain_values import is_long
from shoal.table.intervals import HIGH, LOW, ends_of
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import Table

TYPED = ("parquet", "feather", "arrow")  # kinds of files that hold structs
TEXT, STRUCT, COLUMNS = "text", "struct", "columns"
ENDS: tuple[tuple[Callable[[Any], bool], Kind, Callable[[str], Any]], ...] = (
    (pa.types.is_integer, Kind.INTEGER, lambda text: int(Decimal(text))),
    (pa.types.is_floating, Kind.FLOAT, float),
    (pa.types.is_decimal, Kind.DECIMAL, Decimal),
    (pa.types.is_date, Kind.DATE, date.fromisoformat),
    (pa.types.is_timestamp, Kind.DATETIME, datetime.fromisoformat),
)  # types of ends, what they are, and what reads them


def handed_over(table: Table, how: str | None, typed: bool) -> Table:
    """Return a released table with its intervals as a file gets them.

    `typed` says that it holds structs, as Parquet does. Without `how` they are structs there, and
    texts elsewhere.
    """
    wide = {column.name for column in table.columns if column.ends is not None}
    handed_names(table.names, wide, how, typed)
    if how == COLUMNS:
        return _split(table)
    if typed and how != TEXT:
        return table
    return table.mapped(lambda column: column.replace(ends=None))


def handed_names(
    names: Sequence[str], wide: Container[str], how: str | None, typed: bool
) -> list[str]:
    """Return the names of columns as a file gets them; `wide` are those of intervals.

    Raises RequestError where it cannot hold the intervals as asked, or two names would be one.
    """
    if how == STRUCT and not typed and any(name in wide for name in names):
        raise RequestError(
            "intervals as structs are for dataframes and Parquet, Feather or Arrow files; say "
            f"{option('intervals', 'text')} or {option('intervals', 'columns')}"
        )
    if how != COLUMNS:
        return list(names)
    both = {name: ends_of(name) for name in names if name in wide}
    taken = [end for ends in both.values() for end in ends if end in names]
    if taken:
        raise RequestError(
            f"the ends of intervals would be called {listed(taken)}, which there is already; "
            f"rename it, or say {option('intervals', 'text')}"
        )
    return [each for name in names for each in both.get(name, (name,))]


def for_frame(table: Table, how: str | None) -> Table:
    """Return a released table with its intervals as a dataframe gets them; of a file as it is."""
    if table.source.native is None:
        return table
    made = handed_over(table, how, True)
    return made.mapped(
        lambda column: column if column.ends is None else column.replace(values=structs(column))
    )


def _split(table: Table) -> Table:
    """Return a table with two columns for every one of intervals, each written as that was."""
    columns: list[Column] = []
    for column in table.columns:
        if column.ends is None:
            columns.append(column)
            continue
        both, (kind, _) = structs(column), _kind_and_reader(column.ends)
        for end, name in zip((LOW, HIGH), ends_of(column.name), strict=True):
            values = both.field(end)
            columns.append(
                column.replace(name=name, kind=kind, values=values, ends=None, written=None)
            )
    own = {column.name for column in table.columns if column.ends is not None}
    notations = [
        (each, notation)
        for name, notation in table.source.notations
        for each in (ends_of(name) if name in own else (name,))
    ]
    source = replace(table.source, notations=tuple(notations))
    return replace(table, columns=tuple(columns), source=source)


def ends_type(column: Column) -> Any:
    """Return the type of the ends of a column's intervals; None where no struct holds them.

    Decimals that a float holds are floats, as everywhere in Parquet.
    """
    if not column.kind.is_numeric or column.kind is Kind.BOOLEAN:
        return None
    kind, zone = column.values.type, "" if column.written is None else column.written.zone
    if zone or getattr(kind, "tz", None):
        return None
    short = column.kind is Kind.DECIMAL and column.written is not None and not is_long(column)
    return pa.float64() if short else kind


def _kind_and_reader(ends: Any) -> tuple[Kind, Callable[[str], Any]]:
    return next((kind, read) for is_of, kind, read in ENDS if is_of(ends))


def structs(column: Column) -> Any:
    """Return the intervals of a column as structs of two ends; `*` is a missing one."""
    distinct = column.values.dictionary_encode()
    texts = distinct.dictionary.to_pylist()
    _, read = _kind_and_reader(column.ends)
    pairs = [None if text == STAR else [read(end) for end in _ends(text)] for text in texts]
    low, high = (
        pa.array([None if pair is None else pair[side] for pair in pairs], column.ends)
        for side in (0, -1)
    )
    gone = pa.array([pair is None for pair in pairs], pa.bool_())
    both = pa.StructArray.from_arrays([low, high], names=[LOW, HIGH], mask=gone)
    made = both.take(distinct.indices)
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _ends(text: str) -> list[str]:
    """Return both ends of an interval, or the one value that it is."""
    return text[1:-1].split(",", 1) if text.startswith("[") and text.endswith("]") else [text]
