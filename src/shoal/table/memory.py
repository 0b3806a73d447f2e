"""Memory that a file takes, and memory limits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, shown
from shoal.table.csv_text.scan import DELIMITERS
from shoal.table.files.formats import is_parquet
from shoal.table.files.opening import first_bytes, is_database, packing

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
         "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}  # fmt: skip
PROGRAM = 350 * 10**6  # bytes that the program itself takes, before it reads anything
CELL = 120  # bytes a cell of a table takes that is grouped and measured in memory
TEXT = 30  # bytes that a byte of csv takes
PACKED = 150  # the same of a packed one
LEAST = 500 * 10**6
HEAD = 2**18  # bytes of csv that tell how long a record is
SOME = 1_000  # records of Parquet that do


def is_packed(path: Path) -> bool:
    """Tell whether a file's name says that it is packed."""
    return bool(packing(path.name))


def read_memory(text: str) -> int:
    """Return the bytes of a limit such as 4GB or 500MB."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]I?)?B?\s*", text.upper())
    if not match:
        raise RequestError(f"memory: {shown(text)} is no amount of memory; say 4GB or 500MB")
    number = int(float(match[1]) * UNITS[match[2] or ""])
    if number < LEAST:
        raise RequestError(f"memory: at least {LEAST // 10**6}MB are needed, not {text.strip()}")
    return number


def needed(path: Path) -> int:
    """Return about how many bytes it takes to anonymize a file in memory."""
    if is_parquet(path) or is_database(path):
        rows, columns, each = typed_size(path)
        return PROGRAM + rows * int(CELL * columns + 4 * max(0.0, each - 8 * columns))
    try:
        size = path.stat().st_size
    except OSError:
        return 0  # the reader raises the error
    return PROGRAM + size * (PACKED if is_packed(path) else TEXT)


def typed_size(path: Path) -> tuple[int, int, float]:
    """Return how many records and columns a Parquet file or a database's table has.

    The third number is about how many bytes a record has.
    """
    if is_database(path):
        from shoal.table.files.databases import table_size

        return table_size(path)
    return parquet_size(path)


def parquet_size(path: Path) -> tuple[int, int, float]:
    """Return how many records and columns a Parquet file says it has, and the bytes of a record.

    The bytes are those of its first records as they are read: a small file may hold long texts.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from shoal.table.files.unpacking import check_unpacks

    try:
        check_unpacks(path, path.stat().st_size, path.name, in_pieces=True)
        with pq.ParquetFile(path, buffer_size=2**20, pre_buffer=False) as file:
            metadata = file.metadata
            return metadata.num_rows, metadata.num_columns, bytes_a_record(file)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, NotImplementedError):
        raise InputError(f"{path.name}: not a whole, unencrypted Parquet file") from None


def bytes_a_record(file: Any) -> float:
    """Return how many bytes a record of an opened Parquet file has: the first ones tell."""
    some = next(file.iter_batches(SOME, use_threads=False), None)
    return sum(map(_read_bytes, some.columns)) / max(some.num_rows, 1) if some else 0.0


def _read_bytes(values: Any) -> int:
    """Return the bytes of a column without a dictionary."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return int(values.nbytes)


def shape(path: Path) -> tuple[int, float]:
    """Return the number of columns of a file, and about how many bytes a record has."""
    if is_parquet(path) or is_database(path):
        _, columns, each = typed_size(path)
        return columns, each
    try:
        head = first_bytes(path, HEAD)
    except InputError:
        return 1, 0.0  # the reader raises the error
    first = head.partition(b"\n")[0]
    columns = 1 + max(first.count(sign.encode()) for sign in DELIMITERS)
    return columns, len(head) / max(head.count(b"\n"), 1)
