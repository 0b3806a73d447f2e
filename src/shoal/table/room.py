"""How much memory a file takes, and how much somebody allows."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from shoal.errors import InputError, RequestError, shown
from shoal.table.scan import DELIMITERS

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
         "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}  # fmt: skip
PROGRAM = 600 * 10**6  # bytes that the program itself takes, with what it reads and writes
CELL = 120  # bytes a cell of a table takes that is grouped and measured in memory
TEXT = 12  # bytes that a byte of csv takes
PACKED = 60  # the same of csv.gz
LEAST = 700 * 10**6
HEAD = 2**18  # bytes of csv that tell how long a record is


def read_memory(said: str) -> int:
    """Return the bytes of a limit such as 4GB or 500MB."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]I?)?B?\s*", said.upper())
    if not found:
        raise RequestError(f"memory: {shown(said)} is no amount of memory; say 4GB or 500MB")
    number = int(float(found[1]) * UNITS[found[2] or ""])
    if number < LEAST:
        raise RequestError(f"memory: at least {LEAST // 10**6}MB are needed, not {said.strip()}")
    return number


def needed(path: Path) -> int:
    """Return about how many bytes it takes to anonymize a file in memory."""
    lower = path.name.lower()
    if lower.endswith(".parquet"):
        rows, columns = parquet_size(path)
        return PROGRAM + CELL * rows * columns
    try:
        size = path.stat().st_size
    except OSError:
        return 0  # whoever reads it will say why it cannot be
    return PROGRAM + size * (PACKED if lower.endswith(".gz") else TEXT)


def parquet_size(path: Path) -> tuple[int, int]:
    """Return the number of records and columns that a Parquet file says it has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{path.name}: not a whole, unencrypted Parquet file") from None
    return found.num_rows, found.num_columns


def shape(path: Path) -> tuple[int, float]:
    """Return the number of columns of a file, and about how many bytes a record has."""
    if path.name.lower().endswith(".parquet"):
        rows, columns = parquet_size(path)
        return columns, path.stat().st_size * 2 / max(rows, 1)
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            head = file.read(HEAD)
    except (OSError, EOFError):
        return 1, 0.0  # whoever reads it will say what is wrong
    first = head.partition(b"\n")[0]
    columns = 1 + max(first.count(sign.encode()) for sign in DELIMITERS)
    return columns, len(head) / max(head.count(b"\n"), 1)
