"""What pricing finds at some duals, and what a programme asks of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.cuts import Cuts


@dataclass(frozen=True)
class Priced:
    """What pricing found at some duals.

    By size k, k + 1, ...: every root's best group and its reduced cost (0: none below). `missing`
    is how much less than the duals' sum any grouping may cost; `cut_short` counts the roots that
    were left before all their branches were looked at; what is missing allows for them. Where the
    time was up before all roots were priced, anything may be missing.
    """

    groups: list[Integers]  # each (n, size)
    reduced: Floats  # (sizes, n), at most 0
    missing: float
    cut_short: int

    def new(self) -> Iterator[Integers]:
        """Yield the groups that cost less than their duals, size by size."""
        for groups, reduced in zip(self.groups, self.reduced, strict=True):
            yield groups[reduced < 0.0]


class Pricing(Protocol):
    """Finds groups of k to 2k - 1 records that cost less than their duals."""

    @property
    def sizes(self) -> range:
        """The sizes of groups."""

    @property
    def floor(self) -> float:
        """What no grouping costs less than, whatever the duals."""

    def price(
        self, duals: Floats, most: int, tolerance: float, cuts: Cuts, prices: Floats
    ) -> Priced:
        """Price all roots, with at most so many branches each."""

    def grow(self, duals: Floats) -> tuple[Integers, Floats]:
        """Return a cheap group for every root, (n, 2k - 1) padded, and its reduced cost."""

    def every_group(
        self, duals: Floats, limit: float, most: int, room: int, cuts: Cuts, prices: Floats
    ) -> list[Integers] | None:
        """Return all groups whose reduced cost is below a limit, by size; None if too many."""
