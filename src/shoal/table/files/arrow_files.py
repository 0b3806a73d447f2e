"""Files that Arrow reads: Parquet, Feather, JSON lines -> Table."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError
from shoal.table.files.formats import JSON_LINES
from shoal.table.files.opening import check_file_name, read_bytes
from shoal.table.files.unpacking import check_unpacked, check_unpacks
from shoal.table.source import Source
from shoal.table.table import Table

MOMENT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$"


def read_arrow(path: Path) -> Table:
    """Return the Table of a Feather, Arrow or JSON lines file."""
    from shoal.table.dataframes.frames import check_names, from_arrow

    check_file_name(path.name)
    kind = "json" if path.name.lower().endswith(JSON_LINES) else "arrow"
    raw = read_bytes(path)
    try:
        table = _json_lines(raw) if kind == "json" else _ipc(raw, path.name)
    except (pa.ArrowException, OSError, NotImplementedError):
        what = "file of JSON lines, one record each" if kind == "json" else "Feather or Arrow file"
        raise InputError(f"{path.name}: not a whole {what}") from None
    check_names(list(table.column_names), path.name)
    digest = hashlib.sha256(raw).hexdigest()
    names = tuple(table.column_names)
    return from_arrow(table, Source(path.name, kind, digest, path=str(path), columns=names))


def table_of_lines(raw: bytes, name: str) -> Table:
    """Return the Table of JSON lines that are in memory."""
    from shoal.table.dataframes.frames import check_names, from_arrow

    try:
        table = _json_lines(raw)
    except (pa.ArrowException, NotImplementedError):
        raise InputError(f"{name}: no JSON lines, one record each") from None
    check_names(list(table.column_names), name)
    return from_arrow(table, Source(name, "json", columns=tuple(table.column_names)))


def _ipc(raw: bytes, name: str) -> Any:
    """Return the table of Arrow's own format, of a file or a stream."""
    from pyarrow import ipc

    source = pa.BufferReader(raw)
    is_file = raw.startswith(b"ARROW1")
    with ipc.open_file(source) if is_file else ipc.open_stream(source) as reader:
        many = reader
        if is_file:
            many = (reader.get_batch(i) for i in range(reader.num_record_batches))
        batches, size = [], 0
        for batch in many:
            size += batch.get_total_buffer_size()  # not every Arrow knows nbytes of string views
            check_unpacked(size, len(raw), name)
            batches.append(batch)
        return pa.Table.from_batches(batches, reader.schema)


def _json_lines(raw: bytes) -> Any:
    from pyarrow import json

    options = json.ReadOptions(use_threads=False, block_size=max(len(raw), 1))
    table = json.read_json(pa.BufferReader(raw), options)
    return pa.table({name: _dated(table[name]) for name in table.column_names})


def _dated(values: Any) -> Any:
    """Return dates where Arrow made times of them, and times that it left as texts."""
    if pa.types.is_string(values.type) and values.null_count < len(values):
        if not pc.all(pc.match_substring_regex(values, MOMENT)).as_py():
            return values
        values = values.cast(pa.timestamp("us"))
    if not pa.types.is_timestamp(values.type):
        return values
    days = values.cast(pa.date32(), safe=False)
    return days if days.cast(values.type).equals(values) else values


def read_parquet(path: Path) -> Table:
    """Return the Table of a Parquet file."""
    import pyarrow.parquet as pq

    from shoal.table.dataframes.frames import check_names, from_arrow

    check_file_name(path.name)
    raw = read_bytes(path)
    try:
        check_unpacks(pa.BufferReader(raw), len(raw), path.name)
        file = pq.ParquetFile(pa.BufferReader(raw))
        check_names(list(file.schema_arrow.names), path.name)
        table = file.read(use_threads=False)
    except (pa.ArrowException, OSError, NotImplementedError):
        raise InputError(
            f"{path.name}: not a whole, unencrypted Parquet file, or of a type unknown here"
        ) from None
    digest = hashlib.sha256(raw).hexdigest()
    names = tuple(table.column_names)
    source = Source(path.name, "parquet", digest, path=str(path), columns=names)
    try:
        return from_arrow(table, source)
    except pa.ArrowInvalid:
        raise InputError(
            f"{path.name}: a column cannot be read; it may hold more than 2 GiB of text"
        ) from None
