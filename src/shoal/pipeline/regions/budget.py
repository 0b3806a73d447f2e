"""Memory budget: how many records, bytes and values each step may hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.table.dataframes.frames import RECORDS
from shoal.table.memory import PROGRAM

REGION = 1_000_000  # records of a region, at most: more lose no less
REGION_CELL = 150  # bytes a cell of a region takes while it is grouped or released
PIECE = 16 * 2**20  # bytes of csv that are read at once, at most
PIECE_TAKES = 40  # bytes that a byte of such a piece takes while it is looked at
FILE = 100 * 2**20  # bytes of records that are parted into one file, at most
FILE_TAKES = 8  # the same of these
VALUES = 2_000_000  # different values of all columns that are seen by their trees, at most
VALUE_TAKES = 1_200  # bytes of room for each: it takes about half of them, all the time
JUDGE = 64 * 2**20  # bytes in which the judge counts, at least
MEASURED = 100_000  # records on which costs and risks are measured, at most: whole groups
ENOUGH = 20_000  # records of a region, of which few lie at a border
SHARE = 50_000  # records that are worth a way to another machine
SHARES = 16  # regions at least, where there are so many records: work for several machines
BESIDE = 2  # regions that are worked on at once by steps that use one core, at most
WORKER = "2GB"  # default memory of a task on another machine


@dataclass(frozen=True)
class Budget:
    """How many records a region and a bucket of the release may have.

    `piece` is how many bytes of csv are read at once, `file` how many of records are parted into
    one file, `judge` how many bytes the judge counts in, and `values` how many different
    ones of all columns may be nodes of trees. `batch` is how many records of Parquet are read at
    once, and `measured` how many are measured, at most. `beside` is how many regions there is room
    for at once.
    """

    records: int = REGION
    piece: int = PIECE
    file: int = FILE
    values: int = VALUES
    batch: int = RECORDS
    measured: int = MEASURED
    beside: int = BESIDE
    judge: int | None = None

    @property
    def rounds(self) -> int:
        """How often groups move to other regions: small ones have much border."""
        return 1 if self.records >= ENOUGH else 4

    def shared(self, rows: int, share: int = SHARE) -> Budget:
        """Return the budget for an engine; it does not ask how many workers there are."""
        return replace(self, records=min(self.records, max(share, -(-rows // SHARES))))

    def places(self, rows: int) -> int:
        """Return into how many regions so many records are cut."""
        return max(1, -(-rows // self.records))


def budget_for(memory: int, columns: int, bytes_a_record: float) -> Budget:
    """Return the budget for records of so many columns, of so many bytes each as they are kept."""
    each = REGION_CELL * columns + 4 * bytes_a_record
    available = memory - PROGRAM
    records = max(1_000, min(REGION, int(available / each)))
    return Budget(
        records,
        max(2**16, min(PIECE, available // PIECE_TAKES)),
        max(2**20, min(FILE, available // FILE_TAKES)),
        min(VALUES, available // VALUE_TAKES),
        beside=max(1, min(BESIDE, int(available / (records * each)))),
        judge=max(JUDGE, available),
    )
