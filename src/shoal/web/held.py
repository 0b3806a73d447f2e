"""Tables that the questions about a file share: read once, then kept whole and as a sample.

A worker lives for one question. What it has read lies in the folder of the opened file, which only
its owner can read and which goes with the file; the next question finds it there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.settings import Settings
from shoal.storage import system
from shoal.table.dialects.dialect import Dialect
from shoal.table.dialects.notation import Notation
from shoal.table.files.opening import file_of
from shoal.table.files.variable import Variable
from shoal.table.roles import Column, Kind, Role, Written
from shoal.table.source import Source
from shoal.table.table import Table
from shoal.web.tables import check_content, some_table
from shoal.web.uploads import RESERVE

KNOWN = b"shoal"
APART = ("values", "cells", "quoted", "ends")  # of a column, what is no JSON
SAMPLE = 20_000  # records that trials are drawn from
LARGEST = 1 << 30  # bytes of a table that is kept
READINGS = 2  # ways to read a file that are kept
FOLDER = "held"


def held_table(request: Mapping[str, Any], place: Path) -> tuple[Table, int]:
    """Return the table of a request as `some_table` reads it, and how many records the file has."""
    kept = _kept(request)
    if kept is None:
        return some_table(Path(request["path"]), _reading(request), place)
    check_content(Path(request["path"]))
    found = load(kept / "table")
    return _read(request, place) if found is None else found


def held_sample(request: Mapping[str, Any], place: Path, settings: Settings) -> tuple[Table, int]:
    """Return some records to try settings on, and how many the file has; few records are all.

    Households, persons and strata are whole in the whole table alone, and a large k needs many.
    """
    kept = _kept(request)
    largest = max([settings.protect.k, *settings.protect.k_of.values()])
    roles = settings.roles
    needs_all = roles.household or roles.person or roles.by or roles.group
    if kept is None or needs_all or 40 * largest > SAMPLE:
        return held_table(request, place)
    check_content(Path(request["path"]))
    found = load(kept / "sample")
    if found is None:
        table, records = held_table(request, place)
        found = _some(table), records
    return found


def hold(request: Mapping[str, Any], table: Table, records: int) -> None:
    """Keep a table that was read for a request."""
    kept = _kept(request)
    if kept is None:
        return
    if table.source.native is not None:  # no file
        return
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    store(kept / "sample", _some(table), records)
    size = _bytes(table)
    if size <= LARGEST and size + RESERVE < shutil.disk_usage(kept).free:
        store(kept / "table", table, records)
    others = sorted(kept.parent.iterdir(), key=lambda one: one.stat().st_mtime)
    for old in [one for one in others if one != kept][: 1 - READINGS or None]:
        shutil.rmtree(old, ignore_errors=True)


def _read(request: Mapping[str, Any], place: Path) -> tuple[Table, int]:
    table, records = some_table(Path(request["path"]), _reading(request), place)
    with contextlib.suppress(OSError):  # there may be no room: the next question reads it again
        hold(request, table, records)
    return table, records


def _reading(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return how the file is to be read, as a question about a recipe or a column says it."""
    given: Mapping[str, Any] = request.get("settings", request).get("input") or {}
    return given


def _kept(request: Mapping[str, Any]) -> Path | None:
    """Return the folder of a file as it is now, read in one way; None where nothing is kept."""
    if not request.get("held"):
        return None
    path = Path(request["path"])
    try:
        found = file_of(path).stat()
    except OSError:
        return None
    reading = {key: one for key, one in _reading(request).items() if one and key != "path"}
    said = [str(path), found.st_size, found.st_mtime_ns, reading]
    text = json.dumps(said, sort_keys=True, default=list)
    name = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return Path(request["held"]) / FOLDER / name


def _some(table: Table) -> Table:
    if table.rows <= SAMPLE:
        return table
    rows = np.random.default_rng(0).choice(table.rows, SAMPLE, replace=False)
    return table.take(np.sort(rows))


def _bytes(table: Table) -> int:
    """Return about how many bytes a table takes."""
    return sum(
        part.nbytes for column in table.columns for part in (column.values, column.cells)
        if part is not None
    )  # fmt: skip


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
    system.replace(made, path)


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
