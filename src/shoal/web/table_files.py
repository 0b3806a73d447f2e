"""Tables as private files between two workers: Arrow for cells, JSON for what is known of them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.system.current import current
from shoal.table.dialects.dialect import Dialect
from shoal.table.dialects.notation import Notation
from shoal.table.files.variable import Variable
from shoal.table.roles import Column, Kind, Role, Written
from shoal.table.source import Source
from shoal.table.table import Table

KNOWN = b"shoal"
APART = ("values", "cells", "quoted", "ends")  # of a column, what is no JSON


def store(path: Path, table: Table, records: int) -> None:
    """Write a table of a file, and how many records the file has; whole, or not at all."""
    known = {"records": records, "source": _source_tree(table.source),
             "columns": [_column_tree(column) for column in table.columns]}  # fmt: skip
    arrays = dict(_arrays(table))
    schema = pa.schema([(name, array.type) for name, array in arrays.items()])
    schema = schema.with_metadata({KNOWN: json.dumps(known).encode()})
    batch = pa.record_batch(list(arrays.values()), schema=schema)
    made = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    with made.open("xb") as file, pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(batch)
    current().replace(made, path)


def load(path: Path) -> tuple[Table, int] | None:
    """Return what was written, without a copy; None where nothing was, or something is wrong."""
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        batch = reader.get_batch(0)
        known = json.loads(reader.schema.metadata[KNOWN])
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError):
        return None
    there = {name: batch.column(at) for at, name in enumerate(reader.schema.names)}
    columns = [_column(tree, there, at) for at, tree in enumerate(known["columns"])]
    source = _source(known["source"])
    if "lines" in there:
        source = replace(source, lines=np.concatenate(([known["source"]["first"]],
                                                       there["lines"].to_numpy())))  # fmt: skip
    return Table(tuple(columns), source), int(known["records"])


def _arrays(table: Table) -> Iterator[tuple[str, Any]]:
    """Yield all that has a line a record: values, cells as they stood, quotes, lines."""
    for at, column in enumerate(table.columns):
        for part in ("values", "cells"):
            array = getattr(column, part)
            if array is not None:
                whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
                yield f"{part} {at}", whole
        if column.quoted is not None:
            yield f"quoted {at}", pa.array(column.quoted)
    if table.source.lines is not None:
        yield "lines", pa.array(table.source.lines[1:])


def _column_tree(column: Column) -> dict[str, Any]:
    tree = {one.name: getattr(column, one.name) for one in fields(column) if one.name not in APART}
    for part in ("written", "variable"):
        tree[part] = None if tree[part] is None else asdict(tree[part])
    return tree


def _column(tree: Mapping[str, Any], there: Mapping[str, Any], at: int) -> Column:
    """Return a column from its parts."""
    own = _tupled(tree)
    quoted = there.get(f"quoted {at}")
    own |= {
        "kind": Kind(own["kind"]),
        "role": Role(own["role"]),
        "values": there[f"values {at}"],
        "cells": there.get(f"cells {at}"),
        "quoted": None if quoted is None else quoted.to_numpy(zero_copy_only=False),
        "written": None if own["written"] is None else Written(**_tupled(own["written"])),
        "variable": None if own["variable"] is None else Variable(**_tupled(own["variable"])),
    }
    return Column(**own)


def _source_tree(source: Source) -> dict[str, Any]:
    gone = ("native", "labels", "lines", "dialect", "notations")
    tree = {one.name: getattr(source, one.name) for one in fields(source) if one.name not in gone}
    tree["dialect"] = {one.name: getattr(source.dialect, one.name) for one in fields(Dialect)}
    tree["dialect"]["date_formats"] = dict(source.dialect.date_formats)
    tree["notations"] = [[name, asdict(notation)] for name, notation in source.notations]
    tree["first"] = None if source.lines is None else int(source.lines[0])
    return tree


def _source(tree: Mapping[str, Any]) -> Source:
    own = {key: one for key, one in _tupled(tree).items() if key != "first"}
    own["dialect"] = Dialect(**_tupled(tree["dialect"]))
    own["notations"] = tuple((name, Notation(**one)) for name, one in tree["notations"])
    return Source(**own)


def _tupled(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tree whose lists are tuples, as those of frozen values are."""
    return {key: _tuple(one) for key, one in tree.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
