"""How many records a region may have, for a limit of memory."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.table.room import PROGRAM

REGION = 1_000_000  # records of a region, at most: more lose no less
REGION_CELL = 150  # bytes a cell of a region takes while it is grouped or released
ENOUGH = 20_000  # records of a region, of which few lie at a border
SHARE = 50_000  # records that are worth a way to another machine
SHARES = 16  # regions at least, where there are so many records: work for several machines
WORKER = "2GB"  # memory that a task on another machine may take, where nobody says


@dataclass(frozen=True)
class Plan:
    """How many records a region and a bucket of the release may have."""

    records: int = REGION

    @property
    def rounds(self) -> int:
        """How often groups move to other regions: small ones have much border."""
        return 1 if self.records >= ENOUGH else 4

    def shared(self, rows: int) -> Plan:
        """Return the plan for an engine; it does not ask how many workers there are."""
        return Plan(min(self.records, max(SHARE, -(-rows // SHARES))))

    def places(self, rows: int) -> int:
        """Return into how many regions so many records are cut."""
        return max(1, -(-rows // self.records))


def plan_for(memory: int, columns: int, bytes_a_record: float) -> Plan:
    """Return the plan for records of so many columns, of so many bytes each as they are kept."""
    each = REGION_CELL * columns + 4 * bytes_a_record
    return Plan(max(1_000, min(REGION, int((memory - PROGRAM) / each))))
