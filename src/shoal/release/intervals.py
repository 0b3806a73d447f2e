"""Intervals of numbers and dates as they are handed over: texts, structs of two ends, two columns.

Inside, a released interval is a text, `[72,76]`, or a single value where both ends are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
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
KINDS = {
    pa.types.is_integer: Kind.INTEGER,
    pa.types.is_floating: Kind.FLOAT,
    pa.types.is_decimal: Kind.DECIMAL,
    pa.types.is_date: Kind.DATE,
    pa.types.is_timestamp: Kind.DATETIME,
}
READ: Mapping[Kind, Callable[[str], Any]] = {
    Kind.INTEGER: lambda text: int(Decimal(text)),
    Kind.FLOAT: float,
    Kind.DECIMAL: Decimal,
    Kind.DATE: date.fromisoformat,
    Kind.DATETIME: datetime.fromisoformat,
}


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
        both, kind = structs(column), kind_of(column.ends)
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


def kind_of(ends: Any) -> Kind:
    """Return the kind of the ends of intervals."""
    return next(kind for is_of, kind in KINDS.items() if is_of(ends))


def structs(column: Column) -> Any:
    """Return the intervals of a column as structs of two ends; `*` is a missing one."""
    distinct = column.values.dictionary_encode()
    texts = distinct.dictionary.to_pylist()
    pairs = [_ends(text) for text in texts]
    low, high = (_parsed([pair[side] for pair in pairs], column.ends) for side in (0, 1))
    gone = pa.array([text == STAR for text in texts])
    both = pa.StructArray.from_arrays([low, high], names=[LOW, HIGH], mask=gone)
    made = both.take(distinct.indices)
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _ends(text: str) -> tuple[str | None, str | None]:
    if text == STAR:
        return None, None
    if text.startswith("[") and text.endswith("]"):
        low, _, high = text[1:-1].partition(",")
        return low, high
    return text, text


def _parsed(texts: Sequence[str | None], ends: Any) -> Any:
    read = READ[kind_of(ends)]
    return pa.array([None if text is None else read(text) for text in texts], ends)
