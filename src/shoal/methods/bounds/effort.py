"""How much work goes into a bound."""

from __future__ import annotations

from dataclasses import dataclass

CLOSED = 1e-5  # gap between programme and bound, as a share, that counts as none
TRIPLE = 3  # records of the cuts that are always searched


@dataclass(frozen=True)
class Plan:
    """How much work goes into a table: counts, so that the same plan gives the same result.

    `grown` is for groups so large that pricing is cut short nearly everywhere; `anew` begins as
    if nothing was done before.
    """

    climb: int = 25
    branches: int = 500  # of a root at first
    rounds: int = 60
    limit: int = 100_000  # branches of a root in the end
    cuts: int = 10
    cut_width: int = TRIPLE  # records of a cut, at most
    listed: int = 20_000  # groups that may be listed for a proof
    columns: int = 5_000  # groups for the integer programme where they cannot all be listed
    nodes: int = 100
    parts: tuple[float, ...] = (1.0,)  # of the gap, tried in turn until its groups can be listed
    grown: bool = False
    anew: bool = False
    closed: float = CLOSED

    @property
    def stages(self) -> int:
        """How many of climbing, solving and cutting it has."""
        return sum(count > 0 for count in (self.climb, self.rounds, self.cuts))
