"""How much fits in memory: whether a file does, and how many records a region may have."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import InputError, RequestError, shown
from shoal.table.scan import DELIMITERS

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
         "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}  # fmt: skip
PROGRAM = 600 * 10**6  # bytes that the program itself takes, with what it reads and writes
CELL = 120  # bytes a cell of a table takes that is grouped and measured in memory
REGION_CELL = 150  # bytes a cell of a region takes while it is grouped or released
TEXT = 12  # bytes that a byte of csv takes
PACKED = 60  # the same of csv.gz
REGION = 1_000_000  # records of a region, at most: more lose no less
ENOUGH = 20_000  # records of a region, of which few lie at a border
LEAST = 700 * 10**6
HEAD = 2**18  # bytes of csv that tell how long a record is


@dataclass(frozen=True)
class Plan:
    """How many records a region and a bucket of the release may have."""

    records: int = REGION

    @property
    def rounds(self) -> int:
        """How often groups move to other regions: small ones have much border."""
        return 1 if self.records >= ENOUGH else 4

    def places(self, rows: int) -> int:
        """Return into how many regions so many records are cut."""
        return max(1, -(-rows // self.records))


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


def plan_for(memory: int, columns: int, bytes_a_record: float) -> Plan:
    """Return the plan for records of so many columns, of so many bytes each as they are kept."""
    each = REGION_CELL * columns + 4 * bytes_a_record
    return Plan(max(1_000, min(REGION, int((memory - PROGRAM) / each))))
