"""Intervals of numbers and dates as they are handed over: texts, structs of two ends, two columns.

Inside, a released interval is a text, `[72,76]`, or a single value where both ends are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import RequestError, listed
from shoal.hints import option
from shoal.release.plain_values import is_long
from shoal.table.roles import STAR, Column, Kind
from shoal.table.table import Table

TYPED = ("parquet", "feather", "arrow")  # kinds of files that hold structs
TEXT, STRUCT, COLUMNS = "text", "struct", "columns"
LOW, HIGH = "low", "high"
ZEROS = ((r"\.0+$", ""), (r"(\.[0-9]*[1-9])0+$", r"\1"))  # of the fraction of a second
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


def ends_of(name: str) -> tuple[str, str]:
    """Return the names of the columns that hold the ends of a column's intervals."""
    return f"{name}_{LOW}", f"{name}_{HIGH}"


def names_in(released: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return names of columns as a release has them: two for one whose intervals are split."""
    own = set(released)
    return [each for name in names for each in ((name,) if name in own else ends_of(name))]


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


def joined(table: Table, names: Iterable[str]) -> Table:
    """Return a table in which intervals of some columns are texts, whatever they came as."""
    columns = list(table.columns)
    for name in names:
        low, high = ends_of(name)
        places = [one.name for one in columns]
        if name in places:
            at, values = places.index(name), columns[places.index(name)].values
            if not is_interval_struct(values.type):
                continue
        elif low in places and high in places:
            at, ends = places.index(low), [columns[places.index(end)].values for end in (low, high)]
            values = pa.StructArray.from_arrays(ends, names=[LOW, HIGH])
            del columns[places.index(high)]
        else:
            continue
        texts = struct_texts(values).fill_null(STAR)
        columns[at] = columns[at].replace(name=name, kind=Kind.TEXT, values=texts, cells=None)
    return replace(table, columns=tuple(columns))


def is_interval_struct(kind: Any) -> bool:
    """Tell whether an Arrow type is a struct of two ends of one plain type."""
    if not pa.types.is_struct(kind) or kind.num_fields != 2:
        return False
    low, high = kind.field(0), kind.field(1)
    plain = not pa.types.is_nested(low.type)
    return (low.name, high.name) == (LOW, HIGH) and low.type == high.type and plain


def struct_texts(values: Any) -> Any:
    """Return structs as texts: [low,high], or the one value where both ends are equal."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    low, high = (_end_texts(pc.struct_field(values, [number])) for number in (0, 1))
    both = pc.binary_join_element_wise("[", pc.binary_join_element_wise(low, high, ","), "]", "")
    return pc.if_else(pc.equal(low, high), low, both)


def _end_texts(ends: Any) -> Any:
    """Return ends as texts; times without zeros at the end: files do not hold every unit."""
    texts = ends.cast(pa.string())
    if pa.types.is_timestamp(ends.type):
        for zeros, rest in ZEROS:
            texts = pc.replace_substring_regex(texts, zeros, rest)
    return texts
