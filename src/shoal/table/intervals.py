"""Intervals as tables hold them: texts, structs of two ends, two columns; all become texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.roles import STAR, Kind
from shoal.table.table import Table

LOW, HIGH = "low", "high"
ZEROS = ((r"\.0+$", ""), (r"(\.[0-9]*[1-9])0+$", r"\1"))  # of the fraction of a second


def ends_of(name: str) -> tuple[str, str]:
    """Return the names of the columns that hold the ends of a column's intervals."""
    return f"{name}_{LOW}", f"{name}_{HIGH}"


def names_in(released: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return names of columns as a release has them: two for one whose intervals are split."""
    own = set(released)
    return [each for name in names for each in ((name,) if name in own else ends_of(name))]


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
